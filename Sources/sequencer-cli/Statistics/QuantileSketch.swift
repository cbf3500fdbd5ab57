import Foundation
import Sequencer
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

    /// The percentiles that are shown.
    static let percents = [50, 75, 90, 95, 99]

    private(set) var count = 0
    private(set) var minimum = Double.infinity
    private(set) var maximum = -Double.infinity
    /// The counts of buckets. The bucket `index` has values above `growth` to the power of `index - 1`, up to `growth`
    /// to the power of `index`; the least one has the zeros.
    private var buckets: [Int: Int] = [:]

    /// - Parameter value: 0 or more; negative numbers and NaN count as 0.
    mutating func insert(_ value: Double) {
        let value = value > 0 ? min(value, Self.range.upperBound) : 0
        count += 1
        minimum = min(minimum, value)
        maximum = max(maximum, value)
        let isZero = value < Self.range.lowerBound
        buckets[isZero ? .min : Int((log2(value) * Self.bucketsPerDoubling).rounded(.up)), default: 0] += 1
    }

    /// The value that is at least as large as `percent` of a hundred values, within ``relativeError``: the
    /// nearest rank, as ``SortedSample/nearestRank(_:)`` has it.
    ///
    /// - Returns: nil without values.
    func percentile(_ percent: Double) -> Double? {
        guard count > 0 else { return nil }
        var left = SortedSample.rank(percent, of: count)
        for (index, count) in buckets.sorted(by: { $0.key < $1.key }) {
            left -= count
            if left > 0 { continue }
            // As far, relatively, from the lower end of the bucket as from the upper one; never beyond a value that was
            // there.
            return min(max(2 * pow(Self.growth, Double(index)) / (Self.growth + 1), minimum), maximum)
        }
        return maximum
    }

    /// The same; nil with too few values for it, too.
    func knownPercentile(_ percent: Double) -> Double? {
        SortedSample.has(percentile: percent, of: count) ? percentile(percent) : nil
    }

    /// The percentiles that are shown, as far as they are known.
    var percentiles: [(percent: Int, value: Double?)] { Self.percents.map { ($0, knownPercentile(Double($0))) } }

    var json: JSONTree {
        let percentiles = percentiles.map { (key: "p\($0)Ms", value: JSONTree?.some(.decimal($1))) }
        let head: JSONTree = ["launches": .number(count), "minMs": .decimal(minimum)]
        return head + .object(percentiles) + ["maxMs": .decimal(maximum)]
    }
}
