import Synchronization

/// A task that runs steps: one on the main thread, or asynchronous ones, one after the other, as long as none of them suspends.
///
/// Until a step suspends, the task stays on the thread of the worker that started it, and can go on there with operations that it makes
/// ready. Most of the cost of a task is then paid once. A task that was told to cancel, by the launch or by the step itself, runs no
/// further step.
///
/// A step can be told to cancel before the start of its task has returned, and so before anybody has a `Task` to cancel. So the task itself says,
/// before the step's first instruction, how to reach it.
final class StepTask: StepPlace {
    typealias Assignment = LaunchStateMachine.Assignment

    // Guarded by the launch's lock.
    /// The assignment that the task runs.
    nonisolated(unsafe) var current: Assignment {
        didSet { hasGoneOn = true }
    }
    /// Whether it runs another operation than at first.
    private nonisolated(unsafe) var hasGoneOn = false

    // Unsafe, both: read and changed only on the worker's thread, while the task has not suspended or after it has come back from it.
    /// Whether everything that was begun has ended, without suspending.
    private(set) nonisolated(unsafe) var isDone = false
    /// The assignment that the worker goes on with.
    private(set) nonisolated(unsafe) var next: Assignment?

    /// Let go of when the task ends, for others may keep this: every task that a step begins inherits it.
    private nonisolated(unsafe) var launch: LaunchStorage?
    // Written by the task before anybody else knows of it.
    private nonisolated(unsafe) var task: UnsafeCurrentTask?
    /// Written by the task before it gives up its own use, and read by the last user.
    private nonisolated(unsafe) var waiting: UnsafeContinuation<Void, Never>?
    /// How many use `task`: the task itself, and those who are telling it to cancel.
    private let users = Atomic(1)

    private let told = Atomic(false)
    /// Whether the launch has told the current step to cancel. Changed under the launch's lock, read without it too.
    var isToldToCancel: Bool {
        get { told.load(ordering: .relaxed) }
        set { told.store(newValue, ordering: .relaxed) }
    }

    private let thread = currentThreadIdentity()
    /// That thread's, for whoever asks whether it is asleep.
    let clock = ThreadClock()
    private let hasReturned = Atomic(false)

    init(_ first: Assignment, in launch: LaunchStorage) {
        current = first
        self.launch = launch
    }

    // MARK: On the worker's thread

    /// Whether this is the worker's thread still, in the middle of its start of the task.
    var isInline: Bool {
        // The same thread may run the task again later, but then its start has returned.
        // Relaxed: on the same thread, its own store is seen.
        thread == currentThreadIdentity() && !hasReturned.load(ordering: .relaxed)
    }

    /// Everything that the task has begun has ended; the worker goes on with `next`.
    func end(leaving next: Assignment?) {
        isDone = true
        self.next = next
    }

    /// The task has suspended, or was put off: from now on it is on its own.
    func startReturned() {
        hasReturned.store(true, ordering: .relaxed)
    }

    // MARK: Being told to cancel

    /// To be called in the task, first of all.
    func begin() {
        // Kept beyond this call, which is unsafe only if the task can be gone: ``leave()`` sees to it that it cannot.
        task = withUnsafeCurrentTask { $0 }
    }

    /// To be called in the task, before a step's first instruction: the thread that told it to cancel may not have cancelled it yet.
    func cancelIfTold() {
        if isToldToCancel { cancel() }
    }

    /// Tells the task to cancel, from any thread: its cancellation handlers run here. After its end, nothing happens.
    func cancel() {
        guard beginUse() else { return }
        task?.cancel()
        endUse()
    }

    /// To be called in the task, last of all: waits for those who are telling it to cancel, so that it is there as long as they are.
    nonisolated(nonsending) func leave() async {
        if !users.compareExchange(expected: 1, desired: 0, ordering: .acquiringAndReleasing).exchanged {
            await withUnsafeContinuation { continuation in
                waiting = continuation
                endUse()
            }
        }
        launch = nil
        task = nil
    }

    /// - Returns: false when the task has come to its end.
    private func beginUse() -> Bool {
        var count = users.load(ordering: .relaxed)
        while count > 0 {
            let (isExchanged, original) = users.weakCompareExchange(expected: count, desired: count + 1, ordering: .acquiringAndReleasing)
            if isExchanged { return true }
            count = original
        }
        return false
    }

    private func endUse() {
        if users.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { waiting?.resume() }
    }

    // MARK: From within

    /// Calls `body` with the launch and the step that the caller is part of; nil when that is not certain.
    ///
    /// A task that an earlier step has begun, and that goes on without it, does not belong to the step that this task runs next.
    func withLaunch<Result>(_ body: (LaunchStorage, Int) -> Result?) -> Result? {
        guard beginUse() else { return nil }
        defer { endUse() }
        guard let launch else { return nil }
        let isThisTask = withUnsafeCurrentTask { $0 == task }
        let node = launch.state.withLock { _ in isThisTask || !hasGoneOn ? current.node : nil }
        return node.flatMap { body(launch, $0) }
    }
}

/// Starts `operation` as a task of its own: at once, on the thread that asks, until it first suspends, where the system can do that.
///
/// A task that never suspends then costs no switch of threads. In virtual time everything of the task runs in its turn, on `holder`.
func startTask(
    priority: TaskPriority?,
    for holder: TimeHolder?,
    atOnce: Bool,
    _ operation: @escaping @Sendable () async -> Void
) {
    if let holder {
        Task(executorPreference: holder, priority: priority) { await TimeHolder.$current.withValue(holder) { await operation() } }
    } else if atOnce, #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate(priority: priority, operation: operation)
    } else {
        // Earlier systems have no `Task.immediate`: there a task costs a switch of threads.
        Task(priority: priority, operation: operation)
    }
}

/// Starts `operation` on the main actor; call it on the main thread, and it begins at once where the system can do that.
func startMainTask(
    priority: TaskPriority?,
    for holder: TimeHolder?,
    atOnce: Bool,
    _ operation: @escaping @MainActor @Sendable () async -> Void
) {
    if let holder {
        Task(executorPreference: holder, priority: priority) { await runOnMain(for: holder, operation) }
    } else if atOnce, #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate(priority: priority, operation: operation)
    } else {
        Task(priority: priority, operation: operation)
    }
}

@MainActor
private func runOnMain(for holder: TimeHolder, _ operation: @MainActor @Sendable () async -> Void) async {
    await TimeHolder.$current.withValue(holder) { await operation() }
}

/// Runs code with the task-local values that the caller of a launch has, on the thread that asks for it.
///
/// The language hands task-local values on to a task when it is made, and to nobody else. So the caller makes one task, which does nothing but make
/// others; each of these inherits the values, and is one piece of code that runs on the thread that has asked. The first task has no thread of its own:
/// it goes on within the call that resumes it.
final class CallerContext: Sendable {
    private struct Request: Sendable {
        let executor: KeptJob
        let priority: TaskPriority?
        let work: @Sendable () -> Void
    }

    /// Held while the first task goes on, which makes one task at a time, and calls nobody.
    private let turn = Locked(())
    /// Kept here too: not every version of the runtime keeps a task's executor.
    private let here = HereExecutor()
    // Unsafe: guarded by `turn`, but in `init`, before there is anybody else.
    private nonisolated(unsafe) var waiting: UnsafeContinuation<Request?, Never>?

    /// Keeps the values of the current task, or thread, until ``end()``.
    init() {
        Task(executorPreference: here) { [self] in
            while let request = await withUnsafeContinuation({ waiting = $0 }) {
                Task(executorPreference: request.executor, priority: request.priority) { request.work() }
            }
        }
    }

    /// Runs `work` on this thread, at once, and returns when it has.
    ///
    /// It runs in a task, which nobody cancels. After ``end()`` it has no values.
    func run(at priority: TaskPriority?, _ work: @escaping @Sendable () -> Void) {
        let executor = KeptJob()
        turn.withLock { _ in waiting?.resume(returning: Request(executor: executor, priority: priority, work: work)) }
        if !executor.run() { work() }
    }

    /// Lets go of the values.
    func end() {
        turn.withLock { _ in
            let last = waiting
            waiting = nil
            return last
        }?.resume(returning: nil)
    }
}

/// Runs jobs within the call that brings them.
private final class HereExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Keeps the job of a task, which never suspends, until it is asked for.
private final class KeptJob: TaskExecutor {
    // Unsafe: set and read on one thread.
    private nonisolated(unsafe) var job: UnownedJob?

    func enqueue(_ job: consuming ExecutorJob) {
        self.job = UnownedJob(job)
    }

    /// - Returns: false without a job.
    func run() -> Bool {
        guard let job else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
