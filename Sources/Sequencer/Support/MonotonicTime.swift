import Foundation

/// Nanoseconds of a clock that never goes back, since some point in the past.
///
/// - Parameter countsSuspension: whether the clock goes on while the machine sleeps. A launch that was suspended for an hour has not taken an
///   hour, so the default clock stands still then.
func monotonicNanoseconds(countsSuspension: Bool = false) -> Nanoseconds {
    #if canImport(Darwin)
        return Nanoseconds(bitPattern: clock_gettime_nsec_np(countsSuspension ? CLOCK_MONOTONIC_RAW : CLOCK_UPTIME_RAW))
    #else
        var time = timespec()
        clock_gettime(countsSuspension ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, &time)
        return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    #endif
}
