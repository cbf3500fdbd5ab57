import Foundation

/// The jobs of tasks that have no executor of their own, and those of the main actor: `Task {}` in a step is such a task.
///
/// The runtime asks its hooks before it enqueues a job. Where it has none, or somebody else has taken them, such jobs
/// run when the machine likes.
package enum EnqueueHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The clocks that choose among tasks, by the thread that has their turn.
    private static let clocks = Locked<[UInt: VirtualScheduler]>([:])

    /// Whether the hooks are set, as they are for the rest of the process.
    package static let isSet: Bool = {
        let process = dlopen(nil, RTLD_LAZY)
        guard let global = pointer("swift_task_enqueueGlobal_hook", in: process),
            let main = pointer("swift_task_enqueueMainExecutor_hook", in: process),
            global.pointee == nil, main.pointee == nil
        else { return false }
        global.pointee = { job, enqueue in if !EnqueueHook.takes(job, onMain: false) { enqueue(job) } }
        main.pointee = { job, enqueue in if !EnqueueHook.takes(job, onMain: true) { enqueue(job) } }
        return true
    }()

    private static func pointer(_ name: String, in process: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Hook?>? {
        dlsym(process, name)?.assumingMemoryBound(to: Hook?.self)
    }

    private static func takes(_ job: UnownedJob, onMain: Bool) -> Bool {
        let thread = currentThreadIdentity()
        return clocks.withLock { $0[thread] }?.takes(job, onMain: onMain, from: thread) ?? false
    }

    /// This thread has a turn of that clock, or has it no more.
    static func thread(_ thread: UInt, has scheduler: VirtualScheduler?) {
        clocks.withLock { $0[thread] = scheduler }
    }
}

/// The number of the task that a job is a part of; nil for one that is none's. Only its description has it.
func taskNumber(of job: UnownedJob) -> UInt64? { UInt64(job.description.filter(\.isNumber)) }
