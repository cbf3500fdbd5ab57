import Dispatch
import Foundation

// Virtual time: everything on one clock runs one thing at a time, and time moves when nothing is left that could run.
//
//     task of a step ──job──▶ ┌───────────────────────────┐   the turn    ┌────────┐
//     worker ───────start───▶ │ VirtualScheduler: a queue │ ────────────▶ │ runner │ runs one job after the other
//     main thread ──turn────▶ └───────────────────────────┘               └────────┘
//                                   no job is left: is all at rest?
//
//     1. ends before starts: workers and turns of the main thread wait until nobody wakes at this moment and no input
//         is going on
//     2. each `TimeHolder` holds time while it has something under way: a job, code that blocks its thread, a step that
//         runs and does not sleep
//     3. time moves to the next sleeper or the next alarm of a launch, the earlier one first; at the same time a
//        sleeper goes first
//
// Where tasks are chosen, an `Interleaver` chooses among the jobs. Those of the main actor come into the queue, too, where
// the runtime brings them (`HookedMainActor`), and then run one by one on the main thread. What else goes there is not
// chosen: the next choice waits until the main thread is at rest.
//
// A holder that waits for something in real time is given some patience, and time then moves on without it. A job that
// blocks its thread loses its turn to another runner, and waits for a turn before its next input.

// MARK: The time of a launch

/// A clock with virtual time. Apps have that of SequencerTesting.
package protocol VirtualTimeClock: Clock<Duration> {
    /// Moves its time.
    var scheduler: VirtualScheduler { get }
}

/// The time of one launch on a virtual clock. All work of the launch goes through here: the clock's scheduler knows
/// when it is at rest.
final class VirtualTimekeeper: Timekeeper {
    let scheduler: VirtualScheduler
    private let origin: Duration
    private let id: Int
    /// The launch that the scheduler asks about its operations, and tells of the time, while it runs.
    private let launch: VirtualLaunchLink
    /// Holds time still for work that is not an operation's.
    private let engine: TimeHolder
    /// The holders of operations, by node: those of the last attempts.
    private let operations = Locked<[Int: TimeHolder]>([:])

    /// Time stands still from here until ``inputEnds()``: another launch on the clock must not move it before this one
    /// has begun.
    ///
    /// - Parameter hasMainSteps: whether anything of the launch runs on the main thread.
    init(_ scheduler: VirtualScheduler, for launch: @escaping VirtualLaunchLink, hasMainSteps: Bool) {
        (self.scheduler, self.launch) = (scheduler, launch)
        engine = TimeHolder(.engine, of: launch, on: scheduler)
        (id, origin) = scheduler.register(engine, hasMainSteps: hasMainSteps)
    }

    deinit { scheduler.unregister(id) }

    var now: Nanoseconds { (scheduler.now - origin).nanoseconds }

    /// The scheduler tells the launch itself.
    func begin(_: @escaping TimeHandler) {}

    /// Steps run on the thread that starts the launch: until they have ended, time stands still, however long they take.
    func setInPrologue(_ isInPrologue: Bool) { scheduler.change { _ in engine.account.unlimited = isInPrologue ? 1 : 0 } }

    func wake(at time: Nanoseconds) {
        scheduler.change { $0.wake(id, at: origin + .nanoseconds(time) + $0.lateness.next()) }
    }

    func end() {
        scheduler.unregister(id)
        operations.withLock { $0 = [:] }
    }

    // MARK: Sleeping

    /// Suspends the caller, a part of that operation in any task. Throws `CancellationError` when its task is
    /// cancelled.
    ///
    /// Goes on where it was called, on the main actor or the operation's executor: a detour through the pool would
    /// depend on other code that keeps the pool busy.
    ///
    /// - Parameter keepsThread: whether nothing else has the main thread meanwhile.
    nonisolated(nonsending) func sleep(for duration: Duration, by assignment: StepAssignment, keepsThread: Bool) async throws {
        // A detached task of the step has no holder.
        let holder = TimeHolder.current(on: scheduler) ?? operations.withLock { $0[assignment.node] }
        try await scheduler.sleep(until: scheduler.now + duration, for: holder, keepsThread: keepsThread)
    }

    // MARK: Running

    /// An operation begins: the holder is its executor.
    func begins(_ assignment: StepAssignment, _ name: String) -> TimeHolder {
        let holder = begins(.operation(assignment), name)
        operations.withLock { $0[assignment.node] = holder }
        return holder
    }

    func begins(_ role: TimeHolder.Role, _ name: String) -> TimeHolder {
        let holder = TimeHolder(role, of: launch, on: scheduler, name: name)
        scheduler.change { $0.mayHoldTime(holder) }
        return holder
    }

    /// Runs `work` once everything has ended that ends at this time.
    func addWorker(_ work: @escaping @Sendable () -> Void) {
        let worker = VirtualScheduler.Job(holder: TimeHolder(.worker, of: launch, on: scheduler), launch: id, run: work)
        scheduler.change { state in
            worker.holder.account.jobs += 1
            state.workers.append(worker)
        }
    }

    /// Runs a step that does not suspend, or computes a fallback, before anything else starts: its value belongs to an
    /// end of this moment.
    func perform(_ assignment: StepAssignment, _ name: String, _ work: @escaping @Sendable () -> Void) {
        scheduler.add(VirtualScheduler.Job(holder: begins(assignment, name), run: work), isOwn: true)
    }

    /// Whether each step is a task to choose, also one that does not suspend.
    var isInterleaved: Bool { scheduler.state.withLock { $0.interleaver != nil } }

    /// Runs `turn` on the main thread, in its turn: two threads must not race for the first place, or no two launches
    /// would be the same.
    func requestMainTurn(_ turn: @escaping @Sendable () -> Void) {
        let turn = VirtualScheduler.Job(holder: engine, launch: id, run: turn)
        scheduler.change { $0.mainTurns.append(turn) }
    }

    /// Something is being decided, on any thread: time must not move between that and its consequences.
    ///
    /// Code that returns after it blocked its thread waits here for its turn.
    func inputBegins() { scheduler.inputBegins(engine) }

    func inputEnds() { scheduler.inputEnds(engine) }
}

/// Suspends until the closure is called that `begin` is given, once. A step that waits for something on its own virtual
/// clock, such as a launch, does not hold time still.
nonisolated(nonsending) func waitWithoutHoldingTime<Value: Sendable>(
    _ scheduler: VirtualScheduler?,
    _ begin: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let holder = scheduler.flatMap { TimeHolder.current(on: $0) }
    // An unsafe continuation costs less than a checked one.
    let value = await withUnsafeContinuation { (continuation: UnsafeContinuation<Value, Never>) in
        begin { value in
            if let holder { scheduler?.wakes(holder) }
            continuation.resume(returning: value)
        }
        // After the wait has begun: until then nobody would know that its end has come, and time could pass over that.
        if let holder { scheduler?.fallsAsleep(holder) }
    }
    if let holder { scheduler?.comesBack(holder) }
    return value
}

// MARK: Holders of time

/// A holder of virtual time, which stands still meanwhile: a running operation, a worker, or the engine itself on
/// behalf of a launch.
///
/// It is the task executor of its operation's tasks. Child tasks inherit that, so all their jobs are counted here.
final class TimeHolder: Sendable {
    /// The holder that this task belongs to, so that it is known who sleeps. Tasks that a step leaves behind, and tasks
    /// on other executors, have it too.
    @TaskLocal static var current: TimeHolder?

    /// The activity of its operation.
    struct Activity {
        /// Jobs that wait for their turn, or have it.
        var jobs = 0
        /// Tasks that sleep on the clock, or wait for another launch on it.
        var asleep = 0
        /// The number of things under way elsewhere: code that has lost its turn because it blocks, tasks that have
        /// been woken and have not said so yet, turns on the main thread, inputs of other threads.
        var away = 0
        /// The number of inputs of its launch on any thread: their consequences are not all known.
        var inputs = 0
        /// Whether it is an operation that, as far as is known, runs still: it has to sleep in order not to hold time.
        var isLive: Bool
        /// The number of things under way that hold time for as long as they take: a prologue, within the call that
        /// starts its launch, and code on other clocks.
        var unlimited = 0
        /// Whether patience with it has run out.
        var isInRealTime = false
        /// Whether it is among the scheduler's unsettled.
        var isUnsettled = false
        /// When it was last asked whether it runs.
        var askedAt = -1
    }

    /// Whether time must not move because of something that no turn can bring on.
    var holdsTime: Bool { !account.isInRealTime && isUnderway }
    /// The same, without regard to patience.
    var isUnderway: Bool { account.jobs == 0 && (account.away > 0 || account.isLive && account.asleep == 0) }

    enum Role: Sendable, Equatable {
        case operation(StepAssignment)
        case takeover
        /// The screen of that slow operation.
        case screen(Int)
        case worker
        case engine
    }

    let role: Role
    /// The step's identifier, or what else of the app's it is; empty for the engine's own.
    let name: String
    let launch: VirtualLaunchLink
    let scheduler: VirtualScheduler
    // Unsafe: read and changed only under the scheduler's lock.
    nonisolated(unsafe) var account: Activity

    init(_ role: Role, of launch: @escaping VirtualLaunchLink, on scheduler: VirtualScheduler, name: String = "") {
        self.role = role
        self.name = name
        self.launch = launch
        self.scheduler = scheduler
        switch role {
        case .operation, .takeover, .screen: account = Activity(isLive: true)
        // These hold time by their jobs alone.
        case .worker, .engine: account = Activity(isLive: false)
        }
    }

    /// The holder that the current task belongs to, if it is one of this clock.
    static func current(on scheduler: VirtualScheduler) -> TimeHolder? {
        guard let current, current.scheduler === scheduler else { return nil }
        return current
    }

    /// Begins a task of this holder. Systems that have no task executors run it beside others, and know only by the
    /// operation's sleeps and its end whether it holds time.
    func startTask(priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else {
            return Task(priority: priority, operation: operation)
        }
        return Task(executorPreference: self, priority: priority, operation: operation)
    }

    /// It waits for code on another clock, or no longer.
    func waitsForAnotherClock(_ waits: Bool) {
        scheduler.change { state in
            account.unlimited += waits ? 1 : -1
            account.away += waits ? 1 : -1
            state.mayHoldTime(self)
        }
    }

    // Asked outside of the lock of the link: the answer takes the lock of the launch.
    /// Whether the operation runs still, as its launch has it.
    var isRunning: Bool { launch()?.isRunning(role) ?? false }
}

@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
extension TimeHolder: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Not run on the thread that brings it: a job waits for its turn, or no two launches would be the same.
        let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        scheduler.add(VirtualScheduler.Job(holder: self, run: run), partOf: job)
    }
}

/// The requests of virtual time to a launch.
protocol VirtualLaunch: AnyObject, Sendable {
    /// Whether what `role` stands for runs still.
    func isRunning(_ role: TimeHolder.Role) -> Bool
    /// Whether an operation of the main thread must start before one of a lane.
    var startsOnMainFirst: Bool { get }
    /// A worker blocks its thread, or comes back from that.
    func workerBlocks(_ blocks: Bool)
    /// Patience with `role` has run out.
    func waitsInRealTime(_ role: TimeHolder.Role)
    func timePassed(standstill: Nanoseconds)
}

/// The launch, for as long as it runs.
typealias VirtualLaunchLink = @Sendable () -> (any VirtualLaunch)?

// MARK: Turns

/// Runs everything on one virtual clock, one thing at a time, and moves time when there is nothing left to run.
///
/// A single runner at a time has the *turn*: it takes jobs until none is left, then asks whether all is at rest. A job
/// that blocks its thread loses its turn to another runner.
package final class VirtualScheduler: Sendable {
    /// Waits that reach this far are waits for ever: time does not move for them. 100 years.
    package static let never = Duration.seconds(3_155_760_000)

    /// Something to run for `holder`.
    struct Job: Sendable {
        let holder: TimeHolder
        /// The launch whose operations it starts, if it does.
        var launch: Int?
        /// Whose it is, where tasks are chosen.
        var owner: Int?
        /// Whether it is a part of a task of the main actor.
        var isOnMain = false
        let run: @Sendable () -> Void
    }

    /// A piece of work that waits for a turn.
    enum Turn: Sendable {
        case job(Job)
        /// Code that lost its turn, and wants one to continue: its thread waits for the semaphore.
        case comeBack(LostJob, DispatchSemaphore)

        var isComeBack: Bool { if case .comeBack = self { true } else { false } }
    }

    /// A job that continues without having the turn, for it blocked its thread.
    struct LostJob: Sendable {
        let job: Job
        let runner: Runner
        let thread: UInt
    }

    /// Runs jobs while it has the turn; a serial queue has a thread also while the pools are blocked.
    typealias Runner = DispatchQueue

    struct WakeTime: Comparable, Sendable {
        let wake: Duration
        let id: Int

        static func < (left: WakeTime, right: WakeTime) -> Bool { (left.wake, left.id) < (right.wake, right.id) }
    }

    struct SleepingTask: Sendable {
        let continuation: CheckedContinuation<Void, any Error>
        let holder: TimeHolder?
        /// Whether it continues on the main thread.
        let isOnMain: Bool
        /// Whose it is, where tasks are chosen.
        let owner: Int?
        /// Whether it belongs to nothing that ran on the clock when it began.
        let isBare: Bool
    }

    struct Launch: Sendable {
        let engine: TimeHolder
        let hasMainSteps: Bool
        /// When it must be told that time has passed.
        fileprivate(set) var wake: Duration?
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

    struct State: Sendable, ~Copyable {
        var now = Duration.zero
        var lateness: Lateness
        var lastNumber = 0
        var sleepers = Heap<WakeTime>()
        /// By identifier; a sleeper without a task was cancelled.
        var sleeping: [Int: SleepingTask] = [:]
        /// Sleepers that are due while the main thread is not free.
        var returning = FirstInFirstOut<Int>()
        var launches: [Int: Launch] = [:]
        /// How many there have been.
        var launchesBegun = 0
        /// Whether somebody looks after sleeps that nothing will end.
        var isWatched = false
        /// How many of them have steps on the main thread.
        var launchesOnMain = 0
        /// When launches are told of time. Entries whose launch has another time by now are passed over.
        fileprivate var launchWakes = Heap<WakeTime>()
        var queue = FirstInFirstOut<Turn>()
        /// Workers that have not begun.
        var workers = FirstInFirstOut<Job>()
        /// Turns asked of the main thread.
        var mainTurns = FirstInFirstOut<Job>()
        /// Whether the main thread's turn comes before the worker, as it was at that count of ``activity``.
        var first = (activity: -1, isMain: false)
        /// The number of inputs of all launches.
        var inputs = 0
        /// How many hold everything off.
        var holds = 0
        /// Counts what happens, so that patience can tell whether anything did.
        var activity = 0
        /// The waits that only something on the clock can end, by number: for each, the call that gives it up when
        /// nothing can happen any more.
        var waits: [Int: @Sendable () -> Void] = [:]
        /// No wait has a smaller number.
        var firstWait = 0
        /// Holders that may hold time: whether they do is looked at when nothing else is left.
        var unsettled: [TimeHolder] = []

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
        var mainThread = MainThread()

        /// Chooses among the tasks; nil where they go first in, first out.
        var interleaver: Interleaver?
        /// How many pieces of code without a launch it chooses for.
        var pieces = 0
        /// Called once nothing is left to run.
        var whenAtRest: (@Sendable () -> Void)?
    }

    let maximumTurn: Nanoseconds
    let state: Locked<State>

    /// - Parameter longTurns: whether code may run long before the next job has its turn, however short patience is.
    package init(
        patience: Duration,
        lateness: ClosedRange<Duration> = .zero ... .zero,
        seed: UInt64 = 0,
        longTurns: Bool = false
    ) {
        // Bounded: ten times as much has to fit into nanoseconds (`due(at:)`).
        let limits = Patience(limit: min(max(patience, .zero), OperationGraph.maximumDuration), longTurns: longTurns)
        maximumTurn = limits.maximumTurn
        let longest = min(max(lateness.upperBound, .zero), OperationGraph.maximumDuration)
        let range = min(max(lateness.lowerBound, .zero), longest)...longest
        let lateness = Lateness(range: range, random: SplitMix64(seed: seed))
        state = Locked(State(lateness: lateness, patience: limits))
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
        start(runner)
        return result
    }

    // MARK: Launches

    func register(_ engine: TimeHolder, hasMainSteps: Bool) -> (id: Int, now: Duration) {
        change { state in
            let id = state.nextNumber()
            state.launches[id] = Launch(engine: engine, hasMainSteps: hasMainSteps)
            state.launchesBegun += 1
            if hasMainSteps { state.launchesOnMain += 1 }
            if state.interleaver?.launch == nil { state.interleaver?.launch = id }
            state.inputBegins(engine)
            return (id, state.now)
        }
    }

    func unregister(_ id: Int) {
        // Called at the end of the launch, and again when its timekeeper is freed.
        guard state.withLock({ $0.launches[id] != nil }) else { return }
        // The launch's memory is freed without the lock.
        _ = change { state in
            let launch = state.launches.removeValue(forKey: id)
            if launch?.hasMainSteps == true { state.launchesOnMain -= 1 }
            if state.interleaver?.launch == id { state.interleaver?.isOver = true }
            if let engine = launch?.engine {
                state.inputs -= engine.account.inputs
                engine.account.inputs = 0
            }
            return launch
        }
        watchBareSleeps()
    }

    package func hold() { change { $0.holds += 1 } }

    package func letGo() { change { $0.holds -= 1 } }

    // MARK: Actions of holders

    /// - Parameters:
    ///   - part: the part of a task that it runs.
    ///   - isOwn: whether it belongs to its holder, and not to whoever brings it.
    func add(_ job: Job, partOf part: UnownedJob? = nil, isOwn: Bool = false) {
        let thread = currentThreadIdentity()
        change { state in
            // A job from another thread is a sign of life; a signal from a step on the clock says nothing about the
            // world outside.
            if state.runnerThread != thread { job.holder.account.isInRealTime = false }
            state.append(job, partOf: part, isOwn: isOwn, isForeign: !state.hasTurn(thread))
        }
    }

    func comesBack(_ holder: TimeHolder) {
        let thread = currentThreadIdentity()
        change { state in
            holder.account.away -= 1
            if state.runnerThread != thread { holder.account.isInRealTime = false }
            state.mayHoldTime(holder)
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
        if lost.job.holder.role == .worker { lost.job.holder.launch()?.workerBlocks(false) }
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
        let thread = currentThreadIdentity()
        // A detached task has no task-local values.
        let running = state.withLock { $0.holder(of: nil, isForeign: !$0.hasTurn(thread)) }
        let holder = TimeHolder.current(on: self) ?? running
        try await sleep(until: time, for: holder)
    }

    /// Suspends the current task of `holder` until `time`, or until the main thread is free, where it has to come back
    /// to that.
    ///
    /// - Parameter keepsThread: on the main thread, nothing else on this clock has it until then.
    nonisolated(nonsending) func sleep(until time: Duration, for holder: TimeHolder?, keepsThread: Bool = false) async throws {
        try Task.checkCancellation()
        let isOnMain = MainThreadCheck.isCurrent
        guard let id = state.withLock({ time > $0.now ? $0.nextNumber() : nil }) else { return }
        // Both where it has slept and where it was cancelled.
        defer { if let holder { comesBack(holder) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isBare = change { state in
                    state.sleepers.push(WakeTime(wake: time + state.lateness.next(), id: id))
                    let owner = state.interleaver?.current
                    let isBare = holder == nil || state.launches.isEmpty && state.interleaver == nil
                    state.sleeping[id] = SleepingTask(
                        continuation: continuation,
                        holder: holder,
                        isOnMain: isOnMain,
                        owner: owner,
                        isBare: isBare
                    )
                    if isOnMain, keepsThread, state.mainThread.keeper == nil { state.mainThread.keeper = id }
                    holder?.account.asleep += 1
                    return isBare
                }
                if isBare { watchBareSleeps() }
                // A cancellation that came before the continuation was there found nothing to resume.
                if Task.isCancelled { cancelSleeper(id) }
            }
        } onCancel: {
            cancelSleeper(id)
        }
    }

    private func cancelSleeper(_ id: Int, _ error: any Error = CancellationError()) {
        // Time may have waited for this sleep: somebody has to look for the next event.
        let task = change { state in
            let task = state.removeSleeper(id)
            if let holder = task?.holder { state.wakes(holder) }
            return task
        }
        task?.continuation.resume(throwing: error)
    }

    /// Sleeps outside of launches end with an error once nothing runs on the clock, unless something begins soon.
    private func watchBareSleeps() {
        let begun = state.withLock { state -> Int? in
            guard state.launches.isEmpty, !state.isWatched else { return nil }
            state.isWatched = state.sleeping.values.contains(where: \.isBare)
            return state.isWatched ? state.launchesBegun : nil
        }
        guard let begun else { return }
        Self.alarms.asyncAfter(deadline: .now() + .milliseconds(600)) {
            // Through the pool: on a machine that is busy, what may begin on the clock is as late.
            Task.detached(priority: .medium) { self.endBareSleeps(unlessBegunSince: begun) }
        }
    }

    private func endBareSleeps(unlessBegunSince begun: Int) {
        let bare = state.withLock { state -> [Int] in
            state.isWatched = false
            guard state.launches.isEmpty, state.launchesBegun == begun else { return [] }
            return state.sleeping.filter(\.value.isBare).map(\.key).sorted()
        }
        let description = """
            a sleep on a virtual clock on which nothing runs: its time moves only while a launch or \
            `withVirtualTime { clock in ... }` runs on it
            """
        for id in bare { cancelSleeper(id, EngineError(description: description)) }
        watchBareSleeps()
    }

    /// A task of the holder waits for something else that goes by this clock.
    func fallsAsleep(_ holder: TimeHolder) { change { _ in holder.account.asleep += 1 } }

    /// The other thing has happened: the task has ``comesBack(_:)`` to say when it continues.
    func wakes(_ holder: TimeHolder) { change { $0.wakes(holder) } }

    // MARK: Runners

    /// Whether the main thread has done everything it was asked.
    struct MainThread: Sendable {
        /// When it was last seen to be at rest.
        var restedAt = -1
        var isAsked = false
        /// Whether it has not answered for so long that nothing waits for its answer but time.
        var isPassedOver = false
        /// Whether it has been given something to do; one thing at a time.
        var hasTurn = false
        /// The thread, once it does that.
        var running: UInt?
        /// The sleeper that keeps it, as code does that computes.
        var keeper: Int?
    }

    /// The action after a job.
    enum Next {
        case run(Job)
        /// There is nothing to do.
        case stop
        /// The turn is another runner's: this one's job had lost it.
        case lost
        case comeBack(DispatchSemaphore)
        case wake(SleepingTask)
        case runOnMain(Job)
        /// Asks which of the launch's operations must start first.
        case compare(TimeHolder, at: Int)
        /// Asks whether these run still.
        case ask([TimeHolder], at: Int)
        case askMainThread(TimeHolder, at: Int)
        /// Looks again after this much real time.
        case wait(Nanoseconds)
    }

    func start(_ runner: Runner?) { if let runner { runner.async { self.run(runner) } } }

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
            case .stop:
                state.withLock { $0.takeWhenAtRest() }?()
                return
            case .lost:
                // Perhaps nothing else was waited for.
                start(state.withLock { $0.giveTurn() })
                return
            case .comeBack(let semaphore):
                semaphore.signal()
                return
            case .wake(let task): task.continuation.resume()
            case .runOnMain(let job):
                OperationQueue.main.addOperation { [self] in
                    let thread = currentThreadIdentity()
                    state.withLock { $0.mainTurnBegins(on: thread) }
                    job.run()
                    state.withLock { $0.mainTurnEnds() }
                    comesBack(job.holder)
                    // Perhaps nothing is left that needs a runner.
                    state.withLock { $0.takeWhenAtRest() }?()
                }
            case .compare(let engine, let activity):
                let isMain = engine.launch()?.startsOnMainFirst ?? false
                state.withLock { $0.first = (activity, isMain) }
            case .ask(let holders, let activity):
                // Without the scheduler's lock: the answer takes that of the launch, which calls the scheduler.
                let ended = holders.filter { !$0.isRunning }
                state.withLock { _ in
                    for holder in holders { holder.account.askedAt = activity }
                    for holder in ended { holder.account.isLive = false }
                }
            case .askMainThread(let holder, let activity):
                askMainThread(Self.roundsOfMainThread) { [self] in
                    let runner = state.withLock { state in
                        holder.account.away -= 1
                        holder.account.isInRealTime = false
                        state.mainThread.isAsked = false
                        state.mainThread.isPassedOver = false
                        state.mainThread.restedAt = activity
                        return state.giveTurn()
                    }
                    start(runner)
                }
            case .wait(let delay):
                setAlarm(after: delay)
                return
            }
        }
    }

    /// A task with a special executor, as an operation's is, goes to the back of the main thread's queue at each
    /// call of the concurrency library, such as `withTaskCancellationHandler`. Going to sleep is four such calls.
    private static let roundsOfMainThread = 16

    private func askMainThread(_ rounds: Int, _ answer: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async { rounds > 1 ? self.askMainThread(rounds - 1, answer) : answer() }
    }

    // MARK: Choosing among tasks

    /// The tasks of the next launch are chosen by `strategy`.
    ///
    /// - Parameter asksMainThread: whether steps that do not belong to the main thread go there, too, so that each
    ///     choice has to wait until it is at rest. A launch before has shown that: ``Schedule/usesMainThread``.
    package func interleave(_ strategy: InterleavingStrategy, asksMainThread: Bool) {
        let interleaver = Interleaver(strategy, asksMainThread: asksMainThread)
        state.withLock { $0.interleaver = interleaver }
        if EnqueueHook.isSet { EnqueueHook.add(self) }
    }

    /// Whether anything runs by it.
    package var isInUse: Bool { state.withLock { !$0.launches.isEmpty || $0.interleaver != nil } }

    /// Waits for what the launch has left behind, as far as it does not sleep, and returns what was chosen.
    package func endInterleaving() async -> Schedule {
        if state.withLock({ $0.interleaver?.hasAskedMainThread == true }) {
            await withUnsafeContinuation { continuation in
                askMainThread(Self.roundsOfMainThread) { continuation.resume() }
            }
        }
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let atRest = change { state in
                state.whenAtRest = { continuation.resume() }
                return state.takeWhenAtRest()
            }
            atRest?()
        }
        EnqueueHook.remove(self)
        return state.withLock { $0.interleaver.take()?.record ?? Schedule() }
    }

    /// Whether the runtime's job belongs to the launch: then it waits here for its turn. Asked on the thread that
    /// brings it.
    ///
    /// - Parameter mainActor: the executor of the main actor, if the job is one of its.
    func takes(_ part: UnownedJob, for mainActor: UnownedSerialExecutor? = nil) -> Bool {
        let thread = currentThreadIdentity()
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return false }
        // Code of another clock may run in a turn of this one, and code of this one without a turn.
        let current = TimeHolder.current
        let isOthers = current != nil && current?.scheduler !== self
        let holder = state.withLock { state -> TimeHolder? in
            if mainActor != nil, !state.takesMainActor { return nil }
            let isForeign = isOthers || !state.hasTurn(thread)
            return state.holder(of: part, isForeign: isForeign, for: isOthers ? nil : current)
        }
        guard let holder else { return false }
        var job = Job(holder: holder) {
            if let mainActor {
                part.runSynchronously(on: mainActor)
            } else {
                part.runSynchronously(on: holder.asUnownedTaskExecutor())
            }
        }
        job.isOnMain = mainActor != nil
        add(job, partOf: part)
        return true
    }

    // MARK: Waits that only something else on the clock can end: they do not hold time still, which moves on without them

    /// A number for a wait.
    func takeWaitNumber() -> Int { state.withLock { $0.nextNumber() } }

    /// The wait begins. `giveUp` is called, in a turn, when nothing is left on the clock that could happen: unless it
    /// is ended before.
    func beginWait(_ id: Int, _ giveUp: @escaping @Sendable () -> Void) {
        change { state in
            state.waits[id] = giveUp
            state.firstWait = min(state.firstWait, id)
        }
    }

    func endWait(_ id: Int) {
        // Its memory is freed without the lock.
        _ = state.withLock { $0.waits.removeValue(forKey: id) }
    }

    // MARK: Patience with operations that wait for something else than the clock, or block their thread

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
        /// Holders that used up the patience, and have not come back.
        var inRealTime: [TimeHolder] = []
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

        init(limit: Duration, longTurns: Bool) {
            self.limit = limit.nanoseconds
            maximumTurn = longTurns ? 500_000_000 : min(max(self.limit / 4, 50_000_000), 500_000_000)
        }

        /// How long a wait lasts before it is asked whether the machine is busy: most are over sooner.
        var untilAsked: Nanoseconds { min(maximumTurn, limit) }

        /// Something holds time, and nothing else happens.
        ///
        /// - Returns: after how long to look again.
        mutating func begins(at activity: Int) -> Nanoseconds {
            if wait?.activity != activity { wait = Wait(activity: activity, end: monotonicNanoseconds() + untilAsked) }
            return untilAsked
        }

        /// Whether to pause at this moment, so that a signal can reach an operation that waits in real time: a blocked
        /// thread that was signalled takes a while to wake.
        mutating func pauses(at activity: Int) -> Bool {
            guard !inRealTime.isEmpty, pausedAt != activity, pauses < Self.maximumPauses else { return false }
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
    enum Due {
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
        // Weak: a clock may be released before it rings.
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
            for holder in holders { holder.launch()?.waitsInRealTime(holder.role) }
            // They no longer hold time: somebody has to look for the next event.
            change { _ in }
        case .start(let runner):
            start(runner)
        }
    }

    /// On a busy machine an operation may only be waiting for a turn of the main thread or of the pool, so patience
    /// begins when both have run something that was asked of them later; or after ten times as long, if they are
    /// blocked.
    private func askMachine(at activity: Int) {
        let usesMainThread = state.withLock { $0.usesMainThread || $0.mainThread.hasTurn }
        // As urgent as launches are, and as tasks that say nothing: on Linux, each quality of service has a pool of its
        // own.
        Task.detached(priority: .userInitiated) { [weak self] in
            await Task.detached(priority: .medium) {}.value
            if usesMainThread { await MainActor.run {} }
            guard let self else { return }
            let delay: Nanoseconds? = state.withLock { state in
                guard state.activity == activity, state.patience.wait?.activity == activity else { return nil }
                if state.isMainThreadBusy { return nil }
                let whole = max(state.patience.limit - state.patience.untilAsked, 0)
                let rest = state.isKeepingBack ? min(whole, state.patience.untilAsked) : whole
                state.patience.wait?.end = monotonicNanoseconds() + rest
                return rest
            }
            if let delay { setAlarm(after: delay) }
        }
    }

    /// The scheduler of that clock, if its time is virtual.
    static func of(_ clock: any Clock<Duration>) -> VirtualScheduler? {
        // First: to ask for a conformance takes time in a process that has just begun.
        if clock is SuspendingClock || clock is ContinuousClock { return nil }
        return (clock as? any VirtualTimeClock)?.scheduler
    }
}

// MARK: Taking turns, and moving time when none is left to take

extension VirtualScheduler.State {
    /// A number for a launch, a sleeper or a wait.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func removeSleeper(_ id: Int) -> VirtualScheduler.SleepingTask? {
        if mainThread.keeper == id { mainThread.keeper = nil }
        return sleeping.removeValue(forKey: id)
    }

    mutating func inputBegins(_ engine: TimeHolder) {
        engine.account.away += 1
        engine.account.inputs += 1
        inputs += 1
        mayHoldTime(engine)
    }

    mutating func mayHoldTime(_ holder: TimeHolder) {
        guard !holder.account.isUnsettled else { return }
        holder.account.isUnsettled = true
        unsettled.append(holder)
    }

    mutating func wakes(_ holder: TimeHolder) {
        holder.account.asleep -= 1
        holder.account.away += 1
        mayHoldTime(holder)
    }

    /// Gives the turn to a runner, if nobody has it.
    ///
    /// - Returns: the runner, to be started.
    mutating func giveTurn() -> VirtualScheduler.Runner? {
        guard runner == nil, holds == 0, !queue.isEmpty || !launches.isEmpty || !workers.isEmpty else { return nil }
        // The main thread has the turn.
        if interleaver != nil, mainThread.hasTurn, patience.letGoAt != activity { return nil }
        runner = spareRunner()
        return runner
    }

    private mutating func spareRunner() -> VirtualScheduler.Runner {
        spares.popLast() ?? DispatchQueue(label: "sequencer.virtual-time", qos: .userInitiated)
    }

    mutating func letGo(of runner: VirtualScheduler.Runner) {
        if self.runner === runner {
            self.runner = nil
            runnerThread = nil
        }
        // A few for the next turns: there are more only while code blocks its thread.
        if spares.count < 4 { spares.append(runner) }
    }

    mutating func ended(_ job: VirtualScheduler.Job, on thread: UInt) {
        // It blocked its thread, and has ended without another turn.
        if lost.removeValue(forKey: thread) != nil {
            job.holder.account.away -= 1
            job.holder.account.isInRealTime = false
            activity += 1
        } else {
            job.holder.account.jobs -= 1
            current = nil
            interleaver?.begins(nil)
        }
        mayHoldTime(job.holder)
    }

    mutating func next(for runner: VirtualScheduler.Runner) -> VirtualScheduler.Next {
        guard self.runner === runner else {
            letGo(of: runner)
            return .lost
        }
        guard holds == 0 else {
            letGo(of: runner)
            return .stop
        }
        let next = (interleaver == nil ? nextQueued(for: runner) : nextChosen(for: runner)) ?? nextAtRest()
        switch next {
        // Under the lock that found nothing to do: a job that is added after this finds the turn free.
        case .stop, .wait: letGo(of: runner)
        default: break
        }
        return next
    }

    private mutating func nextQueued(for runner: VirtualScheduler.Runner) -> VirtualScheduler.Next? {
        switch queue.popFirst() {
        case .job(let job)?: run(job)
        case .comeBack(let lost, let semaphore)?: comeBack(lost, semaphore, from: runner)
        case nil: nil
        }
    }

    private mutating func comeBack(
        _ lost: VirtualScheduler.LostJob,
        _ semaphore: DispatchSemaphore,
        from runner: VirtualScheduler.Runner
    ) -> VirtualScheduler.Next {
        turns += 1
        self.lost[lost.thread] = nil
        lost.job.holder.account.away -= 1
        lost.job.holder.account.isInRealTime = false
        letGo(of: runner)
        self.runner = lost.runner
        runnerThread = lost.thread
        current = lost.job
        interleaver?.begins(lost.job.owner)
        return .comeBack(semaphore)
    }

    /// The next action when no job is left: to wait for something that still holds time, or else to move time on.
    private mutating func nextAtRest() -> VirtualScheduler.Next {
        // Workers of launches that are over have to end as well.
        guard !launches.isEmpty else { return workers.popFirst().map { run($0) } ?? .stop }
        if let next = nextStart() { return next }
        // Nobody tells a holder that its launch has ended the operation, as at a timeout.
        let unasked = (unsettled + patience.inRealTime).filter { $0.account.isLive && $0.isUnderway && $0.account.askedAt != activity }
        if !unasked.isEmpty { return .ask(unasked, at: activity) }
        patience.inRealTime.removeAll { !$0.account.isInRealTime || !$0.isUnderway }
        unsettled.removeAll { holder in
            holder.account.isUnsettled = holder.holdsTime
            if holder.account.isInRealTime, holder.isUnderway, !patience.inRealTime.contains(where: { $0 === holder }) {
                patience.inRealTime.append(holder)
            }
            return !holder.account.isUnsettled
        }
        if !unsettled.isEmpty { return .wait(patience.begins(at: activity)) }
        if let next = askMainThread() { return next }
        if patience.pauses(at: activity) { return .wait(VirtualScheduler.Patience.pause) }
        return moveTime()
    }

    private mutating func run(_ job: VirtualScheduler.Job) -> VirtualScheduler.Next {
        turns += 1
        interleaver?.begins(job.owner)
        // The main thread is asked after each choice: what goes on there goes by no queue of the clock's.
        if interleaver != nil { activity += 1 }
        if job.isOnMain {
            job.holder.account.jobs -= 1
            return runOnMain(job)
        }
        current = job
        return .run(job)
    }

    /// Runs something that happens of itself.
    private mutating func run(for engine: TimeHolder, _ body: @escaping @Sendable () -> Void) -> VirtualScheduler.Next {
        activity += 1
        engine.account.jobs += 1
        return run(VirtualScheduler.Job(holder: engine, run: body))
    }

    /// Lets the first operation by rank start, on a lane or on the main thread, once everything has ended that ends at
    /// this moment.
    private mutating func nextStart() -> VirtualScheduler.Next? {
        // Ends come before starts: a task that wakes now, or an input that continues, may bring one.
        guard hasStarts, patience.letGoAt == activity || nextSleeper(by: now) == nil && inputs == 0 else { return nil }
        if !mainThread.isPassedOver {
            // The work of the main thread may end something.
            if let next = askMainThread() { return next }
            if mainThread.isAsked { return .wait(patience.begins(at: activity)) }
        }
        let (turn, worker) = (mainTurn, workers.next)
        // Ranks compare only within a launch: of two launches, the worker goes first.
        let isOfOneLaunch = turn != nil && turn?.launch == worker?.launch
        if isOfOneLaunch, first.activity != activity, let turn { return .compare(turn.holder, at: activity) }
        guard let turn, worker == nil || isOfOneLaunch && first.isMain else {
            return workers.popFirst().map { run($0) }
        }
        _ = mainTurns.popFirst()
        activity += 1
        return runOnMain(turn)
    }

    private mutating func runOnMain(_ job: VirtualScheduler.Job) -> VirtualScheduler.Next {
        mainThread.hasTurn = true
        job.holder.account.away += 1
        mayHoldTime(job.holder)
        return .runOnMain(job)
    }

    mutating func mainTurnBegins(on thread: UInt) {
        mainThread.running = thread
        // Patience with what it does begins now.
        activity += 1
    }

    mutating func mainTurnEnds() {
        mainThread.running = nil
        mainThread.hasTurn = false
    }

    /// The next turn of the main thread, if that is free.
    private var mainTurn: VirtualScheduler.Job? { mainThread.hasTurn || mainThread.keeper != nil ? nil : mainTurns.next }

    private var hasStarts: Bool { !workers.isEmpty || mainTurn != nil }

    /// Whether something waits to start until others have ended.
    var isKeepingBack: Bool { (hasStarts || isOthersTurn) && patience.letGoAt != activity }

    private mutating func askMainThread() -> VirtualScheduler.Next? {
        guard mainThread.restedAt != activity, !mainThread.isAsked, usesMainThread else { return nil }
        guard let engine = launches.values.first?.engine else { return nil }
        mainThread.isAsked = true
        interleaver?.hasAskedMainThread = true
        engine.account.away += 1
        mayHoldTime(engine)
        return .askMainThread(engine, at: activity)
    }

    /// The next task to wake, if it wakes by `time`; a task that has to come back to a main thread that is taken wakes
    /// later.
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
        let due = nextLaunchToWake
        if let sleeper = nextSleeper(by: due?.time ?? VirtualScheduler.never) {
            guard sleeper.wake < VirtualScheduler.never, let task = removeSleeper(sleeper.id) else { return giveUpWaits() }
            if returning.next == sleeper.id { _ = returning.popFirst() } else { _ = sleepers.pop() }
            // Never back: the sleeper may have waited for the main thread since its time.
            now = max(now, sleeper.wake)
            activity += 1
            if let holder = task.holder { wakes(holder) }
            interleaver?.begins(task.owner)
            return .wake(task)
        }
        guard let due else { return giveUpWaits() }
        now = max(now, due.time)
        launches[due.id]?.wake = nil
        return run(for: due.engine) { [launch = due.engine.launch] in launch()?.timePassed(standstill: 0) }
    }

    /// Tells a launch of time at `time`, or sooner if it was asked for sooner.
    ///
    /// It takes logarithmic time at most, spread over all calls, so that thousands of launches can share a clock.
    mutating func wake(_ id: Int, at time: Duration) {
        guard let launch = launches[id], time < launch.wake ?? .nanoseconds(Int64.max) else { return }
        launches[id]?.wake = time
        launchWakes.push(VirtualScheduler.WakeTime(wake: time, id: id))
        // Skipped entries must not outgrow the others: a launch asks as often as it has operations.
        guard launchWakes.count > 2 * launches.count + 16 else { return }
        launchWakes.removeAll()
        for (id, launch) in launches {
            if let time = launch.wake { launchWakes.push(VirtualScheduler.WakeTime(wake: time, id: id)) }
        }
    }

    /// The launch that is told of time first; of several at the same time, the one that began first.
    private var nextLaunchToWake: (id: Int, engine: TimeHolder, time: Duration)? {
        mutating get {
            while let entry = launchWakes.first {
                if let launch = launches[entry.id], launch.wake == entry.wake { return (entry.id, launch.engine, entry.wake) }
                _ = launchWakes.pop()
            }
            return nil
        }
    }

    /// Nothing happens any more by itself: gives up the wait that began first, unless a wait in real time may end.
    ///
    /// A single wait at a time: the step that then continues may end the waits of others.
    private mutating func giveUpWaits() -> VirtualScheduler.Next {
        guard patience.inRealTime.isEmpty, !waits.isEmpty, let engine = launches.values.first?.engine else { return .stop }
        while true {
            defer { firstWait += 1 }
            if let giveUp = waits.removeValue(forKey: firstWait) { return run(for: engine, giveUp) }
        }
    }

    // MARK: Choosing among tasks

    fileprivate var usesMainThread: Bool { launchesOnMain > 0 || interleaver?.asksMainThread == true }

    /// Adds a job, which waits for its turn.
    mutating func append(
        _ job: VirtualScheduler.Job,
        partOf part: UnownedJob? = nil,
        isOwn: Bool = false,
        isForeign: Bool = false
    ) {
        var job = job
        job.holder.account.jobs += 1
        let holder = job.holder
        job.owner = interleaver?.owner(of: part.flatMap(taskNumber), for: holder, isForeign: isForeign, isOwn: isOwn)
        queue.append(.job(job))
    }

    /// Whether something goes on elsewhere, for which a choice has to wait: an input of another thread, or a turn of
    /// the main thread.
    private var isOthersTurn: Bool { interleaver != nil && (inputs > 0 || mainThread.hasTurn) }

    /// The next action where tasks are chosen; nil when no job is left that can run.
    private mutating func nextChosen(for runner: VirtualScheduler.Runner) -> VirtualScheduler.Next? {
        if isOthersTurn, patience.letGoAt != activity { return .wait(patience.begins(at: activity)) }
        if let next = askMainThread() { return next }
        if mainThread.isAsked, patience.letGoAt != activity { return .wait(patience.begins(at: activity)) }
        interleaver?.begins(nil)
        if launches.isEmpty, interleaver?.isExhausted == true { return .stop }
        if let place = queue.firstIndex(where: \.isComeBack),
            case .comeBack(let lost, let semaphore)? = queue.remove(at: place)
        {
            return comeBack(lost, semaphore, from: runner)
        }
        if interleaver?.beginsEverything == true, let next = nextBeginning() { return next }
        if let job = chooseJob(releases: false) { return job }
        return nextBeginning() ?? chooseJob(releases: true)
    }

    /// Whoever wakes at this moment, or else a start.
    private mutating func nextBeginning() -> VirtualScheduler.Next? {
        if launches.isEmpty { return nil }
        return nextSleeper(by: now) != nil ? moveTime() : nextStart()
    }

    private mutating func chooseJob(releases: Bool) -> VirtualScheduler.Next? {
        var (places, owners): ([Int], [Int?]) = ([], [])
        for place in queue.indices {
            guard case .job(let job)? = queue[place], !job.isOnMain || !mainThread.hasTurn else { continue }
            places.append(place)
            owners.append(job.owner)
        }
        guard let chosen = interleaver?.choose(among: owners, releases: releases) else { return nil }
        guard case .job(let job)? = queue.remove(at: places[chosen]) else { return nil }
        return run(job)
    }

    /// Whether the clock has each job of the main actor that belongs to its code.
    var takesMainActor: Bool { interleaver?.takesMainActor == true }

    /// Whether the main thread has not begun yet with what it was given.
    fileprivate var isMainThreadBusy: Bool { mainThread.hasTurn && mainThread.running == nil }

    /// Whether what a thread does is a consequence of the last choice.
    func hasTurn(_ thread: UInt) -> Bool {
        if runnerThread == thread || mainThread.running == thread { return true }
        // Where not all that it does is known. It may run code of others, whose tasks must not be taken for ours.
        return !takesMainActor && (mainThread.isAsked || mainThread.hasTurn) && MainThreadCheck.isCurrent
    }

    /// Who holds time for a job of the runtime's; nil for one that is not the launch's.
    ///
    /// - Parameter current: who holds time for the code that brings it, as far as that knows.
    func holder(of part: UnownedJob?, isForeign: Bool, for current: TimeHolder? = nil) -> TimeHolder? {
        interleaver?.holder(of: part.flatMap(taskNumber), isForeign: isForeign, for: current)
    }

    /// The handler to call, if nothing is left to run.
    mutating func takeWhenAtRest() -> (@Sendable () -> Void)? {
        guard runner == nil, launches.isEmpty, !mainThread.hasTurn else { return nil }
        return queue.isEmpty && workers.isEmpty || interleaver?.isExhausted == true ? whenAtRest.take() : nil
    }

    // MARK: Alarms

    mutating func due(at alarm: Nanoseconds) -> VirtualScheduler.Due {
        let now = monotonicNanoseconds()
        if patience.alarm == alarm { patience.alarm = nil }
        if let runner {
            defer { patience.turns = turns }
            // Another job has begun since the last alarm: it has a turn of full length.
            guard let job = current, let thread = runnerThread, turns == patience.turns else { return .again(patience.maximumTurn) }
            return .start(takeTurn(from: runner, job, on: thread))
        }
        if patience.isPausing {
            patience.isPausing = false
            return giveTurn().map { .start($0) } ?? .nothing
        }
        guard let wait = patience.wait, wait.activity == activity else {
            // Something has happened while the main thread has the turn, which nobody else looks after.
            return mainThread.hasTurn ? .again(patience.begins(at: activity)) : .nothing
        }
        if now < wait.end { return .again(wait.end - now) }
        if !wait.isAsked {
            // At the latest, if neither answers; sooner if operations are kept back, since the holders may wait for
            // these.
            var delay = isKeepingBack && !isMainThreadBusy ? patience.limit : patience.limit * 10
            // That it does something for others says nothing of ours.
            if isMainThreadBusy { delay = max(delay, 10_000_000_000) }
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
        let holders = unsettled.filter { $0.holdsTime && $0.account.unlimited == 0 }
        for holder in holders { holder.account.isInRealTime = true }
        patience.wait = nil
        // Their next action, their end included, gives the turn.
        if holders.isEmpty, unsettled.contains(where: { $0.account.unlimited > 0 }) { return .nothing }
        patience.pauses = 0
        return .name(holders)
    }

    /// The job has run for too long: it continues beside the others.
    private mutating func takeTurn(
        from runner: VirtualScheduler.Runner,
        _ job: VirtualScheduler.Job,
        on thread: UInt
    ) -> VirtualScheduler.Runner {
        lost[thread] = VirtualScheduler.LostJob(job: job, runner: runner, thread: thread)
        job.holder.account.jobs -= 1
        job.holder.account.away += 1
        mayHoldTime(job.holder)
        activity += 1
        current = nil
        interleaver?.goesOnWithoutTurn(job.holder)
        if job.holder.role == .worker {
            // The launch has one worker, and this was it.
            let engine = TimeHolder(.engine, of: job.holder.launch, on: job.holder.scheduler)
            let run: @Sendable () -> Void = { engine.launch()?.workerBlocks(true) }
            append(VirtualScheduler.Job(holder: engine, run: run), isOwn: true)
        }
        let next = spareRunner()
        self.runner = next
        runnerThread = nil
        return next
    }
}
