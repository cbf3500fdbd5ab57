import Foundation

/// A launch's report as a value that can be kept: what `sequencer.report/1` holds, and every export is made from.
///
/// A ``LaunchReport`` computes its numbers when they are asked for and knows the graph it was run from; a document has been computed, and may
/// as well have been read from a file.
///
/// ```swift
/// let document = ReportDocument(try await Sequencer(graph).run())
/// try document.json().write(toFile: "launch.json", atomically: true, encoding: .utf8)
/// ```
public struct ReportDocument: Sendable, Hashable {
    /// The graph's name.
    public var scenario: String
    /// The version of the app that was launched; nil when nobody said.
    public var version: String?
    /// When the launch began, by the wall clock; nil in virtual time.
    public var startedAt: Date?
    /// How the launch ended.
    public var outcome: LaunchReport.Outcome
    /// What it made of its budget.
    public var budget: BudgetResult
    /// From the begin of the launch to its end.
    public var makespan: Duration
    /// The sum of all operations' durations.
    public var work: Duration
    /// The length of the critical path.
    public var criticalPathDuration: Duration
    /// The operations of the longest path through the graph by measured durations, in order.
    public var criticalPath: [String]
    /// The most operations off the main thread that could run at the same time.
    public var lanes: Int
    /// What became of each operation, in the order they were added.
    public var operations: [OperationReport]
    /// Operations that still ran when the launch stopped waiting for them.
    public var stragglers: [String]
    /// What operations did that they should not have done, a sentence each.
    public var anomalies: [String]

    /// A document of these values.
    public init(
        scenario: String,
        version: String? = nil,
        startedAt: Date? = nil,
        outcome: LaunchReport.Outcome,
        budget: BudgetResult,
        makespan: Duration,
        work: Duration,
        criticalPathDuration: Duration,
        criticalPath: [String],
        lanes: Int,
        operations: [OperationReport],
        stragglers: [String] = [],
        anomalies: [String] = []
    ) {
        self.scenario = scenario
        self.version = version
        self.startedAt = startedAt
        self.outcome = outcome
        self.budget = budget
        self.makespan = makespan
        self.work = work
        self.criticalPathDuration = criticalPathDuration
        self.criticalPath = criticalPath
        self.lanes = lanes
        self.operations = operations
        self.stragglers = stragglers
        self.anomalies = anomalies
    }

    /// The document of a report.
    ///
    /// - Complexity: O(operations + dependencies).
    public init(_ report: LaunchReport) {
        self.init(
            scenario: report.scenario,
            version: report.version,
            startedAt: report.startedAt,
            outcome: report.outcome,
            budget: report.budget,
            makespan: report.makespan,
            work: report.work,
            criticalPathDuration: report.criticalPathDuration,
            criticalPath: report.criticalPath,
            lanes: report.lanes,
            operations: Array(report.operations),
            stragglers: report.stragglers,
            anomalies: report.anomalies.map(\.description)
        )
    }
}
