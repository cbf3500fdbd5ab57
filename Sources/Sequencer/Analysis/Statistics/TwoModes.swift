/// Measurements that are of two kinds, such as launches that find a cache and launches that do not: no median of all of them tells how long either takes.
///
/// They are split where the distances from the medians of the two parts have the least sum. The parts are modes when they are far apart and narrow: that
/// sum is below ``maximumDistance`` of the one without a split, the median absolute deviation of either below ``maximumDeviation`` of the distance of their
/// medians, and that distance at least ``leastChange`` of the lower one. Of 100 samples of 20 measurements each, whatever their one mode looks like
/// (normal, exponential, uniform), about one is taken for two.
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
        let splits = (least...values.count - least).map { (place: $0, sum: distances(0..<$0) + distances($0..<values.count)) }
        guard let best = splits.min(by: { $0.sum < $1.sum }), best.sum < Self.maximumDistance * distances(0..<values.count),
            let lower = SortedSample(values[..<best.place]), let upper = SortedSample(values[best.place...])
        else { return nil }
        let distance = upper.median - lower.median
        let deviation = max(lower.medianAbsoluteDeviation, upper.medianAbsoluteDeviation)
        guard deviation <= Self.maximumDeviation * distance, distance >= Self.leastChange * lower.median else { return nil }
        (self.lower, self.upper) = (lower, upper)
    }
}
