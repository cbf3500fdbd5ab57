/// The verdict on a change.
public enum ChangeVerdict: String, CaseIterable, Sendable, Hashable {
    /// The launch is faster: by more than the threshold, or, measured in turns, beyond doubt.
    case improved
    /// It is neither faster nor slower by more than the threshold.
    case same
    /// It is slower: by more than the threshold, or, measured in turns, beyond doubt.
    case regression
    /// There is too little to say.
    case inconclusive
    /// Operations end otherwise than before: they fail, fall back, are skipped or put off past the milestone, or no
    /// longer are. The times are of different work.
    case changed
}

/// The change from one sample to another: what `compare` and ``LaunchBench`` say of two launches.
package struct SampleChange: Sendable {
    /// Below this, a difference is taken for one that chance does not explain.
    package static let significance = 0.01
    /// A change that is beyond the threshold by less is equal to it: 1.05 - 1 is not 0.05 to the last digit.
    private static let tolerance = 1e-9

    /// Of the medians, as a share of the first, or the median of pairs; nil when a sample is missing, or the first took no
    /// time.
    package private(set) var change: Double?
    /// Contains the true change in 95 of 100 cases, of pairs in 99; nil with too few measurements, and in virtual time
    /// where every run is the same.
    package private(set) var interval: ClosedRange<Double>?
    package private(set) var test: MannWhitney?
    /// The measurements, where they were made in turns.
    package private(set) var pairs: PairedComparison?
    /// How probable such a difference is without a change; nil where ``interval`` is, and without a test.
    package private(set) var p: Double?
    package private(set) var verdict = ChangeVerdict.inconclusive
    /// The number of measurements that each side needs for a verdict; nil where both have as many, or one has none.
    package private(set) var runsNeeded: Int?

    /// - Parameters:
    ///   - isVirtual: whether the samples were taken in virtual time. If every run of a side is the same there, the
    ///       medians alone decide.
    ///   - threshold: the least change that counts, as a share.
    ///   - same: the threshold that was asked for, where an allowance makes `threshold` a larger one; see
    ///       ``verdict(_:p:threshold:same:)``.
    package init(
        from first: SortedSample?,
        to second: SortedSample?,
        isVirtual: Bool,
        threshold: Double,
        same: Double? = nil
    ) {
        // Nothing can be a share of 0.
        guard let first, let second, first.minimum > 0 else { return }
        let change = second.median / first.median - 1
        self.change = change
        // Runs may differ in virtual time, too: by the pauses between attempts, or by the app's own chance.
        let isAlwaysSame = isVirtual && first.minimum == first.maximum && second.minimum == second.maximum
        let least = Self.leastRuns(isAlwaysSame: isAlwaysSame)
        guard min(first.count, second.count) >= least else {
            runsNeeded = least
            return
        }
        if isAlwaysSame {
            verdict = Self.verdict(change...change, p: 0, threshold: threshold, same: threshold)
            return
        }
        let test = first.mannWhitney(second)
        (interval, self.test, p) = (first.intervalOfChange(to: second), test, test.p)
        if let interval { verdict = Self.verdict(interval, p: test.p, threshold: threshold, same: same ?? threshold) }
    }

    /// The change within pairs of launches that were made in turns.
    package init(_ pairs: PairedComparison, threshold: Double) {
        (self.pairs, change, interval) = (pairs, pairs.change, pairs.interval)
        verdict = pairs.verdict(threshold: threshold)
        if pairs.count == 0 { return }
        p = pairs.p
        if pairs.count < PairedComparison.leastPairs { runsNeeded = PairedComparison.leastPairs }
    }

    /// A change counts when even the cautious end of its interval is beyond the threshold, and chance does not explain
    /// it. The two are the same when the whole interval is within `same`.
    ///
    /// - Parameter same: the threshold that was asked for; a change between that and a larger `threshold` may be the
    ///     machine's alone.
    static func verdict(_ interval: ClosedRange<Double>, p: Double, threshold: Double, same: Double) -> ChangeVerdict {
        let limit = threshold + tolerance
        if p < significance {
            if interval.lowerBound > limit { return .regression }
            if interval.upperBound < -limit { return .improved }
        }
        return interval.lowerBound >= -same - tolerance && interval.upperBound <= same + tolerance ? .same : .inconclusive
    }

    /// The fewest runs of either side for a verdict. Where nothing is left to chance, the second run shows that.
    ///
    /// - Parameter isAlwaysSame: whether the runs are in virtual time, where each is the same.
    package static func leastRuns(isAlwaysSame: Bool) -> Int {
        // This many on either side are enough for a p below `significance`, too: two of 924 ways to divide twelve keep
        // the sides apart.
        isAlwaysSame ? 2 : SortedSample.leastForInterval
    }
}
