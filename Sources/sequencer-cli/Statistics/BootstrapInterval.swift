import Sequencer

/// An interval that contains the true value in 95 of 100 cases, found by measuring the measurements again: the percentile bootstrap of Efron,
/// "Bootstrap Methods: Another Look at the Jackknife", The Annals of Statistics 7 (1979).
///
/// The same measurements always give the same interval. Below about ten measurements it is narrower than it ought to be.
struct BootstrapInterval: Equatable, Sendable {
    var lower: Double
    var upper: Double

    private static let seed: UInt64 = 0x5EED_0001

    /// Of the median.
    static func median(of sample: SortedSample) -> BootstrapInterval {
        var resampling = Resampling(sample, seed: seed)
        return percentiles((0..<resamples(sample.count)).map { _ in resampling.median() })
    }

    /// Of the change of the median from one sample to another as a share of the first: 0.05 is 5% more.
    ///
    /// - Returns: nil when a median of the first sample is 0, which nothing is a share of.
    static func change(from first: SortedSample, to second: SortedSample) -> BootstrapInterval? {
        guard first.minimum > 0 else { return nil }
        var before = Resampling(first, seed: seed)
        var after = Resampling(second, seed: seed ^ .max)
        return percentiles((0..<resamples(first.count + second.count)).map { _ in after.median() / before.median() - 1 })
    }

    /// Enough for a steady second digit; fewer for many measurements, whose intervals are narrow.
    private static func resamples(_ count: Int) -> Int {
        min(10_000, max(1_000, 2_000_000 / count))
    }

    private static func percentiles(_ values: [Double]) -> BootstrapInterval {
        guard let sample = SortedSample(values) else { return BootstrapInterval(lower: 0, upper: 0) }
        return BootstrapInterval(lower: sample.percentile(2.5), upper: sample.percentile(97.5))
    }
}

/// Draws as many measurements as there are, each any number of times.
private struct Resampling {
    private let sample: SortedSample
    private var random: SplitMix64
    private var times: [Int]

    init(_ sample: SortedSample, seed: UInt64) {
        self.sample = sample
        random = SplitMix64(seed: seed)
        times = Array(repeating: 0, count: sample.count)
    }

    /// The median of one draw. The sample is sorted, so counting replaces sorting.
    mutating func median() -> Double {
        let count = sample.count
        for index in times.indices { times[index] = 0 }
        for _ in 0..<count { times[random.index(below: count)] += 1 }
        let upper = value(at: count / 2)
        return count.isMultiple(of: 2) ? (value(at: count / 2 - 1) + upper) / 2 : upper
    }

    private func value(at rank: Int) -> Double {
        var left = rank
        for (index, times) in times.enumerated() {
            left -= times
            if left < 0 { return sample.values[index] }
        }
        return sample.maximum
    }
}
