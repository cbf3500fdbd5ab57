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

    @Test("one that runs on the main thread comes back to it; if nothing ends for a second, others start")
    func suspended() throws {
        var graph = OperationGraph("suspended")
        graph.add("home", .milestone, on: .main) {}
        graph.add("lane", .exclusive("db")) {}
        Self.addOthers(to: &graph)
        var sample = try Sample(graph)
        #expect(try sample.limit("other", at: 0) == nil)
        sample.needs.started(try sample.node("home"), at: 10)
        for id in ["other", "known"] {
            #expect(try sample.limit(id, at: 20) == 10 + Self.second)
            #expect(try sample.limit(id, at: 20, lastEnd: 15) == 15 + Self.second)
            #expect(try sample.limit(id, at: 10 + Self.second) == nil)
        }
        #expect(try sample.limit("lane", at: 20) == nil)
        sample.needs.ended(try sample.node("home"))
        #expect(try sample.limit("other", at: 30) == nil)
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

    @Test("one that pauses needs its resources again; its next attempt's time is known")
    func pausing() throws {
        var graph = OperationGraph("pausing")
        let load = graph.add("load", .exclusive("db"), .retry(attempts: 2)) {}
        graph.add("home", .milestone, after: load) {}
        Self.addOthers(to: &graph)
        var sample = try Sample(graph)
        sample.needs.started(try sample.node("load"), at: 0)
        // It holds its resource, and nothing behind it needs that.
        #expect(try sample.limit("other", at: 10) == nil)
        sample.needs.paused(try sample.node("load"), at: 3 * Self.second, until: 3 * Self.second + 500)
        #expect(try sample.limit("known", at: 3 * Self.second + 400) == nil)
        #expect(try sample.limit("known", at: 3 * Self.second + 401) == 3 * Self.second + 500)
        // It has just paused, however long it ran before.
        #expect(try sample.limit("other", at: 3 * Self.second + 1) == 4 * Self.second)
        sample.needs.becameReady(try sample.node("load"), at: 3 * Self.second + 500)
        #expect(try sample.limit("known", at: 3 * Self.second + 500) == 4 * Self.second + 500)
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

    @Test("a fallback needs what is right behind it, also behind a join, and not what the operation itself used")
    func fallback() throws {
        var graph = OperationGraph("fallback")
        let load = graph.add("load", .exclusive("db")) { () -> Int in
            1
        } fallback: { _, _ in
            2
        }
        let joined = graph.join("joined", after: load)
        graph.add("home", .milestone, after: joined, on: .main) {}
        graph.add("lane", .exclusive("db")) {}
        Self.addOthers(to: &graph)
        var sample = try Sample(graph)
        sample.needs.fellBack(try sample.node("load"), at: 10)
        #expect(try sample.limit("other", at: 20) == 10 + Self.second)
        #expect(try sample.limit("lane", at: 20) == nil)
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

    @Test("what is needed first is kept from what is needed second, and both from the rest; a person's time counts for nobody")
    func levels() throws {
        var graph = OperationGraph("levels")
        let theme = graph.add("theme") {}
        let display = graph.add("display", .initialDisplay, after: theme, on: .main) {}
        let layout = graph.add("layout", on: .main) {}
        let asks = graph.add("asks", .interactive, after: layout) {}
        graph.add("home", .milestone, after: display, asks, on: .main) {}
        Self.addOthers(to: &graph)
        var sample = try Sample(graph)
        sample.needs.started(try sample.node("theme"), at: 0)
        #expect(try sample.limit("layout", at: 1) == Self.second && sample.limit("other", at: 1) == Self.second)
        sample.needs.ended(try sample.node("theme"))
        sample.needs.started(try sample.node("layout"), at: 5)
        #expect(try sample.limit("display", at: 6) == nil && sample.limit("other", at: 6) == 5 + Self.second)
        sample.needs.ended(try sample.node("layout"))
        sample.needs.started(try sample.node("asks"), at: 7)
        #expect(try sample.limit("other", at: 8) == nil)
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

    @Test("the launch puts others aside at once, and lets them start when the milestone has ended, or after the longest wait")
    func machine() throws {
        var graph = OperationGraph("machine")
        graph.add("home", .milestone, on: .main) {}
        graph.add("other", on: .main) {}
        for isHanging in [false, true] {
            var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init())
            var actions = LaunchStateMachine.Actions()
            machine.begin(&actions)
            let home = try #require(machine.take(.main, at: 0, &actions))
            #expect(home.node == 0 && machine.take(.main, at: 10, &actions) == nil)
            #expect(machine.nodes[1].state == .aside)
            let wake = machine.nextWake
            #expect(wake == Self.second)
            actions = LaunchStateMachine.Actions()
            if isHanging {
                machine.timePassed(to: Self.second, &actions)
            } else {
                #expect(machine.attemptEnded(home, .succeeded, at: 20, &actions))
            }
            #expect(actions.mainTurns == 1)
            #expect(machine.take(.main, at: 2 * Self.second, &actions)?.node == 1)
        }
    }

    /// ```
    /// load (20) ──▶ read (30) ──▶ home      home and other (500) on the main thread
    /// ```
    @Test("the main thread is kept for a step two behind one whose fallback is computed")
    func fallbackTwoBehind() throws {
        var graph = OperationGraph("two-behind")
        graph.add("load", .expected(.nanoseconds(20))) { () -> Int in
            1
        } fallback: { _, _ in
            2
        }
        graph.add("read", .expected(.nanoseconds(30)), after: "load") {}
        graph.add("home", .milestone, after: "read", on: .main) {}
        graph.add("other", .expected(.nanoseconds(500)), on: .main) {}
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init(lanes: 1))
        var actions = LaunchStateMachine.Actions()
        machine.begin(&actions)
        let load = try #require(machine.take(.worker, at: 0, &actions))
        #expect(load.node == 0 && machine.take(.main, at: 1, &actions) == nil)
        #expect(machine.attemptEnded(load, .failed, at: 20, &actions))
        let fallback = try #require(actions.fallbacks.first)
        #expect(machine.take(.main, at: 25, &actions) == nil)
        #expect(machine.attemptEnded(fallback, .succeeded, at: 40, &actions))
        let read = try #require(machine.take(.worker, at: 40, &actions))
        #expect(read.node == 1 && machine.take(.main, at: 45, &actions) == nil)
        #expect(machine.attemptEnded(read, .succeeded, at: 70, &actions))
        #expect(machine.take(.main, at: 70, &actions)?.node == 2)
    }
}
