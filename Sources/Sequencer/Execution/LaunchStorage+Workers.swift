/// The threads of a launch's workers, and what was seen of them.
struct WorkerThreads {
    /// What a thread had done when it was last looked at.
    struct Look {
        var code: StepAssignment?
        let time: Nanoseconds
        let processorTime: Nanoseconds
        var isAsleep = false
    }

    /// How soon after a change the threads are looked at, and how seldom, at the most, when nothing changes.
    private static let (soon, late): (Nanoseconds, Nanoseconds) = (250_000, 2_000_000)

    private var all: [StepThread] = []
    private(set) var looks: [ThreadClock: Look] = [:]
    /// Of the thread for time; made when it is first needed.
    var alarm: Int?
    private var delay = WorkerThreads.soon
    private var lastLook: Nanoseconds = 0

    /// A worker begins.
    ///
    /// - Parameter isLookedAt: whether the threads are being looked at.
    mutating func add(_ thread: StepThread, isLookedAt: Bool) {
        // Those that have ended leave without a word: they are dropped here, now and then.
        if all.count >= 2 * LaunchOptions.maximumThreads { all.removeAll { $0.isDone } }
        all.append(thread)
        if isLookedAt, let clock = thread.clock, let time = clock.processorTime {
            looks[clock] = Look(time: monotonicNanoseconds(), processorTime: time)
        }
    }

    /// What each thread runs now.
    ///
    /// - Parameter tasks: those that have not suspended, and may have gone on to another step than their worker began with.
    mutating func running(_ tasks: [StepTask]) -> [ThreadClock: StepAssignment] {
        all.removeAll { $0.isDone }
        var running: [ThreadClock: StepAssignment] = [:]
        for thread in all { if let clock = thread.clock { running[clock] = thread.assignment } }
        for task in tasks { if let clock = task.clock { running[clock] = task.current } }
        return running
    }

    mutating func note(_ seen: [ThreadClock: Look]) {
        // Others have begun meanwhile. Threads that are gone are dropped now and then.
        if looks.count > 4 * LaunchOptions.maximumThreads { looks = [:] }
        looks.merge(seen) { $1 }
    }

    /// How long until the next look.
    ///
    /// - Parameter hasChanged: whether the last look has changed anything; nil for the first one since something waits.
    mutating func nextDelay(hasChanged: Bool?, at now: Nanoseconds) -> Nanoseconds {
        // Short operations that come and go have something wait again and again: that is no reason to look more often.
        let isNew = hasChanged == nil && now - lastLook > Self.late
        if hasChanged == true || isNew { delay = Self.soon } else if hasChanged == false { delay = min(2 * delay, Self.late) }
        lastLook = now
        return delay
    }
}

extension LaunchStorage.State {
    /// A worker begins.
    mutating func add(_ thread: StepThread) {
        if machine.mayMeasure { threads.add(thread, isLookedAt: machine.isMeasuring) }
    }
}

extension LaunchStorage {
    /// Something waits for a worker: looks at the threads of those that run until nothing does.
    func beginLooking() {
        let now = monotonicNanoseconds()
        let (known, delay) = state.withLock { ($0.threads.alarm, $0.threads.nextDelay(hasChanged: nil, at: now)) }
        let alarm = known ?? AlarmThread.shared.add { [self] _ in lookAtWorkers() }
        if known == nil {
            let isTooLate = state.withLock { state in
                if !state.isEnding { state.threads.alarm = alarm }
                return state.isEnding
            }
            if isTooLate { _ = AlarmThread.shared.remove(alarm) }
        }
        AlarmThread.shared.set(alarm, to: now + delay)
    }

    /// The launch is over.
    func endLooking() {
        let alarm = state.withLock { $0.threads.alarm }
        if let alarm { _ = AlarmThread.shared.remove(alarm) }
    }

    /// Looks whether threads are asleep: on the thread for time, and without the lock, for a look takes some microseconds.
    private func lookAtWorkers() {
        let now = monotonicNanoseconds()
        let (running, former) = state.withLock { state -> ([ThreadClock: StepAssignment], [ThreadClock: WorkerThreads.Look]) in
            state.machine.isMeasuring ? (state.threads.running(state.inlineTasks), state.threads.looks) : ([:], [:])
        }
        var looks: [ThreadClock: WorkerThreads.Look] = [:]
        for (clock, code) in running { looks[clock] = look(at: clock, running: code, after: former[clock], at: now) }
        let seen = looks.values.compactMap { look in look.code.map { (code: $0, isAsleep: look.isAsleep) } }
        var consequences: Consequences?
        let next = state.withLock { state -> (alarm: Int, delay: Nanoseconds)? in
            // Not by the launch's clock, which may be the app's: nothing here depends on it.
            let hasChanged = state.machine.measured(seen, &state.actions)
            state.threads.note(looks)
            consequences = state.takeConsequences(self)
            guard let hasChanged, let alarm = state.threads.alarm else { return nil }
            return (alarm, state.threads.nextDelay(hasChanged: hasChanged, at: now))
        }
        if let consequences { act(on: consequences, defersAppCode: true) }
        if let next { AlarmThread.shared.set(next.alarm, to: now + next.delay) }
    }

    private func look(
        at clock: ThreadClock,
        running code: StepAssignment,
        after former: WorkerThreads.Look?,
        at time: Nanoseconds
    ) -> WorkerThreads.Look? {
        guard let processorTime = clock.processorTime else { return nil }
        // The first look only begins to count.
        guard let former else { return WorkerThreads.Look(time: time, processorTime: processorTime) }
        // Of so short a time nothing follows.
        if time - former.time < 100_000 { return former }
        let used = processorTime - former.processorTime
        // One that has not moved since sleeps on.
        let isAsleep = former.isAsleep && former.code == code && used == 0 || used * 10 < time - former.time && !clock.isRunnable
        return WorkerThreads.Look(code: code, time: time, processorTime: processorTime, isAsleep: isAsleep)
    }
}
