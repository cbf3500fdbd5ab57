import TestSupport
import Testing

@testable import Sequencer

/// The state machine by itself: call a method, look at the actions. No queue, no clock, no thread.
@Suite("Launch state machine", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchStateMachineTests {
    private typealias Assignment = LaunchStateMachine.Assignment
    private typealias Actions = LaunchStateMachine.Actions

    private func machine(
        lanes: Int? = nil,
        workers: Int = 2,
        usesQueue: Bool = false,
        deadline: Duration? = nil,
        _ build: (inout OperationGraph) -> Void
    ) throws -> LaunchStateMachine {
        var graph = OperationGraph("machine")
        build(&graph)
        return LaunchStateMachine(
            graph: try graph.validated(),
            settings: LaunchStateMachine.Configuration(
                lanes: lanes,
                workers: workers,
                usesQueue: usesQueue,
                deadline: deadline?.nanoseconds,
                grace: 100,
                recordsEvents: true
            )
        )
    }

    private func run(_ node: Int, attempt: Int = 1) -> Assignment { Assignment(node: node, attempt: attempt, kind: .run) }

    @Test("only ready operations ask for workers, and no more than there are to be")
    func workers() throws {
        var machine = try machine { graph in
            for index in 0..<5 { graph.add("free\(index)") {} }
            graph.add("waits", after: "free0") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(actions.workers == 2)
        #expect(machine.activeWorkers == 2)
    }

    @Test("a wait for a turn that an attempt leaves behind ends with it: the timeout of the next one counts")
    func waitLeftBehind() throws {
        var machine = try machine { graph in
            graph.add("asks", .retry(RetryPolicy(attempts: 2, backoff: .nanoseconds(50), jitter: 0)), .timeout(.nanoseconds(100))) {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        machine.personWaitBegan(run(0), .turn, at: 10, &actions)
        #expect(machine.timeLimit(of: 0) == nil)
        _ = machine.attemptEnded(run(0), .failed, thenTakeFor: .worker, at: 20, &actions)
        machine.timePassed(to: 70, &actions)
        #expect(machine.take(.worker, at: 70, &actions) == run(0, attempt: 2))
        #expect(machine.timeLimit(of: 0) == 110)
    }

    @Test("the main thread is kept for the milestone while an operation before it is about to take the only lane")
    func lastFreeLane() throws {
        var machine = try machine(lanes: 1, workers: 1) { graph in
            graph.add("config", .expected(.nanoseconds(100))) {}
            graph.add("home", .expected(.nanoseconds(50)), .milestone, after: "config", on: .main) {}
            graph.add("prefetch", .expected(.nanoseconds(300)), on: .main) {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.main, at: 0, &actions) == nil)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
    }

    @Test("where an operation ends that had suspended, as many workers are added as are missing")
    func suspendedEnds() throws {
        var machine = try machine { graph in
            graph.add("first") {}
            for index in 0..<3 { graph.add("after\(index)", after: "first") {} }
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 1, &actions) == run(0))
        #expect(machine.take(.worker, after: run(0), at: 2, &actions) == nil)
        #expect(machine.activeWorkers == 0)
        actions = Actions()
        #expect(machine.attemptEnded(run(0), .succeeded, at: 3, &actions))
        #expect(machine.activeWorkers == 2 && actions.workers == 2)
        #expect(machine.take(.worker, at: 4, &actions) == run(1))
        #expect(machine.take(.worker, at: 4, &actions) == run(2))
        #expect(machine.take(.worker, after: run(1), at: 5, &actions) == run(3))
        actions = Actions()
        // Both workers are at it.
        #expect(machine.attemptEnded(run(1), .succeeded, at: 6, &actions))
        #expect(machine.activeWorkers == 2 && actions.workers == 0)
    }

    @Test("in the app's queue a turn is asked for each operation that is ready and finds a lane; it takes one, and gives its lane back")
    func queueTurns() throws {
        var machine = try machine(lanes: 2, workers: 0, usesQueue: true) { graph in
            for index in 0..<3 { graph.add("free\(index)", .onFailure(.continue), .timeout(.nanoseconds(100))) {} }
            graph.add("waits", after: "free0") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(actions.queueTurns == 2 && actions.workers == 0)
        #expect((0..<4).map(machine.nodeOfTurn) == [0, 1, 2, nil])
        #expect(machine.take(.appQueue, at: 1, &actions) == run(0))
        #expect(machine.take(.appQueue, at: 2, &actions) == run(1))
        actions = Actions()
        // The thread is the queue's: a turn is asked for, though two are ready, for there is one lane.
        let (counted, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 4, &actions)
        #expect(counted && next == nil)
        #expect(actions.freedLanes == [0] && actions.queueTurns == 1)
        #expect(machine.activeWorkers == 1)
        actions = Actions()
        // After its timeout the thread may never come back, but the lane does.
        machine.timePassed(to: 102, &actions)
        #expect(actions.cancel == [1] && actions.freedLanes == [1] && actions.queueTurns == 1)
        #expect(machine.activeWorkers == 0 && machine.lostWorkers == 1)
        actions = Actions()
        machine.queueTurnCancelled(at: 0, at: 103, &actions)
        #expect(machine.nodes[2].state == .ended && machine.nodes[2].outcome == .cancelled)
        // The turn that is left is for the one that is left.
        #expect(actions.queueTurns == 0 && machine.take(.appQueue, at: 104, &actions) == run(3))
    }

    @Test(
        "a cancelled turn cancels the operation that it would have taken, the first of all or another, and no other",
        arguments: UInt64(1)...50
    )
    func cancelledTurns(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var machine = try machine(workers: 0, usesQueue: true) { graph in
            for index in 0..<12 {
                let options = StepOption.all([.onFailure(.continue), .expected(.milliseconds(Int.random(in: 1...4, using: &random)))])
                if index % 3 == 0 {
                    // One that is cancelled computes its fallback, in no turn.
                    graph.add("op\(index)", options) {
                        1
                    } fallback: { _, _ in
                        2
                    }
                } else {
                    graph.add("op\(index)", options) { 1 }
                }
            }
        }
        var actions = Actions()
        machine.begin(&actions)
        func ready(_ machine: LaunchStateMachine) -> Set<Int> { Set(machine.nodes.indices.filter { machine.nodes[$0].state == .ready }) }
        var (turns, time): (Int, Nanoseconds) = (actions.queueTurns, 0)
        #expect(turns == 12)
        while turns > 0 {
            (actions, time) = (Actions(), time + 1)
            let before = ready(machine)
            switch Int.random(in: 0...3, using: &random) {
            case 0:
                // Its turn stays.
                machine.cancelOperation(Int.random(in: 0..<12, using: &random), at: time, &actions)
            case 1:
                let first = machine.nodeOfTurn(at: 0)
                let taken = machine.take(.appQueue, at: time, &actions)?.node
                #expect(taken == first)
                turns -= 1
            default:
                let place = Bool.random(using: &random) ? 0 : Int.random(in: 0..<turns, using: &random)
                let node = machine.nodeOfTurn(at: place)
                machine.queueTurnCancelled(at: place, at: time, &actions)
                turns -= 1
                let cancelled: [Int] = node.map { [$0] } ?? []
                #expect(ready(machine).union(cancelled) == before)
                if let node { #expect(machine.nodes[node].state == .ended || node % 3 == 0 && machine.nodes[node].state == .computing) }
            }
            turns += actions.queueTurns
            #expect(turns >= ready(machine).count)
        }
    }

    @Test("while an operation waits for a person its timeout stands still, and the time is the person's; waits may nest")
    func personWait() throws {
        var machine = try machine(deadline: .nanoseconds(1_000_000)) { graph in graph.add("login", .timeout(.nanoseconds(5_000))) {} }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        #expect(machine.nextWake == 5_000 && machine.timeLimit(of: 0) == 5_000)
        machine.personWaitBegan(run(0), .question, at: 1_000, &actions)
        machine.personWaitBegan(run(0), .question, at: 2_000, &actions)
        #expect(machine.nextWake == 1_000_000 && machine.timeLimit(of: 0) == 1_000_000)
        machine.personWaitEnded(run(0), .question, at: 3_000, &actions)
        machine.timePassed(to: 60_000, &actions)
        #expect(machine.nodes[0].state == .running)
        machine.personWaitEnded(run(0), .question, at: 101_000, &actions)
        // An end too many changes nothing.
        machine.personWaitEnded(run(0), .question, at: 101_500, &actions)
        #expect(machine.nextWake == 105_000 && machine.timeLimit(of: 0) == 105_000)
        #expect(machine.interactive.total(at: 200_000) == 100_000)
        machine.timePassed(to: 105_000, &actions)
        #expect(machine.nodes[0].outcome == .timedOut)
        #expect(actions.cancel == [0])
    }

    @Test("an operation that ends while it waits for a person takes its wait with it")
    func personWaitEnds() throws {
        var machine = try machine { graph in
            graph.add("login", .interactive) {}
            graph.add("main", after: "login") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        machine.personWaitBegan(run(0), .question, at: 10, &actions)
        _ = machine.attemptEnded(run(0), .failed, thenTakeFor: .worker, at: 50, &actions)
        machine.personWaitEnded(run(0), .question, at: 70, &actions)
        #expect(!machine.interactive.isRunning && machine.interactive.total(at: 100) == 50)
        #expect(actions.isOver)
    }

    @Test("a worker goes on with what its operation made ready; nobody else is asked for it")
    func chain() throws {
        var machine = try machine { graph in
            graph.add("first") {}
            graph.add("second", after: "first") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 1, &actions) == run(0))
        actions = Actions()
        let (counted, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 2, &actions)
        #expect(counted && next == run(1))
        #expect(actions.workers == 0)
        let (_, last) = machine.attemptEnded(run(1), .succeeded, thenTakeFor: .worker, at: 3, &actions)
        #expect(last == nil)
        #expect(actions.isOver && machine.phase == .over && machine.activeWorkers == 0)
        #expect(
            machine.events.map(\.kind) == [
                .launchStarted, .ready("first"), .started("first", attempt: 1), .ended("first", .succeeded), .ready("second"),
                .started("second", attempt: 1), .ended("second", .succeeded), .launchEnded,
            ]
        )
    }

    @Test("an operation ends once: late, second and outdated ends do not count")
    func once() throws {
        var machine = try machine { graph in
            graph.add("only", .timeout(.nanoseconds(10)), .onFailure(.continue)) {}
            graph.add("other") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        _ = machine.take(.worker, at: 0, &actions)
        _ = machine.take(.worker, at: 0, &actions)
        machine.timePassed(to: 10, &actions)
        #expect(actions.cancel == [0])
        #expect(machine.nodes[0].outcome == .timedOut)
        let late = machine.attemptEnded(run(0), .succeeded, at: 11, &actions)
        #expect(!late)
        #expect(machine.nodes[0].outcome == .timedOut && machine.nodes[0].end == 10)
        let first = machine.attemptEnded(run(1), .succeeded, at: 12, &actions)
        let second = machine.attemptEnded(run(1), .failed, at: 13, &actions)
        #expect(first && !second)
        #expect(machine.phase == .over)
    }

    @Test("the worker of an operation that timed out is replaced, and told to end when it comes back")
    func replacedWorker() throws {
        var machine = try machine(lanes: 1, workers: 1) { graph in
            graph.add("stuck", .timeout(.nanoseconds(10)), .onFailure(.continue)) {}
            graph.add("next", after: "stuck") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        actions = Actions()
        machine.timePassed(to: 10, &actions)
        #expect(actions.workers == 1)
        #expect(machine.take(.worker, at: 11, &actions) == run(1))
        let (counted, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 12, &actions)
        #expect(!counted && next == nil)
        #expect(machine.activeWorkers == 1)
    }

    @Test("times that come in the wrong order are put right")
    func order() throws {
        var machine = try machine { graph in
            graph.add("a") {}
            graph.add("b") {}
            graph.add("c", after: "a", "b") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        _ = machine.take(.worker, at: 1, &actions)
        _ = machine.take(.worker, at: 1, &actions)
        _ = machine.attemptEnded(run(1), .succeeded, at: 20, &actions)
        // This thread read the clock first, and got the lock second.
        _ = machine.attemptEnded(run(0), .succeeded, at: 15, &actions)
        #expect(machine.nodes[2].ready == 20)
    }

    @Test("what stops a launch marks everything that waits before anything is released, and gives what runs its grace")
    func stop() throws {
        var machine = try machine { graph in
            graph.add("runs") {}
            graph.add("ready") {}
            graph.add("waits", after: "runs") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        _ = machine.take(.worker, at: 1, &actions)
        actions = Actions()
        machine.cancelLaunch(at: 5, &actions)
        #expect(actions.cancel == [0])
        #expect(machine.nodes[1].outcome == .cancelled && machine.nodes[2].outcome == .cancelled)
        #expect(machine.take(.worker, at: 6, &actions) == nil)
        #expect(machine.nextWake == 105)
        actions = Actions()
        machine.timePassed(to: 105, &actions)
        #expect(actions.isOver && machine.stragglers == [0])
        // The second stop changes nothing.
        let aborted = machine.abort(by: 0, .forceUpdate, hasTakeover: true, at: 106, &actions)
        #expect(!aborted)
        #expect(machine.stop == .cancelled)
    }

    @Test("a takeover is waited for, but not for longer than the grace period")
    func takeover() throws {
        var machine = try machine { graph in graph.add("update") {} }
        var actions = Actions()
        machine.begin(&actions)
        _ = machine.take(.worker, at: 1, &actions)
        let aborted = machine.abort(by: 0, .forceUpdate, hasTakeover: true, at: 2, &actions)
        #expect(aborted)
        _ = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 3, &actions)
        #expect(!actions.isOver && machine.phase != .over)
        machine.timePassed(to: 102, &actions)
        #expect(actions.isOver)
    }

    @Test("a pause before a retry holds neither lane nor resource")
    func pause() throws {
        var machine = try machine(lanes: 1, workers: 1) { graph in
            graph.add(
                "flaky",
                .retry(RetryPolicy(attempts: 2, backoff: .nanoseconds(50), jitter: 0)),
                .exclusive("x"),
                .expected(.seconds(1))
            ) {}
            graph.add("other", .exclusive("x")) {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        let (_, next) = machine.attemptEnded(run(0), .failed, thenTakeFor: .worker, at: 1, &actions)
        #expect(next == run(1))
        machine.timePassed(to: 51, &actions)
        #expect(machine.nodes[0].state == .ready)
        let (_, retried) = machine.attemptEnded(run(1), .succeeded, thenTakeFor: .worker, at: 60, &actions)
        #expect(retried == run(0, attempt: 2))
    }

    @Test("fault C8: 1,000 timeouts that are due at once all take effect, in the order they were set")
    func manyTimers() throws {
        var machine = try machine(lanes: 1000, workers: 1000) { graph in
            for index in 0..<1000 { graph.add("op\(index)", .timeout(.nanoseconds(10)), .onFailure(.continue)) {} }
        }
        var actions = Actions()
        machine.begin(&actions)
        for _ in 0..<1000 { _ = machine.take(.worker, at: 0, &actions) }
        machine.timePassed(to: 10, &actions)
        #expect(actions.isOver)
        #expect(machine.events.compactMap { if case .ended(let id, _) = $0.kind { id } else { nil } } == (0..<1000).map { "op\($0)" })
    }

    @Test("an operation that is cancelled while it waits ends in its turn, and what follows it starts no sooner")
    func cancelledWhileWaiting() throws {
        var machine = try machine { graph in
            graph.add("first") {}
            graph.add("second", .onFailure(.continue), after: "first") {}
            graph.add("third", after: "second") {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        machine.cancelOperation(1, at: 5, &actions)
        #expect(machine.nodes[1].state == .waiting)
        let (_, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 10, &actions)
        #expect(next == run(2))
        #expect(machine.nodes[1].outcome == .cancelled && machine.nodes[1].end == 10 && machine.nodes[1].start == -1)
    }

    @Test("a main-thread step that is cancelled before its turn has its fallback computed off it, and its turn finds nothing")
    func fallbackOfMainStep() throws {
        var machine = try machine { graph in
            graph.add("screen", on: .main) {
                2
            } fallback: { _, _ in
                1
            }
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(actions.mainTurns == 1)
        machine.cancelOperation(0, at: 1, &actions)
        let fallback = Assignment(node: 0, attempt: 0, kind: .computeFallback)
        #expect(actions.fallbacks == [fallback] && actions.workers == 0)
        #expect(machine.take(.main, at: 2, &actions) == nil)
        #expect(machine.attemptEnded(fallback, .succeeded, at: 4, &actions))
        #expect(actions.isOver && machine.nodes[0].outcome == .fellBack && machine.nodes[0].attempts == 0)
    }

    @Test("what is due takes effect in the order of its times, however late it is looked at")
    func lateWake() throws {
        var machine = try machine(deadline: .nanoseconds(20)) { graph in
            graph.add("own", .timeout(.nanoseconds(10)), .onFailure(.continue)) {}
            graph.add("launch's", .timeout(.nanoseconds(30)), .onFailure(.continue)) {}
        }
        var actions = Actions()
        machine.begin(&actions)
        _ = machine.take(.worker, at: 0, &actions)
        _ = machine.take(.worker, at: 0, &actions)
        machine.timePassed(to: 100, &actions)
        #expect(machine.stop == .deadline)
        #expect(machine.stragglers == [1])
        #expect(machine.nodes.map(\.outcome) == [.timedOut, .timedOut])
    }
}
