import Sequencer

/// A result that is given once, and awaited once: whatever is given later is dropped.
final class SDKOneShot<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, any Error>?)
        case given(Result<Value, any Error>)
        case over
    }

    private let state = Locked(State.open(nil))

    func give(_ result: Result<Value, any Error>) {
        let waiter: CheckedContinuation<Value, any Error>? = state.withLock { state in
            guard case .open(let waiter) = state else { return nil }
            state = waiter == nil ? .given(result) : .over
            return waiter
        }
        waiter?.resume(with: result)
    }

    var value: Value {
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
