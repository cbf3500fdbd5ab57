import Dispatch
import Sequencer

/// Calls back once after a while, unless it is cancelled before.
///
/// It runs on a serial queue of its own: deadlines have to come even while blocked operations hold every thread of the global pool.
final class ReadinessTimer: Sendable {
    private static let queue = DispatchQueue(label: "startup.readiness-timer")
    private let body: Locked<(@Sendable () -> Void)?>

    /// - Parameter delay: what is longer than a year is a year.
    init(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        self.body = Locked(body)
        let delay = min(max(delay, .zero), .seconds(366 * 86_400))
        // The timer itself outlives a cancel, but not what it would have called.
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds))) { [self] in take()?() }
    }

    func cancel() { _ = take() }

    private func take() -> (@Sendable () -> Void)? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
