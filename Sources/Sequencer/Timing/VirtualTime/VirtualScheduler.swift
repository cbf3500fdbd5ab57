import Dispatch

/// Runs everything on one virtual clock, one thing at a time, and moves time when there is nothing left to run.
///
/// One runner at a time has the *turn*: it takes jobs until none is left, then asks whether all is at rest (`VirtualScheduler+Rest.swift`).
/// A job that blocks its thread loses its turn to another runner (`VirtualScheduler+Patience.swift`).
package final class VirtualScheduler: Sendable {
    /// Waits that reach this far are waits for ever: time does not move for them. 100 years.
    package static let never = Duration.seconds(3_155_760_000)

    /// Something to run for `holder`.
    struct Job: Sendable {
        let holder: TimeHolder
        let run: @Sendable () -> Void
    }

    /// A piece of work that waits for a turn.
    enum Turn: Sendable {
        case job(Job)
        /// Code that lost its turn, and wants one to go on: its thread waits for the semaphore.
        case comeBack(LostJob, DispatchSemaphore)
    }

    /// A job that goes on without having the turn, for it blocked its thread.
    struct LostJob: Sendable {
        let job: Job
        let runner: Runner
        let thread: UInt
    }

    /// A thread that runs jobs while it has the turn; a serial queue has one also while the pools are blocked.
    final class Runner: Sendable {
        let queue = DispatchQueue(label: "sequencer.virtual-time", qos: .userInitiated)
    }

    struct WakeTime: Comparable, Sendable {
        let wake: Duration
        let id: Int

        static func < (left: WakeTime, right: WakeTime) -> Bool { (left.wake, left.id) < (right.wake, right.id) }
    }

    struct SleepingTask: Sendable {
        /// Resumed with whether it waited at all.
        let continuation: CheckedContinuation<Bool, any Error>
        let holder: TimeHolder?
        /// Whether it goes on on the main thread.
        let isOnMain: Bool
    }

    /// A job that starts operations of a launch.
    struct Start: Sendable {
        let launch: Int
        let job: Job
    }

    /// How late sleepers and launches wake, as on a busy machine.
    struct Lateness: Sendable {
        let range: ClosedRange<Duration>
        var random: SplitMix64

        mutating func next() -> Duration {
            if range.upperBound == .zero { return .zero }
            let delay = Nanoseconds.random(in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds, using: &random)
            return .nanoseconds(delay)
        }
    }

    struct State: Sendable {
        var now = Duration.zero
        var lateness: Lateness
        var nextID = 0
        var sleepers = Heap<WakeTime>()
        /// By identifier; a sleeper without a task was cancelled.
        var sleeping: [Int: SleepingTask] = [:]
        /// Sleepers whose time has come, and for which the main thread is not free.
        var returning = FirstInFirstOut<Int>()
        var launches = LaunchesOnClock()
        var queue = FirstInFirstOut<Turn>()
        /// Workers that have not begun.
        var workers = FirstInFirstOut<Start>()
        /// Turns asked of the main thread.
        var mainTurns = FirstInFirstOut<Start>()
        /// Whether the main thread's turn comes before the worker, as it was at that count of ``activity``.
        var first = (activity: -1, isMain: false)
        /// The number of inputs of all launches.
        var inputs = 0
        /// How many hold everything off.
        var holds = 0
        /// Counts what happens, so that patience can tell whether anything did.
        var activity = 0
        /// The waits that only something on the clock can end: for each, the call that gives it up when nothing can happen any more.
        var hopes: [Int: @Sendable () -> Void] = [:]
        /// The numbers of the waits that are given up next, the last one first; some have ended meanwhile.
        var hopeless: [Int] = []
        /// Those that may hold time: whether they do is looked at when nothing else is left.
        var suspects: [TimeHolder] = []

        /// The runner that has the turn, and its thread; nil when the only thing to do is wait.
        var runner: Runner?
        var runnerThread: UInt?
        var current: Job?
        /// Counts the jobs that were run.
        var turns = 0
        var spares: [Runner] = []
        /// Jobs that have lost their turn, by their thread.
        var lost: [UInt: LostJob] = [:]

        /// Patience with operations that wait for something else than the clock.
        var patience: Patience
        var mainThread: MainThread
    }

    package let patience: Duration
    let maximumTurn: Nanoseconds
    let state: Locked<State>

    /// - Parameter hasForeignCode: whether steps may do more on the main thread than sleep on this clock.
    package init(
        patience: Duration,
        lateness: ClosedRange<Duration> = .zero ... .zero,
        seed: UInt64 = 0,
        hasForeignCode: Bool = true
    ) {
        // Bounded: ten times as much has to fit into nanoseconds (`due(at:)`).
        let limits = Patience(limit: min(max(patience, .zero), OperationGraph.maximumDuration))
        self.patience = patience
        maximumTurn = limits.maximumTurn
        let lateness = Lateness(range: lateness, random: SplitMix64(seed: seed))
        state = Locked(State(lateness: lateness, patience: limits, mainThread: MainThread(hasForeignCode: hasForeignCode)))
    }

    package var now: Duration { state.withLock { $0.now } }

    /// Changes the state, and lets somebody have a turn if there may be something to do.
    @discardableResult
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, runner) = state.withLock { state in
            let result = body(&state)
            // Also where nothing has changed: patience counts from the last time that anybody did anything.
            state.activity += 1
            return (result, state.giveTurn())
        }
        if let runner { start(runner) }
        return result
    }

    // MARK: Launches

    func register(_ engine: TimeHolder, hasMainSteps: Bool) -> (id: Int, now: Duration) {
        change { state in
            state.nextID += 1
            state.launches.add(LaunchesOnClock.Launch(engine: engine, hasMainSteps: hasMainSteps), id: state.nextID)
            state.inputBegins(engine)
            return (state.nextID, state.now)
        }
    }

    func unregister(_ id: Int) {
        // Called at the end of the launch, and again when its timekeeper is freed.
        guard state.withLock({ $0.launches.contains(id) }) else { return }
        // The launch's memory is freed without the lock.
        _ = change { state in
            let launch = state.launches.remove(id)
            if let engine = launch?.engine {
                state.inputs -= engine.account.inputs
                engine.account.inputs = 0
            }
            return launch
        }
    }

    /// Tells the launch that time has passed, at `time`, or sooner if it was asked for sooner.
    func wake(_ id: Int, at time: Duration) {
        change { $0.launches.wake(id, at: time + $0.lateness.next()) }
    }

    package func hold() { change { $0.holds += 1 } }

    package func letGo() { change { $0.holds -= 1 } }

    // MARK: Actions of holders

    func add(_ job: Job) {
        let thread = currentThreadIdentity()
        change { state in
            // A job from another thread is a sign of life; a signal from a step on the clock says nothing about the world outside.
            if state.runnerThread != thread { job.holder.account.isReal = false }
            job.holder.account.jobs += 1
            state.queue.append(.job(job))
        }
    }

    func add(worker: Job, of launch: Int) {
        change { state in
            worker.holder.account.jobs += 1
            state.workers.append(Start(launch: launch, job: worker))
        }
    }

    func add(mainTurn: Job, of launch: Int) {
        change { $0.mainTurns.append(Start(launch: launch, job: mainTurn)) }
    }

    func begins(_ operation: TimeHolder) {
        change { $0.suspect(operation) }
    }

    func setInPrologue(_ engine: TimeHolder, _ isInPrologue: Bool) {
        change { _ in engine.account.isInPrologue = isInPrologue }
    }

    func comesBack(_ holder: TimeHolder) {
        let thread = currentThreadIdentity()
        change { state in
            holder.account.away -= 1
            if state.runnerThread != thread { holder.account.isReal = false }
            state.suspect(holder)
        }
    }

    /// Something is being decided on this thread; if it has lost its turn, it gets another one first.
    func inputBegins(_ engine: TimeHolder) {
        let thread = currentThreadIdentity()
        let lost: LostJob? = state.withLock { state in
            guard let lost = state.lost[thread] else {
                state.inputBegins(engine)
                state.activity += 1
                return nil
            }
            return lost
        }
        guard let lost else { return }
        let semaphore = DispatchSemaphore(value: 0)
        change { state in
            lost.job.holder.account.jobs += 1
            state.queue.append(.comeBack(lost, semaphore))
        }
        // This thread has lost its turn: another runner signals, so waiting here holds up nobody.
        semaphore.wait()
        if lost.job.holder.role == .worker { lost.job.holder.launch.withLock { $0.launch }?.workerBlocks(false) }
        change { $0.inputBegins(engine) }
    }

    func inputEnds(_ engine: TimeHolder) {
        state.withLock { state in
            // None is left of a launch that is over.
            guard engine.account.inputs > 0 else { return }
            engine.account.inputs -= 1
            state.inputs -= 1
        }
        comesBack(engine)
    }

    // MARK: Sleeping

    /// Suspends the current task until `time`. Throws `CancellationError` when it is cancelled.
    nonisolated(nonsending) package func sleep(until time: Duration) async throws {
        try await sleep(until: time, for: TimeHolder.current(on: self))
    }

    /// Suspends the current task of `holder` until `time`, or until the main thread is free, where it has to come back to that.
    ///
    /// - Parameter keepsThread: on the main thread, nothing else on this clock has it until then.
    nonisolated(nonsending) func sleep(until time: Duration, for holder: TimeHolder?, keepsThread: Bool = false) async throws {
        try Task.checkCancellation()
        let isOnMain = MainThreadCheck.isCurrent
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let hasSlept: Bool
        do {
            hasSlept = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isDue = change { state in
                        guard time > state.now else { return true }
                        state.sleepers.push(WakeTime(wake: time + state.lateness.next(), id: id))
                        state.sleeping[id] = SleepingTask(continuation: continuation, holder: holder, isOnMain: isOnMain)
                        if isOnMain, keepsThread, state.mainThread.keeper == nil { state.mainThread.keeper = id }
                        holder?.account.asleep += 1
                        return false
                    }
                    if isDue { return continuation.resume(returning: false) }
                    // A cancellation that came before the continuation was there found nothing to resume.
                    if Task.isCancelled { cancelSleeper(id) }
                }
            } onCancel: {
                cancelSleeper(id)
            }
        } catch {
            if let holder { comesBack(holder) }
            throw error
        }
        // One that was due at once was not counted as asleep.
        if hasSlept, let holder { comesBack(holder) }
    }

    private func cancelSleeper(_ id: Int) {
        let task = state.withLock { state in
            let task = state.removeSleeper(id)
            if let holder = task?.holder { state.wakes(holder) }
            return task
        }
        guard let task else { return }
        // Time may have waited for this sleep: somebody has to look for the next event.
        change { _ in }
        task.continuation.resume(throwing: CancellationError())
    }

    /// A task of the holder waits for something else that goes by this clock.
    func fallsAsleep(_ holder: TimeHolder) {
        change { _ in holder.account.asleep += 1 }
    }

    /// That has come: the task has ``comesBack(_:)`` to say when it goes on.
    func wakes(_ holder: TimeHolder) {
        change { $0.wakes(holder) }
    }
}

extension VirtualScheduler.State {
    mutating func removeSleeper(_ id: Int) -> VirtualScheduler.SleepingTask? {
        if mainThread.keeper == id { mainThread.keeper = nil }
        return sleeping.removeValue(forKey: id)
    }

    mutating func inputBegins(_ engine: TimeHolder) {
        engine.account.away += 1
        engine.account.inputs += 1
        inputs += 1
        suspect(engine)
    }

    mutating func suspect(_ holder: TimeHolder) {
        guard !holder.account.isSuspect else { return }
        holder.account.isSuspect = true
        suspects.append(holder)
    }

    mutating func wakes(_ holder: TimeHolder) {
        holder.account.asleep -= 1
        holder.account.away += 1
        suspect(holder)
    }
}
