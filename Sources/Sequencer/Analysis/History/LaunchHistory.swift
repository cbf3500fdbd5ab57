import Sequencer

/// How long operations took in past launches: the latest ones, a bounded number of each.
///
/// An operation's expected duration is the median of its kept ones, so that a single slow launch changes nothing. The
/// durations of operations that succeeded are kept, without the time in which they waited for the user with
/// `StepContext/waitForPerson(_:)`: the next user may be faster. The duration of an operation that was cut to keep
/// the budget is kept as a lower bound. Failed operations are left out.
///
/// ```swift
/// var history = LaunchHistory()
/// history.record(report)
/// graph.expect(history)
/// let plan = try await graph.plan(PlanOptions(lanes: 2))
/// ```
///
/// ``LaunchHistoryFile`` keeps one on disk; an app that keeps its own data can keep one among them, since it is
/// `Codable`.
public struct LaunchHistory: Sendable, Hashable, CustomStringConvertible {
    struct ScenarioDurations: Sendable, Hashable {
        var name: String
        /// The durations of each operation, the latest last.
        var operations: [String: [DurationSample]] = [:]
    }

    /// The most scenarios that are kept; the one that was recorded longest ago is forgotten first.
    static let maximumScenarios = 100

    /// The most durations that are kept of an operation, 1 to 1000.
    let maximumDurations: Int
    /// The one that was recorded last comes last.
    private(set) var recorded: [ScenarioDurations] = []

    /// An empty history.
    ///
    /// - Parameter maximumDurations: the most durations that are kept of an operation; a number outside 1 to 1000
    ///     counts as the nearest one inside.
    public init(maximumDurations: Int = 20) {
        self.maximumDurations = min(max(maximumDurations, 1), 1000)
    }

    init(maximumDurations: Int, scenarios: [ScenarioDurations]) {
        self.init(maximumDurations: maximumDurations)
        // A file may have a scenario twice.
        for scenario in scenarios { change(scenario.name) { $0 = scenario } }
    }

    /// Whether no launch was recorded.
    public var isEmpty: Bool { recorded.isEmpty }

    /// The durations that are kept of an operation, the latest last; one that was cut took longer than is said here.
    public func durations(of operation: String, in scenario: String) -> [Duration] {
        (operations(of: scenario)[operation] ?? []).map { .nanoseconds($0.nanoseconds) }
    }

    /// The expected duration of each operation of a scenario: the median of its kept durations.
    public func expectedDurations(in scenario: String) -> [String: Duration] {
        operations(of: scenario).compactMapValues(DurationSample.median).mapValues { .nanoseconds($0) }
    }

    /// Adds a launch: the durations of the operations that succeeded, and of those that were cut.
    ///
    /// Operations that are not in the report any more are forgotten.
    public mutating func record(_ report: LaunchReport) {
        // A report that was made at the milestone does not hold the operations that run on: they are listed apart.
        let known = Set(report.operations.map(\.id)).union(report.afterMilestone?.operations ?? [])
        change(report.scenario) { entry in
            entry.operations = entry.operations.filter { known.contains($0.key) }
            // Operations without work, which only join others, run on no lane and have no duration.
            for operation in report.operations where operation.start != nil && operation.place != nil {
                // The user's time says nothing about the next launch.
                let duration = operation.duration - operation.interactive
                if operation.isInteractive, duration == .zero { continue }
                // Without those that were cut, the expectation would sink with each cut (H2).
                guard operation.outcome == .succeeded || operation.isCut else { continue }
                entry.operations[operation.id, default: []].append(DurationSample(duration, isLowerBound: operation.isCut))
            }
        }
    }

    /// Adds durations of a launch, by operation.
    ///
    /// A negative duration counts as zero, and more than 24 hours as 24 hours.
    ///
    /// - Parameter bounds: how long operations took that were stopped before they had ended.
    public mutating func record(_ durations: [String: Duration], atLeast bounds: [String: Duration] = [:], in scenario: String) {
        change(scenario) { entry in
            for (id, duration) in durations { entry.operations[id, default: []].append(DurationSample(duration)) }
            for (id, duration) in bounds { entry.operations[id, default: []].append(DurationSample(duration, isLowerBound: true)) }
        }
    }

    /// Changes the durations of a scenario, which comes last then: the first one is forgotten next.
    private mutating func change(_ scenario: String, _ change: (inout ScenarioDurations) -> Void) {
        let place = recorded.firstIndex { $0.name == scenario }
        var entry = place.map { recorded.remove(at: $0) } ?? ScenarioDurations(name: scenario)
        change(&entry)
        entry.operations = entry.operations.mapValues { Array($0.suffix(maximumDurations)) }
        recorded.append(entry)
        if recorded.count > Self.maximumScenarios { recorded.removeFirst() }
    }

    /// The size in words: `12 operations in 2 scenarios`.
    public var description: String {
        "\(plural(recorded.reduce(0) { $0 + $1.operations.count }, "operation")) in \(plural(recorded.count, "scenario"))"
    }

    private func operations(of scenario: String) -> [String: [DurationSample]] {
        recorded.first { $0.name == scenario }?.operations ?? [:]
    }
}

extension OperationGraph {
    /// Expects each operation to take as long as it did in past launches of the scenario that has this graph's name;
    /// others as before.
    ///
    /// Both plans and launches of this graph then go by these durations.
    public mutating func expect(_ history: LaunchHistory) {
        expect(history.expectedDurations(in: name))
    }
}

/// How long an operation took once, or at least took.
struct DurationSample: Sendable, Hashable {
    let nanoseconds: Nanoseconds
    /// Whether it was stopped then, and would have taken longer.
    var isLowerBound: Bool

    /// A duration of 0 to 24 hours, or the nearest.
    init(_ duration: Duration, isLowerBound: Bool = false) {
        nanoseconds = min(max(duration, .zero), OperationGraph.maximumDuration).nanoseconds
        self.isLowerBound = isLowerBound
    }

    /// The value in the middle; of two, the one in the middle between them. Nil of no values.
    ///
    /// By the product limit (E. L. Kaplan, P. Meier, "Nonparametric Estimation from Incomplete Observations", 1958): a
    /// lower bound counts as one of those that take longer up to its value, and no further. Leaving it out would make
    /// the median smaller each time a slow launch is cut. Where more than half are known to take longer than any that
    /// ended, the median is the largest bound.
    static func median(_ samples: [DurationSample]) -> Nanoseconds? {
        // At one value those that ended come first: one that was cut there took longer.
        let sorted = samples.sorted { ($0.nanoseconds, $0.isLowerBound ? 1 : 0) < ($1.nanoseconds, $1.isLowerBound ? 1 : 0) }
        // The share of all durations that are longer than those looked at so far.
        var share = 1.0
        for (place, sample) in sorted.enumerated() where !sample.isLowerBound {
            let left = Double(sorted.count - place)
            share *= (left - 1) / left
            // The products are rounded: a half is seldom exactly that.
            if share > 0.5 + 1e-9 { continue }
            guard share > 0.5 - 1e-9, place + 1 < sorted.count else { return sample.nanoseconds }
            return sample.nanoseconds + (sorted[place + 1].nanoseconds - sample.nanoseconds) / 2
        }
        return sorted.last?.nanoseconds
    }
}
