import Synchronization

/// A task that runs asynchronous operations, one after the other, as long as none of them suspends: until then it is on the thread of the worker
/// that started it, and whatever it makes ready can be gone on with there. Most of what a task costs is then paid once.
///
/// The first operation that suspends is the last one of its task, so whoever cancels the task cancels that operation alone.
final class InlineTask: Sendable {
    typealias Assignment = LaunchStateMachine.Assignment

    // Unsafe, all three: read and changed only on the worker's thread, while the task has not suspended or after it has come back from it.
    /// What the task runs.
    private(set) nonisolated(unsafe) var current: Assignment
    /// Whether everything that was begun has ended, without suspending.
    private(set) nonisolated(unsafe) var isDone = false
    /// What the worker is to do next.
    private(set) nonisolated(unsafe) var next: Assignment?

    private let thread = currentThreadIdentity()
    private let hasReturned = Atomic(false)

    init(_ first: Assignment) {
        current = first
    }

    /// Whether this is the worker's thread still, in the middle of its start of the task.
    var isInline: Bool {
        // The same thread may run the task again later, but then its start has returned.
        thread == currentThreadIdentity() && !hasReturned.load(ordering: .relaxed)
    }

    /// The task goes on with another operation.
    func goOn(with assignment: Assignment) {
        current = assignment
    }

    /// The task has done what it could; the worker goes on with `next`.
    func end(leaving next: Assignment?) {
        isDone = true
        self.next = next
    }

    /// The task has suspended, or was put off: from now on it is on its own.
    func startReturned() {
        hasReturned.store(true, ordering: .relaxed)
    }
}
