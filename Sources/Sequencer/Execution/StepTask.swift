import Synchronization

/// The task of a step that may suspend, on a worker's thread or on the main thread.
///
/// Until the step suspends, the task stays on the thread that started it, where the system can do that. The step can be told to cancel before the start of its
/// task has returned, and so before anybody has a `Task` to cancel. So the task itself says, before the step's first instruction, how to reach it.
final class StepTask: StepRunner, Cancellable {
    typealias Body = nonisolated(nonsending) @Sendable () async throws -> any Sendable

    /// Whether the thread that started the task, or the task, was first to go on without the other.
    private enum Start: Sendable {
        case goesOn
        /// The step has suspended, or was put off: it tells its end itself.
        case hasReturned
        case sawEnd(AttemptEnd)
    }

    private let assignment: StepAssignment
    private let start = Locked(Start.goesOn)
    // Unsafe, all three: set before anybody else knows of the task, or by its last user.
    /// Released when the task ends, for others may keep this: every task that a step begins inherits it.
    private nonisolated(unsafe) var launch: LaunchStorage?
    private nonisolated(unsafe) var task: UnsafeCurrentTask?
    private nonisolated(unsafe) var waiting: UnsafeContinuation<Void, Never>?
    /// How many use `task` and `launch`: the task itself, and those who tell it to cancel.
    private let users = Atomic(1)

    init(_ assignment: StepAssignment, in launch: LaunchStorage) {
        self.assignment = assignment
        self.launch = launch
    }

    /// Starts the step. A task that never suspends costs no switch of threads. In virtual time everything of it runs in its turn, on `holder`.
    ///
    /// - Returns: how the step ended, if it has run through; otherwise the launch is told.
    func start(_ body: @escaping Body, onMain isMain: Bool, priority: TaskPriority?, for holder: TimeHolder?, atOnce: Bool) -> AttemptEnd? {
        let operation: @isolated(any) @Sendable () async -> Void
        if isMain {
            operation = { @MainActor in await CurrentStep.$runner.withValue(self) { await self.run(body) } }
        } else {
            operation = { await CurrentStep.$runner.withValue(self) { await self.run(body) } }
        }
        if let holder {
            Task(executorPreference: holder, priority: priority) { await TimeHolder.$current.withValue(holder) { await operation() } }
        } else if atOnce, #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate(priority: priority, operation: operation)
        } else {
            // Earlier systems have no `Task.immediate`: there a task costs a switch of threads.
            Task(priority: priority, operation: operation)
        }
        return start.withLock { start in
            // Not kept: what the step has begun may keep this for longer.
            defer { start = .hasReturned }
            if case .sawEnd(let end) = start { return end }
            return nil
        }
    }

    nonisolated(nonsending) private func run(_ body: Body) async {
        // Kept beyond this call, which is unsafe only if the task can be gone: ``leave()`` sees to it that it cannot.
        task = withUnsafeCurrentTask { $0 }
        guard let launch else { return }
        // Without the lock: a cancelled task runs its handlers.
        if launch.state.withLock({ $0.keep(self, for: assignment) }) { cancel() }
        var end = AttemptEnd.unbegun
        if !launch.isTooLate(assignment) {
            do {
                end = AttemptEnd(try await body())
            } catch {
                end = AttemptEnd(throwing: error, isTaskCancelled: Task.isCancelled)
            }
        }
        let isOnItsOwn = start.withLock { [end] start in
            if case .hasReturned = start { return true }
            start = .sawEnd(end)
            return false
        }
        if isOnItsOwn { launch.attemptEnded(assignment, end) }
        await leave()
    }

    /// Tells the task to cancel, from any thread: its cancellation handlers run here. After its end, nothing happens.
    func cancel() {
        guard beginUse() else { return }
        task?.cancel()
        endUse()
    }

    /// The end of the task: waits for those who are telling it to cancel, so that it is there as long as they are.
    nonisolated(nonsending) private func leave() async {
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

    func withLaunch<Result>(_ body: (LaunchStorage, Int) -> Result?) -> Result? {
        guard beginUse() else { return nil }
        defer { endUse() }
        return launch.flatMap { body($0, assignment.node) }
    }
}
