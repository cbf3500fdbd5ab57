import Dispatch
import Sequencer

/// Calls back once, after a time, on a serial queue of its own maker: that goes on when every thread of the pool is blocked.
///
/// `URLSession` has timeouts, but on Linux one of them starts again at every byte, one has no effect, and both stand still with the pool.
final class Alarm: Sendable {
    private let timer: Locked<(any DispatchSourceTimer)?>

    /// - Parameter duration: not longer than what a `Deadline` can be.
    init(after duration: Duration, on queue: DispatchQueue, _ ring: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .nanoseconds(Int(clamping: duration.nanoseconds)), leeway: .milliseconds(1))
        timer.setEventHandler(handler: ring)
        timer.activate()
        self.timer = Locked(timer)
    }

    deinit { cancel() }

    /// Keeps it from ringing, unless it is doing so.
    func cancel() {
        let timer = timer.withLock { timer in
            defer { timer = nil }
            return timer
        }
        timer?.cancel()
    }
}
