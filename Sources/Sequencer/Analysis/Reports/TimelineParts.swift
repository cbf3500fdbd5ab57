import Sequencer

/// The parts of a timeline in SVG 1.1 (<https://www.w3.org/TR/SVG11/>), placed by parts of the width: the picture sets
/// them below each other, and the page lets them fill a screen of any size.
struct TimelineParts {
    let timeline: Timeline

    /// A moment as a part of the width.
    func place(_ time: Nanoseconds) -> String { percent(timeline.place(time) * 100) }

    /// A shape from one moment to another; the shortest can still be seen.
    private func span(_ from: Nanoseconds, _ to: Nanoseconds) -> String {
        let (left, right) = (timeline.place(from), timeline.place(to))
        return "x=\"\(percent(left * 100))\" width=\"\(percent(max(right - left, 0.001) * 100))\""
    }

    private func line(_ style: String, _ time: Nanoseconds, _ top: String, _ bottom: String) -> String {
        "<line class=\"\(style)\" x1=\"\(place(time))\" x2=\"\(place(time))\" y1=\"\(top)\" y2=\"\(bottom)\"/>"
    }

    /// Draws an operation, 20 pixels high: its wait, its work, its expected end and its slack; below the work, the line
    /// of the critical path.
    func bars(of operation: OperationReport) -> String {
        let end = operation.end.nanoseconds
        guard let start = operation.start?.nanoseconds else {
            return "<circle class=\"never\" cx=\"\(place(end))\" cy=\"10\" r=\"3.5\"/>"
        }
        var text = ""
        if let ready = operation.ready?.nanoseconds, ready < start {
            text += "<rect class=\"wait\" \(span(ready, start)) y=\"8\" height=\"4\"/>"
        }
        if operation.slack > .zero {
            let last = end.addingSaturated(operation.slack.nanoseconds)
            text += "<line class=\"slack\" x1=\"\(place(end))\" x2=\"\(place(last))\" y1=\"18\" y2=\"18\"/>"
        }
        text += bar(of: operation, top: 4, height: 11)
        if operation.isCritical { text += "<rect class=\"way\" \(span(start, end)) y=\"17\" height=\"2\"/>" }
        if let expected = timeline.expectedEnd(of: operation) {
            // Below the words at the bar's end, where it is later than that.
            text += line("expected", expected, expected > end ? "15" : "2", "20")
        }
        return text
    }

    private func bar(of operation: OperationReport, top: Int, height: Int) -> String {
        let (start, end) = ((operation.start ?? .zero).nanoseconds, operation.end.nanoseconds)
        return Self.bar(operation.outcome.sign, span(start, end), from: place(start), to: place(end), top: top, height: height)
    }

    /// A bar, and on it what tells its outcome apart without colours: failed bars have a dashed line in the middle,
    /// those of fallbacks a filled half.
    private static func bar(_ sign: TimelineSign?, _ span: String, from: String, to: String, top: Int, height: Int) -> String {
        let half = Double(height) / 2, middle = pixels(Double(top) + half)
        var text = "<rect class=\"bar\" \(span) y=\"\(top)\" height=\"\(height)\"/>"
        if sign == .failed { text += "<line class=\"strike\" x1=\"\(from)\" x2=\"\(to)\" y1=\"\(middle)\" y2=\"\(middle)\"/>" }
        if sign == .fellBack { text += "<rect class=\"half\" \(span) y=\"\(middle)\" height=\"\(pixels(half))\"/>" }
        return text
    }

    /// Draws everything that ran on a lane, 16 pixels high: operations without a row share one shape, so that a large
    /// drawing stays small.
    func bars(on lane: Timeline.Lane) -> String {
        var text = ""
        let operations = timeline.report.operations
        if !lane.others.isEmpty {
            text +=
                "<svg class=\"op\" width=\"100%\" height=\"16\" viewBox=\"0 0 100000 16\" preserveAspectRatio=\"none\"><path class=\"rest\" d=\""
            for operation in lane.others.lazy.map({ operations[$0] }) {
                let from = Int(timeline.place((operation.start ?? .zero).nanoseconds) * 1e5)
                let length = max(Int(timeline.place(operation.end.nanoseconds) * 1e5) - from, 20)
                text += "M\(from) 3h\(length)v10h-\(length)z"
            }
            text += "\"/></svg>"
        }
        for node in lane.shown {
            let operation = operations[node]
            text += "<g class=\"\(operation.timelineClasses)\" data-lane=\"\(node)\"><title>\(Markup.text(operation.id))</title>"
            text += bar(of: operation, top: 3, height: 10) + "</g>"
        }
        return text
    }

    /// From top to bottom: users' time, the lines of the axis, and the marks.
    func lines(ticks: Nanoseconds = 10) -> String {
        let whole = " y=\"0\" height=\"100%\"/>"
        let pauses = timeline.pauses.map { "<rect class=\"pause\" \(span($0.lowerBound, $0.upperBound))\(whole)" }
        let grid = timeline.ticks(atMost: ticks).map { line("tick", $0, "0", "100%") }
        let marks = timeline.marks.filter { $0.time.map { $0 <= timeline.extent } ?? false }
        return pauses.joined() + "<g class=\"grid\">\(grid.joined())</g>"
            + marks.map { line($0.sign.style, $0.time ?? 0, "0", "100%") }.joined()
    }

    /// The height of the names of the marks and the axis.
    var headHeight: Int { timeline.marks.count * 14 + 18 }

    /// The names of the marks, a line each, so that none lies over another, and the axis.
    func head(ticks: Nanoseconds = 10) -> String {
        var text = ""
        for (line, mark) in timeline.marks.enumerated() {
            let isBeyond = mark.time.map { $0 > timeline.extent } ?? false
            let at = mark.time.map { timeline.place($0) } ?? 0
            // A name stands where it has room, also in a narrow drawing.
            let side = at > 0.66 ? "text-anchor=\"end\" dx=\"-5\"" : at > 0.33 ? "text-anchor=\"middle\"" : "dx=\"5\""
            text += "<text class=\"mark \(mark.sign.style)\" x=\"\(percent(at * 100))\" y=\"\(line * 14 + 11)\" \(side)>"
            text += "\(Markup.text(mark.label))\(isBeyond ? " ›" : "")</text>\n"
        }
        text += "<g class=\"axis\">"
        for tick in timeline.ticks(atMost: ticks) {
            let at = timeline.place(tick)
            let anchor = tick == 0 ? "start" : at > 0.97 ? "end" : "middle"
            text +=
                "<text x=\"\(percent(at * 100))\" y=\"\(headHeight - 5)\" text-anchor=\"\(anchor)\">\(durationText(.nanoseconds(tick)))</text>"
        }
        return text + "</g>\n"
    }

    /// From the end of each operation of the critical path to the start of the next.
    ///
    /// - Parameters:
    ///   - rowHeight: the distance of rows.
    ///   - base: the line of the critical path, from the top of its row.
    func criticalPath(rowHeight: Double, base: Double) -> String {
        func operation(_ row: Int) -> OperationReport? {
            if case .operation(let operation, _) = timeline.rows[row] { operation } else { nil }
        }
        return timeline.criticalSteps.map { step in
            let end = operation(step.from)?.end.nanoseconds ?? 0, start = operation(step.to)?.start?.nanoseconds ?? 0
            let (top, bottom) = (pixels(Double(step.from) * rowHeight + base), pixels(Double(step.to) * rowHeight + base))
            return line("path", end, top, bottom)
                + "<line class=\"path\" x1=\"\(place(end))\" x2=\"\(place(start))\" y1=\"\(bottom)\" y2=\"\(bottom)\"/>"
        }.joined()
    }

    /// A small piece of a thing that the legend explains, 22 pixels wide and 20 high.
    static func sample(of sign: TimelineSign) -> String {
        let all = "x=\"0\" width=\"100%\""
        return switch sign {
        case .main: "<text x=\"50%\" y=\"14\" text-anchor=\"middle\">\(TimelineSign.mainThread)</text>"
        case .lane, .interactive, .cancelled, .failed, .fellBack:
            "<g class=\"\(sign.style)\">\(bar(sign, all, from: "0", to: "100%", top: 4, height: 11))</g>"
        case .never: "<circle class=\"never\" cx=\"75%\" cy=\"10\" r=\"3.5\"/>"
        case .critical: "<rect class=\"way\" \(all) y=\"9\" height=\"2\"/>"
        case .wait: "<rect class=\"wait\" \(all) y=\"8\" height=\"4\"/>"
        case .pause: "<rect class=\"pause\" \(all) y=\"3\" height=\"14\"/>"
        case .slack: "<line class=\"slack\" x1=\"0\" x2=\"100%\" y1=\"10\" y2=\"10\"/>"
        case .expected, .budget, .display, .milestone, .takeover:
            "<line class=\"\(sign.style)\" x1=\"80%\" x2=\"80%\" y1=\"3\" y2=\"17\"/>"
        }
    }
}

/// A number of pixels, to a tenth.
func pixels(_ value: Double) -> String {
    // Bounded: the conversion traps where a number does not fit.
    decimal(Int((min(max(value, -1e9), 1e9) * 10).rounded()), 10)
}

/// A part of a hundred, to a thousandth, as `12.5%`; those outside are at the edges.
func percent(_ value: Double) -> String {
    decimal(Int((min(max(value, 0), 100) * 1000).rounded()), 1000) + "%"
}

/// A number that was multiplied by a power of ten, without zeros at its end.
private func decimal(_ number: Int, _ factor: Int) -> String {
    var digits = String(factor + Int(number.magnitude) % factor).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(number < 0 ? "-" : "")\(Int(number.magnitude) / factor)" + (digits.isEmpty ? "" : ".\(digits)")
}
