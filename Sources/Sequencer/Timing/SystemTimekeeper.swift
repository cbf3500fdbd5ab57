import Dispatch
import Foundation

/// Real time, by the system's monotonic clock and the process's thread for time, which goes on when every pool thread is blocked.
final class SystemTimekeeper: Timekeeper {
    private struct State {
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

    var suspension: Nanoseconds {
        let other = monotonicNanoseconds(countsSuspension: !countsSuspension) - otherOrigin
        return Self.suspension(now, other, countsSuspension: countsSuspension)
    }

    /// - Parameters:
    ///   - time: since the launch began, by its own clock.
    ///   - other: by the other clock.
    ///   - countsSuspension: whether its own is the one that goes on while the machine sleeps.
    static func suspension(_ time: Nanoseconds, _ other: Nanoseconds, countsSuspension: Bool) -> Nanoseconds {
        let suspension = countsSuspension ? time - other : other - time
        // The thread may have lost its turn between the readings of the two clocks. So a short difference counts as none, as with a standstill.
        return suspension > AlarmThread.maximumDelay ? suspension : 0
    }

    // The launch may have begun while the process stood still.
    var unnoticedStandstill: Nanoseconds { min(AlarmThread.shared.unnoticedStandstill, now) }

    func begin(_ handler: @escaping TimeHandler) {
        let alarm = AlarmThread.shared.add { [weak self] standstill in
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
        // The thread for time sleeps by a clock that stands still while the machine does.
        if countsSuspension { delay = min(delay, 1_000_000_000) }
        AlarmThread.shared.set(alarm, to: monotonicNanoseconds().addingSaturated(delay))
    }

    nonisolated(nonsending) func sleep(for duration: Duration) async throws {
        if countsSuspension {
            try await ContinuousClock().sleep(for: duration, tolerance: .zero)
        } else {
            try await SuspendingClock().sleep(for: duration, tolerance: .zero)
        }
    }

    func end() {
        let alarm = state.withLock { state in
            defer { state.alarm = nil }
            return state.alarm
        }
        // Released here, without a lock.
        if let alarm { _ = AlarmThread.shared.remove(alarm) }
    }
}

/// The thread that time has for itself: timeouts, deadlines and grace periods of all launches of the process come from here.
///
/// Dispatch's timers need one of its threads, and a process can lose all 255 of these to steps that block. This one runs nothing but the
/// engine's own code, which never blocks, and so is never lost. It is made when the first launch needs it.
final class AlarmThread: Sendable {
    static let shared = AlarmThread()

    /// Called when an alarm is due, with 0, and whenever the process is found to have stood still, with how long.
    typealias Handler = @Sendable (_ standstill: Nanoseconds) -> Void

    private struct PendingAlarm {
        let handler: Handler
        /// `.max` while nothing is asked for.
        var due: Nanoseconds
    }

    private struct Entry: Comparable {
        let due: Nanoseconds
        let id: Int

        static func < (left: Entry, right: Entry) -> Bool { (left.due, left.id) < (right.due, right.id) }
    }

    private struct State {
        var nextID = 0
        var alarms: [Int: PendingAlarm] = [:]
        /// By time; an entry that is not its alarm's `due` any more is passed over.
        var entries = Heap<Entry>()
        /// Whether the thread runs, or is to be started as soon as the system has one.
        var hasThread = false
        /// Until when the thread sleeps unless it is woken; `.max`: until it is woken.
        var sleepsUntil: Nanoseconds = .max

        /// The time of the next alarm.
        mutating func nextDue() -> Nanoseconds? {
            while let first = entries.first, alarms[first.id]?.due != first.due { _ = entries.pop() }
            return entries.first?.due
        }

        mutating func dropStaleEntries() {
            entries.removeAll()
            for (id, alarm) in alarms where alarm.due < .max { entries.push(Entry(due: alarm.due, id: id)) }
        }

        /// Takes out the handlers that are due; after a standstill all of them, for each launch decides anew which timers are due.
        mutating func takeDue(at now: Nanoseconds, standstill: Nanoseconds) -> [Handler] {
            var handlers: [Handler] = []
            if standstill > 0 {
                entries.removeAll()
                for id in alarms.keys { alarms[id]?.due = .max }
                return alarms.values.map(\.handler)
            }
            while let due = nextDue(), due <= now, let entry = entries.pop() {
                alarms[entry.id]?.due = .max
                if let handler = alarms[entry.id]?.handler { handlers.append(handler) }
            }
            return handlers
        }
    }

    /// While there are alarms, the thread looks at the clock this often, so that it sees when the process has stood still, or the machine has slept.
    private static let tick: Nanoseconds = 250_000_000
    /// If the thread wakes later than this after the time it asked for, the process was stopped: a busy machine delays it less.
    fileprivate static let maximumDelay: Nanoseconds = 500_000_000

    private let startThread: SystemThread.Starter
    private let state = Locked(State())
    private let parker = Parker()

    init(startThread: @escaping SystemThread.Starter = { SystemThread.start(stackSize: 512 << 10, $0) }) {
        self.startThread = startThread
    }

    /// Adds an alarm that is set to no time yet.
    ///
    /// - Parameter handler: called on this thread, or on one of Dispatch's while the system starts none; it must not block, nor run code of the app.
    func add(_ handler: @escaping Handler) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.alarms[state.nextID] = PendingAlarm(handler: handler, due: .max)
            return state.nextID
        }
    }

    /// Has the alarm ring at `time`, by the monotonic clock, unless it rings before; it rings once.
    func set(_ id: Int, to time: Nanoseconds) {
        let (isSooner, needsThread) = state.withLock { state in
            guard let alarm = state.alarms[id], time < alarm.due else { return (false, false) }
            state.alarms[id]?.due = time
            state.entries.push(Entry(due: time, id: id))
            // Alarms that were removed leave their entries behind until they are due, which may be in a day.
            if state.entries.count > 2 * state.alarms.count + 64 { state.dropStaleEntries() }
            defer { state.hasThread = true }
            return (time < state.sleepsUntil, !state.hasThread)
        }
        if needsThread { begin() } else if isSooner { parker.wake() }
    }

    /// Removes an alarm.
    ///
    /// - Returns: its handler, to be released where that may run code of the app.
    func remove(_ id: Int) -> Handler? {
        state.withLock { $0.alarms.removeValue(forKey: id)?.handler }
    }

    private func begin() {
        SystemThread.startWhenPossible(
            "sequencer.time",
            .userInteractive,
            by: startThread,
            // Where the system starts no thread, alarms ring a little late, but they do.
            meanwhile: { [self] in
                ring(at: monotonicNanoseconds(), standstill: 0)
                state.withLock { $0.sleepsUntil = .max }
            }
        ) { [self] in run() }
    }

    private func run() {
        var isIdle = false
        while true {
            let (until, wasIdle) = state.withLock { state -> (Nanoseconds?, Bool) in
                let now = monotonicNanoseconds()
                // One tick without alarms before it sleeps for good: a launch that comes soon need not wake it.
                let until = state.alarms.isEmpty && isIdle ? nil : min(state.nextDue() ?? .max, now + Self.tick)
                state.sleepsUntil = until ?? .max
                return (until, state.alarms.isEmpty)
            }
            isIdle = wasIdle
            _ = parker.park(until: until)
            let now = monotonicNanoseconds()
            ring(at: now, standstill: Self.standstill(asleepUntil: until ?? .max, at: now))
        }
    }

    /// For how long the process has stood still, if this thread was to sleep until `limit` and could look again, or was woken, only now.
    static func standstill(asleepUntil limit: Nanoseconds, at now: Nanoseconds) -> Nanoseconds {
        now > limit && now - limit > maximumDelay ? now - limit : 0
    }

    /// For how long the process has just stood still, if this thread has not had its turn yet to find that out.
    var unnoticedStandstill: Nanoseconds {
        let limit = state.withLock { $0.sleepsUntil }
        // 0 while it is at work.
        return limit > 0 ? Self.standstill(asleepUntil: limit, at: monotonicNanoseconds()) : 0
    }

    private func ring(at now: Nanoseconds, standstill: Nanoseconds) {
        let due = Released(
            state.withLock { state in
                // At work: an alarm that is set meanwhile need not wake it, for it looks again.
                state.sleepsUntil = 0
                return state.takeDue(at: now, standstill: standstill)
            }
        )
        guard !due.handlers.isEmpty else { return }
        for handler in due.handlers { handler(standstill) }
        // A handler may hold the last reference to a launch that has just ended: it frees objects of the app, and their `deinit` may block.
        DispatchQueue.global().async { due.handlers = [] }
    }

    /// Handlers that are released elsewhere than where they were used.
    private final class Released: @unchecked Sendable {
        // @unchecked: used by this thread first, then by the block that empties it.
        var handlers: [Handler]

        init(_ handlers: [Handler]) {
            self.handlers = handlers
        }
    }
}
