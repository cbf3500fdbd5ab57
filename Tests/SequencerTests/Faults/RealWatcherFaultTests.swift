import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Whoever is told about a launch can do with its thread what it wants: the launch ends all the same.
@Suite("Watchers that block or re-enter", .serialized, .timeLimit(.minutes(30)), .real)
struct RealWatcherFaultTests {
    /// Eight events: the launch starts; each of two operations is ready, starts and ends; the launch ends.
    private static func twoOperations() -> OperationGraph {
        var graph = OperationGraph("watched")
        let first = graph.add("first") { await Task.yield() }
        graph.add("last", .milestone, after: first) {}
        return graph
    }

    @Test("fault L23: an observer that never returns keeps no launch from ending, whichever event it blocks in")
    func blockingObserver() async throws {
        try await atOnce(0..<8) { event in try await launch(blockedIn: event) }
    }

    private func launch(blockedIn event: Int) async throws {
        let gate = Gate()
        let seen = Locked(0)
        var options = LaunchOptions(deadline: .milliseconds(50), grace: .milliseconds(1))
        options.observers.append { _ in
            let number = seen.withLock { seen in
                defer { seen += 1 }
                return seen
            }
            if number == event { gate.block() }
        }
        let launch = try Self.twoOperations().start(options: options)
        let early = launch.events
        // Also when it blocks in the last event: the next launch may start after that.
        async let isOverAtEnd = early.reduce(false) { $1.kind == .launchEnded && launch.storage.isOver }
        let report = await launch.end().report
        #expect(report.operations.allSatisfy { $0.outcome == .succeeded } || report.outcome.name == "failed", "\(report.outcome)")
        // The observer still blocks, and nobody else waits for it.
        #expect(await isOverAtEnd)
        #expect(await launch.events.reduce(LaunchEvent.Kind?.none) { $1.kind } == .launchEnded)
        #expect(await launch.milestone == report)
        #expect(launch.progress.isFinished)
        gate.open()
    }

    @Test(
        "who has read the events to their end may start the next launch at once, with an operation that has not run",
        arguments: [false, true]
    )
    func nextLaunch(isVirtual: Bool) async throws {
        struct Failure: Error {}
        let (gate, isTold) = (Gate(), Locked(false))
        let operation = BlockOperation {}
        var graph = OperationGraph("watched")
        let fails = graph.add("fails") {
            await gate.wait()
            throw Failure()
        }
        graph.add(operation, id: "operation", after: fails)
        var next = OperationGraph("next")
        next.add(operation, id: "operation")
        var options: LaunchOptions = isVirtual ? .virtual() : .patient
        options.observers.append { event in if event.kind == .launchEnded { isTold.withLock { $0 = true } } }
        let launch = try graph.start(options: options)
        // It waits for an event when this returns, and starts the next launch within the call that tells it the last.
        let reader = Task(executorPreference: InlineExecutor()) { [next] in
            for await _ in launch.events {}
            #expect(isTold.withLock { $0 })
            return try next.start(options: .patient)
        }
        gate.open()
        #expect(try await reader.value.end().report["operation"]?.outcome == .succeeded)
        #expect(await launch.end().report["operation"]?.outcome == .cancelled)
    }

    @Test("fault L23: an observer that blocks when the launch stops keeps no step from being told to cancel")
    func blockedBeforeCancels() async throws {
        struct Failure: Error {}
        // Whoever waits in vain goes on after a while, so that this fails and does not hang.
        let (begun, told) = (Gate(), Gate(patience: .seconds(20)))
        var options = LaunchOptions(deadline: .patience, grace: .patience)
        options.observers.append { event in if event.kind == .stopped { told.block() } }
        var graph = OperationGraph("watched")
        graph.add("sleeps") {
            begun.open()
            await withTaskCancellationHandler {
                await told.wait()
            } onCancel: {
                told.open()
            }
        }
        graph.add("fails") {
            begun.block()
            throw Failure()
        }
        let report = try await graph.run(options: options).report
        #expect(report.outcome.name == "failed" && report.stragglers.isEmpty)
    }

    @Test("fault L23: where an observer stops the launch, its thread asks no condition that it had taken before")
    func stoppedByObserver() async throws {
        let (asked, longMayEnd, isStarted) = (Locked(false), Gate(), Gate())
        // The only lane goes from the long step to the condition.
        var graph = OperationGraph("conditional")
        let long = graph.add("long") { longMayEnd.block() }
        let condition = StepOption.when {
            asked.withLock { $0 = true }
            return true
        }
        graph.add("next", condition, after: long) {}
        let box = LaunchBox()
        var options = LaunchOptions(lanes: 1, deadline: .patience, grace: .patience)
        options.observers.append { event in
            if case .started("long", _) = event.kind {
                isStarted.block()
                // After this call: until it returns, this thread tells the events of the waiting step, too, and that step's thread goes on.
                box.current?.storage.callApp { longMayEnd.open() }
            }
            guard case .ended("long", _) = event.kind else { return }
            isStarted.block()
            box.current?.cancel()
        }
        let launch = try box.start(graph, options: options)
        isStarted.open()
        let report = await launch.end().report
        #expect(report.outcome == .cancelled && report["next"]?.outcome == .cancelled)
        box.empty()
        #expect(!asked.withLock { $0 })
    }

    @Test("fault L23: a stall report that never returns holds up no timeout, and no deadline")
    func blockingStallReport() async throws {
        let gate = Gate()
        var graph = OperationGraph("watched")
        graph.add("deaf", .timeout(.milliseconds(300)), .onFailure(.continue)) { gate.block() }
        graph.add("last") { gate.block() }
        let watch = StallWatch(after: .milliseconds(100)) { _ in gate.block() }
        let options = LaunchOptions(deadline: .seconds(1), grace: .milliseconds(1), stallWatch: watch)
        let report = try await graph.run(options: options).report
        #expect(report.operations.map(\.outcome) == [.timedOut, .timedOut])
        gate.open()
    }

    @Test("fault L23: a completion handler that never returns keeps the report from nobody")
    func blockingCompletion() async throws {
        let (begun, gate) = (Gate(), Gate())
        var graph = OperationGraph("watched")
        graph.add("only") { begun.block() }
        let launch = try graph.start(options: .patient) { _ in gate.block() }
        async let report = launch.end().report
        begun.open()
        #expect(await report.outcome == .completed)
        gate.open()
    }

    @Test("fault L23: an observer may call back in every event, the last ones too")
    func reentrantObserver() async throws {
        let box = LaunchBox()
        var graph = OperationGraph("watched")
        let first = graph.add("first") { _ = try await box.launch() }
        graph.add("last", after: first) {}
        let seen = Locked<[LaunchEvent.Kind]>([])
        let (asked, reports, streams) = (Locked(0), Locked(0), Locked(0))
        var options = LaunchOptions.patient
        options.observers.append { event in
            seen.withLock { $0.append(event.kind) }
            // The first three events may be told before anybody has the launch.
            guard let launch = box.current else { return }
            asked.withLock { $0 += 1 }
            _ = (launch.status, launch.anomalies, launch.progress.fractionCompleted)
            #expect(throws: GraphError.self) { try launch.cancel("nobody") }
            let events = launch.events
            Task {
                _ = await launch.end()
                reports.withLock { $0 += 1 }
            }
            Task {
                #expect(await events.reduce(into: []) { $0.append($1.kind) }.count == 8)
                streams.withLock { $0 += 1 }
            }
        }
        let launch = try box.start(graph, options: options)
        #expect(await launch.end().report.outcome == .completed)
        // The launch waits for an observer that returns: what it does about the last event is done.
        #expect(seen.withLock { $0.count } == 8 && seen.withLock { $0.last } == .launchEnded)
        let count = asked.withLock { $0 }
        #expect(count >= 5)
        await eventually { reports.withLock { $0 } == count && streams.withLock { $0 } == count }
        box.empty()
    }
}
