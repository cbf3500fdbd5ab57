import Foundation

/// How long ago this process was started by the system.
///
/// On Linux the answer comes in steps of 10 ms (`/proc/self/stat` counts clock ticks). On a phone, a prewarmed app was started long before
/// the person tapped its icon: cap what you make of this number.
///
/// - Returns: nil when the system does not tell.
public func timeSinceProcessStart() -> Duration? {
    #if canImport(Darwin)
        var query: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()]
        var info = kinfo_proc()
        var size = MemoryLayout<kinfo_proc>.stride
        guard sysctl(&query, u_int(query.count), &info, &size, nil, 0) == 0 else { return nil }
        let start = info.kp_proc.p_un.__p_starttime
        var now = timeval()
        gettimeofday(&now, nil)
        let elapsed = Int64(now.tv_sec - start.tv_sec) * 1_000_000 + Int64(now.tv_usec) - Int64(start.tv_usec)
        return elapsed >= 0 ? .microseconds(elapsed) : nil
    #else
        // Field 22, in clock ticks since boot. The second field is the program's name in parentheses, and may hold anything.
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8), let nameEnd = stat.lastIndex(of: ")") else {
            return nil
        }
        let fields = stat[nameEnd...].dropFirst().split(separator: " ")
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        guard fields.count > 19, let ticks = Int64(fields[19]), ticksPerSecond > 0 else { return nil }
        let started = ticks.multipliedReportingOverflow(by: 1_000_000_000 / ticksPerSecond)
        let elapsed = monotonicNanoseconds(countsSuspension: true) - started.partialValue
        return started.overflow || elapsed < 0 ? nil : .nanoseconds(elapsed)
    #endif
}
