import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Objects of the app are let go of where their `deinit` may do anything.
@Suite("Objects of the app that ask the launch while they are freed", .serialized, .timeLimit(.minutes(30)), .real)
struct RealReleaseFaultTests {
    /// Asks, when it is freed, what only the launch's lock can tell.
    private final class Asking: Sendable {
        let ask: @Sendable () -> Void
        init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }
        deinit { ask() }
    }

    private struct AskingError: Error {
        let asking: Asking
    }

    @Test("fault L42: the error of an earlier attempt asks for the launch's status while it is freed")
    func error() async throws {
        let box = LaunchBox()
        let asked = Locked(0)
        var graph = OperationGraph("released")
        graph.add("step", .retry(RetryPolicy(attempts: 3, backoff: .milliseconds(1))), .onFailure(.continue)) { launch in
            _ = try await box.launch()
            throw AskingError(
                asking: Asking {
                    _ = launch.isCancelled
                    _ = box.current?.status
                    asked.withLock { $0 += 1 }
                }
            )
        }
        let report = await (try box.start(graph)).end().report
        #expect(report["step"]?.attempts == 3)
        // The last one is kept by the launch; the one before may be let go of after that is over.
        await eventually { asked.withLock { $0 } == 2 }
        box.empty()
    }

    /// Never sleeps to an end: what needs its alarms waits for ever.
    private struct StandingClock: Clock {
        let now = ContinuousClock.now
        var minimumResolution: Duration { .nanoseconds(1) }
        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try await Task.sleep(for: .seconds(3600))
        }
    }

    @Test(
        "fault L63: a watched step of the main thread whose condition holds begins at once, when its start has been told, and not by an alarm"
    )
    func conditionOnMain() async throws {
        let told = Locked(false)
        var graph = OperationGraph("main")
        graph.add("main", .when { true }, on: .main) {
            #expect(told.withLock { $0 })
        }
        var options = LaunchOptions(deadline: .never, clock: StandingClock())
        options.observers.append { event in
            if case .started = event.kind { told.withLock { $0 = true } }
        }
        let launch = try graph.start(options: options)
        let ended = Locked(false)
        Task {
            _ = await launch.end()
            ended.withLock { $0 = true }
        }
        await eventually(within: .seconds(30)) { ended.withLock { $0 } }
        #expect(launch.status.operations.isEmpty)
    }

    private enum Value {
        @TaskLocal static var object: Blocks?
    }

    /// Blocks the thread that lets go of it.
    private final class Blocks: Sendable {
        let (begun, gate): (Gate, Gate)
        init(_ begun: Gate, _ gate: Gate) { (self.begun, self.gate) = (begun, gate) }
        deinit {
            begun.open()
            gate.block()
        }
    }

    /// Starts a launch that meets its deadline in the pause before an attempt, so that the thread for time ends it.
    private func startWithBlockingValue(_ deadline: Duration, _ begun: Gate, _ gate: Gate) throws -> RunningLaunch {
        var graph = OperationGraph("values")
        graph.add("pauses", .retry(RetryPolicy(attempts: 2, backoff: .seconds(600), maximumBackoff: .seconds(600)))) {
            throw CocoaError(.coderInvalidValue)
        }
        return try Value.$object.withValue(Blocks(begun, gate)) { try graph.start(options: LaunchOptions(deadline: .after(deadline))) }
    }

    @Test("fault L42: the deadline lets go of the caller's values, whose deinit blocks: other launches have their timeouts")
    func blockingValue() async throws {
        // On a busy machine the step may not have failed before the deadline; then whoever ran it ends the launch.
        for deadline in [20, 200, 2000, 20_000] {
            let (begun, gate) = (Gate(), Gate())
            let report = await (try startWithBlockingValue(.milliseconds(deadline), begun, gate)).end().report
            guard report["pauses"]?.outcome == .failed else {
                gate.open()
                continue
            }
            await begun.wait()
            var graph = OperationGraph("other")
            graph.add("hangs", .timeout(.milliseconds(20)), .onFailure(.continue)) { (launch: StepContext) async throws in
                try await launch.sleep(for: .seconds(3600))
            }
            let other = try await graph.run(options: .patient).report
            #expect(other["hangs"]?.outcome == .timedOut)
            gate.open()
            return
        }
        Issue.record("the step never failed in time")
    }
}
