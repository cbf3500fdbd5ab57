/// Runs code with the task-local values that the caller of a launch has, on the thread that asks for it.
///
/// The language hands task-local values on to a task when it is made, and to nobody else. So the caller makes one task,
/// which does nothing but make others; each of these inherits the values, and is one piece of code that runs on the
/// thread that has asked. The first task has no thread of its own: it goes on within the call that resumes it.
///
/// That takes task executors. On systems before them the code runs without the caller's values.
final class CallerContext: Sendable {
    private typealias Request = (executor: KeptJob, priority: TaskPriority?, work: @Sendable () -> Void)

    /// Held while the first task continues, which makes one task at a time, and calls nobody.
    private let turn = Locked(())
    /// Kept here too: not every version of the runtime keeps a task's executor.
    private let here = HereExecutor()
    // Unsafe: guarded by `turn`, but in `init`, before there is anybody else.
    private nonisolated(unsafe) var waiting: UnsafeContinuation<Request?, Never>?

    /// Keeps the values of the current task, or thread, until ``end()``.
    init() {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
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
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return work() }
        let executor = KeptJob()
        turn.withLock { _ in waiting?.resume(returning: (executor, priority, work)) }
        if !executor.run() { work() }
    }

    /// Lets go of the values.
    func end() { turn.withLock { _ in waiting.take() }?.resume(returning: nil) }
}

/// Runs jobs within the call that brings them.
private final class HereExecutor: Sendable {}

/// Keeps the job of a task, which never suspends, until it is asked for.
private final class KeptJob: Sendable {
    // Unsafe: set and read on one thread.
    fileprivate nonisolated(unsafe) var job: UnownedJob?
}

@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
extension HereExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor()) }
}

@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
extension KeptJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { self.job = UnownedJob(job) }

    /// - Returns: false without a job.
    func run() -> Bool {
        guard let job else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
