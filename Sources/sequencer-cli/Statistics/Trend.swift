import SequencerAnalysis

/// Measurements that become larger or smaller, one after the other: the machine becomes hot, or other work begins on
/// it.
///
/// The two halves are compared as two benches are. A few measurements that take far too long hardly count.
struct Trend: Equatable, Sendable {
    /// Below this probability, chance does not explain the trend. A trend makes the tool cautious, and accuses nobody.
    static let significance = 0.1
    /// A smaller change makes no difference to anybody.
    private static let leastChange = 0.01

    /// The median of the later half of the measurements, as a multiple of that of the earlier half.
    let ratio: Double

    /// - Parameter values: in the order in which they were measured.
    /// - Returns: nil without a trend, or with too few measurements.
    init?(_ values: [Double]) {
        let middle = values.count / 2
        // Halves and not the ends: single runs would decide those.
        guard let earlier = SortedSample(values[..<middle]), let later = SortedSample(values[middle...]), earlier.median > 0,
            later.median > 0, earlier.mannWhitney(later).p < Self.significance
        else { return nil }
        ratio = later.median / earlier.median
        if drift - 1 < Self.leastChange { return nil }
    }

    /// How many times as long the slower half took as the faster one.
    var drift: Double { max(ratio, 1 / ratio) }
}
