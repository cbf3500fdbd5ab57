import Sequencer

/// The timeline of a launch: rows, marks and scale, computed once and drawn as text, as a picture and in a page.
package struct Timeline {
    /// A line below the lanes.
    package enum Row {
        /// An operation, with its position in the report; nil for an operation of a scope.
        case operation(OperationReport, node: Int?)
        /// The name and the verdict of a scope, whose operations come next.
        case heading(LaunchReport.Scope)
        /// A phrase about what has no row.
        case note(String)
    }

    /// The operations that ran on the main thread or on a lane.
    struct Lane {
        let name: String
        /// Those with a row, and those without.
        var shown: [Int] = [], others: [Int] = []
    }

    /// A point in time that is marked from top to bottom, and named above the axis.
    package struct Mark {
        let sign: TimelineSign
        package let label: String
        /// Nil for a moment that is not part of the report.
        package let time: Nanoseconds?

        /// Whether this is the end of the launch's own budget.
        package var isBudget: Bool { sign == .budget }
    }

    /// A launch with more lanes than these says how many are left out.
    private static let maximumLanes = 16

    /// Its times count from where the budget's do.
    package let report: LaunchReport
    package private(set) var rows: [Row]
    let lanes: [Lane]
    package let marks: [Mark]
    /// When persons were asked: in order, without overlaps.
    let pauses: [Range<Nanoseconds>]
    /// The time at the right edge.
    package let extent: Nanoseconds
    /// The steps of the critical path: the rows of an operation and of the one that came next.
    let criticalSteps: [(from: Int, to: Int)]

    /// - Parameter maximumRows: how many operations get a row: see `LaunchReport.selection(limit:)`. Scopes and their operations get as many together.
    /// - Complexity: O(operations · log operations).
    package init(_ report: LaunchReport, maximumRows: Int = 1000) {
        let report = report.fromProcessStart
        self.report = report
        let clock = BudgetClock(report)
        pauses = clock.pauses.filter { !$0.isEmpty }
        marks = Self.marks(report, clock)
        // In virtual time a launch may take none; its axis has a unit that people know.
        let end = report.endWithScopes > 0 ? report.endWithScopes : 1_000_000
        // A budget that is far away would leave the launch a sliver.
        extent = clock.limit.map { $0 / 4 <= end ? max(end, $0) : end } ?? end

        let selection = report.selection(limit: maximumRows)
        let order = report.rowOrder(selection)
        var lanes = Self.lanes(report, Set(selection))
        let omissions = [
            report.omission(selection),
            lanes.count > Self.maximumLanes ? plural(lanes.count - Self.maximumLanes, "more lane") : nil,
        ].compactMap { $0 }
        lanes.removeLast(max(lanes.count - Self.maximumLanes, 0))
        self.lanes = lanes
        let places = Dictionary(order.enumerated().map { (report.operations[$1].id, $0) }, uniquingKeysWith: { first, _ in first })
        let path = report.criticalPath.compactMap { places[$0] }.filter { report.operations[order[$0]].start != nil }
        criticalSteps = zip(path, path.dropFirst()).map { (from: $0, to: $1) }

        rows = order.map { .operation(report.operations[$0], node: $0) }
        if !omissions.isEmpty { rows.append(.note(omissions.joined(separator: "; "))) }
        var scopes = ScopeRows(left: max(maximumRows, 0))
        scopes.add(report.scopes, within: nil, from: .zero)
        rows += scopes.rows
        if let omission = scopes.omission { rows.append(.note(omission)) }
    }

    /// For people who hear the timeline.
    var title: String {
        "Timeline of \(report.scenario): \(report.verdictText), \(plural(report.operations.count, "operation"))"
            + (report.scopes.isEmpty ? "" : ", \(plural(report.scopes.count, "scope"))")
    }

    /// Where a point in time is, from 0 at the left edge to 1 at the right edge; points outside are at the edges.
    package func place(_ time: Nanoseconds) -> Double { min(max(Double(time) / Double(extent), 0), 1) }

    /// Round points in time besides zero, at least one and at most `most` of them: 1, 2 or 5 times a power of ten apart.
    func ticks(atMost most: Nanoseconds = 10) -> [Nanoseconds] {
        var step: Nanoseconds = 1
        // Ends before a product overflows: no extent is longer.
        for factor in sequence(first: Nanoseconds(1), next: { $0 > .max / 10 ? nil : $0 * 10 }) where extent / step > most {
            for multiple in [1, 2, 5] as [Nanoseconds] where extent / step > most {
                step = factor.multipliedReportingOverflow(by: multiple).0
            }
        }
        return (0...extent / step).map { $0 * step }
    }

    /// When an operation was expected to end, from the start that it had; nil where it ended then, nothing was said, it never started, or the moment is
    /// beyond the edge.
    func expectedEnd(of operation: OperationReport) -> Nanoseconds? {
        guard let start = operation.start, let expected = operation.expected else { return nil }
        let end = start.nanoseconds.addingSaturated(expected.nanoseconds)
        return end <= extent && end != operation.end.nanoseconds ? end : nil
    }

    /// The signs of the legend: those that this timeline has.
    var legend: [TimelineSign] {
        var found: Set<TimelineSign> = pauses.isEmpty ? [] : [.pause]
        for case .operation(let operation, _) in rows {
            found.formUnion(TimelineSign.signs(of: operation))
            if expectedEnd(of: operation) != nil { found.insert(.expected) }
        }
        for mark in marks { if let time = mark.time, time <= extent { found.insert(mark.sign) } }
        return TimelineSign.allCases.filter(found.contains)
    }

    /// The ends of the budgets, of the initial display and of the milestone, and the moment at which an operation stopped the launch.
    private static func marks(_ report: LaunchReport, _ clock: BudgetClock) -> [Mark] {
        var marks: [Mark] = []
        let budget = report.budget.budget
        for (allowed, name, limit) in [
            (budget?.initialDisplay, "budget of the initial display", clock.displayLimit), (budget?.limit, "budget", clock.limit),
        ] {
            guard let allowed else { continue }
            // The line stands at the budget's own time plus that of persons.
            let asked = limit.map { $0 - allowed.nanoseconds } ?? 0
            let rest = limit == nil ? " from the process's start" : asked > 0 ? " + \(durationText(.nanoseconds(asked))) of a person" : ""
            marks.append(Mark(sign: .budget, label: "\(name) \(durationText(allowed))\(rest)", time: limit))
        }
        for (id, name, sign) in [
            (report.initialDisplay, "initial display", TimelineSign.display), (report.milestone, "milestone", .milestone),
        ] {
            // One that was not reached has no end that could be marked.
            guard let operation = id.flatMap({ report[$0] }), operation.outcome.isSuccess else { continue }
            marks.append(Mark(sign: sign, label: "\(name) \(durationText(operation.end))", time: operation.end.nanoseconds))
        }
        if case .aborted(let id, _) = report.outcome, let end = report[id]?.end {
            let label = "\(printable(id, limit: 40)) takes over \(durationText(end))"
            marks.append(Mark(sign: .takeover, label: label, time: end.nanoseconds))
        }
        return marks
    }

    private static func lanes(_ report: LaunchReport, _ shown: Set<Int>) -> [Lane] {
        var lanes = report.lanesUsed.sorted().map { Lane(name: "lane \($0)") }
        if report.operations.contains(where: { $0.isMain && $0.start != nil }) { lanes.insert(Lane(name: "main"), at: 0) }
        let places = Dictionary(uniqueKeysWithValues: lanes.enumerated().map { ($1.name, $0) })
        for (node, operation) in report.operations.enumerated() where operation.start != nil {
            guard let lane = operation.place.flatMap({ places[$0] }) else { continue }
            if shown.contains(node) { lanes[lane].shown.append(node) } else { lanes[lane].others.append(node) }
        }
        return lanes
    }
}

/// The rows of scopes: each has a heading, and below it its operations at the launch's times. A scope of a scope comes later, as `window/sync`.
private struct ScopeRows {
    /// The number of rows that are left.
    var left: Int
    var rows: [Timeline.Row] = []
    private var omitted = (scopes: 0, operations: 0)

    init(left: Int) { self.left = left }

    /// The phrase about the scopes and operations that have no row; nil when each has one.
    var omission: String? {
        let phrases = [(omitted.scopes, "more scope", ""), (omitted.operations, "more operation", " of scopes")]
        let said = phrases.filter { $0.0 > 0 }.map { plural($0.0, $0.1) + $0.2 }
        return said.isEmpty ? nil : said.joined(separator: ", ")
    }

    mutating func add(_ scopes: [LaunchReport.Scope], within path: String?, from begin: Duration) {
        for var scope in scopes {
            scope.name = path.map { "\($0)/\(scope.name)" } ?? scope.name
            scope.start += begin
            let operations = scope.report.operations
            var selection: [Int] = []
            if left > 0 {
                rows.append(.heading(scope))
                selection = scope.report.selection(limit: left - 1)
                left -= 1 + selection.count
            } else {
                omitted.scopes += 1
            }
            rows += scope.report.rowOrder(selection).map { .operation(operations[$0].later(by: scope.start), node: nil) }
            omitted.operations += operations.count - selection.count
            // Recursion has an end: scopes are within one another 16 deep at most.
            add(scope.report.scopes, within: scope.name, from: scope.start)
        }
    }
}

/// A thing that a timeline shows; the raw value is its class in the page and in the picture.
enum TimelineSign: String, CaseIterable {
    case lane, main, interactive, failed
    case fellBack = "fell-back"
    case cancelled, never, critical, wait, slack, expected, pause, budget, display, milestone, takeover

    /// The words of the legend.
    var text: String {
        switch self {
        case .lane: "on a lane"
        case .main: "on the main thread"
        case .interactive: "asking a person"
        case .failed: "✕ failed or timed out"
        case .fellBack: "↶ fell back"
        case .cancelled: "⊘ cancelled"
        case .never: "never started"
        case .critical: "critical path"
        case .wait: "ready, waiting to start"
        case .slack: "slack"
        case .expected: "expected end"
        case .pause: "a person's time, does not count"
        case .budget: "budget"
        case .display: "initial display"
        case .milestone: "milestone"
        case .takeover: "the launch was stopped"
        }
    }

    /// Stands before the name of an operation on the main thread.
    static let mainThread = "◆"

    static func signs(of operation: OperationReport) -> Set<TimelineSign> {
        guard operation.start != nil else { return [.never] }
        var signs: Set<TimelineSign> = [operation.outcome.sign ?? (operation.isMostlyInteractive ? .interactive : .lane)]
        if operation.isMain { signs.insert(.main) }
        if operation.isCritical { signs.insert(.critical) }
        if operation.wait > .zero { signs.insert(.wait) }
        if operation.slack > .zero { signs.insert(.slack) }
        return signs
    }
}

extension Outcome {
    /// The sign of an operation that ended so; nil for success.
    var sign: TimelineSign? {
        switch self {
        case .succeeded: nil
        case .failed, .timedOut: .failed
        case .fellBack: .fellBack
        case .cancelled, .skipped: .cancelled
        }
    }
}

extension OperationReport {
    /// The classes of its row and of its bar on a lane.
    var timelineClasses: String {
        let flags = [(isMain, "main"), (isCritical, "critical"), (isMostlyInteractive, "interactive")]
        return (["op"] + flags.filter(\.0).map(\.1) + [outcome.sign?.rawValue].compactMap { $0 }).joined(separator: " ")
    }

    /// The words at its bar's end: its duration, and its outcome with a sign where it did not simply succeed.
    var timelineNote: String {
        let sign =
            switch outcome {
            case .failed, .timedOut: "✕ "
            case .fellBack: "↶ "
            case .cancelled: "⊘ "
            case .succeeded, .skipped: ""
            }
        if start == nil { return outcome == .cancelled ? "⊘ not started" : sign + outcome.words }
        return sign + durationText(duration) + (outcome == .succeeded ? "" : ", \(outcome.words)")
    }
}

/// When a launch's budget ran out, and when it stood still.
///
/// The clock stands still while a person is asked, so the budget's end moves right by what lies before it. Reports of earlier versions, and plans, do
/// not say when that was: there a person is asked while an interactive operation runs.
struct BudgetClock {
    /// When persons were asked: in order, without overlaps.
    let pauses: [Range<Nanoseconds>]
    /// When the budget is used up; nil without one, and for a budget that counts from the process's start, a moment that is not part of the report.
    let limit: Nanoseconds?
    /// The same of the initial display's own budget.
    let displayLimit: Nanoseconds?

    init(_ report: LaunchReport) {
        let result = report.budget
        let known = result.questions.map { $0.lowerBound.nanoseconds..<$0.upperBound.nanoseconds }
        let operations = report.operations.compactMap { operation -> Range<Nanoseconds>? in
            guard operation.isInteractive, let start = operation.start, operation.end > start else { return nil }
            return start.nanoseconds..<operation.end.nanoseconds
        }
        var pauses: [Range<Nanoseconds>] = []
        // Interactive operations may overlap, and each moment counts once.
        for interval in (known.isEmpty ? operations : known).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = pauses.last, interval.lowerBound <= last.upperBound {
                pauses[pauses.count - 1] = last.lowerBound..<max(last.upperBound, interval.upperBound)
            } else {
                pauses.append(interval)
            }
        }
        self.pauses = pauses
        let budget = result.budget?.isFromProcessStart == true ? nil : result.budget
        func end(_ time: Duration) -> Nanoseconds {
            pauses.reduce(time.nanoseconds) { $1.lowerBound < $0 ? $0.addingSaturated($1.upperBound - $1.lowerBound) : $0 }
        }
        limit = budget.map { end($0.limit) }
        displayLimit = budget?.initialDisplay.map(end)
    }
}

/// `1 lane`, `2 lanes`.
func plural(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
