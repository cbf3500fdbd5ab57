import Dispatch
import Sequencer

/// Suspends tasks on a timer that goes on when every thread of the pool is blocked; `Task.sleep` does not.
final class Sleeper: Sendable {
    private let queue = DispatchQueue(label: "StartupOps.HTTPClient.pauses", qos: .userInitiated)

    /// Throws `CancellationError` as soon as the calling task is cancelled.
    func sleep(for duration: Duration) async throws {
        let sleep = Sleep()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleep.begin(continuation, Alarm(after: duration, on: queue) { sleep.end(.success(())) })
            }
        } onCancel: {
            sleep.end(.failure(CancellationError()))
        }
    }
}

/// One sleep: ends once, by the alarm or by being cancelled, which may come before it has begun.
private final class Sleep: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var alarm: Alarm?
        var result: Result<Void, any Error>?
    }

    private let state = Locked(State())

    func begin(_ continuation: CheckedContinuation<Void, any Error>, _ alarm: Alarm) {
        let result = state.withLock { state in
            if state.result == nil { (state.continuation, state.alarm) = (continuation, alarm) }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    func end(_ result: Result<Void, any Error>) {
        let (continuation, alarm) = state.withLock { state in
            defer { (state.continuation, state.alarm) = (nil, nil) }
            if state.result == nil { state.result = result }
            return (state.continuation, state.alarm)
        }
        alarm?.cancel()
        continuation?.resume(with: result)
    }
}
