import Foundation

/// Whether the values of one sample tend to be larger than those of another, for any distributions: the test of Mann
/// and Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other", The Annals
/// of Mathematical Statistics 18 (1947).
package struct MannWhitney: Equatable, Sendable {
    /// In how many of all pairs the value of the first sample is the larger one; a tie counts as half.
    package let u: Double
    /// The probability of a difference at least as clear, in either direction, between samples of the same
    /// distribution.
    package let p: Double
    /// Whether every way to divide the values was counted, rather than approximated by a normal distribution.
    package let isExact: Bool

    /// - Returns: nil when a sample is empty.
    package init?(_ first: [Double], _ second: [Double]) {
        guard !first.isEmpty, !second.isEmpty else { return nil }
        let all = (first.map { ($0, true) } + second.map { ($0, false) }).sorted { $0.0 < $1.0 }
        // Twice the rank of each value, so that it is whole: values that are the same share the mean of their places.
        var ranks: [Int] = [], sum = 0, ties = 0.0
        while case let start = ranks.count, start < all.count {
            let end = all[start...].firstIndex { $0.0 > all[start].0 } ?? all.count, size = Double(end - start)
            // Ranks count from 1: the mean of `start + 1` to `end`.
            ranks += repeatElement(start + end + 1, count: end - start)
            sum += all[start..<end].count { $0.1 } * (start + end + 1)
            ties += size * (size * size - 1)
        }
        u = Double(sum - first.count * (first.count + 1)) / 2
        // Up to here, the number of ways to divide the values is exact in a `Double`.
        isExact = all.count <= 50
        p = isExact ? Self.exactP(ranks, first.count, sum) : Self.normalP(u, Double(first.count), Double(second.count), ties)
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

/// The highest rate that some misses in a number of trials are still compatible with.
///
/// The exact bound of Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the
/// Binomial", Biometrika 26 (1934): with no miss in 10 trials, a rate of up to 25.9% cannot be ruled out.
package enum BinomialBound {
    /// The rate with which so few misses have a probability of 5%: the true one is below it with a confidence of 95%.
    ///
    /// - Returns: 1 without a trial, and when all trials missed.
    /// - Complexity: O(misses).
    package static func upper(misses: Int, trials: Int) -> Double {
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
        var (low, high) = (Double(misses) / Double(trials), 1.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if probability(middle) > 0.05 { low = middle } else { high = middle }
        }
        return high
    }
}
