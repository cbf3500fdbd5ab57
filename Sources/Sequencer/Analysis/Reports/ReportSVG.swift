import Sequencer

extension LaunchReport {
    /// The launch's timeline as a picture: an SVG file.
    ///
    /// The launch's name, its verdict and a legend come first. Time runs to the right. The main thread and each lane
    /// have a line, with all that ran there; below, each operation has a row, in the order of their starts: the wait
    /// from ready to start is thin and grey, the work a bar with its duration at its end, the slack dotted, the
    /// expected end a mark. A line below the bars follows the critical path. A sign stands before the names of
    /// operations on the main thread. A failed operation's bar is red and struck through, one that fell back has a
    /// half-filled bar, a cancelled one a hollow bar. The time of users is shaded; a dashed line shows where the
    /// budget ends, moved right by the users' time before it; others show where the initial display and the milestone
    /// ended, and where an operation stopped the launch. An operation that never started has a circle where it ended.
    /// Colours follow the viewer's preference for light or dark. Nothing is loaded from anywhere, names can hold any
    /// character, and the same document always gives the same text.
    ///
    /// Below the launch's own operations, each scope of `scopes` has a heading with its name and its verdict, and a row
    /// for each of its operations, at the launch's times.
    ///
    /// The format: <https://www.w3.org/TR/SVG11/>.
    ///
    /// - Parameters:
    ///   - maximumRows: how many operations get a row. Of a launch with more, those of the critical path come first,
    ///     then those that did not succeed, then the longest; the picture says how many are missing. Scopes and their
    ///     operations have as many rows together.
    ///   - width: the picture's width in pixels, 280 to 20,000; others are taken for these. Below 600, labels stand
    ///     above the bars. A viewer with less room shows the picture smaller.
    /// - Complexity: O(operations · log operations).
    public func svg(maximumRows: Int = 1000, width: Int = 1200) -> String {
        TimelinePicture(Timeline(self, maximumRows: maximumRows), width: width).svg()
    }
}

/// A timeline as an SVG file that stands alone: its parts, below each other.
private struct TimelinePicture {
    let timeline: Timeline
    let parts: TimelineParts
    let width: Double
    /// Whether labels stand above the bars.
    let isNarrow: Bool
    /// The place of the bars.
    let left: Double, plotWidth: Double
    private var text = ""
    /// The lower end of the written lines.
    private var bottom = 0.0

    init(_ timeline: Timeline, width: Int) {
        self.timeline = timeline
        parts = TimelineParts(timeline: timeline)
        self.width = Double(min(max(width, 280), 20_000))
        isNarrow = self.width < 600
        left = isNarrow ? 8 : 230
        // Room for the words beside the last bar.
        plotWidth = self.width - left - (isNarrow ? 16 : 130)
    }

    /// The text of the file.
    ///
    /// - Complexity: O(operations · log operations).
    consuming func svg() -> String {
        writeHeading()
        writeLegend()
        let ticks = Nanoseconds(min(max(plotWidth / 70, 2), 10))
        writePlot(Double(parts.headHeight), parts.head(ticks: ticks))
        let top = bottom, above = text
        text = ""
        for lane in timeline.lanes {
            write("number", lane.name, isNarrow ? 8 : left - 8, bottom + (isNarrow ? 12 : 13), anchor: isNarrow ? "start" : "end")
            if isNarrow { bottom += 12 }
            writePlot(16, parts.bars(on: lane))
        }
        if !timeline.lanes.isEmpty { bottom += 14 }
        let rowsTop = bottom, rowHeight = isNarrow ? 36.0 : 20
        for (index, row) in timeline.rows.enumerated() { write(row, isBand: index.isMultiple(of: 2), height: rowHeight) }
        let path = plot(rowsTop, bottom - rowsTop, parts.criticalPath(rowHeight: rowHeight, base: isNarrow ? 34 : 18))
        let height = pixels(bottom + 8)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" class="timeline" viewBox="0 0 \(pixels(width)) \(height)" width="\(pixels(width))" \
            height="\(height)" role="img">
            <title>\(Markup.text(timeline.title))</title>
            <style>
            \(TimelineStyle.palette)
            \(TimelineStyle.shapes)
            \(TimelineStyle.picture)
            </style>
            <rect class="paper" width="100%" height="100%"/>
            \(above)\(plot(top, bottom - top, parts.lines(ticks: ticks)))\(path)\(text)</svg>
            """
    }

    private func plot(_ top: Double, _ height: Double, _ content: String) -> String {
        "<svg x=\"\(pixels(left))\" y=\"\(pixels(top))\" width=\"\(pixels(plotWidth))\" height=\"\(pixels(height))\" overflow=\"visible\">\(content)</svg>\n"
    }

    private mutating func writePlot(_ height: Double, _ content: String) {
        text += plot(bottom, height, content)
        bottom += height
    }

    private mutating func write(_ style: String, _ words: String, _ x: Double, _ y: Double, anchor: String = "start", sign: String = "") {
        // A name is written from where its own script begins, and does not turn around its neighbours.
        text += "<text class=\"\(style)\" x=\"\(pixels(x))\" y=\"\(pixels(y))\" text-anchor=\"\(anchor)\" unicode-bidi=\"isolate\">"
        text += "\(sign)\(Markup.text(words))</text>\n"
    }

    private mutating func writeHeading() {
        // The letters of a heading are half as large again as those whose width is known, those of a verdict a tenth.
        write("heading", Markup.shortened(timeline.report.scenario, toWidth: (width - 16) / 1.5), 8, 24)
        bottom = 28
        writeLines(timeline.report.verdictText, separator: "; ", "verdict \(timeline.report.verdictClass)")
        bottom += 8
    }

    /// Writes a line, or two in a narrow picture.
    private mutating func writeLines(_ words: String, separator: String, _ style: String) {
        for line in Markup.lines(words, separator: separator, toWidth: (width - 16) / 1.1) {
            write(style, line, 8, bottom + 16)
            bottom += 16
        }
    }

    private mutating func writeLegend() {
        text += "<g class=\"legend\">\n"
        var x = 8.0
        for sign in timeline.legend {
            // 28 for its sample and 14 behind it; its letters are smaller than those whose width is known.
            let needed = 28 + Markup.width(of: sign.text) * 0.8 + 14
            if x > 8, x + needed > width { (x, bottom) = (8, bottom + 16) }
            text += "<svg x=\"\(pixels(x))\" y=\"\(pixels(bottom - 4))\" width=\"22\" height=\"20\">\(TimelineParts.sample(of: sign))</svg>"
            write("note", sign.text, x + 28, bottom + 10)
            x += needed
        }
        text += "</g>\n"
        bottom += 22
    }

    private mutating func write(_ row: Timeline.Row, isBand: Bool, height: Double) {
        switch row {
        case .note(let phrase):
            write("note", "\(phrase).", 8, bottom + 14)
            bottom += 20
        case .heading(let scope):
            bottom += 6
            writeLines(scope.description, separator: ": ", "scope \(scope.report.verdictClass)")
            bottom += 4
        case .operation(let operation, _):
            let note = Markup.text(operation.timelineNote)
            text +=
                "<g class=\"\(operation.timelineClasses)\"><title>\(Markup.text(operation.id)): \(Markup.text(operation.summary))</title>"
            text += "<rect class=\"\(isBand ? "band" : "ground")\" y=\"\(pixels(bottom))\" width=\"100%\" height=\"\(pixels(height))\"/>"
            let sign = operation.isMain ? "<tspan class=\"sign\">\(TimelineSign.mainThread) </tspan>" : ""
            let room = (isNarrow ? width - 24 - Markup.width(of: operation.timelineNote) : left - 16) - (operation.isMain ? 14 : 0)
            write("label", Markup.shortened(operation.id, toWidth: room), 8, bottom + 14, sign: sign)
            var bars = parts.bars(of: operation)
            if isNarrow {
                write("number", operation.timelineNote, width - 8, bottom + 14, anchor: "end")
            } else {
                let gap = operation.start == nil ? 8 : 6
                bars += "<text class=\"number\" x=\"\(parts.place(operation.end.nanoseconds))\" dx=\"\(gap)\" y=\"14\">\(note)</text>"
            }
            text += plot(bottom + height - 20, 20, bars) + "</g>\n"
            bottom += height
        }
    }
}
