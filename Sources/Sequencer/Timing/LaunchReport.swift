import Foundation

/// What became of a launch: how it ended, how long everything took, and what its budget says.
///
/// A report is a value that stays as it is; its numbers are computed when they are asked for.
public struct LaunchReport: Sendable {
    /// How a launch ended.
    public enum Outcome: Sendable, Hashable {
        /// Nothing stopped it. Single operations may have failed, as their policies allow.
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

    let record: RunRecord

    init(_ record: RunRecord) {
        self.record = record
    }

    /// The graph's name.
    public var scenario: String { record.graph.name }

    /// The version of the app that was launched; nil when nobody said.
    public var version: String? { record.version }

    /// When the launch began, by the wall clock; nil in virtual time.
    public var startedAt: Date? { record.startedAt }

    /// The graph that was run.
    public var graph: ValidatedGraph { record.graph }

    /// How the launch ended.
    public var outcome: Outcome {
        switch record.stop {
        case .aborted(let node, let reason)?: return .aborted(by: record.graph.id(node), reason: reason)
        case .cancelled?: return .cancelled
        case .failed(let node)?: return failed(node)
        case .deadline?:
            guard let first = record.stragglers.first else { return failed(0, "the launch met its deadline before anything ran") }
            let running = record.stragglers.prefix(10).map { printable(record.graph.id($0)) }
            let more = record.stragglers.count > 10 ? " and \(record.stragglers.count - 10) more" : ""
            let others = running.count > 1 ? " (still running: \(running.joined(separator: ", "))\(more))" : ""
            return failed(first, "still running at the launch's deadline" + others)
        case nil:
            // A launch that never reached its milestone has not done what it is for.
            if let milestone = record.graph.milestoneIndex, record.nodes[milestone].outcome == .skipped,
                !record.nodes[milestone].isSkippedByCondition
            {
                return failed(milestone)
            }
            return .completed
        }
    }

    private func failed(_ node: Int, _ message: String? = nil) -> Outcome {
        .failed(operation: record.graph.id(node), message: message ?? record.message(node) ?? "failed")
    }

    /// What the launch made of its budget.
    public var budget: BudgetResult { record.budgetResult() }

    /// From the begin of the launch to its end.
    public var makespan: Duration { .nanoseconds(record.end) }

    /// The sum of all operations' durations: what the launch would have taken one by one.
    public var work: Duration {
        .nanoseconds(record.nodes.reduce(Nanoseconds(0)) { $0.addingSaturated($1.duration) })
    }

    /// The operations of the longest path through the graph by measured durations, in order: only by shortening one of them can the launch
    /// become shorter.
    public var criticalPath: [String] { record.criticalNodes.map(record.graph.id) }

    /// The length of the critical path: what is missing to the makespan was spent waiting for lanes, resources or the machine.
    public var criticalPathDuration: Duration { .nanoseconds(record.path.length) }

    /// The most operations off the main thread that could run at the same time: what was asked for, or else the most that did.
    public var lanes: Int { record.lanes }

    /// Operations that still ran when the launch stopped waiting for them.
    public var stragglers: [String] { record.stragglers.map(record.graph.id) }

    /// What operations did that they should not have done, until the launch ended.
    public var anomalies: [Anomaly] { record.anomalies }

    /// What became of each operation, in the order they were added.
    public var operations: Operations { Operations(record: record) }

    /// What became of the operation `id`; nil when there is none.
    public subscript(id: String) -> OperationReport? {
        (try? record.graph.index(of: id)).map { operations[$0] }
    }

    /// The reports of a launch's operations, each made when it is looked at.
    public struct Operations: RandomAccessCollection, Sendable {
        let record: RunRecord
        private let critical: Set<Int>

        init(record: RunRecord) {
            self.record = record
            critical = Set(record.criticalNodes)
        }

        /// Always 0.
        public var startIndex: Int { 0 }
        /// The number of operations.
        public var endIndex: Int { record.nodes.count }

        /// The report of the operation that was added at this position.
        public subscript(position: Int) -> OperationReport {
            let node = record.nodes[position]
            let step = record.graph.graph.nodes[position]
            let isMain = step.work.isMain
            return OperationReport(
                id: step.id,
                title: step.policy?.value.title,
                dependencies: record.graph.predecessors[position].map { record.graph.id($0.index) },
                outcome: node.outcome,
                failure: node.outcome == .fellBack ? node.failure : nil,
                ready: node.ready >= 0 ? .nanoseconds(node.ready) : nil,
                start: node.start >= 0 ? .nanoseconds(node.start) : nil,
                end: .nanoseconds(node.end),
                expected: step.policy?.value.expected,
                attempts: Int(node.attempts),
                lane: node.lane >= 0 && node.start >= 0 && !isMain ? Int(node.lane) + 1 : nil,
                isMain: isMain,
                isInteractive: step.policy?.value.isInteractive ?? false || record.personWaits.contains(position),
                slack: .nanoseconds(record.path.slack(position)),
                isCritical: critical.contains(position),
                isCut: node.isCut,
                isDeferred: node.isDeferred,
                message: record.message(position),
                notes: (step.policy?.value.notes ?? []) + (record.notes[position] ?? [])
            )
        }
    }
}
