import Foundation
import Sequencer

/// Measurements in order of size, and figures of a typical one: medians, which one slow run cannot move, rather than
/// means.
package struct SortedSample: Equatable, Sendable {
    /// Ascending; never empty, and all of them finite.
    package let values: [Double]

    /// - Returns: nil without a measurement, or when one of them is not finite.
    package init?(_ values: some Sequence<Double>) {
        self.values = values.sorted()
        guard !self.values.isEmpty, self.values.allSatisfy(\.isFinite) else { return nil }
    }

    package var count: Int { values.count }
    package var minimum: Double { values[0] }
    package var maximum: Double { values[values.count - 1] }
    /// The one in the middle; of two, half way between them.
    package var median: Double {
        let (lower, upper) = (values[(count - 1) / 2], values[count / 2])
        return lower + (upper - lower) / 2
    }

    /// The median of the distances from the median: how far a typical measurement is off. Not scaled to a standard
    /// deviation. Nil of a single one, which is not off by anything.
    package var medianAbsoluteDeviation: Double? {
        count > 1 ? SortedSample(values.map { abs($0 - median) })?.median : nil
    }
}

// MARK: - Intervals

/// Intervals that contain the true value in 95 of 100 cases at least, whatever the distribution. Their ends are
/// measurements, or ratios of two, so the same measurements always give the same interval.
extension SortedSample {
    /// The fewest measurements that have an interval of their median: between the least and the largest of five, the
    /// true median lies in 15 of 16 cases, which are not 95 of 100.
    static let leastForInterval = 6
    /// An interval of 95% reaches so many standard deviations to either side.
    private static let deviations = 1.96

    /// Of the median; nil with too few measurements. It is that of the sign test: the number of measurements below the
    /// true median is binomial.
    package var interval: ClosedRange<Double>? {
        if count < Self.leastForInterval { return nil }
        let place = Int((Double(count - 1) - Self.deviations * Double(count).squareRoot()) / 2)
        return values[place]...values[count - 1 - place]
    }

    /// Of the change, as a share: 0.05 is 5% more. It has the changes that ``mannWhitney(_:)`` would not find if they
    /// were undone: E. L. Lehmann, "Nonparametric Confidence Intervals for a Shift Parameter", The Annals of
    /// Mathematical Statistics 34 (1963).
    ///
    /// - Returns: nil when a measurement is 0, which nothing is a share of, and with too few of them.
    /// - Complexity: O(measurements).
    func intervalOfChange(to other: SortedSample) -> ClosedRange<Double>? {
        guard minimum > 0, min(count, other.count) >= Self.leastForInterval else { return nil }
        let pairs = Double(count) * Double(other.count)
        let deviation = (pairs * Double(count + other.count + 1) / 12).squareRoot()
        let place = Int((pairs - 1) / 2 - Self.deviations * deviation)
        return ratio(of: other, at: place) - 1...ratio(of: other, at: Int(pairs) - 1 - place) - 1
    }

    /// The ratio of another sample's measurements to these that so many of all are smaller than.
    private func ratio(of other: SortedSample, at place: Int) -> Double {
        lastNumber(from: other.minimum / maximum, to: other.maximum / minimum) { ratio in
            var (below, smaller) = (0, 0)
            for value in values {
                while below < other.count, other.values[below] < value * ratio { below += 1 }
                smaller += below
            }
            return smaller <= place
        }
    }
}

/// The number up to which something holds that holds at one end and not beyond the other, by halves.
package func lastNumber(from low: Double, to high: Double, where holds: (Double) -> Bool) -> Double {
    (0..<64).reduce((low, high)) { ends, _ in
        let middle = (ends.0 + ends.1) / 2
        return holds(middle) ? (middle, ends.1) : (ends.0, middle)
    }.0
}

// MARK: - The test

/// Whether the values of one sample tend to be larger than those of another, for any distributions: the test of Mann
/// and Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other", The Annals
/// of Mathematical Statistics 18 (1947).
///
/// - `u`: in how many of all pairs the value of the first sample is the larger one; a tie counts as half.
/// - `p`: the probability of a difference at least as clear, in either direction, between samples of the same
///   distribution.
/// - `isExact`: whether every way to divide the values was counted, rather than approximated by a normal distribution.
package typealias MannWhitney = (u: Double, p: Double, isExact: Bool)

extension SortedSample {
    package func mannWhitney(_ other: SortedSample) -> MannWhitney {
        let all = (values.map { ($0, true) } + other.values.map { ($0, false) }).sorted { $0.0 < $1.0 }
        // Twice the rank of each value, so that it is whole: values that are the same share the mean of their places.
        var ranks: [Int] = [], sum = 0, ties = 0.0
        while case let start = ranks.count, start < all.count {
            let end = all[start...].firstIndex { $0.0 > all[start].0 } ?? all.count, size = Double(end - start)
            // Ranks count from 1: the mean of `start + 1` to `end`.
            ranks += repeatElement(start + end + 1, count: end - start)
            sum += all[start..<end].count { $0.1 } * (start + end + 1)
            ties += size * (size * size - 1)
        }
        let u = Double(sum - count * (count + 1)) / 2
        // Up to here, the number of ways to divide the values is exact in a `Double`.
        let isExact = all.count <= 50
        let p = isExact ? Self.exactP(ranks, count, sum) : Self.normalP(u, Double(count), Double(other.count), ties)
        return (u, p, isExact)
    }

    /// By counting, for every sum of ranks, the ways to choose as many of them as the first sample has: the shift
    /// algorithm of Streitberg and Röhmel, "Exact Distributions for Permutation and Rank Tests", Statistical Software
    /// Newsletter 12 (1986), which ties do not disturb.
    private static func exactP(_ ranks: [Int], _ count: Int, _ observed: Int) -> Double {
        var ways = Array(repeating: [Double](repeating: 0, count: ranks.reduce(1, +)), count: count + 1)
        ways[0][0] = 1
        var reached = 0
        for (index, rank) in ranks.enumerated() {
            reached += rank
            // Downwards, as the sums are: upwards, a rank would be chosen more than once.
            for size in stride(from: min(index + 1, count), through: 1, by: -1) {
                for sum in stride(from: reached, through: rank, by: -1) { ways[size][sum] += ways[size - 1][sum - rank] }
            }
        }
        let counts = ways[count], (below, above) = (counts[...observed].reduce(0, +), counts[observed...].reduce(0, +))
        // Both sides count the observed sum, so twice the smaller one may be more than 1.
        return min(2 * min(below, above) / counts.reduce(0, +), 1)
    }

    /// By the normal distribution of the same mean and variance, which ties make smaller, with a correction for
    /// counting in whole steps.
    private static func normalP(_ u: Double, _ first: Double, _ second: Double, _ ties: Double) -> Double {
        let count = first + second, variance = first * second / 12 * ((count + 1) - ties / (count * (count - 1)))
        // All values are the same.
        guard variance > 0 else { return 1 }
        return min(erfc(max(abs(u - first * second / 2) - 0.5, 0) / (2 * variance).squareRoot()), 1)
    }
}

extension Duration {
    /// The duration of this many nanoseconds, rounded; 0 for NaN.
    package static func nearest(nanoseconds: Double) -> Duration {
        .nanoseconds(Int64(exactly: nanoseconds.rounded()) ?? (nanoseconds > 0 ? .max : 0))
    }
}
