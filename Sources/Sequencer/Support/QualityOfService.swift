import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#endif

// The same thing has three names: Foundation's for operations, Dispatch's for queues, and the standard library's for
// tasks.
extension QualityOfService {
    /// The quality of a task's priority; at most user-initiated, since higher ones belong to the main thread.
    init(_ priority: TaskPriority) {
        self = priority >= .high ? .userInitiated : priority >= .medium ? .default : priority >= .utility ? .utility : .background
    }

    var dispatchQoS: DispatchQoS {
        switch self {
        case .userInteractive: .userInteractive
        case .userInitiated: .userInitiated
        case .utility: .utility
        case .background: .background
        default: .default
        }
    }

    var taskPriority: TaskPriority? {
        switch self {
        case .userInteractive, .userInitiated: .userInitiated
        case .utility: .utility
        case .background: .background
        default: nil
        }
    }

    // Apple's systems schedule a thread by its quality of service; elsewhere a thread has none.

    #if canImport(Darwin)
        static let isHeeded = true
    #else
        static let isHeeded = false
    #endif

    /// Runs `body` on this thread at this quality of service; `usual` is that of the thread.
    static func withThread<Result>(
        at quality: @autoclosure () -> QualityOfService,
        usually usual: QualityOfService,
        _ body: () throws -> Result
    ) rethrows -> Result {
        #if canImport(Darwin)
            let quality = quality()
            // Nearly all steps: these cost no call of the system.
            guard quality != usual else { return try body() }
            let before = qos_class_self()
            pthread_set_qos_class_self_np(quality.dispatchQoS.qosClass.rawValue, 0)
            // The thread continues with other steps.
            defer { pthread_set_qos_class_self_np(before, 0) }
        #endif
        return try body()
    }
}
