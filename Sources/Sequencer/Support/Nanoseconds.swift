/// A span, or a point in time since some origin, in whole nanoseconds: what the engine counts in.
///
/// `Duration` is 128 bits wide; half of that is enough for 292 years.
typealias Nanoseconds = Int64

extension Duration {
    /// The duration in whole nanoseconds, or the nearest that fits.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingSaturated(attoseconds / 1_000_000_000)
    }

    /// The duration in milliseconds, for reports.
    package var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}

extension Int64 {
    /// The sum, or the nearest value that fits: points in time near "never" must not trap.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
