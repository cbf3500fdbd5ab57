import Foundation
import SequencerAnalysis

/// Measurements that become larger or smaller, one after the other: the machine becomes hot, or other work begins on
/// it.
///
/// The test is that of H. B. Mann, "Nonparametric Tests Against Trend", Econometrica 13 (1945): more of all pairs rise
/// than fall, or the other way round, than chance explains. A few measurements that take far too long hardly count.
struct Trend: Equatable, Sendable {
    /// Below this probability, chance does not explain the trend. A trend makes the tool cautious, and accuses nobody.
    static let significance = 0.05
    /// A smaller change makes no difference to anybody.
    private static let leastChange = 0.01

    /// The median of the later half of the measurements, as a multiple of that of the earlier half.
    let ratio: Double

    /// - Parameter values: in the order in which they were measured.
    /// - Returns: nil without a trend, or with too few measurements.
    ///
    /// - Complexity: O(n log n).
    init?(_ values: [Double]) {
        guard Self.p(values) < Self.significance, let earlier = SortedSample(values[..<(values.count / 2)])?.median,
            // Halves and not the ends: single runs would decide those.
            let later = SortedSample(values[(values.count / 2)...])?.median, earlier > 0, later > 0
        else { return nil }
        ratio = later / earlier
        if drift - 1 < Self.leastChange { return nil }
    }

    /// How many times as long the slower half took as the faster one.
    var drift: Double { max(ratio, 1 / ratio) }

    /// The probability that chance alone gives a trend at least as clear, in either direction; by the normal
    /// distribution, with a correction for counting in whole steps.
    static func p(_ values: [Double]) -> Double {
        // One measurement rises nowhere.
        guard values.count > 1 else { return 1 }
        let (sorted, falling) = countFalling(values)
        let sizes = Dictionary(sorted.map { ($0, 1) }, uniquingKeysWith: +).values
        let ties = sizes.reduce(0) { $0 + $1 * ($1 - 1) / 2 }
        let count = Double(values.count)
        let pairs = values.count * (values.count - 1) / 2
        // Rising pairs minus falling ones: those of equal values are neither.
        let balance = Double(abs(pairs - ties - 2 * falling))
        // Ties make it smaller: to leave them out makes the test more cautious.
        let variance = count * (count - 1) * (2 * count + 5) / 18
        // The sum moves in steps of two, so half a step is taken off (continuity correction).
        return min(erfc(max(balance - 1, 0) / (2 * variance).squareRoot()), 1)
    }

    /// Sorts by merging, and counts the pairs whose later value is the smaller one: W. R. Knight, "A Computer Method
    /// for Calculating Kendall's Tau with Ungrouped Data", Journal of the American Statistical Association 61 (1966).
    private static func countFalling(_ values: [Double]) -> (sorted: [Double], count: Int) {
        if values.count < 2 { return (values, 0) }
        let (left, right) = (countFalling(Array(values[..<(values.count / 2)])), countFalling(Array(values[(values.count / 2)...])))
        var (count, larger) = (left.count + right.count, 0)
        for value in right.sorted {
            // Only strictly smaller: an equal pair does not fall.
            while larger < left.sorted.count, left.sorted[larger] <= value { larger += 1 }
            count += left.sorted.count - larger
        }
        return ((left.sorted + right.sorted).sorted(), count)
    }
}
