/// Told that time has passed; and, if the process has just been found to have stood still, for how long.
typealias TimeHandler = @Sendable (_ standstill: Nanoseconds) -> Void

/// Where a launch gets its time from, in nanoseconds since it began.
protocol Timekeeper: AnyObject, Sendable {
    /// The time now.
    var now: Nanoseconds { get }
    /// Starts to call `handler` at the times asked for.
    func begin(_ handler: @escaping TimeHandler)
    /// Calls the handler at `time`, or sooner if it was asked for sooner.
    func wake(at time: Nanoseconds)
    /// Suspends the caller. Throws `CancellationError` when its task is cancelled.
    nonisolated(nonsending) func sleep(for duration: Duration) async throws
    /// For how long the process has just stood still, if the handler has not been told yet.
    var unnoticedStandstill: Nanoseconds { get }
    /// For how long the machine has slept since the launch began, whether or not the time counts that; 0 where nobody knows.
    var suspension: Nanoseconds { get }
    /// Lets go of the handler.
    func end()
}

extension Timekeeper {
    var unnoticedStandstill: Nanoseconds { 0 }
    var suspension: Nanoseconds { 0 }
}

/// The time of any other clock, such as one a test moves by hand.
final class ClockTimekeeper<C: Clock>: Timekeeper where C.Duration == Duration {
    private struct State {
        var handler: TimeHandler?
        var sleeper: Task<Void, Never>?
        /// The number of sleepers that there have been: that of the newest one.
        var sleepers = 0
        var wake: Nanoseconds?
    }

    private let clock: C
    private let origin: C.Instant
    private let state = Locked(State())
    /// Where sleeps are cancelled: the clock's own code runs within that, and may block.
    private let callApp: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter callApp: makes a call on a thread that nobody waits for.
    init(_ clock: C, callApp: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.clock = clock
        self.callApp = callApp
        origin = clock.now
    }

    var now: Nanoseconds { origin.duration(to: clock.now).nanoseconds }

    func begin(_ handler: @escaping TimeHandler) {
        state.withLock { $0.handler = handler }
    }

    func wake(at time: Nanoseconds) {
        let replaced: Task<Void, Never>? = state.withLock { state in
            guard state.handler != nil, time < state.wake ?? .max else { return nil }
            let replaced = state.sleeper
            state.wake = time
            state.sleepers += 1
            let number = state.sleepers
            state.sleeper = Task { [weak self, clock, origin] in
                let end = origin.advanced(by: .nanoseconds(time))
                do {
                    try await clock.sleep(until: end, tolerance: .zero)
                } catch {
                    // A clock that fails must not stop time: the rest of the sleep goes by the system's.
                    let rest = max(clock.now.duration(to: end), .milliseconds(1))
                    // Cancelled: a sooner wake took this one's place, or the launch is over.
                    guard (try? await ContinuousClock().sleep(for: rest)) != nil else { return }
                }
                self?.fire(number)
            }
            return replaced
        }
        if let replaced { callApp { replaced.cancel() } }
    }

    private func fire(_ number: Int) {
        let (handler, sleeper) = state.withLock { state -> (TimeHandler?, Task<Void, Never>?) in
            // It had slept to its end when a sooner one took its place: that one goes on, and its handle is needed to cancel it.
            guard number == state.sleepers else { return (state.handler, nil) }
            defer { state.sleeper = nil }
            state.wake = nil
            return (state.handler, state.sleeper)
        }
        // The clock is the app's, and so are the objects that its task holds: released without the lock.
        withExtendedLifetime(sleeper) { handler?(0) }
    }

    nonisolated(nonsending) func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, tolerance: .zero)
    }

    func end() {
        let former = state.withLock { state in
            // Handed out: the handler holds the launch, which must not be freed under the lock.
            defer { state = State() }
            return state
        }
        if let sleeper = former.sleeper { callApp { sleeper.cancel() } }
    }
}
