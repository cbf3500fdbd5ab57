import Foundation

/// Whether the values of one sample tend to be larger than those of another, whatever their distributions: the test of Mann and Whitney, "On a
/// Test of Whether one of Two Random Variables is Stochastically Larger than the Other", The Annals of Mathematical Statistics 18 (1947).
struct MannWhitney: Equatable, Sendable {
    /// In how many of all pairs the value of the first sample is the larger one; a tie counts as half.
    let u: Double
    /// How probable a difference at least as clear is, in either direction, when there is none.
    let p: Double
    /// Whether every way to divide the values was counted, rather than approximated by a normal distribution.
    let isExact: Bool

    /// Up to as many values in both samples together, the number of ways to divide them is exact in a `Double`.
    static let exactLimit = 50

    /// - Returns: nil when a sample is empty.
    init?(_ first: [Double], _ second: [Double]) {
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
            for size in stride(from: min(index + 1, firstCount), through: 1, by: -1) {
                for sum in stride(from: reached, through: rank, by: -1) { ways[size][sum] += ways[size - 1][sum - rank] }
            }
        }
        let counts = ways[firstCount]
        let observed = Int(doubledSum)
        let all = counts.reduce(0, +)
        let below = counts[...observed].reduce(0, +) / all
        let above = counts[observed...].reduce(0, +) / all
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
        guard variance > 0 else { return 1 }
        let distance = max(abs(u - first * second / 2) - 0.5, 0)
        return min(erfc(distance / (2 * variance).squareRoot()), 1)
    }
}
