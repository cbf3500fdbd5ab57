import Foundation

/// The result of a launch: how it ended, how long every operation took, and whether the budget was met.
///
/// The launch proper ends with its milestone: ``outcome``, ``budget`` and ``criticalPath`` are final then, and
/// ``afterMilestone`` tells of later operations. Without a milestone, and where the milestone is never reached, the
/// launch proper ends with the last operation.
///
/// Its description is one line: the scenario, how it ended, and its budget. A launch that did not complete has no
/// verdict on its budget, but prints when the milestone ended, if it did. A completed launch names the operations that
/// did not do their work. Trouble after the milestone comes last, before that of scopes.
///
/// A report is a plain value. It holds no closure and no object of the app, so it can be kept, compared, encoded and
/// read back; everything that explains a launch (timelines, web pages, traces, statistics) starts from it. Its
/// `Codable` form is the format `sequencer.report/1`, which `Schemas/report.schema.json` describes. Times are exact to
/// the nanosecond, those of more than 24 days to the microsecond; points in time count from the beginning of the
/// launch.
///
/// ```swift
/// let report = try await graph.run(budget: .seconds(3)).report
/// let data = try JSONEncoder().encode(report)
/// let again = try JSONDecoder().decode(LaunchReport.self, from: data)   // equal
/// ```
public struct LaunchReport: Sendable, Hashable, CustomStringConvertible {
    /// How a launch ended.
    ///
    /// Its description is one of: `completed`, `aborted by force-update (force-update)`, `failed at login: no network`,
    /// `cancelled`.
    public enum Outcome: Sendable, Hashable, CustomStringConvertible {
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

        /// The value in words.
        public var description: String {
            switch self {
            case .completed, .cancelled: name
            case .aborted(let id, let reason): "aborted by \(printable(id)) (\(printable(reason.description)))"
            case .failed(let id, let message): "failed at \(printable(id)): \(printable(message))"
            }
        }
    }

    // All are set by the package alone: drawings are made of changed copies, as `fromProcessStart` is.
    /// The graph's name.
    public internal(set) var scenario: String
    /// The version of the app that was launched, from ``LaunchOptions/version``.
    public package(set) var version: String?
    /// Further facts about the launch, by names, from ``LaunchOptions/attributes``.
    public internal(set) var attributes: [String: String] = [:]
    /// The date and time of the beginning, by the wall clock; nil in virtual time.
    public package(set) var startedAt: Date?
    /// Whether it ran in virtual time: waits took no time, and steps that only simulate their work did none.
    package var isVirtual = false
    /// How the launch ended, up to its milestone.
    public package(set) var outcome: Outcome
    /// The measured time, compared with the budget.
    public package(set) var budget: BudgetResult
    /// The identifier of the milestone; nil when the graph has none.
    public internal(set) var milestone: String?
    /// The identifier of the initial display; nil when the graph has none.
    package var initialDisplay: String?
    /// The time between the start of the process and that of the launch, where the budget counts from the former; nil
    /// otherwise.
    public package(set) var beforeRun: Duration?
    /// How the process began, where the time before the launch is not the launch's: as ``LaunchOptions/processStart``
    /// says, or as the launch has found out for a budget that counts from the start of the process. Nil otherwise.
    public internal(set) var processStart: ProcessStart?
    /// The time from the beginning of the launch to the end of its last operation.
    public package(set) var makespan: Duration
    /// The sum of all operations' durations: the time the launch would have taken one operation at a time.
    public internal(set) var work: Duration
    /// The durations of the critical path, added up. The rest of the time to the milestone was spent waiting for the
    /// machine.
    package var criticalPathDuration: Duration
    /// The identifiers of the operations that the milestone really waited for, in order: before each comes the one that
    /// had the lane, the main thread or the resource that it needed or, if it waited for none of these, the dependency
    /// that ended last. Without a milestone, the path ends with the last operation; in a launch that failed or was
    /// aborted, with the operation that stopped it.
    public package(set) var criticalPath: [String]
    /// The limit of operations off the main thread at the same time: the number asked for, otherwise the most that did
    /// run.
    public internal(set) var lanes: Int
    /// Whether that number was asked for.
    package var hasLaneLimit = false
    /// The resources that several operations could hold at the same time, each with how many.
    package var resourceLimits: [ExclusiveResource: Int] = [:]
    /// A report for each operation, in the order they were added.
    public package(set) var operations: [OperationReport]
    /// The identifiers of operations that were still running when the launch stopped waiting for them.
    public internal(set) var stragglers: [String] = []
    /// The part of the launch after the milestone; nil if nothing ran on.
    public package(set) var afterMilestone: AfterMilestone?
    /// For how long the process stood still while the launch ran, stopped by a signal or a debugger. Less than half a
    /// second goes unnoticed.
    ///
    /// The time counts. Timeouts that were due meanwhile took effect only after operations had had a moment to end.
    package var standstill = Duration.zero
    /// For how long the machine slept while the launch ran. Less than half a second goes unnoticed.
    ///
    /// By the default clock (``LaunchOptions/clock``) it is in none of the launch's times; by a `ContinuousClock` it is
    /// in all of them.
    package var suspended = Duration.zero
    /// The number of threads that the launch left behind, in operations that had ended and whose code had not returned.
    var threadsLeftBehind = 0
    /// The processor time of the process while the launch ran, less that measured of steps: of threads that an SDK has
    /// started, of steps that were not measured, of other launches. Nil where it was not measured
    /// (``LaunchOptions/measurements``), and of a scope.
    public package(set) var otherProcessorTime: Duration?
    /// How many processors there were; nil where processor time was not measured.
    package var processors: Int?
    /// The anomalies that were seen before the launch ended.
    public internal(set) var anomalies: [Anomaly] = []
    /// The scopes of the launch, in the order they were added; in a report that was made at the milestone, those that
    /// had ended.
    public package(set) var scopes: [Scope] = []

    /// The report of the operation `id`; nil for an unknown identifier.
    ///
    /// - Complexity: O(operations).
    public subscript(id: String) -> OperationReport? { operations.first { $0.id == id } }

    /// The time to the end of the initial display that counts, as ``BudgetResult/measured`` does for the milestone:
    /// from the budget's origin, without interactive time. Nil when the graph has none, and when it did not succeed.
    ///
    /// - Complexity: O(operations).
    public var timeToInitialDisplay: Duration? {
        guard let operation = initialDisplay.flatMap({ self[$0] }), operation.outcome.isSuccess else { return nil }
        // Only as far as users were asked before its end.
        let asked = budget.questions.reduce(Duration.zero) { $0 + max(.zero, min($1.upperBound, operation.end) - $1.lowerBound) }
        return max(.zero, operation.end + (beforeRun ?? .zero) - asked)
    }

    /// Whether the initial display came within its own budget
    /// (``Budget/init(_:initialDisplay:fromProcessStart:isEnforced:)``).
    ///
    /// False when it never came: an operation that it needed failed, or its own condition was false. Nil without such a
    /// budget. Nil, too, when a recovery (``OperationGraph/skip(_:because:)``) left it out, when that or a condition
    /// left out an operation that it needed, and when the launch was stopped before the display, or continued without
    /// waiting for it.
    ///
    /// - Complexity: O(operations).
    public var isInitialDisplayMet: Bool? { budget.budget?.initialDisplay.flatMap { isInitialDisplayMet(within: $0) } }

    package func isInitialDisplayMet(within limit: Duration) -> Bool? {
        if let time = timeToInitialDisplay { return time <= limit }
        guard let operation = initialDisplay.flatMap({ self[$0] }), outcome == .completed else { return nil }
        return operation.wasSkippedByItsCondition || !isLeftOut(operation, by: failuresOfLeftOut) ? false : nil
    }

    /// The messages of the dependents of operations that a recovery left out: for those that cannot do without it, such
    /// an operation counts as failed.
    private var failuresOfLeftOut: Set<String> {
        Set(operations.lazy.filter { $0.message?.hasPrefix(leftOut) == true }.map { "\(printable($0.id)) failed" })
    }

    /// Whether a condition or a recovery left out an operation, or one that it needed. Only the messages tell this from
    /// a failure.
    private func isLeftOut(_ operation: OperationReport, by failures: Set<String>) -> Bool {
        let message = operation.message ?? ""
        if message.hasPrefix(leftOut) { return true }
        guard operation.outcome == .skipped else { return false }
        if operation.wasSkippedByItsCondition || message.isEmpty || message.hasPrefix(noValue) { return true }
        return failures.contains(message)
    }

    /// Whether it kept all of its budgets.
    package var isWithinBudgets: Bool { budget.isMet && isInitialDisplayMet != false }

    /// Whether a launch with this end may have met its budget. A launch that failed, was cancelled, or continued
    /// without its milestone has not, regardless of its time.
    ///
    /// - Parameters:
    ///   - outcome: its ``Outcome/name``.
    ///   - milestone: how its milestone ended; nil without one.
    package static func canMeetBudget(_ outcome: String, milestone: Sequencer.Outcome?) -> Bool {
        outcome == "aborted" || outcome == "completed" && milestone?.isSuccess != false
    }

    /// When the launch proper ended: with its milestone where anything continued after that.
    package var endOfLaunchProper: Duration { afterMilestone?.start ?? makespan }

    /// The numbers of the lanes that an operation ran on.
    package var lanesUsed: Set<Int> {
        Set(operations.lazy.filter { $0.start != nil && !$0.isMain }.compactMap(\.lane).filter { $0 > 0 })
    }

    /// Whether the critical path leads to the milestone, rather than to the last operation.
    package var isMilestoneReached: Bool {
        outcome == .completed && milestone.flatMap { self[$0] }.map { $0.outcome != .skipped } ?? false
    }
}

extension LaunchReport {
    /// A launch that completed, of operations that ran elsewhere: without a budget and without a critical path.
    package init(scenario: String, makespan: Duration, work: Duration, operations: [OperationReport]) {
        self.init(
            scenario: scenario,
            outcome: .completed,
            budget: BudgetResult(budget: nil, measured: makespan, interactive: .zero, isMet: true),
            makespan: makespan,
            work: work,
            criticalPathDuration: .zero,
            criticalPath: [],
            lanes: operations.lazy.compactMap(\.lane).max() ?? 1,
            operations: operations
        )
    }

    /// The part of a launch after the launch proper, which has ended with its milestone. None of it changes the outcome
    /// of the launch.
    ///
    /// An operation that is required, and fails here, fails alone: only operations that wait for it are skipped.
    ///
    /// Its description is one line: `2 operations after the milestone at 1.33 s: failed at sync: no network`.
    public struct AfterMilestone: Sendable, Hashable, CustomStringConvertible {
        /// How it ended: completed, also when operations failed whose policies allow that; failed, when another one
        /// did, or the deadline came first; aborted, by an operation that stopped the launch on purpose; or cancelled.
        /// Nil in a report that was made before the end.
        public let outcome: Outcome?
        /// When the milestone ended.
        public package(set) var start: Duration
        /// The identifiers of the operations that had not ended then, in the order they were added.
        public let operations: [String]
        /// The identifiers of those that failed or timed out.
        public internal(set) var failures: [String] = []
        /// The identifiers of those that were still running when the launch stopped waiting for them.
        var stragglers: [String] = []

        /// The value in words.
        public var description: String {
            let count = "\(operations.count) operation\(operations.count == 1 ? "" : "s")"
            return "\(count) after the milestone at \(durationText(start)): \(outcome?.description ?? "not over yet")"
        }
    }

    // MARK: In words

    /// The value in words.
    public var description: String {
        let verdict = outcome == .completed ? "; \(budget)\(milestoneOutcomeText)\(processStartText)" : milestoneText()
        let later = afterMilestone?.outcome.flatMap { $0 == .completed ? nil : "; after the milestone \($0)" } ?? ""
        return "\(printable(scenario)): \(outcome)\(verdict)\(initialDisplayText())\(troubleText())\(later)\(scopeTroubleText)"
    }

    /// Why the time does not count from the start of the process; otherwise empty.
    package var processStartText: String { processStart?.text ?? "" }

    /// `; initial display after 275 ms`, or `; initial display after 275 ms of 1 s, pass`; nothing when that was not
    /// reached, and did not have to be.
    package func initialDisplayText(_ text: (Duration) -> String = durationText) -> String {
        let verdict = isInitialDisplayMet.map { $0 ? ", pass" : ", fail" } ?? ""
        guard let time = timeToInitialDisplay else { return verdict.isEmpty ? "" : "; no initial display\(verdict)" }
        let limit = budget.budget?.initialDisplay.map { " of \(text($0))" } ?? ""
        return "; initial display after \(text(time))\(limit)\(verdict)"
    }

    /// The milestone that did not succeed, in a launch that continued without it, or that was skipped by its own
    /// condition.
    package var missedMilestone: OperationReport? { unusualMilestone.flatMap { $0.outcome.isSuccess ? nil : $0 } }

    /// The milestone that was missed, or that fell back: the budget may be kept then, by less than the milestone.
    package var unusualMilestone: OperationReport? {
        guard outcome == .completed, let operation = milestone.flatMap({ self[$0] }) else { return nil }
        return operation.outcome == .succeeded ? nil : operation
    }

    /// `; milestone failed` or `; milestone fell back`, after the verdict of a launch that completed; otherwise empty.
    package var milestoneOutcomeText: String { unusualMilestone.map { "; milestone \($0.outcome.words)" } ?? "" }

    /// `; fell back: config; failed: tips, sync; skipped: badge`: the operations that did not do their work, though
    /// they were wanted. At most five are named for each outcome. The milestone is told by ``milestoneOutcomeText``.
    ///
    /// - Parameter later: whether to tell of the operations that ran on after the milestone, however the launch ended,
    ///     rather than of those up to the milestone of a launch that completed.
    /// - Complexity: O(operations).
    package func troubleText(later: Bool = false, name: (String) -> String = { printable($0, limit: 80) }) -> String {
        guard later || outcome == .completed else { return "" }
        let ranOn = Set(afterMilestone?.operations ?? []), milestone = unusualMilestone?.id
        let told = operations.filter { ranOn.contains($0.id) == later }
        let named = Dictionary(grouping: troubled(of: told).lazy.filter { $0.id != milestone }, by: \.outcome).mapValues { $0.map(\.id) }
        return Sequencer.Outcome.allCases.compactMap { outcome -> String? in
            named[outcome].map { "; \(outcome.words): \(listed($0, name))" }
        }.joined()
    }

    /// The operations that did not do their work, though they were wanted.
    ///
    /// - Complexity: O(operations).
    package func troubled(of operations: [OperationReport]) -> [OperationReport] {
        let failures = failuresOfLeftOut
        return operations.filter { $0.outcome != .succeeded && !isLeftOut($0, by: failures) }
    }

    /// The text after the outcome of a launch that did not complete: `; milestone after 1.33 s of 3 s`, or nothing when
    /// its milestone was not reached.
    package func milestoneText(_ text: (Duration) -> String = durationText) -> String {
        guard let milestone, self[milestone]?.outcome.isSuccess == true else { return "" }
        return "; milestone after \(budget.measuredText(text))"
    }
}
