import Foundation
import SequencerAnalysis

extension SortedSample {
    /// The smallest measurement that `percent` of a hundred do not exceed: the nearest rank, which is how the tool
    /// defines the percentiles that it shows, in `bench` as in `stats`. Type 1 of Hyndman and Fan. Nil where there are
    /// too few measurements for it.
    func nearestRank(_ percent: Double) -> Double? {
        Self.has(percentile: percent, of: count) ? values[Self.rank(percent, of: count) - 1] : nil
    }

    /// The rank of a percentile among `count` values, 1 to `count`.
    static func rank(_ percent: Double, of count: Int) -> Int {
        Int(min(max((percent / 100 * Double(count)).rounded(.up), 1), Double(count)))
    }

    /// Whether so many measurements have this percentile: one of them at least must lie above it, or it is the maximum
    /// by another name.
    static func has(percentile percent: Double, of count: Int) -> Bool { Double(count) * (100 - percent) >= 100 }
}

/// The highest rate that some misses in a number of trials are still compatible with: with so few misses it has a
/// probability of 5%, so the true rate is below it with a confidence of 95%.
///
/// The exact bound of Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the
/// Binomial", Biometrika 26 (1934): with no miss in 10 trials, a rate of up to 25.9% cannot be ruled out.
///
/// - Returns: 1 without a trial, and when all trials missed.
/// - Complexity: O(misses).
func rateBound(misses: Int, trials: Int) -> Double {
    guard trials > 0, misses < trials else { return 1 }
    // The logarithm of the number of ways to choose the trials that missed.
    let ways = (0..<misses).reduce(0.0) { $0 + log(Double(trials - $1) / Double($1 + 1)) }
    func probability(_ rate: Double) -> Double {
        var term = exp(ways + Double(misses) * log(rate) + Double(trials - misses) * log1p(-rate)), sum = term
        // Fewer misses than the rate lets expect are ever less probable: the rest is nothing soon.
        for left in stride(from: misses, to: 0, by: -1) {
            if term <= sum * 1e-17 { break }
            term *= Double(left) / Double(trials - left + 1) * (1 - rate) / rate
            sum += term
        }
        return sum
    }
    return lastNumber(from: Double(misses) / Double(trials), to: 1) { probability($0) > 0.05 }
}

/// How many times as long the slower half of measurements takes as the other one, where they become larger or smaller,
/// one after the other: the machine becomes hot, or other work begins on it.
///
/// The two halves are compared as two benches are. A few measurements that take far too long hardly count.
///
/// - Parameter values: in the order in which they were measured.
/// - Returns: 1 without a drift of 1% or more, or with too few measurements.
func driftRatio(of values: [Double]) -> Double {
    let middle = values.count / 2
    // Halves and not the ends: single runs would decide those. A probability of 0.1 is enough: a drift makes the tool
    // cautious, and accuses nobody.
    guard let earlier = SortedSample(values[..<middle]), let later = SortedSample(values[middle...]), earlier.median > 0,
        later.median > 0, earlier.mannWhitney(later).p < 0.1
    else { return 1 }
    let ratio = max(later.median / earlier.median, earlier.median / later.median)
    return ratio < 1.01 ? 1 : ratio
}
