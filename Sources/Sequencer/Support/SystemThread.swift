import Foundation

/// A thread that the system says whether it can start. Foundation's `Thread` does not report a failure: its code never
/// runs.
package enum SystemThread {
    /// Runs `body` on a new thread, which nobody waits for.
    ///
    /// - Parameter stackSize: in bytes; nil for the system's standard size.
    /// - Returns: 0, or the system's number of the error: mostly `EAGAIN`, where the user has as many processes and
    ///   threads as they may have, or the system lacks memory for the stack. Then `body` does not run.
    package static func start(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // Nobody joins it: a thread that could be joined keeps its memory after its end.
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        let work = Unmanaged.passRetained(Boxed(body))
        var thread = noThread
        // A closure, for its argument is optional on some systems and not on others.
        let code = pthread_create(&thread, &attributes, { runThread($0) }, work.toOpaque())
        if code != 0 { work.release() }
        return code
    }
}

private func runThread(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let work { Unmanaged<Boxed<@Sendable () -> Void>>.fromOpaque(work).takeRetainedValue().value() }
    return nil
}

// A pointer to the thread, which may be none, or a number.
#if canImport(Darwin) || canImport(Musl)
    private var noThread: pthread_t? { nil }
#else
    private var noThread: pthread_t { pthread_t() }
#endif
