import Foundation
import Sequencer

/// Why threads cannot be had: mostly, that the user has as many processes and threads as they may have.
struct ThreadError: Error, Equatable, CustomStringConvertible {
    /// The system's number of the error.
    let code: Int32

    var description: String { "no thread can be started: \(resourceText(code))" }
}

/// Runs `body` on a new thread, which nobody waits for.
func startThread(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
    // Not Foundation's Thread: its code never runs where the system starts none, and nobody is told.
    let code = SystemThread.start(body)
    if code != 0 { throw ThreadError(code: code) }
}

/// Runs `body`, which may wait, on a new thread. It can ask whether the task has been cancelled.
func onThread<Value: Sendable>(_ body: @escaping @Sendable (_ isCancelled: () -> Bool) -> Value) async throws -> Value {
    let isCancelled = Locked(false)
    // A handler and not a child task: a thread is outside of Swift's cancellation.
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            do throws(ThreadError) {
                try startThread { continuation.resume(returning: body { isCancelled.withLock { $0 } }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    } onCancel: {
        isCancelled.withLock { $0 = true }
    }
}

/// Finds out how many threads can be had at a time, by having them for a moment.
///
/// - Returns: their number, and why there are not `most`.
func countThreads(upTo most: Int) -> (count: Int, error: ThreadError?) {
    let (gate, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var count = 0
    defer {
        // All are let go first: one by one, each would wait for its turn.
        for _ in 0..<count { gate.signal() }
        for _ in 0..<count { ended.wait() }
        // The system counts a thread for a moment after its end, and this process needs all of them.
        if count < most { usleep(2_000) }
    }
    // Started and held: only threads that exist at the same time are counted by the system's limit.
    while count < most {
        do throws(ThreadError) {
            try startThread {
                gate.wait()
                ended.signal()
            }
        } catch {
            return (count, error)
        }
        count += 1
    }
    return (count, nil)
}

/// The error in the system's words; with too many processes and threads, it adds a remedy.
func resourceText(_ code: Int32) -> String {
    let text = String(cString: strerror(code))
    // Other errors have no limit that could be raised.
    guard code == EAGAIN else { return text }
    // Without a known limit of processes it is that of a control group, which getrlimit does not show.
    let limit = processLimit.map { "this user may have \($0), see 'ulimit -u'" } ?? "the container may have one"
    return "\(text); end some processes or threads, or raise the limit (\(limit))"
}

/// How many processes and threads the user may have at a time; nil where the system sets no number.
private var processLimit: UInt64? {
    var limit = rlimit()
    // Without a limit the number is the largest that there is.
    guard getrlimit(processes, &limit) == 0, limit.rlim_cur < 1 << 31 else { return nil }
    return UInt64(limit.rlim_cur)
}

#if canImport(Glibc)
    private var processes: __rlimit_resource_t { __rlimit_resource_t(__RLIMIT_NPROC.rawValue) }
#else
    private var processes: Int32 { RLIMIT_NPROC }
#endif
