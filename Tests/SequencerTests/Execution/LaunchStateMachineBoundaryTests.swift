import TestSupport
import Testing

@testable import Sequencer

/// The state machine where one thing ends and the next begins: at time 0, at the very time of a limit, with the last worker.
@Suite("Launch state machine, at its bounds", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchStateMachineBoundaryTests {
    private typealias Assignment = LaunchStateMachine.Assignment
    private typealias Actions = LaunchStateMachine.Actions
    private typealias Pending = LaunchStateMachine.Pending

    private func machine(
        lanes: Int? = nil,
        workers: Int = 2,
        budget: Nanoseconds? = nil,
        _ build: (inout OperationGraph) -> Void
    ) throws -> LaunchStateMachine {
        var graph = OperationGraph("bounds")
        build(&graph)
        var settings = LaunchStateMachine.Configuration(lanes: lanes, workers: workers, recordsEvents: true)
        settings.budget = budget
        return LaunchStateMachine(graph: try graph.validated(), settings: settings)
    }

    private func run(_ node: Int, attempt: Int = 1) -> Assignment { Assignment(node: node, attempt: attempt, kind: .run) }

    @Test("the worker of an operation that is cut is replaced, for it may never come back")
    func cutWorker() throws {
        var machine = try machine(workers: 1, budget: 100) { graph in
            let config = graph.add("config", .cuttable, fallback: 1) { 2 }
            graph.add("main", .milestone, after: config) {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        // Of a budget of 100 a twentieth each is kept for the operation and for the milestone, of which nothing is expected.
        #expect(machine.nextWake == 95)
        actions = Actions()
        machine.timePassed(to: 100, &actions)
        #expect(actions.cancel == [0] && actions.workers == 1 && machine.activeWorkers == 1)
        #expect(machine.take(.worker, at: 101, &actions) == run(1))
        // It comes back after all, and is told to end.
        let (counted, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 102, &actions)
        #expect(!counted && next == nil && machine.activeWorkers == 1)
    }

    @Test("where the only lane is taken by a condition, others make room for what is behind that, until it has answered")
    func conditionOnTheOnlyLane() throws {
        var machine = try machine(lanes: 1, workers: 1) { graph in
            let config = graph.add("config", .when { true }, .expected(.seconds(1))) {}
            graph.add("home", .milestone, .expected(.milliseconds(10)), after: config, on: .main) {}
            graph.add("beside", .expected(.seconds(5)), on: .main) {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == Assignment(node: 0, attempt: 1, kind: .checkCondition))
        #expect(machine.take(.main, at: 0, &actions) == nil)
        let isRun = machine.conditionAnswered(0, false, at: 1, &actions)
        #expect(!isRun && machine.take(.main, at: 1, &actions) == run(1))
        #expect(machine.attemptEnded(run(1), .succeeded, at: 2, &actions))
        #expect(machine.take(.main, at: 2, &actions) == run(2))
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
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(1))
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        _ = machine.attemptEnded(run(0), .failed, at: 0, &actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(2))
        #expect(
            machine.pending() == [
                Pending(node: 0, wait: .retry, since: 0),
                Pending(node: 1, wait: .code(nil), since: 0),
                Pending(node: 2, wait: .person, since: 0),
                Pending(node: 3, wait: .mainThread, since: 0),
                Pending(node: 4, wait: .dependencies(["first"]), since: 0),
            ]
        )
        _ = machine.attemptEnded(run(1), .succeeded, at: 7, &actions)
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
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        let (_, next) = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 3, &actions)
        #expect(next == Assignment(node: 1, attempt: 1, kind: .checkCondition))
        #expect(
            machine.pending() == [
                Pending(node: 1, wait: .condition, since: 3),
                Pending(node: 2, wait: .dependencies(["main"]), since: 3),
                Pending(node: 3, wait: .dependencies(["asked"]), since: 0),
            ]
        )
    }

    @Test("an operation that fails lets go of its lane and its resources before its fallback is computed, beside what takes them")
    func fallbackLetsGo() throws {
        var machine = try machine(lanes: 1, workers: 1) { graph in
            graph.add("config", .exclusive("disk")) {
                2
            } fallback: { _, _ in
                1
            }
            graph.add("other", .exclusive("disk")) {}
        }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.worker, at: 0, &actions) == run(0))
        let fallback = Assignment(node: 0, attempt: 1, kind: .computeFallback)
        let (counted, next) = machine.attemptEnded(run(0), .failed, thenTakeFor: .worker, at: 1, &actions)
        #expect(counted && next == run(1) && actions.fallbacks == [fallback] && machine.lanes.taken == 1)
        // Its thread is no worker, and there is one.
        #expect(machine.attemptEnded(fallback, .succeeded, at: 2, &actions))
        #expect(actions.workers == 1 && machine.lanes.taken == 1)
        _ = machine.attemptEnded(run(1), .succeeded, thenTakeFor: .worker, at: 3, &actions)
        #expect(actions.isOver && machine.lanes.taken == 0 && machine.nodes.map(\.outcome) == [.fellBack, .succeeded])
    }

    @Test("a launch that was aborted is over when its takeover has returned, if nothing else runs")
    func takeoverReturns() throws {
        var machine = try machine { graph in graph.add("update") {} }
        var actions = Actions()
        machine.begin(&actions)
        _ = machine.take(.worker, at: 1, &actions)
        #expect(machine.abort(by: 0, .forceUpdate, hasTakeover: true, at: 2, &actions))
        _ = machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 3, &actions)
        #expect(!actions.isOver)
        machine.takeoverEnded(at: 4, &actions)
        #expect(actions.isOver && machine.endOfLaunch == 4)
    }

    @Test("a pause between attempts is spread to both sides by the jitter, and stays as it is without")
    func jitter() {
        var random = SplitMix64(seed: 3)
        let spread = RetryPolicy(attempts: 5, backoff: .nanoseconds(1_000), jitter: 0.5)
        let pauses = (0..<1_000).map { _ in spread.pause(afterAttempt: 1, random: &random) }
        #expect(pauses.allSatisfy { (500...1_500).contains($0) })
        #expect(pauses.contains { $0 < 700 } && pauses.contains { $0 > 1_300 })
        let exact = RetryPolicy(attempts: 5, backoff: .nanoseconds(1_000), jitter: 0)
        #expect(exact.pause(afterAttempt: 1, random: &random) == 1_000)
    }

    @Test("a main-thread step begins when the main thread takes it, not when it was asked to")
    func mainTurn() throws {
        var machine = try machine { graph in graph.add("screen", on: .main) {} }
        var actions = Actions()
        machine.begin(&actions)
        #expect(machine.take(.main, at: 7, &actions) == run(0))
        #expect(machine.nodes[0].ready == 0 && machine.nodes[0].start == 7 && machine.nodes[0].lane == -1)
    }
}
