import Foundation

/// The processor time of a thread, and how long it waited for a processor.
struct ProcessorTime: Sendable {
    let used: Nanoseconds
    /// Nil where it was not asked for, and where the system does not tell.
    let runnable: Nanoseconds?

    /// The times of the calling thread so far.
    ///
    /// - Parameter hasWaits: whether to ask how long it waited, which takes longer.
    init(ofThreadWithWaits hasWaits: Bool) {
        // The file first: reading it is none of the step's work.
        runnable = hasWaits ? scheduled("thread-self")?.waited : nil
        used = clockTime(CLOCK_THREAD_CPUTIME_ID)
    }

    init(used: Nanoseconds, runnable: Nanoseconds?) { (self.used, self.runnable) = (used, runnable) }

    /// The times of the calling thread since then.
    func untilNow() -> ProcessorTime {
        let used = clockTime(CLOCK_THREAD_CPUTIME_ID) - used
        let waited = runnable.flatMap { before in scheduled("thread-self").map { $0.waited - before } }
        return ProcessorTime(used: used, runnable: waited)
    }

    /// The processor time of all threads of the process so far.
    static var ofProcess: Nanoseconds { clockTime(CLOCK_PROCESS_CPUTIME_ID) }

    static func + (left: ProcessorTime, right: ProcessorTime) -> ProcessorTime {
        let runnable = left.runnable.flatMap { first in right.runnable.map { first + $0 } }
        return ProcessorTime(used: left.used + right.used, runnable: runnable)
    }
}

/// How long a task of Linux has run, and how long it has waited for a processor (proc(5), `schedstat`); nil where the
/// system does not tell.
///
/// - Parameter task: `thread-self`, or the number of a process, whose first thread is meant.
package func scheduled(_ task: String) -> (ran: Nanoseconds, waited: Nanoseconds)? {
    let file = open("/proc/\(task)/schedstat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 1) { bytes in
        let count = read(file, bytes.baseAddress, bytes.count)
        let text = String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        return numbers.count >= 2 ? (numbers[0], numbers[1]) : nil
    }
}

private func clockTime(_ clock: clockid_t) -> Nanoseconds {
    var time = timespec()
    clock_gettime(clock, &time)
    return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
}
