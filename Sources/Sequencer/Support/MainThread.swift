import Foundation

/// The one place besides lanes where a step can be asked to run.
public enum MainThread: Sendable {
    /// The main thread: the step's closure is isolated to the main actor, or its `Operation` is started there.
    case main
}

/// The thread that serves the main queue, which must not be blocked.
///
/// `Thread.isMainThread` alone will not do: on Linux, a program whose `main` is asynchronous serves its main queue on
/// another thread.
package enum MainThreadCheck {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the calling code runs on it.
    package static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true }
}
