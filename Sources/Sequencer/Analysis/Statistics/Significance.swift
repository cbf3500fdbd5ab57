import Foundation

/// Whether the values of one sample tend to be larger than those of another, for any distributions: the test of Mann and Whitney, "On a
/// Test of Whether one of Two Random Variables is Stochastically Larger than the Other", The Annals of Mathematical Statistics 18 (1947).
package struct MannWhitney: Equatable, Sendable {
    /// In how many of all pairs the value of the first sample is the larger one; a tie counts as half.
    package let u: Double
    /// The probability of a difference at least as clear, in either direction, between samples of the same distribution.
    package let p: Double
    /// Whether every way to divide the values was counted, rather than approximated by a normal distribution.
    package let isExact: Bool

    /// Up to as many values in both samples together, the number of ways to divide them is exact in a `Double`.
    package static let exactLimit = 50

    /// - Returns: nil when a sample is empty.
    package init?(_ first: [Double], _ second: [Double]) {
        guard !first.isEmpty, !second.isEmpty else { return nil }
        let ranking = Ranking(first, second)
        let size = Double(first.count)
        u = ranking.doubledSum / 2 - size * (size + 1) / 2
        isExact = first.count + second.count <= Self.exactLimit
        p = isExact ? ranking.exactP : ranking.normalP(u)
    }
}

/// The places of all values in order of size; values that are the same share the mean of their places.
private struct Ranking {
    /// Twice the rank of each value, so that they are whole.
    private var doubledRanks: [Int] = []
    /// Twice the sum of the ranks of the first sample.
    private(set) var doubledSum = 0.0
    /// How many values each group of equal ones has.
    private var groups: [Int] = []
    private let firstCount: Int
    private let secondCount: Int

    init(_ first: [Double], _ second: [Double]) {
        firstCount = first.count
        secondCount = second.count
        let all = (first.map { ($0, true) } + second.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var start = 0
        while start < all.count {
            var end = start
            while end < all.count, all[end].0 == all[start].0 { end += 1 }
            // NaN equals nothing, not even itself.
            end = max(end, start + 1)
            // Ranks count from 1: the mean of `start + 1` to `end`.
            let doubled = start + end + 1
            for index in start..<end {
                doubledRanks.append(doubled)
                if all[index].1 { doubledSum += Double(doubled) }
            }
            groups.append(end - start)
            start = end
        }
    }

    /// By counting, for every sum of ranks, the ways to choose as many of them as the first sample has: the shift algorithm of Streitberg and
    /// Röhmel, "Exact Distributions for Permutation and Rank Tests", Statistical Software Newsletter 12 (1986), which ties do not disturb.
    var exactP: Double {
        let most = doubledRanks.reduce(0, +)
        var ways = Array(repeating: [Double](repeating: 0, count: most + 1), count: firstCount + 1)
        ways[0][0] = 1
        var reached = 0
        for (index, rank) in doubledRanks.enumerated() {
            reached += rank
            // Downwards, as the sums are: upwards, a rank would be chosen more than once.
            for size in stride(from: min(index + 1, firstCount), through: 1, by: -1) {
                for sum in stride(from: reached, through: rank, by: -1) { ways[size][sum] += ways[size - 1][sum - rank] }
            }
        }
        let counts = ways[firstCount]
        let observed = Int(doubledSum)
        let all = counts.reduce(0, +)
        let below = counts[...observed].reduce(0, +) / all
        let above = counts[observed...].reduce(0, +) / all
        // Both sides count the observed sum, so twice the smaller one may be more than 1.
        return min(2 * min(below, above), 1)
    }

    /// By the normal distribution of the same mean and variance, which ties make smaller, with a correction for counting in whole steps.
    func normalP(_ u: Double) -> Double {
        let (first, second) = (Double(firstCount), Double(secondCount))
        let count = first + second
        let ties = groups.reduce(0.0) { sum, size in
            let size = Double(size)
            return sum + size * (size * size - 1)
        }
        let variance = first * second / 12 * ((count + 1) - ties / (count * (count - 1)))
        // All values are the same.
        guard variance > 0 else { return 1 }
        let distance = max(abs(u - first * second / 2) - 0.5, 0)
        return min(erfc(distance / (2 * variance).squareRoot()), 1)
    }
}

/// The highest rate that some misses in a number of trials are still compatible with.
///
/// The exact bound of Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial", Biometrika 26
/// (1934): with no miss in 10 trials, a rate of up to 25.9% cannot be ruled out.
package enum BinomialBound {
    /// The bound that the true rate is below with this confidence.
    ///
    /// - Returns: 1 without a trial, and when all trials missed.
    package static func upper(misses: Int, trials: Int, confidence: Double = 0.95) -> Double {
        guard trials > 0, misses < trials else { return 1 }
        let (first, second) = (Double(max(misses, 0)) + 1, Double(trials - max(misses, 0)))
        // The bound is a quantile of a beta distribution, whose distribution function rises all the way.
        var (low, high) = (0.0, 1.0)
        // Halving a `Double` comes to an end long before.
        for _ in 0..<200 {
            let middle = (low + high) / 2
            // Nothing lies between the two any more.
            if middle == low || middle == high { break }
            if regularizedIncompleteBeta(middle, first, second) < confidence { low = middle } else { high = middle }
        }
        return high
    }
}

/// The distribution function of the beta distribution, by its continued fraction: DLMF 8.17.22 (https://dlmf.nist.gov/8.17#v), evaluated as
/// Lentz and Thompson do, "Coulomb and Bessel Functions of Complex Arguments and Order", Journal of Computational Physics 64 (1986).
///
/// - Parameters:
///   - x: from 0 to 1.
///   - first: more than 0, as is `second`.
package func regularizedIncompleteBeta(_ x: Double, _ first: Double, _ second: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    // Beyond this point the fraction converges slowly; the function of the complement is on its good side.
    if x > (first + 1) / (first + second + 2) { return 1 - regularizedIncompleteBeta(1 - x, second, first) }
    let logarithm = logGamma(first + second) - logGamma(first) - logGamma(second) + first * log(x) + second * log1p(-x)
    return min(exp(logarithm) / first * continuedFraction(x, first, second), 1)
}

private func continuedFraction(_ x: Double, _ first: Double, _ second: Double) -> Double {
    // As Lentz and Thompson do it: the fraction goes on where a part of it is zero.
    func notZero(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
    var numerator = 1.0
    var denominator = 0.0
    var result = 1.0
    // It takes about as many terms as the square root of the larger parameter.
    for index in 1...100_000 {
        let step = Double(index / 2)
        let term =
            index.isMultiple(of: 2)
            ? step * (second - step) * x / ((first + 2 * step - 1) * (first + 2 * step))
            : -(first + step) * (first + second + step) * x / ((first + 2 * step) * (first + 2 * step + 1))
        denominator = 1 / notZero(1 + term * denominator)
        numerator = notZero(1 + term / numerator)
        let factor = denominator * numerator
        result *= factor
        if abs(factor - 1) < 1e-15 { break }
    }
    return 1 / result
}

/// The logarithm of the gamma function for positive numbers, by Stirling's series: DLMF 5.11.1 (https://dlmf.nist.gov/5.11#E1).
///
/// The C function of that name has different results on different platforms: some return the sign too.
package func logGamma(_ x: Double) -> Double {
    var x = x
    var product = 1.0
    // The series is exact to the last digits from here on.
    while x < 12 {
        product *= x
        x += 1
    }
    let square = x * x
    let series = (1 / 12.0 - (1 / 360.0 - (1 / 1260.0 - (1 / 1680.0 - 1 / 1188.0 / square) / square) / square) / square) / x
    return (x - 0.5) * log(x) - x + 0.5 * log(2 * .pi) + series - log(product)
}
