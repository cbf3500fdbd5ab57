import Foundation
import Sequencer

/// Measures launches of a graph that is written in Swift: how long they take, and whether they have become slower.
///
/// ```swift
/// let result = try await LaunchBench {
///     appLaunch()
/// } baseline: {
///     appLaunchOfTheLastRelease()
/// }.run()
/// print(result)
/// if [.regression, .changed].contains(result.verdict) { exit(4) }
/// ```
///
/// The runs of the two take turns, so that what slows the machine for a while slows both. In real time they do so until
/// it is sure which one is slower, or that neither is by more than the threshold. The statistics are those of
/// `sequencer-cli bench`; `compare` reads what ``MeasuredLaunches/save(to:)`` writes.
public struct LaunchBench: Sendable {
    /// Nil for as many as it takes.
    private let runs: Int?
    private let atMost: Int
    private let warmups: Int
    private let budget: Budget?
    private var options: LaunchOptions
    private let threshold: Double
    private let graph: @Sendable () async throws -> OperationGraph
    private let baseline: (@Sendable () async throws -> OperationGraph)?

    /// A bench.
    ///
    /// - Parameters:
    ///   - runs: how many runs to measure: 1 or more. Nil for 10; with a baseline in real time, for as many as it takes to
    ///       be sure.
    ///   - atMost: the most runs of each that are measured then: about 20 find a change of 3%.
    ///   - warmups: how many runs come before them, and are not measured.
    ///   - budget: the budget of each launch; nil for none.
    ///   - options: how each launch is run. In virtual time all runs are the same.
    ///   - threshold: the least change that counts, as a share: 0.05 is 5%. In real time any change counts that is sure,
    ///       and the threshold is for ``ChangeVerdict/same``.
    ///   - graph: makes the graph, anew for each run. The time for this is not measured.
    ///   - baseline: makes the graph to compare with.
    public init(
        runs: Int? = nil,
        atMost: Int = 200,
        warmups: Int = 1,
        budget: Budget? = nil,
        options: LaunchOptions = LaunchOptions(),
        threshold: Double = 0.05,
        graph: @escaping @Sendable () async throws -> OperationGraph,
        baseline: (@Sendable () async throws -> OperationGraph)? = nil
    ) {
        // Numbers out of range count as the nearest: nothing but a graph makes a bench fail.
        (self.runs, self.atMost, self.warmups) = (runs.map { max($0, 1) }, max(atMost, 1), max(warmups, 0))
        (self.budget, self.threshold) = (budget, threshold.isFinite ? max(threshold, 0) : 0.05)
        (self.graph, self.baseline) = (graph, baseline)
        self.options = options
        // Other launches of the app do not wait for those of a bench.
        self.options.admission = options.admission ?? .unlimited
    }

    /// Runs all launches, one at a time.
    ///
    /// - Returns: the reports and their times. Launches that did not complete are among the reports, and have no part
    ///     in the times.
    /// - Throws: a `GraphError` when a graph is not valid, what the making of a graph throws, and a `CancellationError`
    ///     in a cancelled task.
    public func run() async throws -> LaunchBenchResult {
        var (launches, others, turns) = ([LaunchReport](), [LaunchReport](), PairedComparison.turns())
        var pairs = baseline == nil || options.isVirtual ? nil : PairedComparison()
        for round in 0..<warmups + (runs ?? (pairs == nil ? 10 : atMost)) {
            // The second one finds warm caches: chance decides which one that is.
            for isBaseline in turns.index(below: 2) == 0 ? [true, false] : [false, true] {
                guard let graph = isBaseline ? baseline : self.graph else { continue }
                try Task.checkCancellation()
                let report = try await graph().run(budget: budget, options: options).report
                if round < warmups { continue }
                if isBaseline { others.append(report) } else { launches.append(report) }
            }
            if let before = others.last?.counted, let after = launches.last?.counted {
                pairs?.add(before: before, after: after)
            }
            guard runs == nil, let pairs, round >= warmups else { continue }
            if pairs.isDecided(threshold: threshold, after: launches.count) { break }
        }
        let launched = MeasuredLaunches(reports: launches)
        guard baseline != nil else { return LaunchBenchResult(launched) }
        let compared = MeasuredLaunches(reports: others)
        let change =
            pairs.map { SampleChange($0, threshold: threshold) }
            ?? SampleChange(from: compared.sample, to: launched.sample, isVirtual: options.isVirtual, threshold: threshold)
        return LaunchBenchResult(launched, baseline: compared, change)
    }
}

extension LaunchReport {
    /// The time that counts, in nanoseconds. A launch that failed or was stopped, or whose milestone failed, is short for
    /// that reason alone, and has none.
    fileprivate var counted: Double? {
        outcome == .completed && missedMilestone == nil ? Double(budget.measured.nanoseconds) : nil
    }
}

/// The runs of one graph.
public struct MeasuredLaunches: Sendable {
    /// The report of each run, in their order.
    public let reports: [LaunchReport]
    let sample: SortedSample?
    let ends: LaunchEnds

    init(reports: [LaunchReport]) {
        self.reports = reports
        sample = SortedSample(reports.compactMap(\.counted))
        var (ids, counts) = ([String](), [String: OutcomeCounts]())
        for operation in reports.lazy.flatMap(\.operations) {
            if counts[operation.id] == nil { ids.append(operation.id) }
            counts[operation.id, default: OutcomeCounts()].add(operation)
        }
        ends = LaunchEnds(
            runs: reports.count,
            completed: reports.count { $0.outcome == .completed },
            milestone: reports.first?.milestone,
            outcomes: ids.map { ($0, counts[$0] ?? OutcomeCounts()) },
            unknown: Set(reports.lazy.flatMap(\.unknownTimes.operations)).sorted()
        )
    }

    /// The median of the times that count, up to the milestone, of the runs that completed with their milestone; nil
    /// when none did.
    public var median: Duration? { (sample?.median).map { .nearest(nanoseconds: $0) } }

    /// The median of the distances from the median; nil when fewer than two runs completed.
    var medianAbsoluteDeviation: Duration? { sample?.medianAbsoluteDeviation.map { .nearest(nanoseconds: $0) } }

    /// Contains the true median in 95 of 100 cases; nil when fewer than six runs completed, which are too few to say.
    public var interval: ClosedRange<Duration>? {
        (sample?.interval).map { .nearest(nanoseconds: $0.lowerBound) ... .nearest(nanoseconds: $0.upperBound) }
    }

    /// How many runs did not meet the budget that they were given.
    var budgetMisses: Int { reports.count { !$0.isWithinBudgets } }

    /// Writes the reports into a file, one a line: `sequencer-cli compare` and `stats` read it.
    ///
    /// - Throws: what the system says where the file cannot be written.
    public func save(to file: URL) throws {
        let lines = reports.map { $0.json(pretty: false) + "\n" }
        // As a whole: an interrupted bench must not leave half of a baseline behind.
        try Data(lines.joined().utf8).write(to: file, options: .atomic)
    }
}

/// The result of a bench.
public struct LaunchBenchResult: Sendable {
    /// The runs of the graph.
    public let launches: MeasuredLaunches
    /// The runs of the baseline; nil without one.
    public let baseline: MeasuredLaunches?
    /// The verdict on the change from the baseline; nil without a baseline. With fewer than ten completed runs of
    /// either, in virtual time with fewer than two, it is ``ChangeVerdict/inconclusive``. If operations end in another
    /// way, it is ``ChangeVerdict/changed``, regardless of the times.
    public let verdict: ChangeVerdict?
    /// The change as a share of the baseline's time: 0.05 is 5% more. In real time it is the median of the changes from a
    /// run to the other one of its turn, in virtual time that of the medians. Nil without a baseline, and where no run of
    /// a side completed.
    public var change: Double? { sampleChange?.change }
    /// Contains the true change in 99 of 100 cases; nil in virtual time, with too few runs, and when `change` is nil.
    var changeInterval: ClosedRange<Double>? { sampleChange?.interval }
    private let sampleChange: SampleChange?
    private let ends: EndsChange?

    init(_ launches: MeasuredLaunches, baseline: MeasuredLaunches? = nil, _ change: SampleChange? = nil) {
        (self.launches, self.baseline, sampleChange) = (launches, baseline, change)
        let ends = baseline.map { EndsChange(from: $0.ends, to: launches.ends, isSimulated: false) }
        self.ends = ends
        verdict = change.flatMap { ends?.verdict($0.verdict) }
    }
}

extension MeasuredLaunches: CustomStringConvertible {
    /// The result in a line: `launch: 1.33 s (1.32 s to 1.34 s), MAD 3 ms, 30 runs, 0 over budget`.
    public var description: String {
        let name = printable(reports.first?.scenario ?? "", limit: 80)
        let runs = "\(reports.count) run\(reports.count == 1 ? "" : "s")"
        let missed = reports.count { $0.missedMilestone != nil }
        let missedText = missed > 0 ? ", \(missed) of \(reports.count) did not reach their milestone" : ""
        guard let sample, let median else { return "\(name): \(runs)" + (missed > 0 ? missedText : ", none completed") }
        let deviation = medianAbsoluteDeviation.map { "MAD \(durationText($0)), " } ?? ""
        let range = interval.map { "\(durationText($0.lowerBound)) to \(durationText($0.upperBound))" } ?? "too few runs for an interval"
        let failures = reports.count - sample.count - missed
        return "\(name): \(durationText(median)) (\(range)), "
            + "\(deviation)\(runs), \(budgetMisses) over budget" + (failures > 0 ? ", \(failures) not completed" : "") + missedText
    }
}

extension LaunchBenchResult: CustomStringConvertible {
    /// A line for each graph, and one for the verdict: `regression: 6.1% slower (5.2% to 7%)`.
    public var description: String {
        guard let baseline, let verdict else { return "\(launches)" }
        let few = sampleChange?.runsNeeded.map { "too few runs, \($0) of each are needed" }
        // A step that is gone counts only where nothing else has changed, and only against an improvement.
        let told = (ends?.outcomes ?? []).filter { $0.counts || $0.isGone && verdict == .changed }.sorted { !$0.isGone && $1.isGone }
        let outcome = verdict == .regression ? nil : (told.first(where: \.isCertain) ?? told.first)?.text()
        let missed = ends?.missedMilestone.map { "milestone \(printable($0.id, limit: 60)): \($0.outcomes)" }
        let grounds =
            verdict == .changed
            ? ends?.milestonesText() ?? outcome
            : few ?? missed ?? (verdict == .inconclusive ? ends?.unknownText : nil) ?? outcome ?? change.map(text)
        return "\(launches)\nbefore: \(baseline)\n\(verdict)" + (grounds.map { ": \($0)" } ?? "")
    }

    private func text(_ change: Double) -> String {
        let interval = changeInterval.map { " (\(percent($0.lowerBound)) to \(percent($0.upperBound)))" } ?? ""
        return "\(percent(abs(change))) \(change < 0 ? "faster" : "slower")\(interval)"
    }

    private func percent(_ share: Double) -> String { "\((share * 1_000).rounded() / 10)%" }
}
