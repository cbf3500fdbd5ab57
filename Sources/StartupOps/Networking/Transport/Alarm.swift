import Dispatch
import Sequencer
import StartupStorage

/// Calls back once, after a time, on a serial queue of its own maker: that goes on when every thread of the pool is blocked. After a standstill of the
/// process it first leaves time to read answers that have arrived meanwhile; see `StandstillGrace`.
///
/// `URLSession` has timeouts, but on Linux one of them starts again at every byte, one has no effect, and both stand still with the pool.
final class Alarm: Sendable {
    private struct Timer: @unchecked Sendable {
        // @unchecked: Dispatch's sources may be used from any thread, though their Swift protocol does not say so.
        let source: any DispatchSourceTimer
    }

    private struct State {
        var timer: Timer?
        var hasWaited = false
    }

    private let state: Locked<State>
    private let grace: StandstillGrace
    private let ring: @Sendable () -> Void

    /// - Parameters:
    ///   - duration: not longer than that of a `Deadline`.
    ///   - grace: for tests; made with the same duration.
    init(after duration: Duration, on queue: DispatchQueue, grace: StandstillGrace? = nil, _ ring: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        state = Locked(State(timer: Timer(source: timer)))
        self.grace = grace ?? StandstillGrace(after: duration)
        self.ring = ring
        // With a larger leeway the system would put timers together.
        timer.schedule(deadline: .now() + .nanoseconds(Int(clamping: duration.nanoseconds)), leeway: .milliseconds(1))
        // Weak: the source keeps its handler until it is cancelled, and this object cancels it.
        timer.setEventHandler { [weak self] in self?.isDue() }
        timer.activate()
    }

    deinit { cancel() }

    /// Keeps it from ringing, unless it is doing so.
    func cancel() {
        let timer = state.withLock { state in
            defer { state.timer = nil }
            return state.timer
        }
        timer?.source.cancel()
    }

    private func isDue() {
        let isLate = grace.isLate
        let rings = state.withLock { state in
            guard let timer = state.timer else { return false }
            if state.hasWaited || !isLate { return true }
            state.hasWaited = true
            // Once: after the pause it rings, however late that is.
            timer.source.schedule(deadline: .now() + StandstillGrace.pause, leeway: .milliseconds(1))
            return false
        }
        if rings { ring() }
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
