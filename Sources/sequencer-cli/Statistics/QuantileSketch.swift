import Foundation
import SequencerAnalysis

/// Quantiles of any number of values in a few kilobytes, each off by at most 0.55% of itself: DDSketch of Masson, Rim and Lee, "DDSketch: A Fast
/// and Fully-Mergeable Quantile Sketch with Relative-Error Guarantees", PVLDB 12 (2019).
///
/// Values are counted in buckets whose bounds grow by 2^(1/64): those of an exponential histogram of OpenTelemetry of scale 6, and of a native histogram of Prometheus
/// of schema 6. Sketches of parts, merged, are the sketch of the whole, to
/// the last bit, in any order.
struct QuantileSketch: Equatable, Sendable {
    /// The largest relative error of a quantile: (growth - 1) / (growth + 1), rounded up.
    static let relativeError = 0.0055
    /// How many buckets there are between a value and twice that value: 2 to the power of ``scale``.
    static let bucketsPerDoubling = 64.0
    /// The scale of an exponential histogram of OpenTelemetry with these buckets.
    static let scale = 6
    /// By so much each bucket is larger than the one before.
    static let growth = exp2(1 / bucketsPerDoubling)
    /// Values closer to 0 count as 0, and larger ones as the largest: a millionth of a millisecond, and some three years in milliseconds.
    static let range = 1e-6...1e11
    /// The numbers of the buckets that there may be.
    static let indices = index(of: range.lowerBound)...index(of: range.upperBound)

    private(set) var count = 0
    private(set) var minimum = Double.infinity
    private(set) var maximum = -Double.infinity
    private(set) var zeros = 0
    /// The counts of buckets from ``first`` on; only as many as there is something between. The bucket `index` has values above `growth` to the power of `index - 1`, up to
    /// `growth` to the power of `index`.
    private(set) var buckets: [Int] = []
    private(set) var first = 0

    init() {}

    /// The sketch that has these counts.
    ///
    /// - Parameter counts: those of the buckets from `first` on, all of them among ``indices``.
    init(zeros: Int, first: Int, counts: [Int], minimum: Double, maximum: Double) {
        self.zeros = zeros
        self.minimum = minimum
        self.maximum = maximum
        count = zeros
        // Only buckets with something in them: the same values make the same sketch.
        for (place, count) in counts.enumerated() where count > 0 {
            self.count += count
            add(count, to: first + place)
        }
    }

    /// - Parameter value: 0 or more; negative numbers and NaN count as 0.
    mutating func insert(_ value: Double) {
        let value = value > 0 ? min(value, Self.range.upperBound) : 0
        count += 1
        minimum = min(minimum, value)
        maximum = max(maximum, value)
        if value < Self.range.lowerBound { zeros += 1 } else { add(1, to: Self.index(of: value)) }
    }

    private static func index(of value: Double) -> Int { Int((log2(value) * bucketsPerDoubling).rounded(.up)) }

    /// Adds all values of another sketch.
    mutating func merge(_ other: QuantileSketch) {
        count += other.count
        zeros += other.zeros
        minimum = min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
        // Only buckets with something in them: empty ones would make this sketch wider.
        for (index, count) in other.buckets.enumerated() where count > 0 { add(count, to: other.first + index) }
    }

    private mutating func add(_ count: Int, to bucket: Int) {
        if buckets.isEmpty {
            first = bucket
            buckets = [count]
            return
        }
        // Buckets are one piece: there is room for the new one, and for those between.
        if bucket < first {
            buckets.insert(contentsOf: repeatElement(0, count: first - bucket), at: 0)
            first = bucket
        }
        if bucket >= first + buckets.count {
            buckets.append(contentsOf: repeatElement(0, count: bucket - first - buckets.count + 1))
        }
        buckets[bucket - first] += count
    }

    /// The value that is at least as large as `percent` of a hundred values, within ``relativeError``: the
    /// nearest rank, as ``SortedSample/nearestRank(_:)`` has it.
    ///
    /// - Returns: nil without values.
    func percentile(_ percent: Double) -> Double? {
        guard count > 0 else { return nil }
        // Zeros have no bucket, and come before all others.
        var left = Double(SortedSample.rank(percent, of: count) - zeros)
        if left <= 0 { return minimum }
        for (index, count) in buckets.enumerated() {
            left -= Double(count)
            guard left <= 0 else { continue }
            // As far, relatively, from the lower end of the bucket as from the upper one.
            let value = 2 * pow(Self.growth, Double(first + index)) / (Self.growth + 1)
            // Never beyond a value that was there.
            return min(max(value, minimum), maximum)
        }
        return maximum
    }
}
