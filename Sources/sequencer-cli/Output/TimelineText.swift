import Sequencer
import SequencerAnalysis

/// A launch's report as text for a terminal: when each operation ran, its outcome, and the verdict.
struct TimelineText {
    /// The number of operations shown of a larger graph.
    static let maximumOperations = 100

    /// Its times count from where the budget's do.
    let report: LaunchReport
    private let verdict: VerdictText
    /// Whether this is the plan of a launch, rather than its report.
    let isPlan: Bool
    /// In the order they were added.
    let operations: [OperationReport]
    let width: Int
    let style: TextStyle
    /// The column of names, behind the markers of the critical path and of the main thread.
    static let nameStart = 2
    let nameWidth: Int
    /// Whether there is room for titles.
    let showsTitles: Bool
    /// The column of bars, behind the names and the durations.
    let barStart: Int
    /// The time from the first column of bars to the end of the last.
    private let range: Duration
    /// The number of columns of bars.
    let columns: Int
    /// Where on the axis the budget ends, moved right by the users' time before it, and the words of the legend; nil
    /// when that is not a point on it.
    private(set) var budgetMark: (column: Int, label: String)?
    private var shown: [OperationReport] = []

    /// - Parameters:
    ///   - isPlan: whether the report is a plan of a launch that has yet to happen.
    ///   - unknown: the unknown times; nil takes those of the report.
    ///   - width: the terminal's; less than 40 or more than 400 columns are taken for these.
    init(_ report: LaunchReport, isPlan: Bool = false, unknown: UnknownTimes? = nil, style: TextStyle, width: Int) {
        self.width = min(max(width, 40), 400)
        // The verdict is made of the report as it is; only the drawing counts from the start of the process.
        verdict = VerdictText(report, unknown: unknown, style: style, width: self.width)
        let report = report.fromProcessStart
        (self.report, self.isPlan, self.style, operations) = (report, isPlan, style, report.operations)
        let chosen = report.selection(limit: Self.maximumOperations).map { report.operations[$0] }
        let showsTitles = width >= 100
        self.showsTitles = showsTitles
        let names = chosen.lazy.map { displayWidth(timelineName(of: $0, withTitle: showsTitles).joined()) }
        nameWidth = min(names.max() ?? 0, max(12, self.width * 3 / 10))
        let durations = chosen.lazy.map { displayWidth(durationCell(of: $0, style)) }
        barStart = Self.nameStart + nameWidth + 1 + (durations.max() ?? 0) + 1
        // A plan, or an operation that runs on, may end after the launch has.
        range = max(report.makespan, chosen.map(\.end).max() ?? .zero)
        columns = max(self.width - barStart, 1)
        // Starts that the axis cannot tell apart keep the order of the graph; operations that never started come last.
        let places = chosen.map { $0.start.map(column) ?? .max }
        shown = chosen.indices.sorted { (places[$0], $0) < (places[$1], $1) }.map { chosen[$0] }
        if let mark = report.budgetMark, mark.time <= range {
            budgetMark = (column(mark.time), style.isUnicode ? mark.label : mark.label.replacing("µs", with: "us"))
        }
    }

    /// Where a time is, in columns and parts of them.
    func position(_ time: Duration) -> Double {
        // A launch that took no time has everything at its start.
        range == .zero ? 0 : min(max(time / range * Double(columns), 0), Double(columns))
    }

    /// The column that shows a time.
    func column(_ time: Duration) -> Int { min(Int(position(time).rounded()), columns - 1) }

    /// The lines, none of them wider than the terminal.
    var lines: [String] {
        var lines = [header]
        if !shown.isEmpty {
            lines += axisLines
            let isLater = Set(report.afterMilestone?.operations ?? [])
            for operation in shown where !isLater.contains(operation.id) { lines += rows(of: operation) }
            let later = shown.filter { isLater.contains($0.id) }
            if !later.isEmpty { lines.append(style.dim("after the milestone")) }
            for operation in later { lines += rows(of: operation) }
            if shown.count < operations.count {
                let count = "\(operations.count - shown.count) of \(operations.count)"
                lines += wrap("\(style.ellipsis) \(count) operations not shown: shorter, and not critical").map(style.dim)
            }
            lines.append(legend)
        }
        if let grounds = report.grounds { lines += wrap(grounds.text).map(style.dim) }
        return lines + messages + afterMilestone + scopes + verdict.lines
    }

    private func wrap(_ text: String) -> [String] { wrapped(text, to: width, indent: 2, ellipsis: style.ellipsis) }

    /// The lines as one text.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// The outcome of the operations that ran on; empty without any.
    private var afterMilestone: [String] {
        guard let text = report.afterMilestoneText(isPlan: isPlan, style.duration) else { return [] }
        let lines = wrap(printable(text, limit: 700))
        return report.afterMilestone?.outcome == .completed ? lines : lines.map(style.yellow)
    }

    /// A line for each graph that joined the launch.
    private var scopes: [String] {
        Self.limited(
            report.scopes.flatMap { scope in
                let isGood = scope.report.outcome == .completed && scope.report.isWithinBudgets
                let lines = wrap("scope \(printable(scope.scopeText(style.duration), limit: 700))")
                return lines.map { isGood ? $0 : style.yellow($0) }
            }
        )
    }

    // MARK: Around the bars

    private var header: String {
        let ended = report.outcome == .completed ? "in" : "after"
        let what = isPlan ? "expected to take" : "\(report.outcome.name) \(ended)"
        let time = ": \(what) \(style.duration(report.endOfLaunchProper))"
        let noun = report.lanes == 1 ? " lane" : " lanes"
        let lanes = [report.lanesText(noun), "\(report.lanes)\(noun)"]
        let rests = lanes.map { time + (report.lanes == 0 ? "" : ", \($0)") }
        let name = printable(report.scenario, limit: 200)
        let rest = displayWidth(name) + displayWidth(rests[0]) <= width ? rests[0] : rests[1]
        // The name gives way: the rest of the line is the result.
        return style.bold(truncated(name, to: max(width - displayWidth(rest), 8), keepsEnd: true, ellipsis: style.ellipsis)) + rest
    }

    private var axisLines: [String] {
        var (labels, ruler) = (StyledLine(style), StyledLine(style))
        var glyphs = Array(repeating: style.bars.axis, count: columns)
        // Labels are put from the left: one that would touch the last is left out.
        var free = 0
        for tick in roundTimes(upTo: range.nanoseconds, atMost: Nanoseconds(max(columns / 10 - 1, 1))) {
            let (place, label) = (column(.nanoseconds(tick)), tick == 0 ? "0" : style.duration(.nanoseconds(tick)))
            glyphs[place] = style.bars.tick
            // The last label may have to move to the left.
            let column = min(place, columns - label.count)
            guard column >= free else { continue }
            labels.put(label, at: barStart + column, tone: .dim)
            free = column + label.count + 2
        }
        let end = budgetMark?.column ?? glyphs.count
        ruler.put(glyphs[..<end].joined(), at: barStart, tone: .dim)
        if end < glyphs.count { ruler.put(style.bars.budget, at: barStart + end, tone: .red) }
        ruler.put(glyphs[min(end + 1, glyphs.count)...].joined(), at: 0, tone: .dim)
        return [labels.text, ruler.text]
    }

    private var legend: String {
        let bars = style.bars
        let glyphs = Set(shown.compactMap { look(of: $0)?.glyph })
        let parts: [String?] = [
            shown.contains(where: isMarkedCritical) ? "* \(isPlan ? "longest" : "critical") path" : nil,
            glyphs.contains(bars.running) ? "\(bars.running) running" : nil,
            glyphs.contains(bars.interactive) ? "\(bars.interactive) interactive" : nil,
            shown.contains { waitColumns(of: $0) != nil } ? "\(bars.waiting) waiting" : nil,
            glyphs.contains(bars.unsuccessful) ? "\(bars.unsuccessful) not done" : nil,
            shown.contains(where: \.isMain) ? "\(bars.main) main thread" : nil,
            budgetMark.map { "\(bars.budget) \($0.label)" },
        ]
        // Only kinds that are drawn: a legend of all of them would be longer than the timeline.
        return style.dim(truncated(parts.compactMap(\.self).joined(separator: "  "), to: width, ellipsis: style.ellipsis))
    }
}

extension TimelineText {
    /// More for the user to know: operations that were left running, notes, and misbehaviour.
    var messages: [String] {
        var messages: [String] = []
        let stragglers = report.stragglers
        if !stragglers.isEmpty {
            messages.append("still running when the launch ended: \(listed(stragglers) { printable($0, limit: 80) })")
        }
        messages += Self.limited(
            operations.flatMap { operation in
                operation.notes.map { "\(printable(operation.id, limit: 80)): \(printable($0, limit: 400))" }
            }
        )
        messages += report.processorTexts(style.duration)
        messages += Self.limited(report.anomalies.filter(\.isNotable).map { printable($0.description, limit: 400) })
        return messages.flatMap(wrap).map(style.yellow)
    }

    /// No more lines than anyone reads.
    private static func limited(_ lines: [String]) -> [String] {
        lines.prefix(20) + (lines.count > 20 ? ["and \(lines.count - 20) more like these"] : [])
    }
}

extension Anomaly {
    private static let notableDelay = Duration.milliseconds(100)

    /// Whether the user should know: an operation that ends soon after it was told to cancel is not worth a message.
    var isNotable: Bool { kind != .endedLate || duration.map { $0 >= Self.notableDelay } ?? true }
}
