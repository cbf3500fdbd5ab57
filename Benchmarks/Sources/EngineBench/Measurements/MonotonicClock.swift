import Foundation

/// The time in nanoseconds, by the monotonic clock.
@inline(__always)
func now() -> UInt64 {
    nanoseconds(of: CLOCK_MONOTONIC)
}

/// The processor time of this process in nanoseconds.
func processorTime() -> UInt64 {
    nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
}

@inline(__always)
private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
