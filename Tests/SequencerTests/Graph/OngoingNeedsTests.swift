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

        init(_ graph: OperationGraph, hasLanes: Bool = false) throws {
            self.graph = try graph.validated()
            needs = try #require(OngoingNeeds(self.graph, self.graph.urgency, hasLanes: hasLanes))
        }

        func node(_ id: String) throws -> Int { try graph.index(of: id) }

        func limit(_ id: String, at time: Nanoseconds, lastEnd: Nanoseconds = 0, takesLastLane: Bool = false) throws -> Nanoseconds? {
            needs.obstacle(to: try node(id), at: time, lastEnd: lastEnd, freeLanes: takesLastLane ? 0 : 64)
        }
    }

    /// Two that nobody waits for, which need the main thread and "db": `known` for 100 ns.
    private static func addOthers(to graph: inout OperationGraph) {
        graph.add("other", .exclusive("db"), on: .main) {}
        graph.add("known", .exclusive("db"), .expected(.nanoseconds(100)), on: .main) {}
    }

    @Test("there is nothing to keep where nobody else uses what the milestone needs, or all is needed")
    func none() throws {
        func isKept(_ option: StepOption = .all([]), _ addOthers: (inout OperationGraph) -> Void) throws -> Bool {
            var graph = OperationGraph("none")
            graph.add("home", option, .exclusive("db"), on: .main) {}
            addOthers(&graph)
            let validated = try graph.validated()
            return OngoingNeeds(validated, validated.urgency) != nil
        }
        let isKeptWithoutMilestone = try isKept { Self.addOthers(to: &$0) }
        let isKeptAlone = try isKept(.milestone) { _ in }
        let isKeptFromOthers = try isKept(.milestone) { graph in
            graph.limit("pool", to: 2)
            graph.add("lane") {}
            graph.add("cache", .exclusive("cache")) {}
            graph.add("pool", .exclusive("pool")) {}
            graph.add("suspends", .suspends(true), on: .main) {}
            graph.add("instant", .expected(.zero), on: .main) {}
        }
        #expect(!isKeptWithoutMilestone && !isKeptAlone && !isKeptFromOthers)
        let isKeptFromMain = try isKept(.milestone) { $0.add("main", on: .main) {} }
        let isKeptFromUser = try isKept(.milestone) { $0.add("user", .exclusive("db")) {} }
        #expect(isKeptFromMain && isKeptFromUser)
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

    @Test("the last lane is kept for one that pauses, and for what is right behind one whose fallback is computed; no other one is")
    func lanes() throws {
        var graph = OperationGraph("lanes")
        let load = graph.add("load", .retry(attempts: 2)) {}
        let guess = graph.add("guess") { () -> Int in
            1
        } fallback: { _, _ in
            2
        }
        let read = graph.add("read", after: guess) {}
        graph.add("home", .milestone, after: load, read, on: .main) {}
        graph.add("other") {}
        graph.add("known", .expected(.nanoseconds(100))) {}
        #expect(try OngoingNeeds(graph.validated(), graph.validated().urgency) == nil)
        var sample = try Sample(graph, hasLanes: true)
        sample.needs.started(try sample.node("load"), at: 0)
        #expect(try sample.limit("other", at: 10, takesLastLane: true) == nil)
        sample.needs.paused(try sample.node("load"), at: 20, until: 500)
        #expect(try sample.limit("other", at: 30, takesLastLane: true) == 20 + Self.second)
        #expect(try sample.limit("other", at: 30) == nil)
        #expect(try sample.limit("known", at: 400, takesLastLane: true) == nil)
        #expect(try sample.limit("known", at: 401, takesLastLane: true) == 500)
        // The timer of the next attempt is late.
        #expect(try sample.limit("known", at: 600, takesLastLane: true) == 601)
        sample.needs.becameReady(try sample.node("load"), at: 700)
        #expect(try sample.limit("other", at: 700, takesLastLane: true) == nil)
        sample.needs.started(try sample.node("guess"), at: 800)
        #expect(try sample.limit("other", at: 800, takesLastLane: true) == nil)
        sample.needs.fellBack(try sample.node("guess"), at: 900)
        #expect(try sample.limit("other", at: 900, takesLastLane: true) == 900 + Self.second)
        #expect(try sample.limit("other", at: 900) == nil)
    }

    @Test("who waits is looked at again, a few at a time")
    func looks() throws {
        var graph = OperationGraph("looks")
        graph.add("home", .milestone, on: .main) {}
        for number in 0..<40 { graph.add("other-\(number)", on: .main) {} }
        var sample = try Sample(graph)
        sample.needs.started(0, at: 0)
        for node in 1...40 {
            let isAside = sample.needs.putAside(node, at: 1, lastEnd: 0)
            #expect(isAside)
        }
        #expect(sample.needs.nextLook == Self.second && !sample.needs.isLookDue)
        #expect(sample.needs.takeBack(at: 2, lastEnd: 2) == [])
        #expect(sample.needs.nextLook == 2 + Self.second)
        sample.needs.ended(0)
        #expect(sample.needs.isLookDue)
        #expect(sample.needs.takeBack(at: 3, lastEnd: 3) == Array(1...16))
        #expect(!sample.needs.isLookDue && sample.needs.nextLook == 3 + Self.second)
        // One of them ends: the next are looked at.
        sample.needs.ended(1)
        #expect(sample.needs.isLookDue)
        #expect(sample.needs.takeAll().count == 24 && sample.needs.nextLook == nil)
    }
}
