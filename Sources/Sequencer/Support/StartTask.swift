/// Starts `operation` as a task of its own: at once, on the thread that asks, until it first suspends, where the system can do that.
///
/// A task that never suspends then costs no switch of threads.
func startTask(
    priority: TaskPriority?,
    on executor: (any TaskExecutor)?,
    _ operation: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
    if let executor { return Task(executorPreference: executor, priority: priority, operation: operation) }
    if #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return Task.immediate(priority: priority, operation: operation)
    }
    return Task(priority: priority, operation: operation)
}

/// Starts `operation` on the main actor; call it on the main thread, and it begins at once where the system can do that.
func startMainTask(priority: TaskPriority?, _ operation: @escaping @MainActor @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return Task.immediate(priority: priority, operation: operation)
    }
    return Task(priority: priority, operation: operation)
}
