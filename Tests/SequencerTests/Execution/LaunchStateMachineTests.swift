import TestSupport
import Testing

@testable import Sequencer

/// The state machine by itself: call a method, look at the actions. No queue, no clock, no thread.
@Suite("Launch state machine", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchStateMachineTests {
    private typealias Assignment = LaunchStateMachine.Assignment
    private typealias Actions = LaunchStateMachine.Actions
    private typealias Pending = LaunchStateMachine.Pending

    private func machine(
        lanes: Int? = nil,
        workers: Int = 2,
        deadline: Duration? = nil,
        budget: Nanoseconds? = nil,
        _ build: (inout OperationGraph) -> Void
    ) throws -> LaunchStateMachine {
        var graph = OperationGraph("machine")
        build(&graph)
        var settings = LaunchStateMachine.Configuration(lanes: lanes, workers: workers, deadline: deadline?.nanoseconds, grace: 100)
        settings.budget = budget
        settings.recordsEvents = true
        return LaunchStateMachine(graph: try graph.validated(), settings: settings)
    }

    private func run(_ node: Int, attempt: Int = 1) -> Assignment { Assignment(node: node, attempt: attempt, kind: .run) }

    @Test("only ready operations ask for workers, and no more than there are to be")
    func workers() throws {
        var machine = try machine { graph in
            for index in 0..<5 { graph.add("free\(index)") {} }
            graph.add("waits", after: "free0") {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.actions.workers == 2)
        #expect(machine.activeWorkers == 2)
    }

    @Test("where an operation ends that had suspended, as many workers are added as are missing")
    func suspendedEnds() throws {
        var machine = try machine { graph in
            graph.add("first") {}
            for index in 0..<3 { graph.add("after\(index)", after: "first") {} }
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 1) == run(0))
        #expect(machine.take(.worker, after: run(0), at: 2) == nil)
        #expect(machine.activeWorkers == 0)
        machine.actions = Actions()
        #expect(machine.attemptEnded(run(0), .succeeded, at: 3) == true)
        #expect(machine.activeWorkers == 2 && machine.actions.workers == 2)
        #expect(machine.take(.worker, at: 4) == run(1))
        #expect(machine.take(.worker, at: 4) == run(2))
        #expect(machine.take(.worker, after: run(1), at: 5) == run(3))
        machine.actions = Actions()
        // Both workers are at it.
        #expect(machine.attemptEnded(run(1), .succeeded, at: 6) == true)
        #expect(machine.activeWorkers == 2 && machine.actions.workers == 0)
    }

    @Test("while an operation waits for a person its timeout stands still, and the time is the person's; waits may nest")
    func personWait() throws {
        var machine = try machine(deadline: .nanoseconds(1_000_000)) { graph in graph.add("login", .timeout(.nanoseconds(5_000))) {} }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 0) == run(0))
        #expect(machine.nextWake == 5_000 && machine.timeLimit(of: 0) == 5_000)
        machine.personWait(run(0), .question, begins: true, at: 1_000)
        machine.personWait(run(0), .question, begins: true, at: 2_000)
        #expect(machine.nextWake == 1_000_000 && machine.timeLimit(of: 0) == 1_000_000)
        machine.personWait(run(0), .question, begins: false, at: 3_000)
        machine.timePassed(to: 60_000)
        #expect(machine.nodes[0].state == .running)
        machine.personWait(run(0), .question, begins: false, at: 101_000)
        // An end too many changes nothing.
        machine.personWait(run(0), .question, begins: false, at: 101_500)
        #expect(machine.nextWake == 105_000 && machine.timeLimit(of: 0) == 105_000)
        #expect(machine.interactive.total(at: 200_000) == 100_000)
        machine.timePassed(to: 105_000)
        #expect(machine.nodes[0].outcome == .timedOut)
        #expect(machine.actions.cancel == [0])
    }

    @Test("a worker goes on with what its operation made ready; nobody else is asked for it")
    func chain() throws {
        var machine = try machine { graph in
            graph.add("first") {}
            graph.add("second", after: "first") {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 1) == run(0))
        machine.actions = Actions()
        let (counted, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 2)
        #expect(counted && next == run(1))
        #expect(machine.actions.workers == 0)
        let (_, last) = machine.attemptEnded(run(1), .succeeded, thenTakeFor: .worker, at: 3)
        #expect(last == nil)
        #expect(machine.actions.isOver && machine.phase == .over && machine.activeWorkers == 0)
    }

    @Test("an operation ends once: late, second and outdated ends do not count")
    func once() throws {
        var machine = try machine { graph in
            graph.add("only", .timeout(.nanoseconds(10)), .onFailure(.continue)) {}
            graph.add("other") {}
        }
        machine.input(at: 0) { $0.begin() }
        _ = machine.take(.worker, at: 0)
        _ = machine.take(.worker, at: 0)
        machine.timePassed(to: 10)
        #expect(machine.actions.cancel == [0])
        #expect(machine.nodes[0].outcome == .timedOut)
        let late = machine.attemptEnded(run(0), .succeeded, at: 11)
        #expect(!late)
        #expect(machine.nodes[0].outcome == .timedOut && machine.nodes[0].end == 10)
        let first = machine.attemptEnded(run(1), .succeeded, at: 12)
        let second = machine.attemptEnded(run(1), .failed, at: 13)
        #expect(first && !second)
        #expect(machine.phase == .over)
    }

    @Test("the worker of an operation that is cut is replaced, for it may never come back")
    func cutWorker() throws {
        var machine = try machine(workers: 1, budget: 100) { graph in
            let config = graph.add("config", .cuttable, fallback: 1) { 2 }
            graph.add("main", .milestone, after: config) {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 0) == run(0))
        // Of a budget of 100 a twentieth each is kept for the operation and for the milestone, of which nothing is expected.
        #expect(machine.nextWake == 95)
        machine.actions = Actions()
        machine.timePassed(to: 100)
        #expect(machine.actions.cancel == [0] && machine.actions.workers == 1 && machine.activeWorkers == 1)
        #expect(machine.take(.worker, at: 101) == run(1))
        // It comes back after all, and is told to end.
        let (counted, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 102)
        #expect(!counted && next == nil && machine.activeWorkers == 1)
    }

    @Test("times that come in the wrong order are put right")
    func order() throws {
        var machine = try machine { graph in
            graph.add("a") {}
            graph.add("b") {}
            graph.add("c", after: "a", "b") {}
        }
        machine.input(at: 0) { $0.begin() }
        _ = machine.take(.worker, at: 1)
        _ = machine.take(.worker, at: 1)
        _ = machine.attemptEnded(run(1), .succeeded, at: 20)
        // This thread read the clock first, and got the lock second.
        _ = machine.attemptEnded(run(0), .succeeded, at: 15)
        #expect(machine.nodes[2].ready == 20)
    }

    @Test("fault C8: 1,000 timeouts that are due at once all take effect, in the order they were set")
    func manyTimers() throws {
        var machine = try machine(lanes: 1000, workers: 1000) { graph in
            for index in 0..<1000 { graph.add("op\(index)", .timeout(.nanoseconds(10)), .onFailure(.continue)) {} }
        }
        machine.input(at: 0) { $0.begin() }
        for _ in 0..<1000 { _ = machine.take(.worker, at: 0) }
        machine.timePassed(to: 10)
        #expect(machine.actions.isOver)
        #expect(machine.events.compactMap { if case .ended(let id, _) = $0.kind { id } else { nil } } == (0..<1000).map { "op\($0)" })
    }

    @Test("what is due takes effect in the order of its times, however late it is looked at")
    func lateWake() throws {
        var machine = try machine(deadline: .nanoseconds(20)) { graph in
            graph.add("own", .timeout(.nanoseconds(10)), .onFailure(.continue)) {}
            graph.add("launch's", .timeout(.nanoseconds(30)), .onFailure(.continue)) {}
        }
        machine.input(at: 0) { $0.begin() }
        _ = machine.take(.worker, at: 0)
        _ = machine.take(.worker, at: 0)
        machine.timePassed(to: 100)
        #expect(machine.stop == .deadline)
        #expect(machine.stragglers == [1])
        #expect(machine.nodes.map(\.outcome) == [.timedOut, .timedOut])
    }

    @Test("what each operation waits for, and since when, from time 0 on")
    func pending() throws {
        var machine = try machine(lanes: 2) { graph in
            graph.add("flaky", .retry(RetryPolicy(attempts: 2, backoff: .nanoseconds(50), jitter: 0))) { throw CancellationError() }
            graph.add("first") {}
            graph.add("asks", .interactive) {}
            graph.add("screen", on: .main) {}
            graph.add("last", after: "first") {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 0) == run(1))
        #expect(machine.take(.worker, at: 0) == run(0))
        _ = machine.attemptEnded(run(0), .failed, at: 0)
        #expect(machine.take(.worker, at: 0) == run(2))
        #expect(
            machine.pending() == [
                Pending(node: 0, wait: .retry, since: 0),
                Pending(node: 1, wait: .code(nil), since: 0),
                Pending(node: 2, wait: .person, since: 0),
                Pending(node: 3, wait: .mainThread, since: 0),
                Pending(node: 4, wait: .dependencies(["first"]), since: 0),
            ]
        )
        _ = machine.attemptEnded(run(1), .succeeded, at: 7)
        #expect(machine.pending().last == Pending(node: 4, wait: .thread(blockedBy: ["asks"]), since: 7))
    }

    @Test("a condition that is being asked, and an operation that is put off, say so, and since when")
    func pendingConditionAndDeferred() throws {
        var machine = try machine(budget: 100) { graph in
            graph.add("before") {}
            graph.add("asked", .when { true }, after: "before") {}
            graph.add("later", .deferrable, .expected(.nanoseconds(200)), after: "before") {}
            graph.add("main", .milestone, after: "asked") {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 0) == run(0))
        let (_, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 3)
        #expect(next == Assignment(node: 1, attempt: 1, kind: .checkCondition))
        #expect(
            machine.pending() == [
                Pending(node: 1, wait: .condition, since: 3),
                Pending(node: 2, wait: .dependencies(["main"]), since: 3),
                Pending(node: 3, wait: .dependencies(["asked"]), since: 0),
            ]
        )
    }
}
