import Sequencer

/// The parts of a launch's timeline, whether it is drawn in a page or as a picture.
struct TimelineContents {
    /// A point in time that is marked from top to bottom, and named above the axis.
    struct Mark {
        enum Place: Equatable {
            case at(Nanoseconds)
            /// Right of all that is shown.
            case beyond
            /// No moment of the report.
            case elsewhere
        }

        /// `budget`, `display` or `milestone`.
        let style: String
        let label: String
        let place: Place
    }

    /// The lanes that are drawn; a launch with more says how many are left out.
    static let maximumLanes = 16

    let report: LaunchReport
    /// The operations that have a row, in the order of their rows.
    let rows: [Int]
    let omission: String?
    let scopes: TimelineScopes
    let lanes: [String]
    /// The phrase about the lanes that are left out; nil when none is.
    let laneOmission: String?
    let clock: BudgetClock
    /// The time at the right edge.
    let extent: Nanoseconds

    init(_ report: LaunchReport, maximumRows: Int) {
        self.report = report
        let selection = report.selection(limit: maximumRows)
        omission = report.omission(selection)
        scopes = TimelineScopes(report, limit: maximumRows)
        let operations = report.operations
        rows = report.rowOrder(selection)
        let main = operations.contains { $0.isMain && $0.start != nil } ? ["main"] : []
        let numbers = report.lanesUsed.sorted()
        lanes = main + numbers.prefix(Self.maximumLanes).map { "lane \($0)" }
        let leftOut = numbers.count - Self.maximumLanes
        laneOmission = leftOut > 0 ? "\(leftOut) more lane\(leftOut == 1 ? "" : "s")" : nil
        clock = BudgetClock(report)
        // In virtual time a launch may take none; its axis has a unit that people know.
        var extent = report.endWithScopes > 0 ? report.endWithScopes : 1_000_000
        // A budget that is far away would leave the launch a sliver.
        if let limit = clock.limit, limit / 4 <= extent { extent = max(extent, limit) }
        self.extent = extent
    }

    /// For people who hear the timeline.
    var title: String {
        let count = report.operations.count
        let scopes = report.scopes.count
        return "Timeline of \(report.scenario): \(report.verdictText), \(count) operation\(count == 1 ? "" : "s")"
            + (scopes == 0 ? "" : ", \(scopes) scope\(scopes == 1 ? "" : "s")")
    }

    /// The ends of the budgets, of the initial display and of the milestone.
    var marks: [Mark] {
        var marks: [Mark] = []
        let budget = report.budget.budget
        let budgets = [
            (budget?.initialDisplay, "budget of the initial display", clock.displayLimit), (budget?.limit, "budget", clock.limit),
        ]
        for case (let allowed?, let name, let limit) in budgets {
            let label = "\(name) \(durationText(allowed))"
            if let limit {
                marks.append(Mark(style: "budget", label: label, place: limit <= extent ? .at(limit) : .beyond))
            } else {
                marks.append(Mark(style: "budget", label: label + " from the process's start", place: .elsewhere))
            }
        }
        for (id, name, style) in [(report.initialDisplay, "initial display", "display"), (report.milestone, "milestone", "milestone")] {
            // One that was not reached has no end that could be marked.
            guard let operation = id.flatMap({ report[$0] }), operation.outcome.isSuccess else { continue }
            marks.append(Mark(style: style, label: "\(name) \(durationText(operation.end))", place: .at(operation.end.nanoseconds)))
        }
        return marks
    }

    /// The operations that ran on each lane: those with a row, then those without.
    ///
    /// - Complexity: O(operations).
    func operationsOfLanes() -> [(withRow: [Int], others: [Int])] {
        let lines = Dictionary(uniqueKeysWithValues: lanes.enumerated().map { ($1, $0) })
        let shown = Set(rows)
        var result: [(withRow: [Int], others: [Int])] = lanes.map { _ in (withRow: [], others: []) }
        for (node, operation) in report.operations.enumerated() {
            guard operation.start != nil, let line = operation.place.flatMap({ lines[$0] }) else { continue }
            if shown.contains(node) { result[line].withRow.append(node) } else { result[line].others.append(node) }
        }
        return result
    }

    /// The steps of the critical path: from a row to a later one, both with their operation.
    var criticalSteps: [(from: (row: Int, node: Int), to: (row: Int, node: Int))] {
        let positions = report.positions
        let places = Dictionary(rows.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let path: [(row: Int, node: Int)] = report.criticalPath.compactMap { id in
            guard let node = positions[id], let row = places[node], report.operations[node].start != nil else { return nil }
            return (row: row, node: node)
        }
        return zip(path, path.dropFirst()).map { (from: $0, to: $1) }
    }

    /// When an operation was expected to end, from the start that it had; nil where nothing was said, it never started, or it would be right of all that is shown.
    func expectedEnd(of operation: OperationReport) -> Nanoseconds? {
        guard let start = operation.start, let expected = operation.expected else { return nil }
        let end = start.nanoseconds.addingSaturated(expected.nanoseconds)
        return end <= extent ? end : nil
    }

    /// The entries of the legend, for what this launch has.
    var legend: [LegendEntry] {
        var found: Set<LegendEntry> = []
        for operation in rows.map({ report.operations[$0] }) + scopes.operations {
            found.formUnion(LegendEntry.entries(of: operation))
            if expectedEnd(of: operation) != nil { found.insert(.expected) }
        }
        if clock.pauses.contains(where: { $0.lowerBound < $0.upperBound }) { found.insert(.pause) }
        for mark in marks {
            if case .at = mark.place, let entry = LegendEntry(rawValue: mark.style) { found.insert(entry) }
        }
        return LegendEntry.allCases.filter(found.contains)
    }
}

/// An entry of a timeline's legend; the raw value is its class in the page and in the picture.
enum LegendEntry: String, CaseIterable {
    case lane, main, interactive, failed
    case fellBack = "fell-back"
    case cancelled, never, critical, wait, slack, expected, pause, budget, display, milestone

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
        case .pause: "interactive time, does not count"
        case .budget: "budget"
        case .display: "initial display"
        case .milestone: "milestone"
        }
    }

    static func entries(of operation: OperationReport) -> Set<LegendEntry> {
        guard operation.start != nil else { return [.never] }
        var entries: Set<LegendEntry> = []
        switch operation.outcome {
        case .succeeded: entries.insert(operation.isMostlyInteractive ? .interactive : operation.isMain ? .main : .lane)
        case .failed, .timedOut: entries.insert(.failed)
        case .fellBack: entries.insert(.fellBack)
        case .cancelled, .skipped: entries.insert(.cancelled)
        }
        if operation.isCritical { entries.insert(.critical) }
        if operation.wait > .zero { entries.insert(.wait) }
        if operation.slack > .zero { entries.insert(.slack) }
        return entries
    }
}

extension Outcome {
    /// The class with the colour of this outcome; nil for success.
    var timelineClass: String? {
        switch self {
        case .succeeded: nil
        case .failed, .timedOut: "failed"
        case .fellBack: "fell-back"
        case .cancelled, .skipped: "cancelled"
        }
    }
}

extension OperationReport {
    /// The classes of its row and of its bar on a lane.
    var timelineClasses: String {
        var classes = ["op"]
        if isMain { classes.append("main") }
        if isCritical { classes.append("critical") }
        if isMostlyInteractive { classes.append("interactive") }
        if let outcome = outcome.timelineClass { classes.append(outcome) }
        return classes.joined(separator: " ")
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
