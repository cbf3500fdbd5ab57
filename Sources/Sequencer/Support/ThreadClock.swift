import Foundation

/// A thread of this process, for another one that asks whether it computes or waits.
struct ThreadClock: Sendable, Hashable {
    #if canImport(Darwin)
        private let port: thread_t
    #else
        private let clock: clockid_t
    #endif

    /// The thread that this is called on; nil where the system does not tell.
    @inline(__always)
    init?() {
        #if canImport(Darwin)
            port = pthread_mach_thread_np(pthread_self())
        #else
            var clock = clockid_t()
            guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return nil }
            self.clock = clock
        #endif
    }

    /// The processor time that the thread has used; nil when it is gone.
    var processorTime: Nanoseconds? {
        #if canImport(Darwin)
            return info.map {
                Nanoseconds($0.user_time.seconds + $0.system_time.seconds) * 1_000_000_000
                    + Nanoseconds($0.user_time.microseconds + $0.system_time.microseconds) * 1_000
            }
        #else
            var time = timespec()
            guard clock_gettime(clock, &time) == 0 else { return nil }
            return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
        #endif
    }

    /// Whether the thread runs, or would if it had a processor. The clock alone takes one that is starved for one that
    /// waits.
    var isRunnable: Bool {
        #if canImport(Darwin)
            return info?.run_state == TH_STATE_RUNNING
        #else
            // Linux has the thread's number in its clock's (linux/posix-timers_types.h).
            let file = open("/proc/self/task/\(~(clock >> 3))/stat", O_RDONLY | O_CLOEXEC)
            // Nobody tells: then it counts as one that computes.
            guard file >= 0 else { return true }
            defer { close(file) }
            return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
                let count = read(file, bytes.baseAddress, bytes.count)
                // The number, the name in parentheses, which may hold anything, and the state.
                guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return true }
                return bytes[end + 2] == UInt8(ascii: "R")
            }
        #endif
    }

    #if canImport(Darwin)
        private var info: thread_basic_info? {
            var info = thread_basic_info()
            var count = mach_msg_type_number_t(MemoryLayout<thread_basic_info>.size / MemoryLayout<natural_t>.size)
            let result = withUnsafeMutablePointer(to: &info) { info in
                info.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    thread_info(port, thread_flavor_t(THREAD_BASIC_INFO), $0, &count)
                }
            }
            return result == KERN_SUCCESS ? info : nil
        }
    #endif
}
