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
    package var median: Double { percentile(50) }

    /// The value that `percent` of a hundred measurements do not exceed, with straight lines between neighbours: type 7
    /// of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996), as NumPy
    /// and R do unless told otherwise.
    ///
    /// - Parameter percent: from 0 to 100; anything else is taken for the nearer of the two.
    func percentile(_ percent: Double) -> Double {
        let rank = min(max(percent, 0), 100) / 100 * Double(values.count - 1)
        let lower = min(Int(rank), values.count - 1)
        let upper = min(lower + 1, values.count - 1)
        return values[lower] + (values[upper] - values[lower]) * (rank - Double(lower))
    }

    /// The median of the distances from the median: how far a typical measurement is off. Not scaled to a standard
    /// deviation. Nil of a single one, which is not off by anything.
    package var medianAbsoluteDeviation: Double? {
        count > 1 ? SortedSample(values.map { abs($0 - median) })?.median : nil
    }
}

// MARK: - Intervals

/// Intervals that contain the true value in 95 of 100 cases, found by measuring the measurements again: the percentile
/// bootstrap of Efron, "Bootstrap Methods: Another Look at the Jackknife", The Annals of Statistics 7 (1979).
///
/// The same measurements always give the same interval. Below about ten measurements it is narrower than it ought to
/// be, and fewer than ``leastForInterval`` give none.
extension SortedSample {
    /// Samples of the same kind of launches before and after a change.
    /// The fewest measurements that have an interval of their median: between the least and the largest of five, the
    /// true median lies in 15 of 16 cases, which are not 95 of 100.
    static let leastForInterval = 6
    private static let seed: UInt64 = 0x5EED_0001

    /// Of the median; nil with too few measurements.
    package var interval: ClosedRange<Double>? {
        if count < Self.leastForInterval { return nil }
        var random = SplitMix64(seed: Self.seed)
        return Self.interval(count) { resampledMedian(&random) }
    }

    /// Of the change of the medians, as a share: 0.05 is 5% more.
    ///
    /// - Returns: nil when a measurement is 0, which nothing is a share of.
    func intervalOfChange(to other: SortedSample) -> ClosedRange<Double>? {
        guard minimum > 0 else { return nil }
        // Other numbers for either side: the two samples are drawn independently.
        var (before, after) = (SplitMix64(seed: Self.seed), SplitMix64(seed: Self.seed ^ .max))
        return Self.interval(count + other.count) { other.resampledMedian(&after) / resampledMedian(&before) - 1 }
    }

    private static func interval(_ count: Int, _ draw: () -> Double) -> ClosedRange<Double>? {
        // Enough for a steady second digit; fewer for many measurements, whose intervals are narrow.
        SortedSample((0..<min(10_000, max(1_000, 2_000_000 / count))).map { _ in draw() }).map {
            // Rounded, the lower end may be the larger one by a digit, and a range would trap.
            min($0.percentile(2.5), $0.percentile(97.5))...$0.percentile(97.5)
        }
    }

    /// The median of as many measurements as there are, each drawn any number of times.
    private func resampledMedian(_ random: inout SplitMix64) -> Double {
        // The measurements are sorted, so those at sorted places are.
        let places = values.indices.map { _ in random.index(below: count) }.sorted()
        return (values[places[(count - 1) / 2]] + values[places[count / 2]]) / 2
    }
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
