import Sequencer
import SequencerAnalysis

/// The figures of a scenario, computed from its runs. Times are in nanoseconds.
struct BenchSummary: Sendable {
    struct Operation: Equatable, Sendable {
        let id: String
        /// Its durations in the completed runs that started it.
        let sample: SortedSample
        let isCritical: Bool
    }

    let scenario: BenchedScenario
    /// The measured times of the runs that completed with their milestone; nil when none did. Others end too early or
    /// too late to tell how long a launch takes.
    let sample: SortedSample?
    /// Of the median; nil with too few runs.
    let interval: ClosedRange<Double>?
    /// See ``driftRatio(of:)``; 1 where the runs became neither longer nor shorter in the course of the bench.
    let drift: Double
    /// The times to the initial display, in the same runs; nil for a scenario without one.
    let initialDisplay: SortedSample?
    /// From the start of the program to its exit, in the same runs; nil where no program was measured.
    let process: SortedSample?
    /// The part of its time in which the launch computes; nil where runs do not say, and in virtual time.
    let processorShare: Double?
    /// The operations that started in a completed run, the longest median first.
    let operations: [Operation]

    init(_ scenario: BenchedScenario) {
        self.scenario = scenario
        // A launch that failed or was cancelled ended early: its time does not tell how long a launch takes.
        let completed = scenario.runs.filter { $0.outcome == .completed }
        let times = scenario.runs.filter(\.hasTime).map { Double($0.measured.nanoseconds) }
        sample = SortedSample(times)
        interval = sample?.interval
        // In the order of the runs: sorted, they would always rise.
        drift = driftRatio(of: times)
        initialDisplay = SortedSample(completed.compactMap(\.initialDisplay).map { Double($0.nanoseconds) })
        process = SortedSample(completed.compactMap(\.process).map { Double($0.nanoseconds) })
        let shares = completed.compactMap(\.processorShare)
        processorShare = shares.count < completed.count ? nil : SortedSample(shares)?.median
        // Sorted by the median; of two equal ones the identifier decides, so that two reports of one bench list the
        // same order.
        operations = scenario.operations.compactMap { operation in
            SortedSample(scenario.times(of: operation)).map {
                // In most of all runs, the failed ones included: half of a few completed runs would be chance.
                Operation(id: operation.id, sample: $0, isCritical: operation.criticalRuns * 2 > scenario.runs.count)
            }
        }.sorted { ($0.sample.median, $1.id) > ($1.sample.median, $0.id) }
    }

    /// The times of the operations, by their identifiers.
    var samples: [String: SortedSample] { Dictionary(operations.map { ($0.id, $0.sample) }) { first, _ in first } }

    /// Whether the median of the launch or of the initial display is over its budget, or most of the completed runs
    /// missed one: a milestone or a display that never came has no time. A program may have missed its own budget,
    /// which is not the one of this bench.
    var isOverBudget: Bool {
        let completed = scenario.runs.filter { $0.outcome == .completed }
        if completed.count(where: { !$0.isMet && $0.process == nil }) * 2 > completed.count { return true }
        if let sample, sample.median > Double(scenario.budget.nanoseconds) { return true }
        guard let limit = scenario.initialDisplayBudget, let initialDisplay else { return false }
        return initialDisplay.median > Double(limit.nanoseconds)
    }

    var misses: Int { scenario.runs.count { !$0.isMet } }

    var missedMilestones: Int { scenario.runs.count(where: \.missedMilestone) }

    /// `3 of 10 did not reach their milestone`; nil where all did.
    var missedMilestonesText: String? {
        missedMilestones == 0 ? nil : "\(missedMilestones) of \(scenario.runs.count) did not reach their milestone"
    }

    /// The rate of misses that the true one is below with 95% confidence.
    ///
    /// - Returns: nil where no run has completed: no budget was measured.
    var missBound: Double? { count(of: .completed) == 0 ? nil : rateBound(misses: misses, trials: scenario.runs.count) }

    func count(of outcome: LaunchOutcome) -> Int { scenario.runs.count { $0.outcome == outcome } }

    /// How many runs ended in each way, without those that none ended in.
    var outcomes: [(outcome: LaunchOutcome, count: Int)] {
        LaunchOutcome.allCases.map { ($0, count(of: $0)) }.filter { $0.1 > 0 }
    }
}

extension BenchedScenario {
    /// How its operations ended, which an older bench does not say, or not in full.
    fileprivate var ends: LaunchEnds {
        let known = operations.compactMap { operation in operation.outcomes.map { (id: operation.id, outcomes: $0) } }
        return LaunchEnds(
            runs: runs.count,
            completed: runs.count { $0.outcome == .completed },
            milestone: milestone,
            outcomes: hasDetails && known.count == operations.count ? known : nil,
            unknown: unknown
        )
    }

    /// Its unknown times.
    var unknownTimes: UnknownTimes {
        let needed = needs(of: milestone, operations.map { ($0.id, $0.dependencies ?? []) })
        let taken = operations.lazy.filter { needed.contains($0.id) }.flatMap(\.durations)
        return UnknownTimes(operations: unknown, tellNothing: !unknown.isEmpty && taken.allSatisfy { ($0 ?? .zero) == .zero })
    }

    /// The operations that did not always succeed, or not always in time: `config: 9 succeeded, 1 failed`.
    var trouble: [String] {
        operations.compactMap { operation in
            operation.outcomes.flatMap {
                $0[.succeeded] < $0.total || $0.deferrals > 0 ? "\(printable(operation.id, limit: 60)): \($0)" : nil
            }
        }
    }

    /// The durations of the operation in the completed runs that started it, in nanoseconds, in the order of the runs.
    fileprivate func times(of operation: BenchedOperation) -> [Double] {
        zip(runs, operation.durations).compactMap { run, duration in
            run.outcome == .completed ? duration.map { Double($0.nanoseconds) } : nil
        }
    }
}

/// The change of a scenario from one bench to another.
struct BenchComparison: Sendable {
    let before: BenchSummary
    let after: BenchSummary
    let times: SampleChange
    /// The least change that counts, as a share.
    let threshold: Double
    /// The least change that was to count: less than ``threshold`` where the benches were taken apart.
    let askedThreshold: Double
    /// Nil when the runs were made in turns.
    let gap: BenchGap?
    let verdict: ChangeVerdict
    /// The operations and milestones of the launches whose ends have changed.
    let ends: EndsChange
    /// How much the runs of either side drifted while they were made: so may the machine have done in the time between
    /// the two. It counts where the benches were taken apart.
    let drift: Double
    /// The part of its time in which the launch of either side computes; nil where one does not say.
    let processorShare: Double?
    /// The operations that have changed beyond doubt: largest difference first, those on the critical path before the
    /// others.
    let operations: [OperationChange]
    /// Nil where the same operations made the launch as long as it was, and where the benches do not say.
    let criticalPathMove: CriticalPathMove?

    /// - Parameters:
    ///   - clock: the one of both benches. In virtual time, where every run is the same, the medians alone decide.
    ///   - threshold: the least change that counts, as a share.
    ///   - gap: what lies between the two; nil when they were taken at the same time.
    ///   - inTurns: whether each run of the one was followed by one of the other. Then the runs are compared in pairs.
    init(
        _ before: BenchedScenario,
        _ after: BenchedScenario,
        clock: ClockMode,
        threshold askedThreshold: Double,
        gap: BenchGap? = nil,
        inTurns: Bool = false
    ) {
        (self.before, self.after) = (BenchSummary(before), BenchSummary(after))
        (self.askedThreshold, self.gap) = (askedThreshold, gap)
        // Taken in turns, what the machine does happens to both sides alike: no allowance.
        drift = max(self.before.drift, self.after.drift)
        let shares = [self.before, self.after].compactMap(\.processorShare)
        processorShare = shares.count < 2 ? nil : shares.max()
        // Of a launch that does not say what it does, all of it may be computing.
        let (drift, share) = (drift, processorShare ?? 1)
        func allowed(_ asked: Double) -> Double { gap?.threshold(asked, share: share, drift: drift) ?? asked }
        threshold = allowed(askedThreshold)
        if inTurns, clock == .wall {
            var pairs = PairedComparison()
            for (first, second) in zip(before.runs, after.runs) { pairs.add(first, second) }
            times = SampleChange(pairs, threshold: askedThreshold)
        } else {
            times = SampleChange(
                from: self.before.sample,
                to: self.after.sample,
                isVirtual: clock == .virtual,
                threshold: threshold,
                same: askedThreshold
            )
        }
        // Separate from the verdict: an operation may change beyond doubt while the launch stays the same.
        let blame = OperationBlame(self.before, self.after, clock: clock, allowance: allowed(0), inTurns: inTurns)
        (operations, criticalPathMove) = (blame.changes, blame.criticalPathMove)
        ends = EndsChange(from: before.ends, to: after.ends)
        verdict = ends.verdict(times.verdict)
    }

    /// The part of the launch's change that an operation accounts for; nil where either is not beyond doubt.
    func share(of operation: OperationChange) -> Double? {
        guard times.verdict == .regression || times.verdict == .improved else { return nil }
        guard let first = before.sample?.median, let last = after.sample?.median, first != last else { return nil }
        return operation.accountsFor.map { $0 / (last - first) }
    }

    /// The medians of the times to the initial display, in nanoseconds; nil where a side has none. They have no part in
    /// the verdict.
    var initialDisplays: (before: Double, after: Double)? {
        guard let before = before.initialDisplay, let after = after.initialDisplay else { return nil }
        return (before.median, after.median)
    }
}

extension PairedComparison {
    /// The times of an operation in runs that were made in turns.
    init(of id: String, _ before: BenchedScenario, _ after: BenchedScenario) {
        self.init()
        func times(_ scenario: BenchedScenario) -> [Duration?] {
            zip(scenario.runs, scenario.operations.first { $0.id == id }?.durations ?? []).map { $0.hasTime ? $1 : nil }
        }
        for case (let first?, let second?) in zip(times(before), times(after)) {
            add(before: Double(first.nanoseconds), after: Double(second.nanoseconds))
        }
    }

    /// Adds two runs that were made in turns, if both have a time.
    mutating func add(_ before: BenchRun, _ after: BenchRun) {
        guard before.hasTime, after.hasTime else { return }
        add(before: Double(before.measured.nanoseconds), after: Double(after.measured.nanoseconds))
    }
}

extension BenchDocument {
    /// The scenarios that two benches have in common; when each has only one, these two, even if their names differ.
    func pairs(with other: BenchDocument) -> [(BenchedScenario, BenchedScenario)] {
        // With one on each side nothing else can be meant: a scenario may have been renamed.
        if scenarios.count == 1, other.scenarios.count == 1 { return [(scenarios[0], other.scenarios[0])] }
        return sameNames(as: other)
    }

    /// The names of all scenarios but these.
    func names(besides known: [BenchedScenario]) -> [String] {
        let known = Set(known.map(\.name))
        return scenarios.map(\.name).filter { !known.contains($0) }
    }

    /// The scenarios that have the same name in both.
    ///
    /// - Complexity: O(scenarios).
    func sameNames(as other: BenchDocument) -> [(BenchedScenario, BenchedScenario)] {
        // Names are unique, which the reader checks; the dictionary must not trap on a document that was made in
        // memory.
        let others = Dictionary(other.scenarios.map { ($0.name, $0) }) { first, _ in first }
        return scenarios.compactMap { scenario in others[scenario.name].map { (scenario, $0) } }
    }
}
