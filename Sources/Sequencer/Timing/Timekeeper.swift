import Dispatch

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
    /// Lets go of the handler.
    func end()
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

    func begin(_ handler: @escaping TimeHandler) { state.withLock { $0.handler = handler } }

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
            // It had slept to its end when a sooner one took its place: that one continues, and its handle is needed to
            // cancel it.
            guard number == state.sleepers else { return (state.handler, nil) }
            state.wake = nil
            return (state.handler, state.sleeper.take())
        }
        // The clock is the app's, and so are the objects that its task holds: released without the lock.
        withExtendedLifetime(sleeper) { handler?(0) }
    }

    func end() {
        // Handed out: the handler holds the launch, which must not be freed under the lock.
        let former = state.withLock { exchange(&$0, with: State()) }
        if let sleeper = former.sleeper { callApp { sleeper.cancel() } }
    }
}

/// Real time, by the system's monotonic clock and the process's timer, which continues when every pool thread is
/// blocked.
final class SystemTimekeeper: Timekeeper {
    private struct State: ~Copyable {
        var alarm: Int?
        var wake: Nanoseconds?
    }

    let countsSuspension: Bool
    private let origin: Nanoseconds
    /// The same moment by the other clock: that which counts the machine's sleep if this one does not.
    private let otherOrigin: Nanoseconds
    private let state = Locked(State())

    init(countsSuspension: Bool) {
        self.countsSuspension = countsSuspension
        origin = monotonicNanoseconds(countsSuspension: countsSuspension)
        otherOrigin = monotonicNanoseconds(countsSuspension: !countsSuspension)
    }

    var now: Nanoseconds { monotonicNanoseconds(countsSuspension: countsSuspension) - origin }

    /// For how long the machine has slept since the launch began, whether or not the time counts that.
    var suspension: Nanoseconds {
        let other = monotonicNanoseconds(countsSuspension: !countsSuspension) - otherOrigin
        return Self.suspension(now, other, countsSuspension: countsSuspension)
    }

    /// - Parameters:
    ///   - time: since the launch began, by its own clock.
    ///   - other: by the other clock.
    ///   - countsSuspension: whether its own is the one that continues while the machine sleeps.
    static func suspension(_ time: Nanoseconds, _ other: Nanoseconds, countsSuspension: Bool) -> Nanoseconds {
        let suspension = countsSuspension ? time - other : other - time
        // The thread may have lost its turn between the readings of the two clocks. So a short difference counts as
        // none, as with a standstill.
        return suspension > Alarms.maximumDelay ? suspension : 0
    }

    /// For how long the process has just stood still, if the handler has not been told yet.
    // The launch may have begun while the process stood still.
    var unnoticedStandstill: Nanoseconds { min(Alarms.shared.unnoticedStandstill, now) }

    func begin(_ handler: @escaping TimeHandler) {
        let alarm = Alarms.shared.add { [weak self] standstill in
            // Before the handler, which asks for the next time.
            self?.state.withLock { $0.wake = nil }
            handler(standstill)
        }
        state.withLock { $0.alarm = alarm }
    }

    func wake(at time: Nanoseconds) {
        let alarm: Int? = state.withLock { state in
            guard let alarm = state.alarm, time < state.wake ?? .max else { return nil }
            state.wake = time
            return alarm
        }
        guard let alarm else { return }
        var delay = max(time - now, 0)
        // The timer goes by a clock that stands still while the machine sleeps.
        if countsSuspension { delay = min(delay, 1_000_000_000) }
        Alarms.shared.set(alarm, to: monotonicNanoseconds().addingSaturated(delay))
    }

    func end() {
        let alarm = state.withLock { $0.alarm.take() }
        // Released here, without a lock.
        if let alarm { _ = Alarms.shared.remove(alarm) }
    }
}

/// The alarms of all launches of the process, for timeouts, deadlines and grace periods: one timer, on a queue of its
/// own.
///
/// The queue is serial and alone in its quality of service, so it has a thread also while blocked code holds those of
/// the pools. It runs nothing but the engine's own code, which never blocks.
final class Alarms: Sendable {
    static let shared = Alarms()

    private struct State: ~Copyable {
        var lastID = 0
        /// Each with its time, `.max` while nothing is asked for.
        var alarms: [Int: (handler: TimeHandler, due: Nanoseconds)] = [:]
        /// When the timer rings: `.max` for not at all, and 0 while it does.
        var ringsAt: Nanoseconds = .max

        /// Takes out the handlers that are due, by time; after a standstill all of them, for each launch decides anew
        /// which timers are due.
        mutating func takeDue(at now: Nanoseconds, standstill: Nanoseconds) -> [TimeHandler] {
            let due = alarms.filter { standstill > 0 || $0.value.due <= now }
            for id in due.keys { alarms[id]?.due = .max }
            return due.inOrder { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.map(\.value.handler)
        }
    }

    /// While there are alarms, the timer rings this often, so that it is seen when the process has stood still, or the
    /// machine has slept.
    private static let tick: Nanoseconds = 250_000_000
    /// If it rings later than this after its time, the process was stopped: a busy machine delays it less.
    fileprivate static let maximumDelay: Nanoseconds = 500_000_000

    // Unsafe: an object of Dispatch, which any thread may use.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private let state = Locked(State())

    init() {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "sequencer.time", qos: .userInteractive))
        timer.schedule(deadline: .distantFuture)
        timer.setEventHandler { [weak self] in self?.ring() }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Adds an alarm that is set to no time yet.
    ///
    /// - Parameter handler: called when the alarm is due, and whenever the process is found to have stood still, on the
    ///     timer's queue; it must not block, nor run code of the app.
    func add(_ handler: @escaping TimeHandler) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.alarms[state.lastID] = (handler, .max)
            return state.lastID
        }
    }

    /// Has the alarm ring at `time`, by the monotonic clock, unless it rings before; it rings once.
    func set(_ id: Int, to time: Nanoseconds) {
        state.withLock { state in
            guard let alarm = state.alarms[id], time < alarm.due else { return }
            state.alarms[id]?.due = time
            setTimer(&state, for: time)
        }
    }

    /// Removes an alarm.
    ///
    /// - Returns: its handler, to be released where that may run code of the app.
    func remove(_ id: Int) -> TimeHandler? { state.withLock { $0.alarms.removeValue(forKey: id)?.handler } }

    /// For how long the process has stood still, if the timer was to ring at `limit` and does so, or is looked at, only
    /// now.
    static func standstill(waitingFor limit: Nanoseconds, at now: Nanoseconds) -> Nanoseconds {
        now > limit && now - limit > maximumDelay ? now - limit : 0
    }

    /// For how long the process has just stood still, if the timer has not rung yet to find that out.
    var unnoticedStandstill: Nanoseconds {
        let limit = state.withLock { $0.ringsAt }
        return limit > 0 ? Self.standstill(waitingFor: limit, at: monotonicNanoseconds()) : 0
    }

    /// Sets the timer, unless it rings soon enough. Dispatch calls nobody within that.
    private func setTimer(_ state: inout State, for due: Nanoseconds) {
        let now = monotonicNanoseconds()
        let time = min(due, now + Self.tick)
        guard time < state.ringsAt else { return }
        state.ringsAt = time
        timer.schedule(deadline: .now() + .nanoseconds(Int(max(time - now, 0))), leeway: .nanoseconds(0))
    }

    private func ring() {
        let now = monotonicNanoseconds()
        let (due, standstill) = state.withLock { state in
            let standstill = Self.standstill(waitingFor: state.ringsAt, at: now)
            // An alarm that is set from here on finds the timer set anew when the handlers have returned.
            state.ringsAt = 0
            return (Locked(state.takeDue(at: now, standstill: standstill)), standstill)
        }
        due.withLock { $0 }.forEach { $0(standstill) }
        state.withLock { state in
            state.ringsAt = .max
            if let next = state.alarms.values.lazy.map(\.due).min() { setTimer(&state, for: next) }
        }
        // A handler may hold the last reference to a launch that has just ended: it frees objects of the app, and their
        // `deinit` may block.
        if due.withLock({ !$0.isEmpty }) { DispatchQueue.global().async { due.withLock { $0 = [] } } }
    }
}
