import Dispatch
import Sequencer
import StartupStorage

/// Calls back once, after a time, on a serial queue of its own maker: that goes on when every thread of the pool is blocked.
///
/// `URLSession` has timeouts, but on Linux one of them starts again at every byte, one has no effect, and both stand still with the pool.
final class Alarm: Sendable {
    private struct Timer: @unchecked Sendable {
        // @unchecked: Dispatch's sources may be used from any thread, though their Swift protocol does not say so.
        let source: any DispatchSourceTimer
    }

    private let timer: Locked<Timer?>

    /// - Parameter duration: not longer than what a `Deadline` can be.
    init(after duration: Duration, on queue: DispatchQueue, _ ring: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .nanoseconds(Int(clamping: duration.nanoseconds)), leeway: .milliseconds(1))
        timer.setEventHandler(handler: ring)
        timer.activate()
        self.timer = Locked(Timer(source: timer))
    }

    deinit { cancel() }

    /// Keeps it from ringing, unless it is doing so.
    func cancel() {
        let timer = timer.withLock { timer in
            defer { timer = nil }
            return timer
        }
        timer?.source.cancel()
    }
}

/// Suspends tasks on a timer that goes on when every thread of the pool is blocked; `Task.sleep` does not.
final class Sleeper: Sendable {
    private let queue = DispatchQueue(label: "StartupOps.HTTPClient.pauses", qos: .userInitiated)

    /// Throws `CancellationError` as soon as the calling task is cancelled.
    func sleep(for duration: Duration) async throws {
        let sleep = OneShot<Void>()
        let alarm = Alarm(after: duration, on: queue) { sleep.give(.success(())) }
        defer { alarm.cancel() }
        try await withTaskCancellationHandler {
            try await sleep.value
        } onCancel: {
            sleep.give(.failure(CancellationError()))
        }
    }
}
