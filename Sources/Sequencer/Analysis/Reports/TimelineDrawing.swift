import Sequencer

extension LaunchReport {
    /// The launch's timeline as a picture: an SVG file.
    ///
    /// Time runs to the right. The main thread and each lane have a line; below, each operation has a row, in the order of their starts: the wait from
    /// ready to start is thin and grey, the work a bar, the slack dotted. Bars of the critical path have a border and are joined by a line; those of what
    /// failed are red. Interactive
    /// time is shaded; a dashed line shows where the budget ends, moved right by the interactive time before it; dotted ones show where the initial display and the
    /// milestone ended. An operation that never started has a circle where it ended. Colours follow the viewer's preference for light or dark. Nothing is loaded from anywhere, names can hold any
    /// character, and the same document always gives the same text.
    ///
    /// The format: <https://www.w3.org/TR/SVG11/>.
    ///
    /// - Parameter maximumRows: how many operations get a row. Of a launch with more, those of the critical path come first, then those that did not
    ///   succeed, then the longest; the picture says how many are missing.
    /// - Complexity: O(operations · log operations).
    public func svg(maximumRows: Int = 1000) -> String {
        TimelineDrawing(fromProcessStart, for: .file, maximumRows: maximumRows).svg()
    }
}

/// A launch's timeline as an SVG element: time runs to the right, with a row for each operation and the lanes above.
///
/// The element has everything but its style (``TimelineStyle``), so it can stand in a page as well as alone. SVG 1.1:
/// <https://www.w3.org/TR/SVG11/>.
struct TimelineDrawing {
    /// The document that holds the drawing.
    enum Purpose {
        /// A file of its own.
        case file
        /// A page that has a row `row-N` in a table for each operation, which its bars lead to.
        case page
    }

    /// The lanes that are drawn one by one; a launch with more has its drawing, but not each lane.
    static let maximumLanes = 16

    let report: LaunchReport
    let purpose: Purpose
    /// The operations that have a row, in the order of their rows.
    let rows: [Int]
    let omission: String?
    let lanes: [String]
    let clock: BudgetClock
    let scale: TimelineScale

    let width = 1200.0
    let labelWidth = 230.0
    let rowHeight = 20.0
    let laneHeight = 16.0
    let axisHeight = 34.0

    init(_ report: LaunchReport, for purpose: Purpose, maximumRows: Int) {
        self.report = report
        self.purpose = purpose
        let selection = report.selection(limit: maximumRows)
        omission = report.omission(selection)
        let operations = report.operations
        let keys = operations.map { $0.start ?? $0.end }
        rows = selection.sorted { keys[$0] == keys[$1] ? $0 < $1 : keys[$0] < keys[$1] }
        let used = operations.lazy.filter { $0.start != nil && !$0.isMain }.compactMap(\.lane).filter { $0 > 0 }
        let main = operations.contains { $0.isMain && $0.start != nil } ? ["main"] : []
        lanes = main + Set(used).sorted().prefix(Self.maximumLanes).map { "lane \($0)" }
        clock = BudgetClock(report)
        let last = operations.lazy.map(\.end.nanoseconds).max() ?? 0
        var extent = max(report.makespan.nanoseconds, last)
        // A budget that is far away would leave the launch a sliver.
        if let limit = clock.limit, limit / 4 <= extent { extent = max(extent, limit) }
        // Room for the number beside the last bar.
        scale = TimelineScale(extent: extent, origin: labelWidth, width: width - labelWidth - 70)
    }

    /// Where the lanes begin.
    var lanesTop: Double { axisHeight }
    /// Where the operations begin.
    var rowsTop: Double { lanesTop + (lanes.isEmpty ? 0 : Double(lanes.count) * laneHeight + 14) }
    var rowsBottom: Double { rowsTop + Double(rows.count) * rowHeight }
    var height: Double { rowsBottom + (omission == nil ? 8 : 28) }

    func top(ofRow row: Int) -> Double { rowsTop + Double(row) * rowHeight }

    /// The text of the element.
    ///
    /// - Complexity: O(operations · log operations).
    func svg() -> String {
        let size = "viewBox=\"0 0 \(pixels(width)) \(pixels(height))\" width=\"\(pixels(width))\" height=\"\(pixels(height))\""
        let count = report.operations.count
        let title = "Timeline of \(report.scenario): \(report.verdictText), \(count) operation\(count == 1 ? "" : "s")"
        var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" \(size)"
        text += purpose == .page ? " id=\"timeline\" role=\"group\" aria-label=\"\(Markup.text(title))\">\n" : " role=\"img\">\n"
        if purpose == .file { text += "<title>\(Markup.text(title))</title>\n<style>\n\(TimelineStyle.css)\n</style>\n" }
        text += "<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n"
        for row in rows.indices where row.isMultiple(of: 2) {
            text +=
                "<rect class=\"band\" x=\"0\" y=\"\(pixels(top(ofRow: row)))\" width=\"\(pixels(width))\" height=\"\(pixels(rowHeight))\"/>\n"
        }
        text += pauses() + axis() + laneStrip() + criticalPath() + "<g id=\"links\"></g>\n"
        for (row, node) in rows.enumerated() { text += element(node, row) }
        text += displays() + budgetLine()
        if let omission {
            text += "<text class=\"note\" x=\"8\" y=\"\(pixels(rowsBottom + 18))\">\(Markup.text(omission)).</text>\n"
        }
        return text + "</svg>"
    }
}

/// The parts around the operations: time, interactive time, lanes, and the budget.
extension TimelineDrawing {
    func pauses() -> String {
        clock.pauses.reduce(into: "") { text, pause in
            let (from, to) = (scale.place(pause.lowerBound), scale.place(pause.upperBound))
            guard to > from else { return }
            text += "<rect class=\"pause\" x=\"\(pixels(from))\" y=\"\(pixels(axisHeight))\" width=\"\(pixels(to - from))\" "
            text += "height=\"\(pixels(rowsBottom - axisHeight))\"><title>interactive: does not count against the budget</title></rect>\n"
        }
    }

    func axis() -> String {
        var text = "<g class=\"axis\">\n"
        for tick in scale.ticks {
            let place = pixels(scale.place(tick))
            text += "<line x1=\"\(place)\" y1=\"\(pixels(axisHeight - 6))\" x2=\"\(place)\" y2=\"\(pixels(rowsBottom))\"/>"
            text +=
                "<text x=\"\(place)\" y=\"\(pixels(axisHeight - 10))\" text-anchor=\"middle\">\(durationText(.nanoseconds(tick)))</text>\n"
        }
        return text + "</g>\n"
    }

    /// The main thread and the lanes, a line each, with what ran there.
    func laneStrip() -> String {
        guard !lanes.isEmpty else { return "" }
        var text = "<g class=\"lanes\" aria-hidden=\"true\">\n"
        let lines = Dictionary(uniqueKeysWithValues: lanes.enumerated().map { ($1, $0) })
        for (line, lane) in lanes.enumerated() {
            let base = lanesTop + Double(line) * laneHeight
            text += "<text class=\"number\" x=\"\(pixels(labelWidth - 8))\" y=\"\(pixels(base + 12))\" text-anchor=\"end\">\(lane)</text>\n"
        }
        // Operations without a row have no bar here: so the drawing of a huge launch can still be looked at.
        for node in rows {
            let operation = report.operations[node]
            guard let start = operation.start?.nanoseconds, let place = operation.place, let line = lines[place] else { continue }
            let (from, to) = (scale.place(start), scale.place(operation.end.nanoseconds))
            text += "<g class=\"\(classes(of: operation))\" data-lane=\"\(node)\"><rect class=\"bar\" x=\"\(pixels(from))\" "
            text += "y=\"\(pixels(lanesTop + Double(line) * laneHeight + 3))\" width=\"\(pixels(max(to - from, 0.5)))\" height=\"10\">"
            text += "<title>\(Markup.text(operation.id))</title></rect></g>\n"
        }
        return text + "</g>\n"
    }

    /// Lines from the end of each operation of the critical path to the start of the next.
    func criticalPath() -> String {
        let positions = report.positions
        let places = Dictionary(rows.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var points: [(x: Double, y: Double)] = []
        for id in report.criticalPath {
            guard let node = positions[id], let row = places[node], let start = report.operations[node].start else { continue }
            let middle = top(ofRow: row) + rowHeight / 2
            points.append((scale.place(start.nanoseconds), middle))
            points.append((scale.place(report.operations[node].end.nanoseconds), middle))
        }
        guard points.count > 2 else { return "" }
        let steps = stride(from: 1, to: points.count - 1, by: 2).map { index in
            let (from, to) = (points[index], points[index + 1])
            return "M\(pixels(from.x)) \(pixels(from.y))V\(pixels(to.y))H\(pixels(to.x))"
        }
        return "<path class=\"path\" d=\"\(steps.joined())\"/>\n"
    }

    /// Lines where the initial display and the milestone ended.
    func displays() -> String {
        [(report.initialDisplay, "initial display"), (report.milestone, "milestone")].reduce(into: "") { text, display in
            guard let operation = display.0.flatMap({ report[$0] }), operation.outcome.isSuccess else { return }
            let place = pixels(scale.place(operation.end.nanoseconds))
            text += "<line class=\"milestone\" x1=\"\(place)\" y1=\"\(pixels(axisHeight))\" x2=\"\(place)\" y2=\"\(pixels(rowsBottom))\">"
            text += "<title>\(display.1), at \(durationText(operation.end))</title></line>\n"
        }
    }

    func budgetLine() -> String {
        guard let budget = report.budget.budget else { return "" }
        guard let limit = clock.limit else {
            return
                "<text class=\"budget-label\" x=\"8\" y=\"\(pixels(axisHeight - 10))\">the budget counts from the process's start</text>\n"
        }
        let label = "budget \(durationText(budget.limit))"
        guard limit <= scale.extent else {
            return "<text class=\"budget-label\" x=\"\(pixels(width - 4))\" y=\"12\" text-anchor=\"end\">\(label) ›</text>\n"
        }
        let place = scale.place(limit)
        // The label stays inside the drawing.
        let anchor = place > width - 120 ? "end" : "start"
        var text = "<line class=\"budget\" x1=\"\(pixels(place))\" y1=\"4\" x2=\"\(pixels(place))\" y2=\"\(pixels(rowsBottom))\"/>"
        text +=
            "<text class=\"budget-label\" x=\"\(pixels(place + (anchor == "end" ? -6 : 6)))\" y=\"12\" text-anchor=\"\(anchor)\">\(label)</text>\n"
        return text
    }
}

/// One operation of a drawing: its name, its wait, its duration, and its slack.
extension TimelineDrawing {
    func classes(of operation: OperationReport) -> String {
        var classes = ["op"]
        if operation.isMain { classes.append("main") }
        if operation.isCritical { classes.append("critical") }
        if operation.isMostlyInteractive { classes.append("interactive") }
        if operation.outcome != .succeeded { classes.append("unsuccessful") }
        if operation.outcome == .failed || operation.outcome == .timedOut { classes.append("failed") }
        return classes.joined(separator: " ")
    }

    func element(_ node: Int, _ row: Int) -> String {
        let operation = report.operations[node]
        let top = top(ofRow: row)
        let label = Markup.text(Markup.shortened(operation.id, to: 32))
        var text = opening(node, operation)
        text += "<title>\(Markup.text(operation.id)): \(Markup.text(operation.summary))</title>"
        text +=
            "<rect x=\"0\" y=\"\(pixels(top))\" width=\"\(pixels(width))\" height=\"\(pixels(rowHeight))\" fill=\"none\" pointer-events=\"all\"/>"
        // A name is written from where its own script begins, and does not turn around its neighbours.
        text += "<text class=\"label\" x=\"8\" y=\"\(pixels(top + 14))\" unicode-bidi=\"isolate\">\(label)</text>"
        text += bars(operation, top)
        return text + (purpose == .page ? "</a>\n" : "</g>\n")
    }

    private func opening(_ node: Int, _ operation: OperationReport) -> String {
        switch purpose {
        case .file: "<g class=\"\(classes(of: operation))\">"
        case .page:
            "<a class=\"\(classes(of: operation))\" id=\"op-\(node)\" data-op=\"\(node)\" href=\"#row-\(node)\" "
                + "aria-label=\"\(Markup.text(operation.id))\">"
        }
    }

    private func bars(_ operation: OperationReport, _ top: Double) -> String {
        let end = operation.end.nanoseconds
        let stop = scale.place(end)
        guard let start = operation.start?.nanoseconds else {
            return "<circle class=\"never\" cx=\"\(pixels(stop))\" cy=\"\(pixels(top + 10))\" r=\"3.5\"/>"
                + number(operation.outcome.words, stop + 8, top)
        }
        let begin = scale.place(start)
        var text = ""
        if let ready = operation.ready?.nanoseconds, ready < start {
            let from = scale.place(ready)
            text += "<rect class=\"wait\" x=\"\(pixels(from))\" y=\"\(pixels(top + 8))\" width=\"\(pixels(begin - from))\" height=\"4\"/>"
        }
        var right = stop
        if operation.slack > .zero {
            right = scale.place(end.addingSaturated(operation.slack.nanoseconds))
            text +=
                "<line class=\"slack\" x1=\"\(pixels(stop))\" y1=\"\(pixels(top + 10))\" x2=\"\(pixels(right))\" y2=\"\(pixels(top + 10))\"/>"
        }
        text +=
            "<rect class=\"bar\" x=\"\(pixels(begin))\" y=\"\(pixels(top + 4))\" width=\"\(pixels(max(stop - begin, 1)))\" height=\"12\" rx=\"2\"/>"
        var numbers = durationText(operation.duration)
        if operation.outcome != .succeeded { numbers += ", \(operation.outcome.words)" }
        return text + number(numbers, right + 6, top)
    }

    /// A number beside a bar: to the right of it, or, if it does not fit there, to the left of the edge.
    private func number(_ text: String, _ place: Double, _ top: Double) -> String {
        let isAtEdge = place + Double(text.count) * 6 > width
        return "<text class=\"number\" x=\"\(pixels(isAtEdge ? width - 4 : place))\" y=\"\(pixels(top + 14))\""
            + (isAtEdge ? " text-anchor=\"end\">" : ">") + Markup.text(text) + "</text>"
    }
}
