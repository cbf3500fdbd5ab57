import Dispatch
import Foundation

/// The jobs of tasks that have no executor of their own, as `Task {}` in a step has none, and those of the main actor.
///
/// The runtime asks its hook before it enqueues a job for the pool. Where it has none, or somebody else has taken it,
/// such jobs run when the machine likes. The yield of a task on an actor passes by the hook.
package enum EnqueueHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The clocks that choose among tasks.
    private static let clocks = Locked<[VirtualScheduler]>([])

    /// Whether the hook is set, as it is for the rest of the process.
    package static let isSet: Bool = {
        let hook = variable("swift_task_enqueueGlobal_hook", of: Hook.self)
        guard let hook, hook.pointee == nil else { return false }
        hook.pointee = { job, enqueue in if !takes(job) { enqueue(job) } }
        return true
    }()

    /// A variable of the runtime's that holds a hook.
    fileprivate static func variable<Kind>(_ name: String, of _: Kind.Type) -> UnsafeMutablePointer<Kind?>? {
        dlsym(dlopen(nil, RTLD_LAZY), name)?.assumingMemoryBound(to: Kind?.self)
    }

    /// Whether a clock takes the job.
    fileprivate static func takes(_ job: UnownedJob, for mainActor: UnownedSerialExecutor? = nil) -> Bool {
        clocks.withLock { $0 }.contains { $0.takes(job, for: mainActor) }
    }

    /// Whether the jobs of the main actor ask it, too.
    package static var hasMainActor: Bool {
        #if os(Linux)
            HookedMainActor.isSet
        #else
            false
        #endif
    }

    static func add(_ clock: VirtualScheduler) { clocks.withLock { $0.append(clock) } }

    static func remove(_ clock: VirtualScheduler) { clocks.withLock { $0.removeAll { $0 === clock } } }
}

#if os(Linux)
    /// The main actor's executor, once it has been replaced: the main queue, too, which asks the clocks first.
    ///
    /// There is no hook for the jobs of the main actor. But whoever enqueues one asks the runtime for the executor, and
    /// for that there is one.
    final class HookedMainActor: SerialExecutor {
        private typealias Original = @convention(thin) () -> UnownedSerialExecutor
        private typealias Hook = @convention(thin) (Original) -> UnownedSerialExecutor
        private typealias IsMainOriginal = @convention(thin) (UnownedSerialExecutor) -> Bool
        private typealias IsMainHook = @convention(thin) (UnownedSerialExecutor, IsMainOriginal) -> Bool

        private static let shared = HookedMainActor()
        private static var hooked: UnownedSerialExecutor { shared.asUnownedSerialExecutor() }

        /// The object that an executor is: it comes first in the reference, and a witness table follows.
        private static func identity(of executor: UnownedSerialExecutor) -> UInt {
            unsafeBitCast(executor, to: (UInt, UInt).self).0
        }

        /// Whether it has replaced the executor, as it does for the rest of the process.
        static let isSet: Bool = {
            let name = "swift_task_getMainExecutor_hook", isMainName = "swift_task_isMainExecutor_hook"
            guard EnqueueHook.isSet, let hook = EnqueueHook.variable(name, of: Hook.self), hook.pointee == nil,
                let isMain = EnqueueHook.variable(isMainName, of: IsMainHook.self), isMain.pointee == nil
            else { return false }
            // Both are the main actor's: tasks that run there have the executor from before.
            isMain.pointee = { executor, isMain in identity(of: executor) == identity(of: hooked) || isMain(executor) }
            hook.pointee = { _ in hooked }
            return true
        }()

        func enqueue(_ job: UnownedJob) {
            let executor = asUnownedSerialExecutor()
            if EnqueueHook.takes(job, for: executor) { return }
            DispatchQueue.main.async { job.runSynchronously(on: executor) }
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

        /// Asked where no task runs, as in a callback.
        func checkIsolated() { dispatchPrecondition(condition: .onQueue(.main)) }
    }
#endif

/// The number of the task that a job is a part of; nil for one that is none's. Only its description has it.
func taskNumber(of job: UnownedJob) -> UInt64? {
    guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return nil }
    return UInt64(job.description.filter(\.isNumber))
}
