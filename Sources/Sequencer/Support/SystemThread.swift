import Dispatch
import Foundation

/// A thread that the system says whether it can start. Foundation's `Thread` does not report a failure: its code never runs.
package enum SystemThread {
    /// Runs `body` on a thread of its own, which nobody waits for.
    ///
    /// - Parameter stackSize: in bytes; nil for the system's standard size.
    /// - Returns: 0, or the system's number of the error: mostly `EAGAIN`, where the user has as many processes and threads as they may
    ///   have, or the system lacks memory for the stack. Then `body` does not run.
    package static func start(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // Nobody joins it: a thread that could be joined keeps its memory after its end.
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        let work = Unmanaged.passRetained(ThreadWork(body))
        var thread = noThread
        // A closure, for its argument is optional on some systems and not on others.
        let code = pthread_create(&thread, &attributes, { runThread($0) }, work.toOpaque())
        if code != 0 { work.release() }
        return code
    }
}

extension SystemThread {
    /// Starts a thread that runs its argument; gives 0, or the system's number of the error. Tests have starts fail by it.
    package typealias Starter = @Sendable (_ body: @escaping @Sendable () -> Void) -> Int32

    /// Runs `body` on a thread of its own: now, or as soon as the system has one again, asking ten times a second by one of Dispatch's threads.
    ///
    /// - Parameters:
    ///   - name: as debuggers show it; Linux has no room for more than 15 bytes, and then sets none.
    ///   - meanwhile: called before each further attempt.
    static func startWhenPossible(
        _ name: String,
        _ quality: QualityOfService,
        by start: @escaping Starter = { SystemThread.start($0) },
        meanwhile: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable () -> Void
    ) {
        let isStarted = start {
            Thread.current.name = name
            QualityOfService.withThread(at: quality, usually: .default, body)
        }
        if isStarted == 0 { return }
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + .milliseconds(100)) {
            meanwhile()
            startWhenPossible(name, quality, by: start, meanwhile: meanwhile, body)
        }
    }
}

private final class ThreadWork: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let work { Unmanaged<ThreadWork>.fromOpaque(work).takeRetainedValue().body() }
    return nil
}

// A pointer to the thread, which may be none, or a number.
#if canImport(Darwin) || canImport(Musl)
    private var noThread: pthread_t? { nil }
#else
    private var noThread: pthread_t { pthread_t() }
#endif
