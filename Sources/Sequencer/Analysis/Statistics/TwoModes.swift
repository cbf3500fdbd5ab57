import Foundation

/// Measurements that are of two kinds, such as launches that find a cache and launches that do not: no median of all of
/// them tells how long either takes.
///
/// They are split where the distances from the medians of the two parts have the least sum. The parts are modes when
/// they are far apart and narrow: that sum is below ``maximumDistance`` of the one without a split, the median absolute
/// deviation of either below ``maximumDeviation`` of the distance of their medians, and that distance at least
/// ``leastChange`` of the lower one. Of 100 samples of 20 measurements each that have one mode (normal, exponential or
/// uniform), about one is taken for two.
package struct TwoModes: Equatable, Sendable {
    package let lower: SortedSample
    package let upper: SortedSample

    /// Neither mode has fewer measurements, nor less than ``leastShare`` of all: those would be outliers.
    private static let leastCount = 4
    private static let leastShare = 0.2
    private static let maximumDistance = 0.3
    private static let maximumDeviation = 0.15
    private static let leastChange = 0.05

    /// - Returns: nil when there is one mode, or too little to say.
    ///
    /// - Complexity: O(measurements).
    package init?(_ sample: SortedSample) {
        let values = sample.values
        let least = max(Self.leastCount, Int((Self.leastShare * Double(values.count)).rounded(.up)))
        guard values.count >= 2 * least else { return nil }
        var sums = [0.0]
        for value in values { sums.append(sums[sums.count - 1] + value) }
        /// The sum of the distances from the median of a part: its upper half less its lower half.
        func distances(_ part: Range<Int>) -> Double {
            let half = part.count / 2
            return (sums[part.upperBound] - sums[part.upperBound - half]) - (sums[part.lowerBound + half] - sums[part.lowerBound])
        }
        // Equal values belong to one mode: split only between different values.
        let splits = (least...values.count - least).filter { values[$0 - 1] < values[$0] }
            .map { (place: $0, sum: distances(0..<$0) + distances($0..<values.count)) }
        guard let best = splits.min(by: { $0.sum < $1.sum }), best.sum < Self.maximumDistance * distances(0..<values.count),
            let lower = SortedSample(values[..<best.place]), let upper = SortedSample(values[best.place...])
        else { return nil }
        let distance = upper.median - lower.median
        let deviation = max(lower.medianAbsoluteDeviation ?? 0, upper.medianAbsoluteDeviation ?? 0)
        guard deviation <= Self.maximumDeviation * distance, distance >= Self.leastChange * lower.median else { return nil }
        (self.lower, self.upper) = (lower, upper)
    }
}

/// How launches of two kinds have changed, each kind compared with itself: between the two, their medians jump from run
/// to run, and tell of no change.
///
/// The test is that of P. van Elteren, "On the Combination of Independent Two Sample Tests of Wilcoxon", Bulletin of
/// the International Statistical Institute 37 (1960): Mann and Whitney's of either kind, weighted by the inverse of its
/// size and one. The number of runs of each kind has no part in it.
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
        guard let interval = BootstrapInterval.change(of: parts), let p = Self.p(parts) else { return nil }
        (self.before, self.after, self.interval, self.p) = (before, after, interval, p)
    }

    /// The probability of a difference at least as clear, in either direction, where every part of both samples is of
    /// the same distribution.
    ///
    /// - Returns: nil without a part.
    package static func p(_ parts: [(before: SortedSample, after: SortedSample)]) -> Double? {
        var (distance, variance) = (0.0, 0.0)
        for part in parts {
            // A part that one of the samples does not have says nothing.
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
