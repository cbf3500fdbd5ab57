import Dispatch

/// Gives some real time to operations that wait for something else than the clock, or block their thread.
extension VirtualScheduler {
    struct Patience: Sendable {
        /// A wait for those who hold time, in which nothing else happens.
        struct Wait: Sendable {
            let activity: Int
            /// Whether the pool and the main thread have been asked if they are busy.
            var isAsked = false
            var end: Nanoseconds
        }

        let limit: Nanoseconds
        /// How long code may run before the next job has its turn.
        let maximumTurn: Nanoseconds
        var wait: Wait?
        /// Those with whom patience has run out, and who have not come back.
        var reals: [TimeHolder] = []
        /// The activity at which operations that waited to start were let go before all others had ended.
        var letGoAt = -1
        /// How often time has stood still, since patience last ran out, for those to come back.
        var pauses = 0
        var pausedAt = -1
        var isPausing = false
        /// The count of turns at the last alarm.
        var turns = -1
        /// When the next alarm is due, in real time.
        var alarm: Nanoseconds?

        init(limit: Duration) {
            self.limit = limit.nanoseconds
            maximumTurn = min(max(self.limit / 4, 50_000_000), 500_000_000)
        }

        /// How long a wait lasts before it is asked whether the machine is busy: most are over sooner.
        var untilAsked: Nanoseconds { min(maximumTurn, limit) }

        /// Something holds time, and nothing else happens.
        ///
        /// - Returns: after how long to look again.
        mutating func begins(at activity: Int) -> Nanoseconds {
            if wait?.activity == activity { return untilAsked }
            wait = Wait(activity: activity, end: monotonicNanoseconds() + untilAsked)
            return untilAsked
        }

        /// Whether to pause at this moment, so that a signal can reach an operation that waits in real time: a blocked thread that was
        /// signalled takes a while to wake.
        mutating func pauses(at activity: Int) -> Bool {
            guard !reals.isEmpty, pausedAt != activity, pauses < Self.maximumPauses else { return false }
            pauses += 1
            pausedAt = activity
            isPausing = true
            return true
        }

        /// Much longer than a thread takes to wake.
        static let pause: Nanoseconds = 5_000_000
        /// An operation that never comes back costs a second of pauses in all.
        private static let maximumPauses = 200
    }

    // MARK: Alarms

    /// The action to take at an alarm.
    fileprivate enum Due {
        case nothing
        case again(Nanoseconds)
        case askMachine(at: Int, giveUpAfter: Nanoseconds)
        case name([TimeHolder])
        case start(Runner)
    }

    // Serial: such a queue has a thread also while blocked code holds those of every pool.
    /// Alarms of all clocks.
    private static let alarms = DispatchQueue(label: "sequencer.virtual-time.alarms", qos: .userInitiated)

    func setAlarm(after delay: Nanoseconds) {
        let due = state.withLock { state -> Nanoseconds? in
            let due = monotonicNanoseconds().addingSaturated(delay)
            // The alarm that is set already comes sooner, and looks at the same things.
            guard due < state.patience.alarm ?? .max else { return nil }
            state.patience.alarm = due
            return due
        }
        guard let due else { return }
        // Weak: a clock may be let go of before it rings.
        Self.alarms.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [weak self] in self?.alarm(due) }
    }

    private func alarm(_ due: Nanoseconds) {
        switch state.withLock({ $0.due(at: due) }) {
        case .nothing: return
        case .again(let delay): setAlarm(after: delay)
        case .askMachine(let activity, let delay):
            setAlarm(after: delay)
            askMachine(at: activity)
        case .name(let holders):
            for holder in holders { holder.launch.withLock { $0.launch }?.waitsInRealTime(holder.role) }
            // They no longer hold time: somebody has to look for the next event.
            change { _ in }
        case .start(let runner):
            start(runner)
        }
    }

    /// On a busy machine an operation may only be waiting for a turn of the main thread or of the pool, so patience begins when both have
    /// run something that was asked of them later; or after ten times as long, if they are blocked.
    private func askMachine(at activity: Int) {
        let hasMainSteps = state.withLock { $0.launches.firstWithMainSteps != nil }
        // As urgent as launches are, and as tasks that say nothing: on Linux, each quality of service has a pool of its own.
        Task.detached(priority: .userInitiated) { [weak self] in
            await Task.detached(priority: .medium) {}.value
            if hasMainSteps { await MainActor.run {} }
            guard let self else { return }
            let delay: Nanoseconds? = state.withLock { state in
                guard state.activity == activity, state.patience.wait?.activity == activity else { return nil }
                let whole = max(state.patience.limit - state.patience.untilAsked, 0)
                let rest = state.isKeepingBack ? min(whole, state.patience.untilAsked) : whole
                state.patience.wait?.end = monotonicNanoseconds() + rest
                return rest
            }
            if let delay { setAlarm(after: delay) }
        }
    }
}

extension VirtualScheduler.State {
    fileprivate mutating func due(at alarm: Nanoseconds) -> VirtualScheduler.Due {
        let now = monotonicNanoseconds()
        if patience.alarm == alarm { patience.alarm = nil }
        if let runner {
            defer { patience.turns = turns }
            // Another job has begun since the last alarm: it has a turn of its own length.
            guard let job = current, let thread = runnerThread, turns == patience.turns else { return .again(patience.maximumTurn) }
            return .start(takeTurn(from: runner, job, on: thread))
        }
        if patience.isPausing {
            patience.isPausing = false
            return giveTurn().map { .start($0) } ?? .nothing
        }
        guard let wait = patience.wait, wait.activity == activity else { return .nothing }
        if now < wait.end { return .again(wait.end - now) }
        if !wait.isAsked {
            // At the latest, if neither answers; sooner if operations are kept back, since the holders may wait for these.
            let delay = isKeepingBack ? patience.limit : patience.limit * 10
            patience.wait?.isAsked = true
            patience.wait?.end = now + delay
            return .askMachine(at: activity, giveUpAfter: delay)
        }
        if isKeepingBack {
            // The holders may wait for the operations that are kept back.
            patience.letGoAt = activity
            mainThread.isPassedOver = mainThread.isAsked
            patience.wait = nil
            return giveTurn().map { .start($0) } ?? .nothing
        }
        let holders = suspects.filter { $0.holdsTime && !$0.account.isInPrologue }
        for holder in holders { holder.account.isReal = true }
        patience.wait = nil
        // The next action of the prologue, its end included, gives the turn.
        if holders.isEmpty, suspects.contains(where: \.account.isInPrologue) { return .nothing }
        patience.pauses = 0
        return .name(holders)
    }

    /// The job has run for too long: it goes on beside the others.
    private mutating func takeTurn(
        from runner: VirtualScheduler.Runner,
        _ job: VirtualScheduler.Job,
        on thread: UInt
    ) -> VirtualScheduler.Runner {
        lost[thread] = VirtualScheduler.LostJob(job: job, runner: runner, thread: thread)
        job.holder.account.jobs -= 1
        job.holder.account.away += 1
        suspect(job.holder)
        activity += 1
        current = nil
        if job.holder.role == .worker {
            // The launch has one worker, and this was it.
            let engine = TimeHolder(.engine, of: job.holder.launch, on: job.holder.scheduler)
            engine.account.jobs += 1
            queue.append(.job(VirtualScheduler.Job(holder: engine) { engine.launch.withLock { $0.launch }?.workerBlocks(true) }))
        }
        let next = spares.popLast() ?? VirtualScheduler.Runner()
        self.runner = next
        runnerThread = nil
        return next
    }
}
