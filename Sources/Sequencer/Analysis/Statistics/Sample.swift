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
    package func percentile(_ percent: Double) -> Double {
        let rank = min(max(percent, 0), 100) / 100 * Double(values.count - 1)
        let lower = min(Int(rank), values.count - 1)
        let upper = min(lower + 1, values.count - 1)
        return values[lower] + (values[upper] - values[lower]) * (rank - Double(lower))
    }

    /// The smallest measurement that `percent` of a hundred do not exceed: the nearest rank, which is how the tool
    /// defines the percentiles that it shows, in `bench` as in `stats`. Type 1 of Hyndman and Fan. Nil where there are
    /// too few measurements for it.
    package func nearestRank(_ percent: Double) -> Double? {
        guard Self.has(percentile: percent, of: count) else { return nil }
        return values[Self.rank(percent, of: count) - 1]
    }

    /// The rank of a percentile among `count` values, 1 to `count`.
    package static func rank(_ percent: Double, of count: Int) -> Int {
        Int(min(max((percent / 100 * Double(count)).rounded(.up), 1), Double(count)))
    }

    /// The median of the distances from the median: how far a typical measurement is off. Not scaled to a standard
    /// deviation. Nil of a single one, which is not off by anything.
    package var medianAbsoluteDeviation: Double? {
        count > 1 ? SortedSample(values.map { abs($0 - median) })?.median : nil
    }

    /// The median of as many measurements as there are, each drawn any number of times.
    fileprivate func resampledMedian(_ random: inout SplitMix64) -> Double {
        // The measurements are sorted, so those at sorted places are.
        let places = values.indices.map { _ in random.index(below: count) }.sorted()
        return (values[places[(count - 1) / 2]] + values[places[count / 2]]) / 2
    }
}

extension SortedSample {
    /// The fewest measurements that have an interval of their median: between the least and the largest of five, the
    /// true median lies in 15 of 16 cases, which are not 95 of 100.
    package static let leastForInterval = 6

    /// Whether so many measurements have this percentile: one of them at least must lie above it, or it is the maximum
    /// by another name.
    package static func has(percentile percent: Double, of count: Int) -> Bool { Double(count) * (100 - percent) >= 100 }
}

/// How far measurements are off, in units that make 3.5 the limit: the modified z-score of Iglewicz and Hoaglin, "How
/// to Detect and Handle Outliers", ASQC Basic References in Quality Control 16 (1993).
package struct OutlierRule: Equatable, Sendable {
    /// The limit that the authors recommend.
    package static let limit = 3.5

    private let median: Double
    /// One unit; 0 when all measurements are the same.
    private let unit: Double

    package init(_ sample: SortedSample) {
        let (median, deviation) = (sample.median, sample.medianAbsoluteDeviation ?? 0)
        let distances = sample.values.reduce(0) { $0 + abs($1 - median) }
        self.median = median
        // The 0.75 quantile of the normal distribution makes the unit agree with a standard deviation. Where more than
        // half of the measurements are the same, the mean distance, scaled likewise, stands in, or else every other
        // value would be an outlier, however near.
        unit = deviation > 0 ? deviation / 0.6745 : distances / Double(sample.count) * 1.253314
    }

    package func score(_ value: Double) -> Double { unit > 0 ? (value - median) / unit : 0 }

    package func isOutlier(_ value: Double) -> Bool { abs(score(value)) > Self.limit }
}

/// An interval that contains the true value in 95 of 100 cases, found by measuring the measurements again: the
/// percentile bootstrap of Efron, "Bootstrap Methods: Another Look at the Jackknife", The Annals of Statistics 7
/// (1979).
///
/// The same measurements always give the same interval. Below about ten measurements it is narrower than it ought to
/// be, and below ``SortedSample/leastForInterval`` there is none.
package struct BootstrapInterval: Equatable, Sendable {
    package var lower: Double
    package var upper: Double

    package init(lower: Double, upper: Double) { (self.lower, self.upper) = (lower, upper) }

    private static let seed: UInt64 = 0x5EED_0001

    /// Of the median; nil with too few measurements.
    package static func median(of sample: SortedSample) -> BootstrapInterval? {
        guard sample.count >= SortedSample.leastForInterval else { return nil }
        var random = SplitMix64(seed: seed)
        return interval(sample.count) { sample.resampledMedian(&random) }
    }

    /// Of the change of the median from one sample to another as a share of the first: 0.05 is 5% more.
    ///
    /// - Returns: nil with too few measurements, and when a median of the first sample is 0, which nothing is a share
    ///     of.
    package static func change(from first: SortedSample, to second: SortedSample) -> BootstrapInterval? {
        min(first.count, second.count) < SortedSample.leastForInterval ? nil : change(of: [(first, second)])
    }

    /// Of the changes of the medians of several parts, each with the weight of its measurements.
    ///
    /// - Returns: nil without a part, and when a median of a part's first sample is 0.
    package static func change(of parts: [(before: SortedSample, after: SortedSample)]) -> BootstrapInterval? {
        let count = parts.reduce(0) { sum, part in sum + part.before.count + part.after.count }
        guard count > 0, parts.allSatisfy({ $0.before.minimum > 0 }) else { return nil }
        // Other numbers for either side: the two samples are drawn independently.
        var before = parts.indices.map { SplitMix64(seed: seed &+ UInt64($0)) }
        var after = parts.indices.map { SplitMix64(seed: (seed &+ UInt64($0)) ^ .max) }
        return interval(count) {
            parts.enumerated().reduce(0.0) { sum, part in
                let change = part.1.after.resampledMedian(&after[part.0]) / part.1.before.resampledMedian(&before[part.0]) - 1
                return sum + change * Double(part.1.before.count + part.1.after.count) / Double(count)
            }
        }
    }

    private static func interval(_ count: Int, _ draw: () -> Double) -> BootstrapInterval? {
        // Enough for a steady second digit; fewer for many measurements, whose intervals are narrow.
        SortedSample((0..<min(10_000, max(1_000, 2_000_000 / count))).map { _ in draw() }).map {
            BootstrapInterval(lower: $0.percentile(2.5), upper: $0.percentile(97.5))
        }
    }
}

extension Duration {
    /// The duration of this many nanoseconds, rounded; 0 for NaN.
    package static func nearest(nanoseconds: Double) -> Duration {
        .nanoseconds(Int64(exactly: nanoseconds.rounded()) ?? (nanoseconds > 0 ? .max : 0))
    }
}
