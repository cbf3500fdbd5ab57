import TestSupport
import Testing

@testable import Sequencer

/// Who has to wait for what operations under way are still going to use, and for how long.
@Suite("What is still needed", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OngoingNeedsTests {
    private static let second = OngoingNeeds.patience

    /// A graph, and what is still needed in it.
    private struct Sample {
        var needs: OngoingNeeds
        let graph: ValidatedGraph

        init(_ graph: OperationGraph) throws {
            self.graph = try graph.validated()
            needs = try #require(OngoingNeeds(self.graph, self.graph.urgency))
        }

        func node(_ id: String) throws -> Int { try graph.index(of: id) }

        func limit(_ id: String, at time: Nanoseconds, lastEnd: Nanoseconds = 0) throws -> Nanoseconds? {
            needs.obstacle(to: try node(id), at: time, lastEnd: lastEnd, freeLanes: 64)
        }
    }

    /// Two that nobody waits for, which need the main thread and "db": `known` for 100 ns.
    private static func addOthers(to graph: inout OperationGraph) {
        graph.add("other", .exclusive("db"), on: .main) {}
        graph.add("known", .exclusive("db"), .expected(.nanoseconds(100)), on: .main) {}
    }

    @Test("where both are known, one that is back in time starts; where one is not, an expectation makes the wait longer")
    func expected() throws {
        var graph = OperationGraph("expected")
        graph.add("home", .milestone, .expected(.seconds(2)), on: .main) {}
        Self.addOthers(to: &graph)
        var sample = try Sample(graph)
        // Nobody knows when one that is ready starts.
        sample.needs.becameReady(try sample.node("home"), at: 0)
        #expect(try sample.limit("known", at: 0) == Self.second && sample.limit("other", at: 0) == Self.second)
        sample.needs.started(try sample.node("home"), at: 0)
        #expect(try sample.limit("known", at: 2 * Self.second - 100) == nil)
        #expect(try sample.limit("known", at: 2 * Self.second - 99) == 4 * Self.second)
        #expect(try sample.limit("other", at: 0) == 4 * Self.second)
        #expect(try sample.limit("other", at: 4 * Self.second, lastEnd: 0) == nil)
    }

    @Test("a resource that an operation waits for again and again makes its own wait no longer")
    func parked() throws {
        var graph = OperationGraph("parked")
        graph.add("home", .milestone, .exclusive("db")) {}
        Self.addOthers(to: &graph)
        var sample = try Sample(graph)
        sample.needs.becameReady(try sample.node("home"), at: 0)
        sample.needs.becameReady(try sample.node("home"), at: 700)
        #expect(try sample.limit("other", at: 800) == Self.second)
    }

    @Test("a person's time counts for nobody; the fallback of that operation does")
    func fallbackOfPerson() throws {
        var graph = OperationGraph("person")
        let asks = graph.add("asks", .interactive) { () -> Int in
            1
        } fallback: { _, _ in
            2
        }
        graph.add("home", .milestone, after: asks, on: .main) {}
        Self.addOthers(to: &graph)
        var sample = try Sample(graph)
        sample.needs.started(try sample.node("asks"), at: 0)
        #expect(try sample.limit("other", at: 10) == nil)
        sample.needs.fellBack(try sample.node("asks"), at: 20)
        #expect(try sample.limit("other", at: 30) == 20 + Self.second)
    }
}
