import Sequencer

/// A report as a timeline for people: an axis, a bar per operation, and the verdict against the budget.
struct TimelineText {
    /// More operations than this are not all shown.
    static let mostRows = 200

    private let report: LaunchReport
    private let style: TextStyle
    private let width: Int
    private let rows: [OperationReport]
    private let leftOut: Int

    init(_ report: LaunchReport, style: TextStyle, width: Int) {
        self.report = report
        self.style = style
        self.width = min(max(width, 40), 400)
        let all = Array(report.operations)
        var shown = all
        if all.count > Self.mostRows {
            let longest = Set(all.sorted { $0.duration > $1.duration }.prefix(40).map(\.id))
            let critical = Set(report.criticalPath.prefix(Self.mostRows - 40))
            shown = all.filter { longest.contains($0.id) || critical.contains($0.id) || !$0.outcome.isSuccess && $0.start != nil }
            shown = Array(shown.prefix(Self.mostRows))
        }
        // Starts that a bar cannot tell apart keep the order of the graph.
        let step = max(report.makespan.milliseconds / Double(self.width), 0.000_001)
        func place(_ operation: OperationReport) -> Int { operation.start.map { Int($0.milliseconds / step) } ?? .max }
        rows = shown.enumerated().sorted { (place($0.element), $0.offset) < (place($1.element), $1.offset) }.map(\.element)
        leftOut = all.count - rows.count
    }

    var text: String {
        var lines = [header]
        if !rows.isEmpty { lines += ["", axisLine] + rows.map(line) + legend }
        if leftOut > 0 { lines.append(style("  \(leftOut) more operations are not shown: neither critical nor among the longest", .dim)) }
        lines += notes
        lines += ["", verdict]
        return lines.map(Self.withoutTrailingSpaces).joined(separator: "\n") + "\n"
    }

    private var header: String {
        let count = report.operations.count
        let facts = ["\(count) operation\(count == 1 ? "" : "s")", "\(report.lanes) lane\(report.lanes == 1 ? "" : "s")"]
        return style(printable(report.scenario, limit: 64), .bold) + "  \(report.outcome.name) in \(durationText(report.makespan)), "
            + facts.joined(separator: ", ")
    }

    // MARK: Columns

    private var nameWidth: Int { min(rows.map { displayWidth(printable($0.id)) }.max() ?? 0, max(12, width / 3)) }
    private var barWidth: Int { max(16, width - nameWidth - 2 - 2 - 10) }
    private var span: Double { max(report.makespan.milliseconds, 0.000_001) }

    private func cell(_ time: Duration) -> Int {
        min(max(Int((time.milliseconds / span * Double(barWidth)).rounded(.down)), 0), barWidth)
    }

    /// The budget's place on the axis, where the axis means the same as the budget.
    private var budgetCell: Int? {
        let budget = report.budget
        guard budget.budget.origin == .run, budget.interactive == .zero, budget.budget.limit < report.makespan else { return nil }
        return cell(budget.budget.limit)
    }

    // MARK: Lines

    /// Times at round distances, as many as fit.
    private var axisLine: String {
        let step = Self.roundStep(span / Double(max(2, barWidth / 10)))
        var line = [Character](repeating: " ", count: barWidth + 12)
        var time = 0.0
        var free = 0
        while time <= span {
            let label = time == 0 ? "0" : durationText(.nanoseconds(Int64(time * 1e6)))
            let place = Int(time / span * Double(barWidth))
            if place >= free {
                for (offset, character) in label.enumerated() where place + offset < line.count { line[place + offset] = character }
                free = place + label.count + 1
            }
            time += step
        }
        return style(String(repeating: " ", count: nameWidth + 3) + String(line), .dim)
    }

    /// 1, 2 or 5 times a power of ten, at least `step`.
    static func roundStep(_ step: Double) -> Double {
        var unit = 0.000_001
        while unit * 10 < step { unit *= 10 }
        return [1, 2, 5, 10].map { $0 * unit }.first { $0 >= step } ?? step
    }

    private func line(_ operation: OperationReport) -> String {
        let mark = operation.isCritical ? style("*", .boldRed) : " "
        let name = fitted(operation.id, nameWidth, unicode: style.usesUnicode)
        let duration = operation.start == nil ? "-" : durationText(operation.duration)
        let note =
            note(operation).map { "  " + style($0, operation.outcome.isSuccess ? .yellow : operation.start == nil ? .dim : .red) } ?? ""
        return "\(mark) \(name) \(bar(operation)) \(fitted(duration, 8, alignRight: true))\(note)"
    }

    private func bar(_ operation: OperationReport) -> String {
        let empty: Character = " "
        var cells = [Character](repeating: empty, count: barWidth)
        if let budgetCell, budgetCell < barWidth { cells[budgetCell] = style.usesUnicode ? "┊" : "|" }
        guard let start = operation.start else { return String(cells) }
        let first = min(cell(start), barWidth - 1)
        let last = max(first + 1, min(barWidth, cell(operation.end)))
        let waiting = min(cell(operation.ready ?? start), first)..<first
        for place in waiting { cells[place] = style.usesUnicode ? "·" : "." }
        for place in first..<last { cells[place] = glyph(operation) }
        let look: TextStyle.Look =
            switch operation.outcome {
            case .succeeded: operation.isInteractive ? .cyan : .green
            case .fellBack: .yellow
            default: .red
            }
        return String(cells[..<waiting.lowerBound]) + style(String(cells[waiting]), .dim) + style(String(cells[first..<last]), look)
            + String(cells[last...])
    }

    private func glyph(_ operation: OperationReport) -> Character {
        switch (operation.outcome.isSuccess, operation.isInteractive) {
        case (true, false): style.usesUnicode ? "█" : "#"
        case (true, true): style.usesUnicode ? "▒" : "="
        case (false, _): style.usesUnicode ? "▚" : "x"
        }
    }

    private func note(_ operation: OperationReport) -> String? {
        let word: String? =
            switch operation.outcome {
            case .succeeded: nil
            case .fellBack: "fell back"
            case .failed: "failed"
            case .timedOut: "timed out"
            // The message says it.
            case .cancelled: nil
            case .skipped: "skipped"
            }
        var notes = [word, operation.message].compactMap { $0 }
        if operation.attempts > 1 { notes.append("\(operation.attempts) attempts") }
        return notes.isEmpty ? nil : notes.joined(separator: ": ")
    }

    private var legend: [String] {
        var parts = ["* critical path (\(durationText(report.criticalPathDuration)))"]
        if rows.contains(where: \.isInteractive) { parts.append((style.usesUnicode ? "▒" : "=") + " a person") }
        if rows.contains(where: { cell($0.ready ?? .zero) < cell($0.start ?? .zero) }) {
            parts.append((style.usesUnicode ? "·" : ".") + " waiting for a lane or a resource")
        }
        if budgetCell != nil { parts.append((style.usesUnicode ? "┊" : "|") + " the budget") }
        return [style("  " + parts.joined(separator: "   "), .dim)]
    }

    private var notes: [String] {
        var notes = report.anomalies.map { "note: \($0)" }
        if !report.stragglers.isEmpty {
            notes.append("note: left behind, still running: " + report.stragglers.map { printable($0, limit: 64) }.joined(separator: ", "))
        }
        return notes.isEmpty ? [] : [""] + notes
    }

    // MARK: The verdict

    private var verdict: String {
        switch report.outcome {
        case .completed: budgetVerdict
        case .aborted(let id, let reason):
            style("ABORTED", .boldRed)
                + "  by \(printable(id, limit: 64)) (\(printable(reason.rawValue, limit: 64))) after \(durationText(report.makespan))"
        case .failed(let id, let message): style("FAILED", .boldRed) + "  \(printable(id, limit: 64)): \(message)"
        case .cancelled: style("CANCELLED", .boldRed) + "  after \(durationText(report.makespan)): cancelled from outside"
        }
    }

    private var budgetVerdict: String {
        let budget = report.budget
        var text = "  \(durationText(budget.measured)) of \(durationText(budget.budget.limit))"
        if budget.budget.origin == .processStart { text += " since the process started" }
        if budget.interactive > .zero { text += ", not counting \(durationText(budget.interactive)) waiting for a person" }
        guard !budget.isMet else { return style("PASS", .boldGreen) + text }
        text += ", \(durationText(budget.measured - budget.budget.limit)) over: "
        let causes = budget.causes.prefix(5).compactMap { report[$0].map(cause) }
        return style("FAIL", .boldRed) + text + (causes.isEmpty ? "before the launch began" : causes.joined(separator: ", "))
    }

    private func cause(_ operation: OperationReport) -> String {
        let took = "\(printable(operation.id, limit: 64)) took \(durationText(operation.duration))"
        guard let expected = operation.expected, expected < operation.duration else { return took }
        return took + " (\(durationText(expected)) expected)"
    }

    private static func withoutTrailingSpaces(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
