import Testing

@testable import Sequencer

@Suite("Typed step handles", .serialized, .timeLimit(.minutes(10)))
struct TypedHandleTests {
    private struct Configuration: Equatable {
        var country = "CH"
    }

    private func run(_ graph: OperationGraph) async throws -> Sequencer {
        let sequencer = Sequencer(graph, options: LaunchOptions(clock: VirtualClock(), seed: 1))
        let report = try await sequencer.run()
        #expect(report.outcome == .completed)
        return sequencer
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
        let withLaunch: Step<String> = graph.add("with-launch", using: one, two) { launch, one, two in "\(launch.operation) \(one) \(two)" }
        let suspends: Step<String> = graph.add("suspends", using: two, three) { launch, two, three in
            try await launch.sleep(for: .milliseconds(1))
            return two + three.country
        }
        let onMain: Step<Int> = graph.add("on-main", using: one, three, after: two, on: .main) { one, three in one + three.country.count }
        let onMainWithLaunch = graph.add("on-main-with-launch", using: one, on: .main) { launch, one in one + launch.attempt }
        let options: Step<Int> = graph.add(
            "options",
            .title("Options"),
            .timeout(.seconds(1)),
            using: one,
            after: two,
            "three",
            [readsOne, onMain],
            fallback: .value(7)
        ) { $0 }

        let sequencer = try await run(graph)
        #expect(try sequencer.value(of: readsOne) == 2)
        #expect(try sequencer.value(of: readsTwo) == "1 two")
        #expect(try sequencer.value(of: readsThree) == "1 two CH")
        #expect(try sequencer.value(of: withLaunch) == "with-launch 1 two")
        #expect(try sequencer.value(of: suspends) == "twoCH")
        #expect(try sequencer.value(of: onMain) == 3)
        #expect(try sequencer.value(of: onMainWithLaunch) == 2)
        #expect(try sequencer.value(of: options) == 1)

        let valid = try graph.validated()
        #expect(try valid.dependencies(of: "reads-three") == ["one", "two", "three"])
        #expect(try valid.dependencies(of: "on-main") == ["one", "two", "three"])
        #expect(try valid.dependencies(of: "options") == ["one", "two", "three", "reads-one", "on-main"])
    }

    @Test("fault G11: reading a value is depending on it")
    func valuesAreDependencies() throws {
        var graph = OperationGraph("inputs")
        let config = graph.add("fetch-config") { Configuration() }
        let login = graph.add("login", using: config) { $0.country }
        graph.add("main-app", using: login, config.optional) { _, _ in }
        #expect(
            try graph.validated().edges == ["login after fetch-config", "main-app after login", "main-app after fetch-config"]
        )
    }

    @Test("an optional handle gives nil for a step that was skipped, and its value otherwise")
    func optional() async throws {
        var graph = OperationGraph("optional")
        let skipped = graph.add("skipped", .when { false }) { 1 }
        let produced = graph.add("produced") { 2 }
        let reader = graph.add("reader", using: skipped.optional, produced.optional) { [$0, $1] }
        let never = graph.add("never", using: skipped) { $0 }
        let sequencer = try await run(graph)
        #expect(try sequencer.value(of: reader) == [nil, 2])
        #expect(try sequencer.value(of: never) == nil)
    }

    @Test("a value may be an optional, a tuple, a function or nothing")
    func valueTypes() async throws {
        var graph = OperationGraph("types")
        let nothing: Step<Void> = graph.add("nothing") {}
        let absent: Step<String?> = graph.add("absent") { nil }
        let pair: Step<(Int, Int)> = graph.add("pair") { (1, 2) }
        let function: Step<@Sendable (Int) -> Int> = graph.add("function") { { $0 * 10 } }
        let reader = graph.add("reader", using: nothing, absent, pair, function) { _, absent, pair, function in
            "\(absent ?? "none") \(pair.0 + pair.1) \(function(4))"
        }
        let sequencer = try await run(graph)
        #expect(try sequencer.value(of: reader) == "none 3 40")
    }

    @Test("a closure that produces nothing can be delayed, replaced by its fallback and read, as any other")
    func actions() async throws {
        var graph = OperationGraph("actions")
        let calls = Locked<[String]>([])
        let first = graph.add("first") { calls.withLock { $0.append("first") } }
        let second = graph.add("second", after: first) {
            await Task.yield()
            calls.withLock { $0.append("second") }
        }
        let failing = graph.add("failing", after: second, fallback: .value(())) { throw CancellationError() }
        let count = graph.add("count", using: first, second, failing.optional) { _, _, _ in calls.withLock { $0.count } }
        try graph.inject(.delay(.seconds(1)), into: "first")
        try graph.inject(.delay(.seconds(2)), into: "second")
        let sequencer = try await run(graph)
        let report = try #require(await sequencer.report())
        #expect(try sequencer.value(of: count) == 2 && calls.withLock { $0 } == ["first", "second"])
        #expect(report.makespan == .seconds(3) && report["failing"]?.outcome == .fellBack)
    }

    @Test("a handle means a step by its identifier")
    func equality() {
        var graph = OperationGraph("equality")
        let first = graph.add("first") { 1 }
        let second = graph.add("second") { 1 }
        #expect(first.id == "first")
        #expect(first != second)
        #expect(Set([first, first, second]).count == 2)
    }

    @Test("fault G4: a handle from another graph is an unknown dependency")
    func foreignHandle() {
        var other = OperationGraph("other")
        let config = other.add("fetch-config") { Configuration() }
        let splash = other.add("splash") {}
        var graph = OperationGraph("graph")
        graph.add("fetch-confog") { Configuration() }
        graph.add("login", using: config) { _ in }
        graph.add("main-app", after: splash)
        #expect(
            graph.complaints == [
                "login reads 'fetch-config', which is not in the graph; did you mean 'fetch-confog'?",
                "main-app waits for 'splash', which is not in the graph",
            ]
        )
        #expect(graph.problems.map(\.code) == [.unknownDependency, .unknownDependency])
    }

    @Test("a handle from another graph means the step of that name, if its type is the same")
    func foreignHandleOfSameName() async throws {
        var other = OperationGraph("other")
        other.add("splash") {}
        let config = other.add("fetch-config") { Configuration() }

        var graph = OperationGraph("graph")
        graph.add("fetch-config") { Configuration(country: "IT") }
        let login = graph.add("login", using: config) { $0.country }
        #expect(try await run(graph).value(of: login) == "IT")

        var mistyped = OperationGraph("mistyped")
        mistyped.add("fetch-config") { "CH" }
        mistyped.add("login", using: config) { $0.country }
        #expect(mistyped.complaints == ["login reads Configuration from 'fetch-config', which produces String"])
        #expect(mistyped.problems.map(\.code) == [.valueType])
        #expect(mistyped.problems.map(\.positions) == [[1, 0]])
    }

    @Test("copies are independent")
    func copies() throws {
        var graph = OperationGraph("original")
        let splash = graph.add("splash") {}
        var copy = graph
        copy.name = "copy"
        copy.join("main-app", after: splash)
        graph.join("login", after: splash)
        #expect(graph.identifiers == ["splash", "login"])
        #expect(copy.identifiers == ["splash", "main-app"])
        #expect(try copy.validated().edges == ["main-app after splash"])
    }
}

extension OperationGraph {
    /// Adds a step that does nothing, after others.
    @discardableResult
    fileprivate mutating func add(_ id: String, after dependencies: any StepReference...) -> Step<Void> {
        insert(id, options: [], inputs: DependencyList(), dependencies: dependencies, valueType: Void.self, work: .nothing)
        return Step(id: id, index: Int32(nodes.count - 1))
    }
}
