import Dispatch
import Foundation

/// Where a launch gets its time from, in nanoseconds since it began.
protocol Timekeeper: AnyObject, Sendable {
    /// The time now.
    var now: Nanoseconds { get }
    /// Starts to call `handler` at the times asked for.
    func begin(_ handler: @escaping @Sendable () -> Void)
    /// Calls the handler at `time`, or sooner if it was asked for sooner.
    func wake(at time: Nanoseconds)
    /// Suspends the caller. Throws `CancellationError` when its task is cancelled.
    nonisolated(nonsending) func sleep(for duration: Duration) async throws
    /// Lets go of the handler.
    func end()
}

/// Real time, by the system's monotonic clock and a timer on a serial queue of its own: it goes on when every pool thread is blocked.
final class SystemTimekeeper: Timekeeper {
    private struct State {
        var handler: (@Sendable () -> Void)?
        var timer: (any DispatchSourceTimer)?
        var wake: Nanoseconds?
    }

    private let countsSuspension: Bool
    private let origin: Nanoseconds
    private let state = Locked(State())

    init(countsSuspension: Bool) {
        self.countsSuspension = countsSuspension
        origin = monotonicNanoseconds(countsSuspension: countsSuspension)
    }

    var now: Nanoseconds { monotonicNanoseconds(countsSuspension: countsSuspension) - origin }

    func begin(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handler = handler }
    }

    func wake(at time: Nanoseconds) {
        state.withLock { state in
            guard state.handler != nil, time < state.wake ?? .max else { return }
            state.wake = time
            let timer = state.timer ?? makeTimer()
            state.timer = timer
            let delay = min(max(time - now, 0), OperationGraph.longestDuration.nanoseconds)
            timer.schedule(deadline: .now() + .nanoseconds(Int(delay)), leeway: .nanoseconds(0))
        }
    }

    /// Made when the first timeout is: most launches never need a timer.
    private func makeTimer() -> any DispatchSourceTimer {
        let queue = DispatchQueue(label: "sequencer.timer", qos: .userInitiated)
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        timer.setEventHandler { [weak self] in self?.fire() }
        timer.resume()
        return timer
    }

    private func fire() {
        let handler = state.withLock { state in
            state.wake = nil
            return state.handler
        }
        handler?()
    }

    nonisolated(nonsending) func sleep(for duration: Duration) async throws {
        if countsSuspension {
            try await ContinuousClock().sleep(for: duration, tolerance: .zero)
        } else {
            try await SuspendingClock().sleep(for: duration, tolerance: .zero)
        }
    }

    func end() {
        let timer = state.withLock { state in
            let timer = state.timer
            state = State()
            return timer
        }
        timer?.cancel()
    }
}

/// The time of any other clock, such as one a test moves by hand.
final class ClockTimekeeper<C: Clock>: Timekeeper where C.Duration == Duration {
    private struct State {
        var handler: (@Sendable () -> Void)?
        var sleeper: Task<Void, Never>?
        var wake: Nanoseconds?
    }

    private let clock: C
    private let origin: C.Instant
    private let state = Locked(State())

    init(_ clock: C) {
        self.clock = clock
        origin = clock.now
    }

    var now: Nanoseconds { origin.duration(to: clock.now).nanoseconds }

    func begin(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handler = handler }
    }

    func wake(at time: Nanoseconds) {
        let replaced: Task<Void, Never>? = state.withLock { state in
            guard state.handler != nil, time < state.wake ?? .max else { return nil }
            let replaced = state.sleeper
            state.wake = time
            state.sleeper = Task { [weak self, clock, origin] in
                do {
                    try await clock.sleep(until: origin.advanced(by: .nanoseconds(time)), tolerance: .zero)
                } catch {
                    return  // A sooner wake took this one's place, or the launch is over.
                }
                self?.fire()
            }
            return replaced
        }
        replaced?.cancel()
    }

    private func fire() {
        let handler = state.withLock { state in
            state.wake = nil
            state.sleeper = nil
            return state.handler
        }
        handler?()
    }

    nonisolated(nonsending) func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, tolerance: .zero)
    }

    func end() {
        let sleeper = state.withLock { state in
            let sleeper = state.sleeper
            state = State()
            return sleeper
        }
        sleeper?.cancel()
    }
}
