import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// What meets a start: a task that is cancelled, a clock that asks the launch, operations that belong to somebody else.
@Suite("Faults before the start", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBeforeTheStartTests {
    @Test("fault L3: a launch that is cancelled before it begins starts nothing, ends as cancelled, and tells who watches")
    func cancelledBefore() async throws {
        var graph = OperationGraph("cancelled-before")
        let first = graph.add("first") { Issue.record("a step of a cancelled launch ran") }
        graph.add("second", after: first, on: .main) { Issue.record("a step of a cancelled launch ran") }
        let feed = EventFeed()
        let events = LaunchEvents(feed)
        var options = LaunchOptions.patient
        options.observers.append { _ = feed.add($0) }
        let report = try await Task { [graph, options] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await graph.run(options: options).report
        }.value
        #expect(report.outcome == .cancelled)
        #expect(report.operations.map(\.outcome) == [.cancelled, .cancelled])
        #expect(report["first"]?.message == "not started: the launch was cancelled")
        let kinds = await events.reduce(into: []) { $0.append($1.kind) }
        #expect(kinds == [.launchStarted, .stopped, .ended("first", .cancelled), .ended("second", .cancelled), .launchEnded])
    }

    @Test("fault L41: run() in a task that is cancelled already starts nothing")
    func cancelledTask() async throws {
        let started = Locked(0)
        var others = 0
        for _ in 0..<Nightly.times(day: 50, night: 2_000) {
            var graph = OperationGraph("cancelled-task")
            graph.add("only") { started.withLock { $0 += 1 } }
            let report = try await Task { [graph] in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await graph.run().report
            }.value
            if report.outcome != .cancelled { others += 1 }
        }
        #expect(others == 0)
        #expect(started.withLock { $0 } == 0)
    }

    @Test("fault O48: an Operation belongs to its launch until that is over; one that never ran may run in another")
    func givenBack() async throws {
        let gate = Gate()
        let operation = BlockOperation {}
        var graph = OperationGraph("owner")
        let first = graph.add("first") { await gate.wait() }
        graph.add(operation, id: "block", after: first)
        let launch = try graph.start(options: LaunchOptions(grace: .seconds(30)))
        let error = await #expect(throws: GraphError.self) { try await graph.run() }
        #expect(
            error?.problems.map(\.description) == [
                "block: its Operation belongs to a launch that is going on; an Operation runs once, make a new one"
            ]
        )
        launch.cancel()
        gate.open()
        #expect(await launch.end().report.outcome == .cancelled)
        var another = OperationGraph("another")
        another.add(operation, id: "block")
        #expect(try await another.run().report["block"]?.outcome != .failed)
    }

    @Test("fault L60: an operation is cancelled while the launch starts: the deadline is kept all the same")
    func cancelAtTheStart() throws {
        var graph = OperationGraph("at-the-start")
        graph.add("victim", .onFailure(.continue)) {}
        graph.add("other") {}
        let settings = LaunchOptions(deadline: .seconds(1)).settings(for: .seconds(3))
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: settings)
        machine.cancelOperation(0, at: 5)
        // Nobody can be woken yet.
        _ = machine.takeWake()
        machine.input(at: 0) { $0.begin() }
        #expect(machine.takeWake() == Duration.seconds(1).nanoseconds)
        #expect(machine.nodes[0].outcome == .cancelled && machine.nodes[0].state == .ended)
    }

    @Test("fault L60: a time asked for before there is anybody to tell does not hide a later one")
    func wakeBeforeBegin() async throws {
        let isTold = Locked(false)
        let timekeeper = SystemTimekeeper(countsSuspension: false)
        timekeeper.wake(at: 0)
        timekeeper.begin { _ in isTold.withLock { $0 = true } }
        timekeeper.wake(at: 1)
        await eventually { isTold.withLock { $0 } }
        timekeeper.end()
    }

    /// A clock of the app's, which asks what the launch has done.
    private final class AskingClock: Clock, @unchecked Sendable {
        // @unchecked: immutable, and the box has its own lock.
        let box = LaunchBox()
        let answers = Locked(0)
        private let clock = ContinuousClock()
        var now: ContinuousClock.Instant {
            // Nothing that the launch needs the time for.
            if box.current?.anomalies != nil { answers.withLock { $0 += 1 } }
            return clock.now
        }
        var minimumResolution: Duration { .nanoseconds(1) }
        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try await clock.sleep(until: deadline, tolerance: tolerance)
        }
    }

    @Test("fault L61: the app's clock asks the launch whenever it is asked for the time")
    func askingClock() async throws {
        let clock = AskingClock()
        var graph = OperationGraph("asking")
        graph.add("first") { _ = try await clock.box.launch() }
        graph.add("last", after: "first") {}
        let report = try await clock.box.run(graph, options: LaunchOptions(deadline: .patience, clock: clock)).report
        #expect(report.outcome == .completed)
        #expect(clock.answers.withLock { $0 } > 0)
    }

    /// Its sleeps block whoever cancels them.
    private final class BlockingClock: Clock {
        typealias Instant = ContinuousClock.Instant
        let gate = Gate(patience: .seconds(20))
        var now: Instant { ContinuousClock.now }
        var minimumResolution: Duration { .nanoseconds(1) }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await withTaskCancellationHandler {
                try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
            } onCancel: {
                gate.block()
            }
        }
    }

    @Test("fault L64: an app's clock whose sleeps block when they are cancelled keeps no launch from going on, and from its end")
    func blockingClock() async throws {
        let clock = BlockingClock()
        var graph = OperationGraph("blocking")
        // Its timeout is sooner than the deadline, whose sleep is cancelled; at the end there is another one to cancel.
        let first = graph.add("first", .timeout(.seconds(600))) {}
        graph.add("last", .timeout(.seconds(300)), after: first) { await Task.yield() }
        let report = try await graph.run(options: LaunchOptions(deadline: .seconds(900), clock: clock)).report
        #expect(report.outcome == .completed)
        clock.gate.open()
    }

    /// Its sleeps fail, with an error of its own or as if they had been cancelled.
    private struct FailingClock: Clock {
        struct Failure: Error {}
        let isCancellation: Bool
        var now: ContinuousClock.Instant { ContinuousClock.now }
        var minimumResolution: Duration { .nanoseconds(1) }
        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            if isCancellation { throw CancellationError() } else { throw Failure() }
        }
    }

    @Test("fault L66: an app's clock whose sleeps fail stops no timeout and no deadline", arguments: [false, true])
    func failingClock(isCancellation: Bool) async throws {
        let clock = FailingClock(isCancellation: isCancellation)
        var outcomes: [Outcome]?
        // On a slow machine the deadline may come before the second operation has begun: then with ten times as much time.
        for milliseconds in [50, 500, 5_000] {
            var graph = OperationGraph("failing")
            let timeout = Duration.milliseconds(milliseconds)
            let first = graph.add("first", .timeout(timeout), .onFailure(.continue)) { try await Task.sleep(for: .seconds(3600)) }
            graph.add("last", after: first) { try await Task.sleep(for: .seconds(3600)) }
            let options = LaunchOptions(deadline: .after(timeout * 10), grace: .milliseconds(1), clock: clock)
            let launch = try graph.start(options: options)
            // Whoever waits in vain goes on after a while, so that this fails and does not hang.
            let (ended, report) = (Gate(), Locked<LaunchReport?>(nil))
            Task {
                let end = await launch.end().report
                report.withLock { $0 = end }
                ended.open()
            }
            await ended.wait()
            outcomes = report.withLock { $0?.operations.map(\.outcome) }
            if outcomes?.last != .cancelled { break }
        }
        #expect(outcomes == [.timedOut, .timedOut])
    }
}
