import Dispatch

/// The thread that an app is set up on: the one that serves the main queue.
///
/// `Thread.isMainThread` will not do: on Linux, a program whose `main` is asynchronous serves its main queue on another thread.
enum SetUpThread {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the calling code runs on it.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }
}
