import Sequencer
import SequencerAnalysis

/// The identifier, and the title if there is one that says more.
func timelineName(of operation: OperationReport, withTitle: Bool) -> [String] {
    let id = printable(operation.id, limit: 200)
    // A title that says the same as the identifier would stand there twice.
    guard withTitle, let title = operation.title, title != operation.id else { return [id] }
    return [id, "  " + printable(title, limit: 200)]
}

func durationCell(of operation: OperationReport, _ style: TextStyle) -> String {
    operation.start == nil ? style.bars.nothing : style.duration(operation.duration)
}

extension TimelineText {
    /// The operation's line, and more lines for text that does not fit on it.
    func rows(of operation: OperationReport) -> [String] {
        var line = StyledLine(style, mark: budgetMark.map { (barStart + $0.column, style.bars.budget) })
        putName(of: operation, on: &line)
        let duration = durationCell(of: operation, style)
        line.put(duration, at: barStart - 1 - displayWidth(duration), tone: operation.start == nil ? .dim : nil)
        let below = putBar(of: operation, on: &line)
        line.end()
        return [line.text] + below
    }

    /// Whether the operation is shown as critical: one that never ran took no time that could be saved.
    func isMarkedCritical(_ operation: OperationReport) -> Bool { operation.isCritical && operation.start != nil }

    private func putName(of operation: OperationReport, on line: inout StyledLine) {
        let isCritical = isMarkedCritical(operation)
        if isCritical { line.put("*", at: 0, tone: .yellow) }
        if operation.isMain { line.put(style.bars.main, at: 1) }
        let parts = timelineName(of: operation, withTitle: showsTitles)
        let id = truncated(parts[0], to: nameWidth, keepsEnd: true, ellipsis: style.ellipsis)
        let tone: TextStyle.Tone? = operation.start == nil ? .dim : isCritical ? .bold : nil
        line.put(id, at: Self.nameStart, tone: tone)
        let left = nameWidth - displayWidth(id)
        guard parts.count > 1, left > 4 else { return }
        let title = truncated(parts[1], to: left, ellipsis: style.ellipsis)
        line.put(title, at: Self.nameStart + displayWidth(id), tone: .dim)
    }

    // MARK: Bars

    /// The columns in which an operation visibly waits, from the first column of the axis; nil without any.
    func waitColumns(of operation: OperationReport) -> Range<Int>? {
        // Rounded like the bar, so that the wait ends where that begins.
        guard let ready = operation.ready, let start = operation.start else { return nil }
        // The last column belongs to the bar, which is never empty.
        let (first, end) = (Int(position(ready).rounded()), column(start))
        return first < end ? first..<end : nil
    }

    /// Puts the bar, and the note beside it: after it, or else before it.
    ///
    /// - Returns: the lines to go below if the note does not fit.
    private func putBar(of operation: OperationReport, on line: inout StyledLine) -> [String] {
        let (origin, look) = (barStart, look(of: operation))
        var (wait, bar) = (0..<0, 0..<0)
        if let start = operation.start {
            // At least one cell, even for a start at the very end: every operation that ran is shown.
            let first = column(start)
            bar = first..<max(Int(position(operation.end).rounded()), first + 1)
            wait = waitColumns(of: operation) ?? first..<first
        }
        // A blank column between a bar and its note; without a bar none is needed.
        let after = origin + bar.upperBound + (bar.isEmpty ? 0 : 1)
        var note = note(of: operation) ?? ""
        // The verdict says once why the launch had stopped.
        if operation.start == nil, operation.outcome == .cancelled, displayWidth(note) > width - after { note = "not started" }
        let (tone, length) = (noteTone(operation), displayWidth(note))
        let isAfter = length <= width - after, isBefore = !isAfter && length + 1 <= wait.lowerBound
        if isBefore { line.put(note, at: origin + wait.lowerBound - 1 - length, tone: tone) }
        if let look {
            line.put(String(repeating: style.bars.waiting, count: wait.count), at: origin + wait.lowerBound, tone: .dim)
            line.put(String(repeating: look.glyph, count: bar.count), at: origin + bar.lowerBound, tone: look.tone)
        }
        if isBefore || note.isEmpty { return [] }
        guard isAfter else {
            let lines = wrapped(note, to: width - 6, limit: 3, ellipsis: style.ellipsis)
            return lines.map { String(repeating: " ", count: 6) + style.applying(tone, to: $0) }
        }
        line.put(note, at: after, tone: tone)
        return []
    }

    /// The character and the colour of a bar; nil when the operation never ran.
    func look(of operation: OperationReport) -> (glyph: String, tone: TextStyle.Tone)? {
        guard operation.start != nil else { return nil }
        switch operation.outcome {
        case .failed, .timedOut: return (style.bars.unsuccessful, .red)
        // Red is for failures: this was only told to stop.
        case .cancelled: return (style.bars.unsuccessful, .yellow)
        case _ where operation.isMostlyInteractive: return (style.bars.interactive, .cyan)
        case .fellBack: return (style.bars.running, .yellow)
        case .succeeded, .skipped: return (style.bars.running, .green)
        }
    }

    private func noteTone(_ operation: OperationReport) -> TextStyle.Tone {
        switch operation.outcome {
        case .failed, .timedOut: .red
        case .fellBack: .yellow
        case .succeeded, .cancelled, .skipped: .dim
        }
    }
}

/// The outcome of an operation that did not simply succeed, and why; nil when there is nothing to say.
func note(of operation: OperationReport) -> String? {
    let words = operation.outcome.words
    switch operation.outcome {
    case .succeeded where operation.isDeferred:
        let expected = operation.expected.map { ", with \(durationText($0)) expected" } ?? ""
        return "deferred: put off until after the milestone, to keep the budget\(expected)"
    case .succeeded: return operation.attempts > 1 ? "\(operation.attempts) attempts" : nil
    case .cancelled where operation.start == nil: return operation.message.map { printable($0, limit: 600) } ?? "not started"
    case .cancelled, .skipped, .failed, .timedOut, .fellBack:
        // Said by the outcome already.
        let message = operation.message.map { printable($0.replacing("; its fallback was used", with: ""), limit: 600) }
        // The message may begin with the same words.
        return message.map { $0.hasPrefix(words) ? $0 : "\(words): \($0)" } ?? words
    }
}
