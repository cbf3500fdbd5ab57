import Foundation

/// How launches of two kinds have changed, each kind compared with itself: between the two, their medians jump from run to run, and tell of no change.
///
/// The test is that of P. van Elteren, "On the Combination of Independent Two Sample Tests of Wilcoxon", Bulletin of the International Statistical
/// Institute 37 (1960): Mann and Whitney's of either kind, weighted by the inverse of its size and one. How many runs are of which kind has no part in
/// it.
package struct ModeComparison: Equatable, Sendable {
    package let before: TwoModes
    package let after: TwoModes
    /// Of the medians, with the weight of the runs of each kind; as ``SampleChange/interval``.
    package let interval: BootstrapInterval
    /// How probable such a difference is without a change.
    package let p: Double

    /// - Returns: nil when a kind took no time.
    package init?(_ before: TwoModes, _ after: TwoModes) {
        let parts = [(before: before.lower, after: after.lower), (before: before.upper, after: after.upper)]
        guard let interval = BootstrapInterval.change(of: parts) else { return nil }
        guard let p = Self.p(parts) else { return nil }
        (self.before, self.after, self.interval, self.p) = (before, after, interval, p)
    }

    /// The probability of a difference at least as clear, in either direction, where every part of both samples is of the same distribution.
    ///
    /// - Returns: nil without a part.
    package static func p(_ parts: [(before: SortedSample, after: SortedSample)]) -> Double? {
        var (distance, variance) = (0.0, 0.0)
        for part in parts {
            guard let test = MannWhitney(part.before.values, part.after.values) else { continue }
            let pairs = Double(part.before.count) * Double(part.after.count)
            let weight = 1 / Double(part.before.count + part.after.count + 1)
            distance += weight * (test.u - pairs / 2)
            // Ties make it smaller: to leave them out makes the test more cautious.
            variance += weight * pairs / 12
        }
        return variance > 0 ? min(erfc(abs(distance) / (2 * variance).squareRoot()), 1) : nil
    }

    /// The change of the median of each kind, as a share of that before.
    package var changes: (lower: Double, upper: Double) {
        (after.lower.median / before.lower.median - 1, after.upper.median / before.upper.median - 1)
    }
}
