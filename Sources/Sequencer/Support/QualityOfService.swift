import Dispatch
import Foundation

// The same thing has three names: Foundation's for operations, Dispatch's for queues, and the standard library's for tasks.
extension QualityOfService {
    /// That of a task's priority; at most user-initiated, since higher ones belong to the main thread.
    init(_ priority: TaskPriority) {
        self =
            if priority >= .high { .userInitiated } else if priority >= .medium { .default } else if priority >= .utility { .utility } else
            {
                .background
            }
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
}
