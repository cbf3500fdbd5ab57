/// One operation of a drawing: its name, what it waited for, what it took, and what it could have taken.
extension TimelineDrawing {
    func classes(of operation: OperationReport) -> String {
        var classes = ["op"]
        if operation.isMain { classes.append("main") }
        if operation.isCritical { classes.append("critical") }
        if operation.isInteractive { classes.append("interactive") }
        if operation.outcome != .succeeded { classes.append("unsuccessful") }
        return classes.joined(separator: " ")
    }

    func element(_ node: Int, _ row: Int) -> String {
        let operation = document.operations[node]
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
                + number(operation.outcomeText, stop + 8, top)
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
        if operation.outcome != .succeeded { numbers += ", \(operation.outcomeText)" }
        return text + number(numbers, right + 6, top)
    }

    /// A number beside a bar: to the right of it, or where there is no room, to the left of the edge.
    private func number(_ text: String, _ place: Double, _ top: Double) -> String {
        let isAtEdge = place + Double(text.count) * 6 > width
        return "<text class=\"number\" x=\"\(pixels(isAtEdge ? width - 4 : place))\" y=\"\(pixels(top + 14))\""
            + (isAtEdge ? " text-anchor=\"end\">" : ">") + Markup.text(text) + "</text>"
    }
}
