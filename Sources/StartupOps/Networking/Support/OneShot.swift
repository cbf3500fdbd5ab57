import Dispatch
import Sequencer

/// A result that is given once, and awaited once; later ones are dropped.
package struct OneShot<Value: Sendable>: Sendable {
    private let stream: AsyncThrowingStream<Value, any Error>
    private let continuation: AsyncThrowingStream<Value, any Error>.Continuation

    package init() { (stream, continuation) = AsyncThrowingStream<Value, any Error>.makeStream() }

    package func give(_ result: Result<Value, any Error>) {
        continuation.yield(with: result)
        continuation.finish()
    }

    /// The result; throws `CancellationError` as soon as the calling task is cancelled.
    package var value: Value {
        get async throws {
            for try await value in stream { return value }
            throw CancellationError()
        }
    }
}

/// Calls back after a time, unless it is cancelled or released before.
///
/// It uses a private serial queue: tasks and global queues stand still while blocked operations hold every pool thread,
/// and deadlines must not. A timer that rings very late waits once more, since the process must have stood still. An
/// answer that came in time, and could not be read, would otherwise lose to it; for the answer to a refresh, the only
/// good refresh token would be lost (T33).
package final class DeadlineTimer: Sendable {
    /// Enough to read an answer that has arrived, and less than the extra time of a step after a standstill. Timers of
    /// a busy machine are late, too.
    private static let grace = Duration.milliseconds(100)
    private static let queue = DispatchQueue(label: "sequencer.networking.deadlines", qos: .userInitiated)

    // Unsafe: an object of Dispatch, which any thread may use.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private let state = Locked((isCancelled: false, mayWait: true))
    private let body: @Sendable () -> Void

    /// Schedules `body`; nil for ``Deadline/never``.
    package convenience init?(_ deadline: Deadline, _ body: @escaping @Sendable () -> Void) {
        guard let remaining = deadline.remaining else { return nil }
        self.init(after: remaining, body)
    }

    /// - Parameter now: the clock that tells whether it is late.
    init(
        after duration: Duration,
        now: @escaping @Sendable () -> Nanoseconds = { monotonicNanoseconds() },
        _ body: @escaping @Sendable () -> Void
    ) {
        timer = DispatchSource.makeTimerSource(queue: Self.queue)
        self.body = body
        // Saturated: a deadline may be as far as a Duration goes.
        let due = now().addingSaturated(duration.nanoseconds)
        // Weak: the source keeps its handler until it is cancelled, and this object cancels it.
        timer.setEventHandler { [weak self] in
            self?.ring(isLate: now().addingSaturated(-due) > Self.grace.nanoseconds)
        }
        schedule(after: duration)
        timer.activate()
    }

    deinit { cancel() }

    /// Keeps it from calling, unless it is doing so.
    package func cancel() {
        state.withLock { $0.isCancelled = true }
        timer.cancel()
    }

    /// Suspends the calling task, also while every thread of the pool is blocked; throws `CancellationError` as soon as
    /// that is cancelled.
    package static func sleep(for duration: Duration) async throws {
        let end = OneShot<Void>()
        let timer = DeadlineTimer(after: duration) { end.give(.success(())) }
        defer { timer.cancel() }
        try await end.value
    }

    private func ring(isLate: Bool) {
        let (isCancelled, waits) = state.withLock { state in
            // Once: after the pause it rings, however late that is.
            defer { if isLate { state.mayWait = false } }
            return (state.isCancelled, isLate && state.mayWait)
        }
        if isCancelled { return }
        if waits { schedule(after: Self.grace) } else { body() }
    }

    // With a larger leeway the system would put timers together.
    private func schedule(after duration: Duration) {
        timer.schedule(deadline: .now() + .nanoseconds(Int(clamping: duration.nanoseconds)), leeway: .milliseconds(1))
    }
}
