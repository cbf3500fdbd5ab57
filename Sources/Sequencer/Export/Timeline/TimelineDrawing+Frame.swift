/// What stands around the operations: time, interactive time, lanes, and the budget.
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
        // What has no row has no bar here: a drawing of a huge launch stays one that can be looked at.
        for node in rows {
            let operation = document.operations[node]
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
        let positions = document.positions
        let places = Dictionary(rows.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var points: [(x: Double, y: Double)] = []
        for id in document.criticalPath {
            guard let node = positions[id], let row = places[node], let start = document.operations[node].start else { continue }
            let middle = top(ofRow: row) + rowHeight / 2
            points.append((scale.place(start.nanoseconds), middle))
            points.append((scale.place(document.operations[node].end.nanoseconds), middle))
        }
        guard points.count > 2 else { return "" }
        let steps = stride(from: 1, to: points.count - 1, by: 2).map { index in
            let (from, to) = (points[index], points[index + 1])
            return "M\(pixels(from.x)) \(pixels(from.y))V\(pixels(to.y))H\(pixels(to.x))"
        }
        return "<path class=\"path\" d=\"\(steps.joined())\"/>\n"
    }

    func budgetLine() -> String {
        guard let limit = clock.limit else {
            return
                "<text class=\"budget-label\" x=\"8\" y=\"\(pixels(axisHeight - 10))\">the budget counts from the process's start</text>\n"
        }
        let label = "budget \(durationText(document.budget.budget.limit))"
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
