import Foundation

/// The jobs of tasks that have no executor of their own: `Task {}` in a step is such a task.
///
/// The runtime asks its hook before it enqueues a job for the pool. Where it has none, or somebody else has taken it,
/// such jobs run when the machine likes. The main actor's jobs are only noted, so that their tasks are known when they go
/// elsewhere. The yield of a task on an actor passes by the hooks.
package enum EnqueueHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The clocks that choose among tasks.
    private static let clocks = Locked<[VirtualScheduler]>([])

    /// Whether the hook is set, as it is for the rest of the process.
    package static let isSet: Bool = {
        let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")
        guard let hook = symbol?.assumingMemoryBound(to: Hook?.self), hook.pointee == nil else { return false }
        hook.pointee = { job, enqueue in
            if !clocks.withLock({ $0 }).contains(where: { $0.takes(job) }) { enqueue(job) }
        }
        let main = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueMainExecutor_hook")?.assumingMemoryBound(to: Hook?.self)
        if let main, main.pointee == nil {
            main.pointee = { job, enqueue in
                for clock in clocks.withLock({ $0 }) { clock.notes(job) }
                enqueue(job)
            }
        }
        return true
    }()

    static func add(_ clock: VirtualScheduler) { clocks.withLock { $0.append(clock) } }

    static func remove(_ clock: VirtualScheduler) { clocks.withLock { $0.removeAll { $0 === clock } } }
}

/// The number of the task that a job is a part of; nil for one that is none's. Only its description has it.
func taskNumber(of job: UnownedJob) -> UInt64? {
    guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return nil }
    return UInt64(job.description.filter(\.isNumber))
}
