import Foundation

/// The result of a launch: how it ended, how long every operation took, and whether the budget was met.
///
/// A report is a plain value. It holds no closure and no object of the app, so it can be kept, compared, encoded and read back; everything that explains a
/// launch (timelines, web pages, traces, statistics) starts from it. Its `Codable` form is the format `sequencer.report/1`, which
/// `Schemas/report.schema.json` describes. Times are exact to the nanosecond, those of more than 24 days to the microsecond; points in time count from the beginning of the launch.
///
/// ```swift
/// let report = try await graph.run(budget: .seconds(3)).report
/// let data = try JSONEncoder().encode(report)
/// let again = try JSONDecoder().decode(LaunchReport.self, from: data)   // equal
/// ```
public struct LaunchReport: Sendable, Hashable {
    /// How a launch ended.
    public enum Outcome: Sendable, Hashable {
        /// Nothing stopped it. Single operations may have failed, if their policies allow that.
        case completed
        /// An operation stopped it on purpose.
        case aborted(by: String, reason: AbortReason)
        /// A required operation did not succeed, or the deadline came first.
        case failed(operation: String, message: String)
        /// It was cancelled from outside.
        case cancelled

        /// `completed`, `aborted`, `failed` or `cancelled`.
        public var name: String {
            switch self {
            case .completed: "completed"
            case .aborted: "aborted"
            case .failed: "failed"
            case .cancelled: "cancelled"
            }
        }
    }

    /// The graph's name.
    public package(set) var scenario: String
    /// The version of the app that was launched, from ``LaunchOptions/version``.
    public package(set) var version: String?
    /// The date and time of the beginning, by the wall clock; nil in virtual time.
    public package(set) var startedAt: Date?
    /// How the launch ended.
    public package(set) var outcome: Outcome
    /// The measured time, compared with the budget.
    public package(set) var budget: BudgetResult
    /// The identifier of the milestone; nil when the graph has none.
    public package(set) var milestone: String?
    /// The time from the beginning of the launch to its end.
    public package(set) var makespan: Duration
    /// The sum of all operations' durations: the time the launch would have taken one operation at a time.
    public package(set) var work: Duration
    /// The length of the critical path. The rest of the makespan was spent waiting for lanes, resources or the machine.
    public package(set) var criticalPathDuration: Duration
    /// The identifiers of the longest path through the graph by measured durations, in order: the launch becomes shorter only if one of these does.
    /// If operations were deferred until after the milestone, it is the longest path to the milestone.
    public package(set) var criticalPath: [String]
    /// The limit of operations off the main thread at the same time: the number asked for, otherwise the most that did run.
    package var lanes: Int
    /// One report for each operation, in the order they were added.
    public package(set) var operations: [OperationReport]
    /// The identifiers of operations that were still running when the launch stopped waiting for them.
    public package(set) var stragglers: [String]
    /// For how long the process stood still while the launch ran, stopped by a signal or a debugger. Less than half a second goes unnoticed.
    ///
    /// The time counts. Timeouts that were due meanwhile took effect only after operations had had a moment to end.
    public package(set) var standstill: Duration
    /// The number of threads that the launch left behind, in operations that had ended and whose code had not returned.
    public package(set) var threadsLeftBehind: Int
    /// The anomalies that were seen before the launch ended.
    public package(set) var anomalies: [Anomaly]

    package init(
        scenario: String,
        version: String? = nil,
        startedAt: Date? = nil,
        outcome: Outcome,
        budget: BudgetResult,
        milestone: String? = nil,
        makespan: Duration,
        work: Duration,
        criticalPathDuration: Duration,
        criticalPath: [String],
        lanes: Int,
        operations: [OperationReport],
        stragglers: [String] = [],
        standstill: Duration = .zero,
        threadsLeftBehind: Int = 0,
        anomalies: [Anomaly] = []
    ) {
        self.scenario = scenario
        self.version = version
        self.startedAt = startedAt
        self.outcome = outcome
        self.budget = budget
        self.milestone = milestone
        self.makespan = makespan
        self.work = work
        self.criticalPathDuration = criticalPathDuration
        self.criticalPath = criticalPath
        self.lanes = lanes
        self.operations = operations
        self.stragglers = stragglers
        self.standstill = standstill
        self.threadsLeftBehind = threadsLeftBehind
        self.anomalies = anomalies
    }

    /// The report of the operation `id`; nil for an unknown identifier.
    ///
    /// - Complexity: O(operations).
    public subscript(id: String) -> OperationReport? {
        operations.first { $0.id == id }
    }
}

extension LaunchReport: CustomStringConvertible {
    /// One line: the scenario, how it ended, and its budget. One that did not complete has no verdict on its budget: it is said when the milestone ended, if
    /// it did.
    public var description: String {
        let ending =
            switch outcome {
            case .completed: "completed"
            case .aborted(let operation, let reason): "aborted by \(printable(operation)) (\(printable(reason.description)))"
            case .failed(let operation, let message): "failed at \(printable(operation)): \(printable(message))"
            case .cancelled: "cancelled"
            }
        let verdict = outcome == .completed ? "; \(measuredText()), \(budget.isMet ? "pass" : "fail")" : milestoneText()
        return "\(printable(scenario)): \(ending)\(verdict)"
    }

    /// `1.33 s of 3 s`.
    package func measuredText(_ text: (Duration) -> String = durationText) -> String {
        text(budget.measured) + (budget.budget.map { " of \(text($0.limit))" } ?? "")
    }

    /// What follows the outcome of a launch that did not complete: `; milestone after 1.33 s of 3 s`, or nothing when its milestone was not reached.
    package func milestoneText(_ text: (Duration) -> String = durationText) -> String {
        guard let milestone, self[milestone]?.outcome.isSuccess == true else { return "" }
        return "; milestone after \(measuredText(text))"
    }
}
