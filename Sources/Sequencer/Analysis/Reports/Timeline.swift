import Sequencer

/// The timeline of a launch: rows, marks and scale, computed once and drawn as text, as a picture and in a page.
struct Timeline {
    /// A line below the lanes.
    enum Row {
        /// An operation, with its position in the report; nil for an operation of a scope.
        case operation(OperationReport, node: Int?)
        /// The name and the verdict of a scope, whose operations come next.
        case heading(LaunchReport.Scope)
        /// A phrase about something without a row.
        case note(String)
    }

    /// The operations that ran on the main thread or on a lane.
    struct Lane {
        let name: String
        /// The operations with a row, and the others.
        let shown: [Int], others: [Int]
    }

    /// A point in time that is marked from top to bottom, and named above the axis.
    struct Mark {
        let sign: TimelineSign
        let label: String
        /// Nil for a moment that is not part of the report.
        let time: Nanoseconds?
    }

    /// A launch with more lanes than these says how many are left out.
    private static let maximumLanes = 16

    /// Its times count from where the budget's do.
    let report: LaunchReport
    private(set) var rows: [Row]
    let lanes: [Lane]
    let marks: [Mark]
    /// When users were asked: in order, without overlaps.
    let pauses: [Range<Nanoseconds>]
    /// The time at the right edge.
    let extent: Nanoseconds
    /// The steps of the critical path: the rows of an operation and of the one that came next.
    let criticalSteps: [(from: Int, to: Int)]

    /// - Parameter maximumRows: how many operations get a row: see `LaunchReport.selection(limit:)`. Scopes and their
    ///     operations get as many together.
    /// - Complexity: O(operations · log operations).
    init(_ report: LaunchReport, maximumRows: Int = 1000) {
        let report = report.fromProcessStart
        self.report = report
        let clock = BudgetClock(report)
        pauses = clock.pauses
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
        var left = max(maximumRows, 0), omitted = (scopes: 0, operations: 0)
        for scope in report.allScopes {
            var selection: [Int] = []
            if left > 0 {
                rows.append(.heading(scope))
                selection = scope.report.selection(limit: left - 1)
                left -= 1 + selection.count
            } else {
                omitted.scopes += 1
            }
            let operations = scope.report.operations
            rows += scope.report.rowOrder(selection).map { .operation(operations[$0].later(by: scope.start), node: nil) }
            omitted.operations += operations.count - selection.count
        }
        let phrases = [(omitted.scopes, "more scope", ""), (omitted.operations, "more operation", " of scopes")].filter { $0.0 > 0 }
        if !phrases.isEmpty { rows.append(.note(phrases.map { plural($0.0, $0.1) + $0.2 }.joined(separator: ", "))) }
        rows += report.processorTexts().map { .note($0) }
        if let grounds = report.grounds { rows.append(.note("In virtual time, " + grounds.text)) }
    }

    /// For people who hear the timeline.
    var title: String {
        "Timeline of \(report.scenario): \(report.verdictText), \(plural(report.operations.count, "operation"))"
            + (report.scopes.isEmpty ? "" : ", \(plural(report.scopes.count, "scope"))")
    }

    /// Where a point in time is, from 0 at the left edge to 1 at the right edge; points outside are at the edges.
    func place(_ time: Nanoseconds) -> Double { min(max(Double(time) / Double(extent), 0), 1) }

    /// Round points in time besides zero, at least one and at most `most` of them.
    func ticks(atMost most: Nanoseconds = 10) -> [Nanoseconds] { roundTimes(upTo: extent, atMost: most) }

    /// When an operation was expected to end, from the start that it had; nil where it ended then, nothing was said, it
    /// never started, or the moment is beyond the edge.
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

    /// The ends of the budgets, of the initial display and of the milestone, and the moment at which an operation
    /// stopped the launch.
    private static func marks(_ report: LaunchReport, _ clock: BudgetClock) -> [Mark] {
        var marks = clock.ends.map { name, allowed, end in
            // The line stands at the budget's own time plus that of users.
            let asked = end.map { $0 - allowed.nanoseconds } ?? 0
            let rest = end == nil ? " from the process's start" : asked > 0 ? " + \(durationText(.nanoseconds(asked))) of a person" : ""
            return Mark(sign: .budget, label: "\(name) \(durationText(allowed))\(rest)", time: end)
        }
        for (id, name, sign) in [
            (report.initialDisplay, "initial display", TimelineSign.display), (report.milestone, "milestone", .milestone),
        ] {
            // An operation that was not reached has no end to mark.
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
        let nodes = report.operations.indices.filter { report.operations[$0].start != nil }
        let byPlace = Dictionary(grouping: nodes) { report.operations[$0].place }
        return report.placesUsed.map { place in
            let nodes = byPlace[place] ?? []
            return Lane(name: place, shown: nodes.filter(shown.contains), others: nodes.filter { !shown.contains($0) })
        }
    }
}

extension LaunchReport {
    /// The end of the launch's own budget, moved right by the users' time before it, and its words; nil without one,
    /// and when that is a moment before the report's.
    package var budgetMark: (label: String, time: Duration)? {
        let mark = Timeline(self, maximumRows: 0).marks.last { $0.sign == .budget }
        return mark.flatMap { mark in mark.time.map { (mark.label, .nanoseconds($0)) } }
    }
}

/// Zero and round times up to a limit, at most `most` of them besides zero: 1, 2 or 5 times a power of ten apart.
package func roundTimes(upTo limit: Nanoseconds, atMost most: Nanoseconds) -> [Nanoseconds] {
    var step: Nanoseconds = 1
    // Ends before a product overflows: no limit is longer.
    for factor in sequence(first: Nanoseconds(1), next: { $0 > .max / 10 ? nil : $0 * 10 }) where limit / step > most {
        for multiple in [1, 2, 5] as [Nanoseconds] where limit / step > most {
            step = factor.multipliedReportingOverflow(by: multiple).0
        }
    }
    return (0...limit / step).map { $0 * step }
}

/// A thing that a timeline shows; the raw value is the words of the legend.
enum TimelineSign: String, CaseIterable {
    case lane = "on a lane", main = "on the main thread", interactive = "asking a person"
    case failed = "✕ failed or timed out", fellBack = "↶ fell back", cancelled = "⊘ cancelled", never = "never started"
    case critical = "critical path", wait = "ready, waiting to start", slack = "slack", expected = "expected end"
    case pause = "a person's time, does not count", budget = "budget", display = "initial display", milestone = "milestone"
    case takeover = "the launch was stopped"

    var text: String { rawValue }

    /// Its class in the page and in the picture.
    var style: String { self == .fellBack ? "fell-back" : "\(self)" }

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
        let classes = words(["op": true, "main": isMain, "critical": isCritical, "interactive": isMostlyInteractive])
        return (classes + [outcome.sign?.style].compactMap { $0 }).joined(separator: " ")
    }

    /// The words at its bar's end: its duration, and its outcome with a sign where it did not simply succeed.
    var timelineNote: String {
        // The sign of its words in the legend, and the space behind that.
        let sign = outcome == .skipped ? "" : String(outcome.sign?.text.prefix(2) ?? "")
        if start == nil { return outcome == .cancelled ? "⊘ not started" : sign + outcome.words }
        return sign + durationText(duration) + (outcome == .succeeded ? "" : ", \(outcome.words)")
    }
}

/// When a launch's budget ran out, and when it stood still.
///
/// The clock stands still while the user is asked, so the budget's end moves right by what lies before it. Reports of
/// earlier versions, and plans, do not say when that was: there the user is asked while an interactive operation runs.
struct BudgetClock {
    /// When users were asked: in order, without overlaps.
    let pauses: [Range<Nanoseconds>]
    /// The budgets, the initial display's own first: the allowed time, and the moment when it is used up. The moment is
    /// nil for a budget that counts from the process's start, which is not part of the report.
    let ends: [(name: String, allowed: Duration, end: Nanoseconds?)]

    /// When the budget is used up; nil without one, too.
    var limit: Nanoseconds? { ends.last?.end }

    init(_ report: LaunchReport) {
        let operations = report.operations.filter(\.isInteractive).compactMap { operation in
            operation.start.map { $0..<max($0, operation.end) }
        }
        let asked = report.budget.questions.isEmpty ? operations : report.budget.questions
        var pauses: [Range<Nanoseconds>] = []
        // Interactive operations may overlap, and each moment counts once.
        for interval in asked.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let (start, end) = (interval.lowerBound.nanoseconds, interval.upperBound.nanoseconds)
            if let last = pauses.last, start <= last.upperBound {
                pauses[pauses.count - 1] = last.lowerBound..<max(last.upperBound, end)
            } else {
                pauses.append(start..<end)
            }
        }
        self.pauses = pauses
        let budget = report.budget.budget
        let all = [("budget of the initial display", budget?.initialDisplay), ("budget", budget?.limit)]
        ends = all.compactMap { name, allowed in
            guard let allowed else { return nil }
            let end = pauses.reduce(allowed.nanoseconds) {
                $1.lowerBound < $0 ? $0.addingSaturated($1.upperBound - $1.lowerBound) : $0
            }
            return (name, allowed, budget?.isFromProcessStart == true ? nil : end)
        }
    }
}

/// `1 lane`, `2 lanes`.
func plural(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
