import Foundation
import SequencerAnalysis

/// Quantiles of any number of values in a few kilobytes, each off by at most 0.55% of itself: DDSketch of Masson, Rim
/// and Lee, "DDSketch: A Fast and Fully-Mergeable Quantile Sketch with Relative-Error Guarantees", PVLDB 12 (2019).
///
/// Values are counted in buckets whose bounds grow by 2^(1/64).
struct QuantileSketch: Equatable, Sendable {
    /// The largest relative error of a quantile: (growth - 1) / (growth + 1), rounded up.
    static let relativeError = 0.0055
    private static let bucketsPerDoubling = 64.0
    /// By so much each bucket is larger than the one before.
    private static let growth = exp2(1 / bucketsPerDoubling)
    /// Values closer to 0 count as 0, and larger ones as the largest: a millionth of a millisecond, and three years in
    /// milliseconds.
    private static let range = 1e-6...1e11

    private(set) var count = 0
    private(set) var minimum = Double.infinity
    private(set) var maximum = -Double.infinity
    private var zeros = 0
    /// The counts of buckets from ``first`` on; only as many as there is something between. The bucket `index` has
    /// values above `growth` to the power of `index - 1`, up to `growth` to the power of `index`.
    private var buckets: [Int] = []
    private var first = 0

    /// - Parameter value: 0 or more; negative numbers and NaN count as 0.
    mutating func insert(_ value: Double) {
        let value = value > 0 ? min(value, Self.range.upperBound) : 0
        count += 1
        minimum = min(minimum, value)
        maximum = max(maximum, value)
        if value < Self.range.lowerBound { return zeros += 1 }
        let index = Int((log2(value) * Self.bucketsPerDoubling).rounded(.up))
        if buckets.isEmpty { first = index }
        // Buckets are one piece: there is room for the new one, and for those between.
        if index < first { buckets.insert(contentsOf: repeatElement(0, count: first - index), at: 0) }
        first = min(first, index)
        if index - first >= buckets.count { buckets += repeatElement(0, count: index - first - buckets.count + 1) }
        buckets[index - first] += 1
    }

    /// The value that is at least as large as `percent` of a hundred values, within ``relativeError``: the
    /// nearest rank, as ``SortedSample/nearestRank(_:)`` has it.
    ///
    /// - Returns: nil without values.
    func percentile(_ percent: Double) -> Double? {
        guard count > 0 else { return nil }
        // Zeros have no bucket, and come before all others.
        var left = SortedSample.rank(percent, of: count) - zeros
        if left <= 0 { return minimum }
        for (place, count) in buckets.enumerated() {
            left -= count
            guard left <= 0 else { continue }
            // As far, relatively, from the lower end of the bucket as from the upper one.
            let value = 2 * pow(Self.growth, Double(first + place)) / (Self.growth + 1)
            // Never beyond a value that was there.
            return min(max(value, minimum), maximum)
        }
        return maximum
    }

    /// The same; nil with too few values for it, too.
    func knownPercentile(_ percent: Double) -> Double? {
        SortedSample.has(percentile: percent, of: count) ? percentile(percent) : nil
    }
}
