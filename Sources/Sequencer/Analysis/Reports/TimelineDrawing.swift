import Sequencer

extension LaunchReport {
    /// The launch's timeline as a picture: an SVG file.
    ///
    /// The launch's name, its verdict and a legend come first. Time runs to the right. The main thread and each lane have a line, with all that ran
    /// there; below, each operation has a row, in the order of their starts: the wait from ready to start is thin and grey, the work a bar with its
    /// duration at its end, the slack dotted, the expected end a mark. Bars of the critical path have a border and are joined by a line. A failed
    /// operation's bar is red and crossed, one that fell back has a half-filled bar, a cancelled one a hollow bar. Interactive time is shaded; a
    /// dashed line shows where the budget ends, moved right by the interactive time before it; others show where the initial display and the
    /// milestone ended. An operation that never started has a circle where it ended. Colours follow the viewer's preference for light or dark.
    /// Nothing is loaded from anywhere, names can hold any character, and the same document always gives the same text.
    ///
    /// Below the launch's own operations, each scope of `scopes` has a heading with its name and its verdict, and a row for each of its operations, at
    /// the launch's times.
    ///
    /// The format: <https://www.w3.org/TR/SVG11/>.
    ///
    /// - Parameters:
    ///   - maximumRows: how many operations get a row. Of a launch with more, those of the critical path come first, then those that did not
    ///     succeed, then the longest; the picture says how many are missing. Scopes and their operations have as many rows together.
    ///   - width: the picture's width in pixels, 280 to 20,000; others are taken for these. Below 600, labels stand above the bars. A viewer with less room
    ///     shows the picture smaller.
    /// - Complexity: O(operations · log operations).
    public func svg(maximumRows: Int = 1000, width: Int = 1200) -> String {
        TimelineDrawing(fromProcessStart, maximumRows: maximumRows, width: width).svg()
    }
}

/// A launch's timeline as an SVG file: time runs to the right, with a row for each operation and the lanes above. SVG 1.1: <https://www.w3.org/TR/SVG11/>.
struct TimelineDrawing {
    let contents: TimelineContents
    let scale: TimelineScale
    let width: Double
    /// Whether labels stand above the bars.
    let isNarrow: Bool
    /// One line, or two in a narrow picture.
    private let verdict: [String]
    /// The lines of each scope's heading, by its row. Made once: each line that ends below a heading asks for them again.
    private let headings: [Int: [String]]
    private let headingsHeight: Double
    private let legend: [(entry: LegendEntry, x: Double, line: Int)]
    private let marks: [TimelineContents.Mark]

    let laneHeight = 16.0
    var rowHeight: Double { isNarrow ? 36 : 20 }
    var labelWidth: Double { isNarrow ? 8 : 230 }
    /// The middle of a bar, from the top of its row.
    var middle: Double { isNarrow ? 26 : 10 }

    init(_ report: LaunchReport, maximumRows: Int, width: Int) {
        let contents = TimelineContents(report, maximumRows: maximumRows)
        let whole = Double(min(max(width, 280), 20_000))
        let isNarrow = whole < 600
        self.contents = contents
        self.width = whole
        self.isNarrow = isNarrow
        marks = contents.marks
        verdict = Markup.lines(report.verdictText, separator: "; ", toWidth: (whole - 16) / 1.1)
        headings = contents.scopes.rows.enumerated().reduce(into: [:]) { headings, row in
            guard case .heading(let scope) = row.element else { return }
            headings[row.offset] = Markup.lines(scope.description, separator: ": ", toWidth: (whole - 16) / 1.1)
        }
        headingsHeight = headings.values.reduce(0) { $0 + Self.height(ofHeading: $1) }
        // Room for the words beside the last bar.
        let (left, right): (Double, Double) = isNarrow ? (8, 16) : (230, 130)
        scale = TimelineScale(extent: contents.extent, origin: left, width: whole - left - right)
        var (x, line) = (8.0, 0)
        legend = contents.legend.map { entry in
            // 28 for its sample and 14 behind it; its letters are smaller than those whose width is known.
            let needed = 28 + Markup.width(of: entry.text) * 0.8 + 14
            if x > 8, x + needed > whole { (x, line) = (8, line + 1) }
            defer { x += needed }
            return (entry: entry, x: x, line: line)
        }
    }

    private var report: LaunchReport { contents.report }
    private var legendTop: Double { 40 + Double(verdict.count) * 16 }
    private var headHeight: Double { legendTop + 6 + Double((legend.last?.line ?? -1) + 1) * 16 }
    /// Where the lines from top to bottom begin.
    var axisBottom: Double { headHeight + Double(marks.count) * 14 + 20 }
    /// A lane's name stands above it where labels do.
    private var laneStep: Double { isNarrow ? laneHeight + 12 : laneHeight }
    private var rowsTop: Double { axisBottom + (contents.lanes.isEmpty ? 0 : Double(contents.lanes.count) * laneStep + 14) }
    var rowsBottom: Double { rowsTop + Double(contents.rows.count) * rowHeight }
    private var scopesTop: Double { rowsBottom + (omission == nil ? 8 : 28) }
    private var scopesBottom: Double {
        let operations = contents.scopes.rows.count - headings.count + (contents.scopes.omission == nil ? 0 : 1)
        return scopesTop + headingsHeight + Double(operations) * rowHeight
    }
    private var height: Double { contents.scopes.isEmpty ? scopesTop : scopesBottom + 8 }
    /// Where the lines from top to bottom end.
    private var linesBottom: Double { contents.scopes.isEmpty ? rowsBottom : scopesBottom }
    private var omission: String? {
        let phrases = [contents.omission, contents.laneOmission].compactMap { $0 }
        return phrases.isEmpty ? nil : phrases.joined(separator: "; ")
    }

    private func top(ofRow row: Int) -> Double { rowsTop + Double(row) * rowHeight }

    /// The text of the file.
    ///
    /// - Complexity: O(operations · log operations).
    func svg() -> String {
        var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" viewBox=\"0 0 \(pixels(width)) \(pixels(height))\" "
        text += "width=\"\(pixels(width))\" height=\"\(pixels(height))\" role=\"img\">\n"
        text += "<title>\(Markup.text(contents.title))</title>\n<style>\n\(TimelineStyle.css)\n</style>\n"
        text += "<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n" + heading() + legendEntries()
        text += bands() + pauses() + axis() + laneStrip() + criticalPath() + markLines()
        for (row, node) in contents.rows.enumerated() { text += element(report.operations[node], top(ofRow: row)) }
        if let omission { text += note(omission, rowsBottom + 18) }
        return text + scopes() + "</svg>"
    }

    /// Behind every second row, beginning anew in each scope.
    private func bands() -> String {
        var (text, top, isBand) = ("", rowsTop, true)
        func add(_ height: Double) {
            if isBand {
                text += "<rect class=\"band\" x=\"0\" y=\"\(pixels(top))\" width=\"\(pixels(width))\" height=\"\(pixels(height))\"/>\n"
            }
            isBand.toggle()
            top += height
        }
        for _ in contents.rows { add(rowHeight) }
        top = scopesTop
        for row in contents.scopes.rows.indices {
            if let lines = headings[row] { (top, isBand) = (top + Self.height(ofHeading: lines), true) } else { add(rowHeight) }
        }
        return text
    }

    private func heading() -> String {
        // The letters of a heading are half as large again as those whose width is known, those of a verdict a tenth.
        let name = Markup.text(Markup.shortened(report.scenario, toWidth: (width - 16) / 1.5))
        var text = "<text class=\"heading\" x=\"8\" y=\"24\" unicode-bidi=\"isolate\">\(name)</text>\n"
        for (line, words) in verdict.enumerated() {
            text += "<text class=\"verdict \(report.verdictClass)\" x=\"8\" y=\"\(44 + line * 16)\">\(Markup.text(words))</text>\n"
        }
        return text
    }

    private func legendEntries() -> String {
        guard !legend.isEmpty else { return "" }
        var text = "<g class=\"legend\">\n"
        for (entry, x, line) in legend {
            let top = legendTop + Double(line) * 16
            text += sample(of: entry, x, top) + "<text x=\"\(pixels(x + 28))\" y=\"\(pixels(top + 10))\">\(entry.text)</text>\n"
        }
        return text + "</g>\n"
    }

    /// A small piece of that which an entry explains, 22 pixels wide and 12 high.
    private func sample(of entry: LegendEntry, _ x: Double, _ top: Double) -> String {
        func line(_ style: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
            "<line class=\"\(style)\" x1=\"\(pixels(x1))\" y1=\"\(pixels(y1))\" x2=\"\(pixels(x2))\" y2=\"\(pixels(y2))\"/>"
        }
        func box(_ style: String, _ top: Double, _ height: Double) -> String {
            "<rect class=\"\(style)\" x=\"\(pixels(x))\" y=\"\(pixels(top))\" width=\"22\" height=\"\(pixels(height))\"/>"
        }
        switch entry {
        case .lane, .main, .interactive, .cancelled: return "<g class=\"\(entry.rawValue)\">\(box("bar", top, 11))</g>"
        case .critical: return "<g class=\"critical\">\(box("bar", top, 11))</g>"
        case .failed: return "<g class=\"failed\">\(box("bar", top, 11))\(sign(of: .failed, x, x + 22, top, 11))</g>"
        case .fellBack: return "<g class=\"fell-back\">\(box("bar", top, 11))\(sign(of: .fellBack, x, x + 22, top, 11))</g>"
        case .never: return "<circle class=\"never\" cx=\"\(pixels(x + 17))\" cy=\"\(pixels(top + 6))\" r=\"3.5\"/>"
        case .wait: return box("wait", top + 4, 4)
        case .pause: return box("pause", top, 11)
        case .slack: return line("slack", x, top + 6, x + 22, top + 6)
        // Nearer to its words than to those before it.
        case .expected, .budget, .display, .milestone: return line(entry.rawValue, x + 20, top - 1, x + 20, top + 12)
        }
    }

    /// The sign on a bar that tells apart what the colour does: a cross at its end, or the filled half.
    private func sign(of outcome: Outcome, _ from: Double, _ to: Double, _ top: Double, _ height: Double) -> String {
        switch outcome {
        case .failed where to - from >= 10, .timedOut where to - from >= 10:
            let (left, right) = (pixels(to - 9), pixels(to - 3))
            let (upper, lower) = (pixels(top + height / 2 - 3), pixels(top + height / 2 + 3))
            return "<path class=\"cross\" d=\"M\(left) \(upper)L\(right) \(lower)M\(left) \(lower)L\(right) \(upper)\"/>"
        case .fellBack:
            let width = pixels(max(to - from, 1))
            return
                "<rect class=\"half\" x=\"\(pixels(from))\" y=\"\(pixels(top + height / 2))\" width=\"\(width)\" height=\"\(pixels(height / 2))\"/>"
        default: return ""
        }
    }
}

/// The parts around the operations: time, interactive time, marks, lanes.
extension TimelineDrawing {
    private func pauses() -> String {
        contents.clock.pauses.reduce(into: "") { text, pause in
            let (from, to) = (scale.place(pause.lowerBound), scale.place(pause.upperBound))
            guard to > from else { return }
            text += "<rect class=\"pause\" x=\"\(pixels(from))\" y=\"\(pixels(axisBottom))\" width=\"\(pixels(to - from))\" "
            text += "height=\"\(pixels(linesBottom - axisBottom))\"><title>interactive: does not count against the budget</title></rect>\n"
        }
    }

    private func axis() -> String {
        var text = "<g class=\"axis\">\n"
        // As many as there is room for.
        for tick in scale.ticks(atMost: Nanoseconds(min(max(scale.width / 70, 2), 10))) {
            let place = scale.place(tick)
            // A narrow picture has no room beyond its time.
            let anchor = !isNarrow ? "middle" : tick == 0 ? "start" : place > width - 30 ? "end" : "middle"
            text += "<line x1=\"\(pixels(place))\" y1=\"\(pixels(axisBottom - 3))\" x2=\"\(pixels(place))\" y2=\"\(pixels(linesBottom))\"/>"
            text += "<text x=\"\(pixels(place))\" y=\"\(pixels(axisBottom - 7))\" text-anchor=\"\(anchor)\">"
            text += durationText(.nanoseconds(tick)) + "</text>\n"
        }
        return text + "</g>\n"
    }

    /// The ends of the budget, of the initial display and of the milestone; their names stand above each other, so that none lies over another.
    private func markLines() -> String {
        var text = ""
        for (line, mark) in marks.enumerated() {
            let baseline = headHeight + Double(line) * 14 + 11
            var (x, anchor, label) = (labelWidth, "start", mark.label)
            switch mark.place {
            case .at(let time):
                let place = scale.place(time)
                text += "<line class=\"\(mark.style)\" x1=\"\(pixels(place))\" y1=\"\(pixels(axisBottom - 3))\" x2=\"\(pixels(place))\" "
                text += "y2=\"\(pixels(linesBottom))\"><title>\(mark.label)</title></line>"
                // On the side that has more room.
                (x, anchor) = place > width / 2 ? (place - 5, "end") : (place + 5, "start")
            case .beyond: (x, anchor, label) = (width - 8, "end", mark.label + " ›")
            case .elsewhere: break
            }
            text +=
                "<text class=\"mark \(mark.style)\" x=\"\(pixels(x))\" y=\"\(pixels(baseline))\" text-anchor=\"\(anchor)\">\(label)</text>\n"
        }
        return text
    }

    /// The main thread and the lanes, a line each, with all that ran there; operations without a row share one shape.
    private func laneStrip() -> String {
        guard !contents.lanes.isEmpty else { return "" }
        var text = "<g class=\"lanes\" aria-hidden=\"true\">\n"
        for (line, (lane, nodes)) in zip(contents.lanes, contents.operationsOfLanes()).enumerated() {
            let base = axisBottom + Double(line) * laneStep + (isNarrow ? 12 : 0)
            let (x, y, anchor) = isNarrow ? (8.0, base, "start") : (labelWidth - 8, base + 12, "end")
            text += "<text class=\"number\" x=\"\(pixels(x))\" y=\"\(pixels(y))\" text-anchor=\"\(anchor)\">\(lane)</text>\n"
            if !nodes.others.isEmpty {
                text += "<g class=\"rest\(lane == "main" ? " main" : "")\"><path class=\"bar\" d=\""
                for node in nodes.others {
                    let (from, to) = ends(report.operations[node])
                    // Half a pixel at least, or the shortest could not be seen.
                    text += "M\(pixels(from)) \(pixels(base + 3))h\(pixels(max(to - from, 0.5)))v10H\(pixels(from))z"
                }
                text += "\"/></g>\n"
            }
            for node in nodes.withRow {
                let operation = report.operations[node]
                let (from, to) = ends(operation)
                // Apart from the next one, where there is room for that.
                let length = to - from > 3 ? to - from - 1 : max(to - from, 0.5)
                text += "<g class=\"\(operation.timelineClasses)\" data-lane=\"\(node)\"><rect class=\"bar\" x=\"\(pixels(from))\" "
                text += "y=\"\(pixels(base + 3))\" width=\"\(pixels(length))\" height=\"10\">"
                text += "<title>\(Markup.text(operation.id))</title></rect>"
                text += sign(of: operation.outcome, from, from + length, base + 3, 10) + "</g>\n"
            }
        }
        return text + "</g>\n"
    }

    private func ends(_ operation: OperationReport) -> (from: Double, to: Double) {
        (scale.place(operation.start?.nanoseconds ?? 0), scale.place(operation.end.nanoseconds))
    }

    /// Lines from the end of each operation of the critical path to the start of the next.
    private func criticalPath() -> String {
        let steps = contents.criticalSteps.map { step in
            let (end, start) = (ends(report.operations[step.from.node]).to, ends(report.operations[step.to.node]).from)
            let (from, to) = (top(ofRow: step.from.row) + middle, top(ofRow: step.to.row) + middle)
            return "M\(pixels(end)) \(pixels(from))V\(pixels(to))H\(pixels(start))"
        }
        return steps.isEmpty ? "" : "<path class=\"path\" d=\"\(steps.joined())\"/>\n"
    }
}

/// The scopes, below the launch's own operations.
extension TimelineDrawing {
    private static func height(ofHeading lines: [String]) -> Double { 8 + Double(lines.count) * 16 }

    private func scopes() -> String {
        var (text, top) = ("", scopesTop)
        for (index, row) in contents.scopes.rows.enumerated() {
            switch row {
            case .heading(let scope):
                let lines = headings[index] ?? []
                for (line, words) in lines.enumerated() {
                    let baseline = pixels(top + 16 + Double(line) * 16)
                    text += "<text class=\"scope \(scope.report.verdictClass)\" x=\"8\" y=\"\(baseline)\" unicode-bidi=\"isolate\">"
                    text += Markup.text(words) + "</text>\n"
                }
                top += Self.height(ofHeading: lines)
            case .operation(let operation):
                text += element(operation, top)
                top += rowHeight
            }
        }
        return text + (contents.scopes.omission.map { note($0, top + 14) } ?? "")
    }

    private func note(_ phrase: String, _ baseline: Double) -> String {
        "<text class=\"note\" x=\"8\" y=\"\(pixels(baseline))\">\(Markup.text(phrase)).</text>\n"
    }
}

/// One operation of a drawing: its name, its wait, its duration, its expected end, and its slack.
extension TimelineDrawing {
    private func element(_ operation: OperationReport, _ top: Double) -> String {
        let room = isNarrow ? width - 24 - Markup.width(of: operation.timelineNote) : labelWidth - 16
        var text =
            "<g class=\"\(operation.timelineClasses)\"><title>\(Markup.text(operation.id)): \(Markup.text(operation.summary))</title>"
        text +=
            "<rect x=\"0\" y=\"\(pixels(top))\" width=\"\(pixels(width))\" height=\"\(pixels(rowHeight))\" fill=\"none\" pointer-events=\"all\"/>"
        // A name is written from where its own script begins, and does not turn around its neighbours.
        text += "<text class=\"label\" x=\"8\" y=\"\(pixels(top + 14))\" unicode-bidi=\"isolate\">"
        text += Markup.text(Markup.shortened(operation.id, toWidth: room)) + "</text>"
        return text + bars(operation, top) + "</g>\n"
    }

    private func bars(_ operation: OperationReport, _ top: Double) -> String {
        let end = operation.end.nanoseconds
        let stop = scale.place(end)
        let centre = top + middle
        guard let start = operation.start?.nanoseconds else {
            return "<circle class=\"never\" cx=\"\(pixels(stop))\" cy=\"\(pixels(centre))\" r=\"3.5\"/>" + number(operation, stop + 8, top)
        }
        let begin = scale.place(start)
        var text = ""
        if let ready = operation.ready?.nanoseconds, ready < start {
            let from = scale.place(ready)
            text +=
                "<rect class=\"wait\" x=\"\(pixels(from))\" y=\"\(pixels(centre - 2))\" width=\"\(pixels(begin - from))\" height=\"4\"/>"
        }
        if operation.slack > .zero {
            // Below the words at the bar's end.
            let (right, y) = (scale.place(end.addingSaturated(operation.slack.nanoseconds)), pixels(centre + 8))
            text += "<line class=\"slack\" x1=\"\(pixels(stop))\" y1=\"\(y)\" x2=\"\(pixels(right))\" y2=\"\(y)\"/>"
        }
        text += "<rect class=\"bar\" x=\"\(pixels(begin))\" y=\"\(pixels(centre - 6))\" width=\"\(pixels(max(stop - begin, 1)))\" "
        text += "height=\"12\" rx=\"2\"/>"
        text += sign(of: operation.outcome, begin, stop, centre - 6, 12)
        if let expected = contents.expectedEnd(of: operation) {
            // One that lies behind the bar's end is below the words there.
            let (place, upper) = (pixels(scale.place(expected)), expected > end ? centre + 5 : centre - 8)
            text += "<line class=\"expected\" x1=\"\(place)\" y1=\"\(pixels(upper))\" x2=\"\(place)\" y2=\"\(pixels(centre + 9))\"/>"
        }
        return text + number(operation, stop + 6, top)
    }

    /// The words at a bar's end; where labels stand above the bars, they stand there too, at the right.
    private func number(_ operation: OperationReport, _ place: Double, _ top: Double) -> String {
        let (x, anchor) = isNarrow ? (width - 8, " text-anchor=\"end\"") : (place, "")
        return "<text class=\"number\" x=\"\(pixels(x))\" y=\"\(pixels(top + 14))\"\(anchor)>\(Markup.text(operation.timelineNote))</text>"
    }
}
