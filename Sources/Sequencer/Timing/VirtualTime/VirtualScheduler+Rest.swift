import Dispatch
import Foundation

/// Taking turns, and moving time when no turn is left to take.
extension VirtualScheduler {
    /// Whether the main thread has done everything it was asked.
    struct MainThread: Sendable {
        /// Whether anything may run there that the clock does not see. If not, it is asked only when a step has begun or gone on there.
        let hasForeignCode: Bool
        /// Whether a step has done so since the last question.
        var isUsed = false
        /// When it was last seen to be at rest.
        var restedAt = -1
        var isAsked = false
        /// Whether it has not answered for so long that nothing waits for its answer but time.
        var isPassedOver = false
        /// Whether it has been given something to do; one thing at a time.
        var hasTurn = false
        /// The sleeper that keeps it, as code does that computes.
        var keeper: Int?
    }

    /// The action after a job.
    fileprivate enum Next {
        case run(Job)
        /// There is nothing to do.
        case stop
        /// The turn is another runner's: this one's job had lost it.
        case lost
        case comeBack(DispatchSemaphore)
        case wake(SleepingTask)
        case runOnMain(Job)
        /// Asks which of the launch's operations is to start first.
        case compare(TimeHolder, at: Int)
        /// Asks whether these run still.
        case ask([TimeHolder], at: Int)
        case askMainThread(TimeHolder, at: Int)
        /// Looks again after this much real time.
        case wait(Nanoseconds)
    }

    func start(_ runner: Runner) {
        runner.queue.async { self.run(runner) }
    }

    private func run(_ runner: Runner) {
        let thread = currentThreadIdentity()
        var done: Job?
        state.withLock { if $0.runner === runner { $0.runnerThread = thread } }
        setAlarm(after: maximumTurn)
        while true {
            let next = state.withLock { state in
                if let job = done { state.ended(job, on: thread) }
                return state.next(for: runner)
            }
            // Not under the lock: with it may go all that is left of a launch.
            done = nil
            switch next {
            case .run(let job):
                job.run()
                done = job
            case .stop: return
            case .lost:
                // That may have been all that was waited for.
                if let runner = state.withLock({ $0.giveTurn() }) { start(runner) }
                return
            case .comeBack(let semaphore):
                semaphore.signal()
                return
            case .wake(let task): task.continuation.resume(returning: true)
            case .runOnMain(let job):
                OperationQueue.main.addOperation { [self] in
                    job.run()
                    state.withLock { $0.mainThread.hasTurn = false }
                    comesBack(job.holder)
                }
            case .compare(let engine, let activity):
                let isMain = engine.launch.withLock { $0.launch }?.startsOnMainFirst ?? false
                state.withLock { $0.first = (activity, isMain) }
            case .ask(let holders, let activity):
                // Without the scheduler's lock: the answer takes that of the launch, which calls the scheduler.
                let ended = holders.filter { !$0.isRunning }
                state.withLock { _ in
                    for holder in holders { holder.account.askedAt = activity }
                    for holder in ended { holder.account.isLive = false }
                }
            case .askMainThread(let holder, let activity):
                askMainThread(Self.roundsOfMainThread) { self.mainThreadAnswers(holder, activity) }
            case .wait(let delay):
                setAlarm(after: delay)
                return
            }
        }
    }

    /// A task with an executor of its own, as an operation's is, goes to the back of the main thread's queue at each call of the concurrency library, such as
    /// `withTaskCancellationHandler`. Going to sleep is four such calls.
    private static let roundsOfMainThread = 16

    private func askMainThread(_ rounds: Int, _ answer: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async { rounds > 1 ? self.askMainThread(rounds - 1, answer) : answer() }
    }

    private func mainThreadAnswers(_ holder: TimeHolder, _ activity: Int) {
        let runner = state.withLock { state in
            holder.account.away -= 1
            holder.account.isReal = false
            state.mainThread.isAsked = false
            state.mainThread.isPassedOver = false
            state.mainThread.restedAt = activity
            return state.giveTurn()
        }
        if let runner { start(runner) }
    }
}

extension VirtualScheduler.State {
    /// Gives the turn to a runner, if nobody has it.
    ///
    /// - Returns: the runner, to be started.
    mutating func giveTurn() -> VirtualScheduler.Runner? {
        guard runner == nil, holds == 0, !queue.isEmpty || !launches.isEmpty || !workers.isEmpty else { return nil }
        let runner = spares.popLast() ?? VirtualScheduler.Runner()
        self.runner = runner
        return runner
    }

    mutating func letGo(of runner: VirtualScheduler.Runner) {
        if self.runner === runner {
            self.runner = nil
            runnerThread = nil
        }
        // A few for the next turns: there are more only while code blocks its thread.
        if spares.count < 4 { spares.append(runner) }
    }

    fileprivate mutating func ended(_ job: VirtualScheduler.Job, on thread: UInt) {
        // It blocked its thread, and has come to its end without another turn.
        if lost.removeValue(forKey: thread) != nil {
            job.holder.account.away -= 1
            job.holder.account.isReal = false
            activity += 1
        } else {
            job.holder.account.jobs -= 1
            current = nil
        }
        suspect(job.holder)
    }

    fileprivate mutating func next(for runner: VirtualScheduler.Runner) -> VirtualScheduler.Next {
        guard self.runner === runner else {
            letGo(of: runner)
            return .lost
        }
        guard holds == 0 else {
            letGo(of: runner)
            return .stop
        }
        switch queue.popFirst() {
        case .job(let job)?: return run(job)
        case .comeBack(let lost, let semaphore)?:
            turns += 1
            self.lost[lost.thread] = nil
            lost.job.holder.account.away -= 1
            lost.job.holder.account.isReal = false
            letGo(of: runner)
            self.runner = lost.runner
            runnerThread = lost.thread
            current = lost.job
            return .comeBack(semaphore)
        case nil: break
        }
        let next = nextAtRest()
        switch next {
        // Under the lock that found nothing to do: a job that is added after this finds the turn free.
        case .stop, .wait: letGo(of: runner)
        default: break
        }
        return next
    }

    /// The next action when no job is left: to wait for something that still holds time, or else to move time on.
    private mutating func nextAtRest() -> VirtualScheduler.Next {
        // Workers of launches that are over have to end as well.
        guard !launches.isEmpty else { return workers.popFirst().map { run($0.job) } ?? .stop }
        if let next = nextStart() { return next }
        // Nobody tells a holder that its launch has ended the operation, as at a timeout.
        let unasked = (suspects + patience.reals).filter { $0.account.isLive && $0.isUnderway && $0.account.askedAt != activity }
        if !unasked.isEmpty { return .ask(unasked, at: activity) }
        patience.reals.removeAll { !$0.account.isReal || !$0.isUnderway }
        suspects.removeAll { holder in
            holder.account.isSuspect = holder.holdsTime
            if holder.account.isReal, holder.isUnderway, !patience.reals.contains(where: { $0 === holder }) {
                patience.reals.append(holder)
            }
            return !holder.account.isSuspect
        }
        if !suspects.isEmpty { return .wait(patience.begins(at: activity)) }
        if let next = askMainThread() { return next }
        if patience.pauses(at: activity) { return .wait(VirtualScheduler.Patience.pause) }
        return moveTime()
    }

    private mutating func run(_ job: VirtualScheduler.Job) -> VirtualScheduler.Next {
        turns += 1
        current = job
        return .run(job)
    }

    /// Lets the first operation by rank start, on a lane or on the main thread, once everything has ended that ends at this moment.
    private mutating func nextStart() -> VirtualScheduler.Next? {
        // Ends come before starts: a task that wakes now, or an input that goes on, may bring one.
        guard hasStarts, patience.letGoAt == activity || !isWakeDue && inputs == 0 else {
            return nil
        }
        if !mainThread.isPassedOver {
            // The work of the main thread may end something.
            if let next = askMainThread() { return next }
            if mainThread.isAsked { return .wait(patience.begins(at: activity)) }
        }
        guard let turn = mainTurn else { return workers.popFirst().map { run($0.job) } }
        if let worker = workers.next {
            // Ranks compare only within a launch: of two launches, the worker goes first.
            if worker.launch == turn.launch, first.activity != activity { return .compare(turn.job.holder, at: activity) }
            if worker.launch != turn.launch || !first.isMain { return workers.popFirst().map { run($0.job) } }
        }
        _ = mainTurns.popFirst()
        mainThread.hasTurn = true
        mainThread.isUsed = true
        turn.job.holder.account.away += 1
        suspect(turn.job.holder)
        activity += 1
        return .runOnMain(turn.job)
    }

    /// The next turn of the main thread, if that is free.
    private var mainTurn: VirtualScheduler.Start? { mainThread.hasTurn || mainThread.keeper != nil ? nil : mainTurns.next }

    private var hasStarts: Bool { !workers.isEmpty || mainTurn != nil }

    /// Whether something waits to start until others have ended.
    var isKeepingBack: Bool { hasStarts && patience.letGoAt != activity }

    private mutating func askMainThread() -> VirtualScheduler.Next? {
        guard mainThread.hasForeignCode || mainThread.isUsed, mainThread.restedAt != activity, !mainThread.isAsked,
            let engine = launches.firstWithMainSteps?.engine
        else { return nil }
        mainThread.isAsked = true
        mainThread.isUsed = false
        engine.account.away += 1
        suspect(engine)
        return .askMainThread(engine, at: activity)
    }

    /// Whether a task wakes at this moment, and has not yet.
    private var isWakeDue: Bool {
        mutating get { nextSleeper(by: now) != nil }
    }

    /// The next task to wake, if it wakes by `time`; a task that has to come back to a main thread that is taken wakes later.
    private mutating func nextSleeper(by time: Duration) -> VirtualScheduler.WakeTime? {
        while mainThread.keeper == nil, let id = returning.next {
            if sleeping[id] != nil { return VirtualScheduler.WakeTime(wake: now, id: id) }
            _ = returning.popFirst()
        }
        while let sleeper = sleepers.first, sleeper.wake <= time {
            if let task = sleeping[sleeper.id] {
                guard task.isOnMain, let keeper = mainThread.keeper, keeper != sleeper.id else { return sleeper }
                now = max(now, sleeper.wake)
                returning.append(sleeper.id)
            }
            _ = sleepers.pop()
        }
        return nil
    }

    /// Moves time to the next event, and lets that one happen: an operation wakes before a timeout of the same time.
    private mutating func moveTime() -> VirtualScheduler.Next {
        let due = launches.nextWake
        if let sleeper = nextSleeper(by: due?.time ?? VirtualScheduler.never) {
            guard sleeper.wake < VirtualScheduler.never, let task = removeSleeper(sleeper.id) else { return giveUpHope() }
            if returning.next == sleeper.id { _ = returning.popFirst() } else { _ = sleepers.pop() }
            // Never back: the sleeper may have waited for the main thread since its time.
            now = max(now, sleeper.wake)
            activity += 1
            if let holder = task.holder { wakes(holder) }
            if task.isOnMain { mainThread.isUsed = true }
            return .wake(task)
        }
        guard let due else { return giveUpHope() }
        now = max(now, due.time)
        activity += 1
        turns += 1
        launches.woke(due.id)
        let engine = due.engine
        engine.account.jobs += 1
        let job = VirtualScheduler.Job(holder: engine) { engine.launch.withLock { $0.timePassed }?(0) }
        current = job
        return .run(job)
    }

    /// Nothing will happen by itself.
    private mutating func giveUpHope() -> VirtualScheduler.Next {
        guard let job = takeHopeless() else { return .stop }
        current = job
        return .run(job)
    }
}

/// Waits that only something else on the clock can end. They do not hold time still: it moves on without them.
extension VirtualScheduler {
    /// A number for a wait.
    func takeHope() -> Int {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// The wait begins. `giveUp` is called, in a turn, when nothing is left on the clock that could happen: unless it is ended before.
    func beginHope(_ id: Int, _ giveUp: @escaping @Sendable () -> Void) {
        change { $0.hopes[id] = giveUp }
    }

    func endHope(_ id: Int) {
        // Its memory is freed without the lock.
        _ = state.withLock { $0.hopes.removeValue(forKey: id) }
    }
}

extension VirtualScheduler.State {
    /// Nothing happens any more: the job that gives up the wait that began first; nil while a wait in real time may end.
    ///
    /// One at a time: the step that goes on then may end the waits of others.
    mutating func takeHopeless() -> VirtualScheduler.Job? {
        guard !hopes.isEmpty, patience.reals.isEmpty, let engine = launches.first?.engine else { return nil }
        guard let giveUp = takeFirstHope() else { return nil }
        activity += 1
        turns += 1
        engine.account.jobs += 1
        return VirtualScheduler.Job(holder: engine, run: giveUp)
    }

    private mutating func takeFirstHope() -> (@Sendable () -> Void)? {
        // Waits that have begun since the numbers were sorted have higher ones.
        if hopeless.isEmpty { hopeless = hopes.keys.sorted(by: >) }
        while let id = hopeless.popLast() {
            if let giveUp = hopes.removeValue(forKey: id) { return giveUp }
            if hopeless.isEmpty { hopeless = hopes.keys.sorted(by: >) }
        }
        return nil
    }
}
