import Foundation

/// Nanoseconds of a clock that never goes back, since some point in the past.
///
/// - Parameter countsSuspension: whether the clock continues while the machine sleeps. A launch that was suspended for
///   an hour has not taken an hour, so the default clock stands still then.
package func monotonicNanoseconds(countsSuspension: Bool = false) -> Nanoseconds {
    #if canImport(Darwin)
        return Nanoseconds(bitPattern: clock_gettime_nsec_np(systemClock(countsSuspension: countsSuspension)))
    #else
        var time = timespec()
        clock_gettime(systemClock(countsSuspension: countsSuspension), &time)
        return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    #endif
}

/// The system's clock behind ``monotonicNanoseconds(countsSuspension:)``.
func systemClock(countsSuspension: Bool) -> clockid_t {
    #if canImport(Darwin)
        // There, the monotonic clock continues while the machine sleeps; on Linux it stands still.
        countsSuspension ? CLOCK_MONOTONIC_RAW : CLOCK_UPTIME_RAW
    #else
        countsSuspension ? CLOCK_BOOTTIME : CLOCK_MONOTONIC
    #endif
}

/// A span, or a point in time since some origin, in whole nanoseconds: the engine's unit of time.
///
/// `Duration` is 128 bits wide; half of that is enough for 292 years.
package typealias Nanoseconds = Int64

extension Duration {
    /// The duration in whole nanoseconds, or the nearest that fits.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingSaturated(attoseconds / 1_000_000_000)
    }

    /// The nearest duration of whole nanoseconds: it undoes the rounding error of a `Double` of seconds.
    var roundedToNanoseconds: Duration {
        // A duration with more seconds than fit has no components; it is out of every range anyway.
        guard self > .seconds(-1_000_000_000), self < .seconds(1_000_000_000) else { return self }
        let (seconds, attoseconds) = components
        let rest = attoseconds % 1_000_000_000
        if rest == 0 { return self }
        let next: Int64 = rest.magnitude < 500_000_000 ? 0 : rest < 0 ? -1_000_000_000 : 1_000_000_000
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds - rest + next)
    }

    /// The duration in milliseconds, for reports.
    package var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}

extension Int64 {
    /// The sum, or the nearest value that fits: points in time near "never" must not trap.
    @inlinable
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

/// Whether the system has started this process before anybody asked for it. iOS says so in the environment of such a
/// process; that is not documented.
package var isPrewarmed: Bool { getenv("ActivePrewarm").map { String(cString: $0) } == "1" }

/// How long ago this process was started by the system.
///
/// On Linux the answer comes in steps of 10 ms (`/proc/self/stat` counts clock ticks). On a phone, a prewarmed app was
/// started long before the user tapped its icon: cap this number before you use it.
///
/// - Returns: nil when the system does not tell.
func timeSinceProcessStart() -> Duration? {
    #if canImport(Darwin)
        var query: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()]
        var info = kinfo_proc()
        var size = MemoryLayout<kinfo_proc>.stride
        guard sysctl(&query, u_int(query.count), &info, &size, nil, 0) == 0 else { return nil }
        let start = info.kp_proc.p_un.__p_starttime
        var now = timeval()
        gettimeofday(&now, nil)
        let elapsed = Int64(now.tv_sec - start.tv_sec) * 1_000_000 + Int64(now.tv_usec) - Int64(start.tv_usec)
        // The wall clock may have been set back since.
        return elapsed >= 0 ? .microseconds(elapsed) : nil
    #else
        // Field 22, in clock ticks since boot. The second field is the program's name in parentheses, and may hold
        // anything.
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8), let nameEnd = stat.lastIndex(of: ")") else {
            return nil
        }
        let fields = stat[nameEnd...].dropFirst().split(separator: " ")
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        guard fields.count > 19, let ticks = Int64(fields[19]), ticksPerSecond > 0 else { return nil }
        // The number is read from a text, and must not trap.
        let started = ticks.multipliedReportingOverflow(by: 1_000_000_000 / ticksPerSecond)
        let elapsed = monotonicNanoseconds(countsSuspension: true) - started.partialValue
        return started.overflow || elapsed < 0 ? nil : .nanoseconds(elapsed)
    #endif
}
