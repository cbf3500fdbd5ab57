import Sequencer

/// What became of a scenario from one bench to another.
struct BenchComparison: Sendable {
    enum Verdict: String, CaseIterable, Sendable {
        /// It is faster by more than the threshold.
        case improved
        /// It is neither faster nor slower by more than the threshold.
        case same
        /// It is slower by more than the threshold.
        case regression
        /// There is too little to say.
        case inconclusive
    }

    /// An operation whose own time changed. Operations overlap: these changes do not add up to the launch's.
    struct OperationChange: Equatable, Sendable {
        let id: String
        /// The medians, in nanoseconds; nil where it never started.
        let before: Double?
        let after: Double?
        /// How probable such a difference is without a change; nil where there is nothing to compare, and in virtual time.
        let p: Double?
        /// Whether it was on the critical path of most runs, before or after.
        let isCritical: Bool

        var difference: Double { (after ?? 0) - (before ?? 0) }
    }

    /// Below this, a difference is taken for one that chance does not explain.
    static let significance = 0.01
    /// Of so many operations it is found out, at the most, whether they changed.
    private static let attributionLimit = 50

    let before: BenchSummary
    let after: BenchSummary
    /// Of the medians, as a share of the first; nil when a side has no completed run, or took no time.
    let change: Double?
    /// Contains the true change in 95 of 100 cases; nil in virtual time, in which there is no chance.
    let interval: BootstrapInterval?
    let test: MannWhitney?
    let threshold: Double
    let verdict: Verdict
    /// Largest difference first, those on the critical path before the others.
    let operations: [OperationChange]

    /// - Parameters:
    ///   - clock: the one of both benches. In virtual time every run is the same, and the medians alone decide.
    ///   - threshold: the least change that counts, as a share.
    init(_ before: BenchedScenario, _ after: BenchedScenario, clock: ClockMode, threshold: Double) {
        self.before = BenchSummary(before)
        self.after = BenchSummary(after)
        self.threshold = threshold
        operations = Self.changes(self.before, self.after, clock: clock)
        guard let first = self.before.sample, let second = self.after.sample, first.minimum > 0 else {
            (change, interval, test, verdict) = (nil, nil, nil, .inconclusive)
            return
        }
        let change = second.median / first.median - 1
        self.change = change
        guard clock == .wall else {
            (interval, test) = (nil, nil)
            verdict = change > threshold ? .regression : change < -threshold ? .improved : .same
            return
        }
        interval = BootstrapInterval.change(from: first, to: second)
        test = MannWhitney(first.values, second.values)
        verdict = Self.verdict(interval, test, threshold)
    }

    /// A change counts when even the cautious end of its interval is beyond the threshold, and chance does not explain it. It is none when
    /// the whole interval is within the threshold.
    private static func verdict(_ interval: BootstrapInterval?, _ test: MannWhitney?, _ threshold: Double) -> Verdict {
        guard let interval, let test else { return .inconclusive }
        if test.p < significance {
            if interval.lower > threshold { return .regression }
            if interval.upper < -threshold { return .improved }
        }
        return interval.lower >= -threshold && interval.upper <= threshold ? .same : .inconclusive
    }

    private static func changes(_ before: BenchSummary, _ after: BenchSummary, clock: ClockMode) -> [OperationChange] {
        let first = Dictionary(before.operations.map { ($0.id, $0) }) { first, _ in first }
        let second = Dictionary(after.operations.map { ($0.id, $0) }) { first, _ in first }
        let medians = Set(first.keys).union(second.keys).map { id in
            OperationChange(
                id: id,
                before: first[id]?.sample.median,
                after: second[id]?.sample.median,
                p: nil,
                isCritical: first[id]?.isCritical == true || second[id]?.isCritical == true
            )
        }
        let changed = medians.filter { $0.difference != 0 }.sorted { left, right in
            if left.isCritical != right.isCritical { return left.isCritical }
            let (first, second) = (abs(left.difference), abs(right.difference))
            return first != second ? first > second : left.id < right.id
        }
        return changed.prefix(attributionLimit).compactMap { change in
            guard clock == .wall, let first = first[change.id], let second = second[change.id] else { return change }
            guard let test = MannWhitney(first.sample.values, second.sample.values), test.p < significance else { return nil }
            return OperationChange(id: change.id, before: change.before, after: change.after, p: test.p, isCritical: change.isCritical)
        }
    }
}

extension BenchDocument {
    /// The scenarios that two benches have in common; when each has only one, these two whatever their names.
    func pairs(with other: BenchDocument) -> [(BenchedScenario, BenchedScenario)] {
        if scenarios.count == 1, other.scenarios.count == 1 { return [(scenarios[0], other.scenarios[0])] }
        return sameNames(as: other)
    }

    /// The scenarios that have the same name in both.
    func sameNames(as other: BenchDocument) -> [(BenchedScenario, BenchedScenario)] {
        scenarios.compactMap { scenario in other.scenarios.first { $0.name == scenario.name }.map { (scenario, $0) } }
    }
}
