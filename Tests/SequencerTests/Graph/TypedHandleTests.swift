import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Typed step handles", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TypedHandleTests {
    private struct Configuration: Equatable {
        var country = "CH"
    }

    private func run(_ graph: OperationGraph) async throws -> FinishedLaunch {
        let launch = try await graph.run(options: LaunchOptions(clock: VirtualClock(), seed: 1))
        #expect(launch.report.outcome == .completed)
        return launch
    }

    @Test("a step reads one, two or three values, with and without the launch, on a lane, suspended or on main")
    func inputs() async throws {
        var graph = OperationGraph("inputs")
        let one = graph.add("one") { 1 }
        let two = graph.add("two") { "two" }
        let three = graph.add("three") { Configuration() }

        let readsOne: Step<Int> = graph.add("reads-one", using: one) { $0 + 1 }
        let readsTwo: Step<String> = graph.add("reads-two", using: one, two) { "\($0) \($1)" }
        let readsThree: Step<String> = graph.add("reads-three", using: one, two, three) { "\($0) \($1) \($2.country)" }
        let withLaunch: Step<String> = graph.add("with-launch", using: .context, one, two) { launch, one, two in
            "\(launch.operation) \(one) \(two)"
        }
        let suspends: Step<String> = graph.add("suspends", using: .context, two, three) { launch, two, three in
            try await launch.sleep(for: .milliseconds(1))
            return two + three.country
        }
        let onMain: Step<Int> = graph.add("on-main", using: one, three, after: two, on: .main) { one, three in one + three.country.count }
        let onMainWithLaunch = graph.add("on-main-with-launch", using: .context, one, on: .main) { launch, one in one + launch.attempt }
        let options: Step<Int> = graph.add(
            "options",
            .title("Options"),
            .timeout(.seconds(1)),
            using: one,
            after: two,
            "three",
            [readsOne, onMain],
            fallback: 7
        ) { $0 }

        let launch = try await run(graph)
        #expect(try launch[readsOne] == 2)
        #expect(try launch[readsTwo] == "1 two")
        #expect(try launch[readsThree] == "1 two CH")
        #expect(try launch[withLaunch] == "with-launch 1 two")
        #expect(try launch[suspends] == "twoCH")
        #expect(try launch[onMain] == 3)
        #expect(try launch[onMainWithLaunch] == 2)
        #expect(try launch[options] == 1)

        let valid = try graph.validated()
        #expect(try valid.dependencies(of: "reads-three") == ["one", "two", "three"])
        #expect(try valid.dependencies(of: "on-main") == ["one", "two", "three"])
        #expect(try valid.dependencies(of: "options") == ["one", "two", "three", "reads-one", "on-main"])
    }

    @Test("the handle of a step that other code has added is had by its identifier and the type of its value")
    func handleByName() async throws {
        var graph = OperationGraph("scenario")
        graph.add("fetch-config") { Configuration() }
        graph.add("splash") {}
        let splash: Step<Void> = try graph.step("splash")
        let config = try graph.step("fetch-config", of: Configuration.self)
        let reader = graph.add("reader", using: config, after: splash) { $0.country }
        let launch = try await run(graph)
        #expect(try launch[reader] == "CH" && launch[config] == Configuration())
        #expect(try graph.validated().dependencies(of: "reader") == ["fetch-config", "splash"])

        let wrongType = #expect(throws: GraphError.self) { try graph.step("fetch-config", of: String.self) }
        #expect(wrongType?.problems.map(\.description) == ["fetch-config produces Configuration, and not String"])
        #expect(wrongType?.problems.map(\.code) == [.valueType])
        let missing = #expect(throws: GraphError.self) { try graph.step("fetch-confg", of: Configuration.self) }
        #expect(missing?.problems.map(\.description) == ["there is no operation 'fetch-confg'; did you mean 'fetch-config'?"])
        graph.remove("splash")
        #expect(throws: GraphError.self) { try graph.step("splash") }
        #expect(try graph.step("reader", of: String.self).id == reader.id)
    }

    @Test("a launch is not asked with a handle of another graph, but with one of the graph that it was copied from")
    func foreignQuestion() async throws {
        func launch(_ country: String) -> (graph: OperationGraph, config: Step<Configuration>) {
            var graph = OperationGraph("graph")
            let config = graph.add("fetch-config") { Configuration(country: country) }
            return (graph, config)
        }
        let (graph, config) = launch("IT")
        let (_, foreign) = launch("CH")
        var copy = graph
        let login = copy.add("login", using: config) { $0.country }
        let launched = try await run(copy)
        #expect(try launched[config].country == "IT")
        #expect(try launched[login] == "IT")
        let error = #expect(throws: OperationError.self) { try launched[foreign] }
        let message = "'fetch-config' is a step of another graph; ask with the handle that the graph 'graph' returned"
        #expect(error?.message == message && error?.operation == "fetch-config")
        #expect(error?.outcome == nil)
        #expect(throws: OperationError.self) { try launched[foreign.optional] }
        let running = try copy.start(options: .virtual())
        let refusal = #expect(throws: GraphError.self) { try running.value(of: foreign) }
        #expect(refusal?.problems.map(\.description) == [message])
        _ = await running.end()
    }
}

extension OperationGraph {
    /// Adds a step that does nothing, after others.
    @discardableResult
    fileprivate mutating func add(_ id: String, after dependencies: any StepReference...) -> Step<Void> {
        insert(id, options: [], dependencies: dependencies, valueType: Void.self, work: .nothing)
        return Step(id: id, graph: tag)
    }
}
