import Sequencer
import TestSupport
import Testing

@testable import SequencerTestingCore

/// Dependencies that nobody declared.
@Suite("Hidden order", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HiddenOrderTests {
    private struct NoToken: Error, CustomStringConvertible {
        var description: String { "there is no token" }
    }

    /// A login that needs the token which the images throw away.
    private func launch(declared: Bool) -> OperationGraph {
        let token = Locked<String?>("token")
        var graph = OperationGraph("launch")
        graph.add("splash", on: .main) {}
        graph.add("config") { launch in try await launch.sleep(for: .milliseconds(300)) }
        graph.add("login", after: "config") { launch in
            try await launch.sleep(for: .milliseconds(100))
            if token.withLock({ $0 }) == nil { throw NoToken() }
        }
        graph.add("images", after: declared ? ["login"] : []) { token.withLock { $0 = nil } }
        graph.add("main", .milestone, after: "splash", "login", "images", on: .main) {}
        return graph
    }

    @Test("it is found, and told in one sentence")
    func sentence() async throws {
        let exploration = try await explore(launch(declared: false))
        let hidden = try #require(exploration.hidden)
        #expect("\(exploration)" == "login fails when images runs first: undeclared dependency")
        #expect((hidden.operation, hidden.first, hidden.second) == ("login", "images", "login"))
        #expect(hidden.message?.contains("there is no token") == true)
        let place = try #require(hidden.failing.firstIndex(of: "images"))
        var order = hidden.failing
        order.swapAt(place, place + 1)
        #expect(order == hidden.passing)
        #expect(exploration == (try await explore(launch(declared: false))))
    }

    @Test("where the dependency is declared, all orders come to the same")
    func declared() async throws {
        let exploration = try await explore(launch(declared: true), orders: 200)
        #expect(exploration.hidden == nil && exploration.orders == 200)
        #expect("\(exploration)" == "every operation ended the same way in 200 orders")
    }

    @Test("the check of a launch finds what no operation notices")
    func check() async throws {
        let seen = Locked<[String]>([])
        func graph() -> OperationGraph {
            seen.withLock { $0 = [] }
            var graph = OperationGraph("analytics")
            for id in ["consent", "tracker", "ads"] { graph.add(id) { seen.withLock { $0.append(id) } } }
            return graph
        }
        let exploration = try await explore(graph()) { _ in
            let order = seen.withLock { $0 }
            if order.firstIndex(of: "tracker") ?? 0 < order.firstIndex(of: "consent") ?? 0 { throw NoToken() }
        }
        #expect("\(exploration)" == "the check fails when tracker runs before consent: undeclared dependency")
    }

    @Test("operations run one at a time, those of the main thread and of lanes together, and each in many places")
    func oneAtATime() async throws {
        func graph() -> OperationGraph {
            var graph = OperationGraph("mixed")
            for number in 0..<3 {
                graph.add("lane \(number)") { launch in try await launch.sleep(for: .milliseconds(100)) }
                graph.add("main \(number)", on: .main) { launch in try await launch.sleep(for: .milliseconds(50)) }
            }
            return graph
        }
        let firsts = Locked<Set<String>>([])
        _ = try await explore(graph(), orders: 60) { launch in
            let operations = launch.report.operations.sorted { $0.end < $1.end }
            for (one, other) in zip(operations, operations.dropFirst()) { #expect(one.end <= other.start ?? .zero) }
            firsts.withLock { _ = $0.insert(operations[0].id) }
        }
        #expect(firsts.withLock { $0.count } == 6)
    }

    /// ```
    /// config (10) ──▶ a (50, main)      b (100, main)
    /// ```
    @Test("no operation waits for one before it in the order that cannot start yet")
    func noIdling() async throws {
        func graph() -> OperationGraph {
            var graph = OperationGraph("busy")
            let times: [Duration] = [.milliseconds(10), .milliseconds(50), .milliseconds(100)]
            graph.add("config", .expected(times[0])) { launch in try await launch.sleep(for: times[0]) }
            graph.add("a", .expected(times[1]), after: "config", on: .main) { launch in try await launch.compute(for: times[1]) }
            graph.add("b", .expected(times[2]), on: .main) { launch in try await launch.compute(for: times[2]) }
            return graph
        }
        let exploration = try await explore(graph(), orders: 30, oneAtATime: false) { launch in
            #expect(launch.report["b"]?.start == .zero)
        }
        #expect(exploration.hidden == nil)
    }

    /// A login that is tried twice, beside three steps that take longer than its timeout.
    private func retried(
        _ login: @escaping @Sendable (_ attempt: Int) throws -> Void,
        images: @escaping @Sendable () -> Void = {}
    ) -> OperationGraph {
        var graph = OperationGraph("retried")
        graph.add("login", .timeout(.milliseconds(500)), .retry(attempts: 2, backoff: .milliseconds(50), jitter: 0)) { step in
            try await step.sleep(for: .milliseconds(200))
            try login(step.attempt)
        }
        for id in ["images", "fonts", "news"] {
            graph.add(id) { step in
                try await step.sleep(for: .seconds(1))
                if id == "images" { images() }
            }
        }
        return graph
    }

    @Test("steps that run between two attempts of another one do not use up its timeout; what they break is found")
    func retriedBesideOthers() async throws {
        func intact() -> OperationGraph {
            retried { attempt in if attempt == 1 { throw NoToken() } }
        }
        let exploration = try await explore(intact(), orders: 40) { launch in
            #expect(launch.report["login"]?.outcome == .succeeded && launch.report.makespan >= .milliseconds(3_400))
        }
        #expect(exploration.hidden == nil)
        func broken() -> OperationGraph {
            let token = Locked<String?>("token")
            return retried { _ in
                if token.withLock({ $0 }) == nil { throw NoToken() }
            } images: {
                token.withLock { $0 = nil }
            }
        }
        #expect(try await "\(explore(broken()))" == "login fails when images runs first: undeclared dependency")
    }

    /// The error of exploring a graph that fails in every order.
    private func failure(of graph: OperationGraph, check: Bool = true) async throws -> FailsInEveryOrder? {
        await #expect(throws: FailsInEveryOrder.self) {
            _ = try await explore(graph, orders: 5) { _ in
                if !check { throw NoToken() }
            }
        }
    }

    @Test("a launch that fails in every order is an error, as with a service on another clock, and so is a check that does")
    func alwaysFails() async throws {
        var graph = OperationGraph("broken")
        graph.add("login") { throw NoToken() }
        graph.add("images") {}
        let failure = try #require(try await failure(of: graph))
        #expect(failure.description == "the launch fails in every order: login: there is no token")
        #expect(failure.orders == 5 && failure.report["login"]?.outcome == .failed)

        let another = VirtualClock()
        var late = OperationGraph("late")
        late.add("config", .timeout(.seconds(1))) { try await another.sleep(for: .milliseconds(300)) }
        late.add("main", .milestone, after: "config") {}
        let timeout = try #require(try await self.failure(of: late)?.description)
        #expect(timeout.hasPrefix("the launch fails in every order: config: "), "\(timeout)")

        var intact = OperationGraph("intact")
        intact.add("main") {}
        #expect(try await self.failure(of: intact, check: false)?.description == "the check fails in every order: there is no token")
    }

    /// A launch whose `config` fails in some of the launches, whatever the order.
    private func unsteady(isChain: Bool, fails: @escaping @Sendable (_ launch: Int) -> Bool) -> () -> OperationGraph {
        let launches = Locked(0)
        return {
            let number = launches.withLock { launches in
                launches += 1
                return launches
            }
            var graph = OperationGraph("unsteady")
            graph.add("config", .onFailure(.continue)) { if fails(number) { throw NoToken() } }
            for id in ["images", "fonts", "news"] { graph.add(id, after: isChain ? ["config"] : []) {} }
            return graph
        }
    }

    @Test("what ends differently in two launches of one order is set aside: it is no dependency, and did not end the same way")
    func endsDifferently() async throws {
        // Every other launch; and by chance, in some of them.
        for isChain in [true, false] {
            let everyOther = unsteady(isChain: isChain) { $0 % 2 == 0 }
            let exploration = try await explore(everyOther(), orders: 10)
            #expect(exploration.hidden == nil && exploration.unsteady == ["config"])
            let cause = "ended otherwise when the order was repeated: by itself, or by what an earlier order left behind"
            #expect("\(exploration)" == "config \(cause); all else ended the same way in 10 orders")
        }
        for seed in 0..<UInt64(Nightly.times(day: 3, night: 30)) {
            for share in [0.2, 0.5, 0.8] {
                var random = SplitMix64(seed: seed)
                let draws = (0..<200).map { _ in Double.random(in: 0..<1, using: &random) < share }
                let graph = unsteady(isChain: false) { draws[$0 % draws.count] }
                let exploration = try await explore(graph(), orders: 60, seed: seed)
                #expect(exploration.hidden == nil && exploration.unsteady == ["config"], "seed \(seed), share \(share)")
            }
        }
    }

    @Test("a graph that is not valid is an error")
    func invalid() async throws {
        var graph = OperationGraph("broken")
        graph.add("login", after: "nobody") {}
        await #expect(throws: GraphError.self) { try await explore(graph) }
    }
}
