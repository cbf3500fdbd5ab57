import Dispatch
import Sequencer
import StartupStorage

/// A result that is given once, and awaited once; later ones are dropped.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, any Error>?)
        case given(Result<Value, any Error>)
        case over
    }

    private let state = Locked(State.open(nil))

    package init() {}

    package func give(_ result: Result<Value, any Error>) {
        let waiter: CheckedContinuation<Value, any Error>? = state.withLock { state in
            guard case .open(let waiter) = state else { return nil }
            // With a waiter it is over at once; without one, the result is kept for it.
            state = waiter == nil ? .given(result) : .over
            return waiter
        }
        // Outside the lock: the waiter may go on on this thread.
        waiter?.resume(with: result)
    }

    package var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock { state in
                    guard case .given(let result) = state else {
                        state = .open(continuation)
                        return nil
                    }
                    state = .over
                    return result
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }
}

/// Calls back once a deadline has come, unless cancelled before.
///
/// On a serial queue of its own: tasks and global queues stand still while blocked operations hold every pool thread, and deadlines must not. After a
/// standstill of the process it first leaves time to read answers that have arrived meanwhile; see `StandstillGrace`.
package final class DeadlineTimer: Sendable {
    private static let queue = DispatchQueue(label: "sequencer.networking.deadlines", qos: .userInitiated)
    private let body: Locked<(@Sendable () -> Void)?>

    /// Schedules `body`; nil for ``Deadline/never``.
    package convenience init?(_ deadline: Deadline, _ body: @escaping @Sendable () -> Void) {
        guard let remaining = deadline.remaining else { return nil }
        self.init(after: remaining, grace: StandstillGrace(after: remaining), body)
    }

    /// - Parameter grace: made with the same duration.
    init(after duration: Duration, grace: StandstillGrace, _ body: @escaping @Sendable () -> Void) {
        self.body = Locked(body)
        // The timer itself outlives a cancel; its closure does not.
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: duration.nanoseconds))) { [self] in
            if grace.isLate {
                Self.queue.asyncAfter(deadline: .now() + StandstillGrace.pause) { [self] in take()?() }
            } else {
                take()?()
            }
        }
    }

    package func cancel() { _ = take() }

    private func take() -> (@Sendable () -> Void)? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
