import Sequencer

/// The page's timeline: a row for each operation and the lanes above, placed by parts of the width, so that it fills a screen of any size.
///
/// A row is a link to the operation's row in the page's table. All of it can be read without a script.
struct HTMLTimeline {
    private let contents: TimelineContents
    private let operations: [OperationReport]
    private let scale: TimelineScale

    init(_ report: LaunchReport, maximumRows: Int) {
        contents = TimelineContents(report, maximumRows: maximumRows)
        operations = report.operations
        scale = TimelineScale(extent: contents.extent, origin: 0, width: 100)
    }

    /// The legend, the tools, which only a script shows, and the timeline.
    ///
    /// - Complexity: O(operations · log operations).
    func html() -> String {
        """
        \(legend())
        \(tools())
        <div class="\(HTMLStyle.scrollClass(rows: contents.rows.count + contents.scopes.rows.count))" id="view">
        <div id="timeline" class="timeline" role="group" aria-label="\(Markup.text(contents.title))" data-extent="\(contents.extent)">
        \(head())
        \(lines())
        \(lanes())
        <div id="rows">
        \(rows())\(joins())
        <div id="links" class="lines" aria-hidden="true"></div>
        </div>
        \(omission())\(scopes())</div>
        </div>
        """
    }

    private func legend() -> String {
        let entries = contents.legend.map { "<li><span class=\"swatch \($0.rawValue)\"></span>\($0.text)</li>" }
        return entries.isEmpty ? "" : "<ul class=\"legend\">\n\(entries.joined(separator: "\n"))\n</ul>"
    }

    private func tools() -> String {
        """
        <div id="tools" hidden="hidden">
        <label>Search <input id="search" type="search" autocomplete="off"/></label> <span id="found" role="status"></span>
        <label>Sort by <select id="sort"></select></label>
        <span role="group" aria-label="Zoom"><button id="closer" type="button">Zoom in</button> <button id="farther" type="button">Zoom out</button> \
        <button id="whole" type="button">Whole launch</button></span>
        </div>
        """
    }

    // MARK: Around the operations

    /// The marks' names, a line each, so that none lies over another, and the axis.
    private func head() -> String {
        var text = "<div class=\"head\">\n"
        for mark in contents.marks {
            let (place, side): (Double, String) =
                switch mark.place {
                // A name stands on the side that has more room.
                case .at(let time): (scale.place(time), scale.place(time) > 50 ? "before" : "behind")
                case .beyond: (100, "before")
                case .elsewhere: (0, "behind")
                }
            let label = mark.place == .beyond ? "\(mark.label) ›" : mark.label
            text += "<div><span class=\"mark \(mark.style) \(side)\" style=\"left:\(percent(place))\">\(Markup.text(label))</span></div>\n"
        }
        text += "<div class=\"axis\" id=\"axis\">"
        for tick in scale.ticks { text += "<span style=\"\(left(tick))\">\(durationText(.nanoseconds(tick)))</span>" }
        return text + "</div>\n</div>"
    }

    /// Interactive time, the axis's lines, and those of the marks.
    private func lines() -> String {
        var text = "<div class=\"lines\" aria-hidden=\"true\">\n"
        for pause in contents.clock.pauses where scale.place(pause.upperBound) > scale.place(pause.lowerBound) {
            text += "<span class=\"pause\" style=\"\(place(pause.lowerBound, pause.upperBound))\"></span>\n"
        }
        text += "</div>\n<div class=\"lines\" id=\"grid\" aria-hidden=\"true\">"
        for tick in scale.ticks { text += "<span class=\"tick\" style=\"\(left(tick))\"></span>" }
        text += "</div>\n<div class=\"lines\" aria-hidden=\"true\">\n"
        for mark in contents.marks {
            guard case .at(let time) = mark.place else { continue }
            text += "<span class=\"\(mark.style)\" style=\"\(left(time))\"></span>\n"
        }
        return text + "</div>"
    }

    /// The main thread and the lanes, a line each, with all that ran there: operations without a row share one shape, so that a large page stays small.
    private func lanes() -> String {
        guard !contents.lanes.isEmpty else { return "" }
        var text = "<div class=\"lanes\" aria-hidden=\"true\">\n"
        for (lane, nodes) in zip(contents.lanes, contents.operationsOfLanes()) {
            text += "<div class=\"lane\(lane == "main" ? " main" : "")\"><span class=\"label\">\(lane)</span><div class=\"track\">"
            if !nodes.others.isEmpty {
                // Finer than parts of a hundred: one shape has thousands of bars, as whole numbers, which are short.
                let whole = TimelineScale(extent: contents.extent, origin: 0, width: 100_000)
                text += "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100000 1\" preserveAspectRatio=\"none\"><path d=\""
                for node in nodes.others {
                    let (from, to) = ends(operations[node], whole)
                    text += "M\(Int(from)) 0h\(max(Int(to) - Int(from), 20))v1H\(Int(from))z"
                }
                text += "\"/></svg>"
            }
            for node in nodes.withRow {
                let operation = operations[node]
                text += "<span class=\"\(operation.timelineClasses)\" data-lane=\"\(node)\" title=\"\(Markup.text(operation.id))\">"
                text +=
                    "<span class=\"bar\" style=\"\(place(operation.start?.nanoseconds ?? 0, operation.end.nanoseconds))\"></span></span>"
            }
            text += "</div></div>\n"
        }
        return text + "</div>"
    }

    /// From the end of each operation of the critical path to the start of the next.
    private func joins() -> String {
        var text = "<div class=\"lines joins\" aria-hidden=\"true\">"
        for (from, to) in contents.criticalSteps where to.row > from.row {
            let (end, start) = (operations[from.node].end.nanoseconds, operations[to.node].start?.nanoseconds ?? 0)
            // In a damaged file an operation may start before the one it waits for ends.
            text += "<span class=\"join\" style=\"\(place(end, max(start, end)));--from:\(from.row);--rows:\(to.row - from.row)\"></span>"
        }
        return text + "</div>"
    }

    private func omission() -> String {
        let rows = contents.omission.map { "\($0): on the lanes and in the table, without a row" }
        return [rows, contents.laneOmission].compactMap { $0 }.map(note).joined()
    }

    private func note(_ phrase: String) -> String { "<p class=\"omission\">\(Markup.text(phrase)).</p>\n" }

    // MARK: Scopes

    /// The scopes, below the launch's own operations. Their rows lead nowhere, since the table has the operations of the launch alone.
    private func scopes() -> String {
        if contents.scopes.isEmpty { return "" }
        var text = "<div id=\"scopes\">\n"
        for row in contents.scopes.rows {
            switch row {
            case .heading(let scope):
                text += "<h3 class=\"\(scope.report.verdictClass)\"><bdi>"
                text += Markup.text(Markup.shortened(scope.description, to: 160)) + "</bdi></h3>\n"
            case .operation(let operation):
                text += "<div class=\"row \(operation.timelineClasses)\" "
                appendContent(operation, to: &text)
                text += "</div>\n"
            }
        }
        return text + (contents.scopes.omission.map(note) ?? "") + "</div>\n"
    }

    // MARK: Operations

    private func rows() -> String {
        var text = ""
        for node in contents.rows { append(operations[node], node, to: &text) }
        return text
    }

    private func append(_ operation: OperationReport, _ node: Int, to text: inout String) {
        text += "<a class=\"row \(operation.timelineClasses)\" id=\"op-\(node)\" data-op=\"\(node)\" href=\"#row-\(node)\" "
        appendContent(operation, to: &text)
        text += "</a>\n"
    }

    /// The rest of a row, from the last attribute of its element on.
    private func appendContent(_ operation: OperationReport, to text: inout String) {
        let tip = "\(operation.id): \(operation.summary)" + (operation.message.map { ": \($0)" } ?? "")
        // Cut: the table has the whole message, and a page of many failures would be twice as large.
        text += "title=\"\(Markup.text(Markup.shortened(tip, to: 300)))\"><span class=\"label\">"
        text += "<bdi>\(Markup.text(Markup.shortened(operation.id, to: 100)))</bdi></span><span class=\"track\">"
        appendBars(operation, to: &text)
        text += "</span>"
    }

    private func appendBars(_ operation: OperationReport, to text: inout String) {
        let end = operation.end.nanoseconds
        if let start = operation.start?.nanoseconds {
            if let ready = operation.ready?.nanoseconds, ready < start {
                text += "<span class=\"wait\" style=\"\(place(ready, start))\"></span>"
            }
            if operation.slack > .zero {
                text += "<span class=\"slack\" style=\"\(place(end, end.addingSaturated(operation.slack.nanoseconds)))\"></span>"
            }
            text += "<span class=\"bar\" style=\"\(place(start, end))\"></span>"
            if let expected = contents.expectedEnd(of: operation) {
                text += "<span class=\"expected\(expected > end ? " later" : "")\" style=\"\(left(expected))\"></span>"
            }
        } else {
            text += "<span class=\"never\" style=\"\(left(end))\"></span>"
        }
        text += "<span class=\"number\" style=\"\(left(end))\">\(operation.timelineNote)</span>"
    }

    // MARK: Places

    private func ends(_ operation: OperationReport, _ scale: TimelineScale) -> (from: Double, to: Double) {
        (scale.place(operation.start?.nanoseconds ?? 0), scale.place(operation.end.nanoseconds))
    }

    private func left(_ time: Nanoseconds) -> String { "left:\(percent(scale.place(time)))" }

    private func place(_ from: Nanoseconds, _ to: Nanoseconds) -> String {
        "\(left(from));width:\(percent(scale.place(to) - scale.place(from)))"
    }
}
