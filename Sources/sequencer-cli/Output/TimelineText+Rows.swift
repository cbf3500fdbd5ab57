import Sequencer
import SequencerAnalysis

/// Where the parts of a timeline's rows are: marker, identifier, duration, bar.
struct TimelineColumns: Equatable, Sendable {
    let name: Int
    let duration: Int
    let bar: Int
    /// Room after the longest bar for two words on the outcome of an operation.
    let note: Int
    /// Whether there is room for titles.
    let showsTitles: Bool

    /// The markers of the critical path and of the main thread.
    static let nameStart = 2
    var durationStart: Int { Self.nameStart + name + 1 }
    var barStart: Int { durationStart + duration + 1 }

    init(_ operations: [OperationReport], width: Int, style: TextStyle) {
        showsTitles = width >= 100
        let widest = operations.lazy.map { [showsTitles] in displayWidth(timelineName(of: $0, withTitle: showsTitles).joined()) }.max() ?? 0
        name = min(widest, max(12, width * 3 / 10))
        duration = operations.lazy.map { displayWidth(durationCell(of: $0, style)) }.max() ?? 0
        // Operations that never started have no bar: their notes begin where bars do.
        let widestNote = operations.lazy.filter { $0.start != nil }.compactMap { Note($0)?.summary.count }.max()
        note = widestNote.map { min($0 + 1, width / 5) } ?? 0
        bar = width - (Self.nameStart + name + 1 + duration + 1) - note
    }
}

/// The identifier, and the title if there is one that says more.
private func timelineName(of operation: OperationReport, withTitle: Bool) -> [String] {
    let id = printable(operation.id, limit: 200)
    // A title that says the same as the identifier would stand there twice.
    guard withTitle, let title = operation.title, title != operation.id else { return [id] }
    return [id, "  " + printable(title, limit: 200)]
}

private func durationCell(of operation: OperationReport, _ style: TextStyle) -> String {
    operation.start == nil ? style.bars.nothing : style.duration(operation.duration)
}

extension TimelineText {
    /// The operation's line, and more lines for text that does not fit on it.
    func rows(of operation: OperationReport) -> [String] {
        var canvas = Canvas(width: width)
        putName(of: operation, on: &canvas)
        let duration = durationCell(of: operation, style)
        canvas.put(duration, at: columns.barStart - 1 - displayWidth(duration), tone: operation.start == nil ? .dim : nil)
        let bar = putBar(of: operation, on: &canvas)
        let below = putNote(of: operation, beside: bar, on: &canvas)
        // After the bar and the note: the mark stands behind them.
        if let column = budgetMark?.column { canvas.putBehind(style.bars.budget, at: columns.barStart + column, tone: .dim) }
        return [canvas.rendered(style)] + below
    }

    /// Whether the operation is shown as critical: one that never ran took no time that could be saved.
    func isMarkedCritical(_ operation: OperationReport) -> Bool { operation.isCritical && operation.start != nil }

    private func putName(of operation: OperationReport, on canvas: inout Canvas) {
        let isCritical = isMarkedCritical(operation)
        if isCritical { canvas.put("*", at: 0, tone: .yellow) }
        if operation.isMain { canvas.put(style.bars.main, at: 1) }
        let parts = timelineName(of: operation, withTitle: columns.showsTitles)
        let id = truncated(parts[0], to: columns.name, at: .middle, ellipsis: style.ellipsis)
        let tone: TextStyle.Tone? = operation.start == nil ? .dim : isCritical ? .bold : nil
        canvas.put(id, at: TimelineColumns.nameStart, tone: tone)
        let left = columns.name - displayWidth(id)
        guard parts.count > 1, left > 4 else { return }
        let title = truncated(parts[1], to: left, ellipsis: style.ellipsis)
        canvas.put(title, at: TimelineColumns.nameStart + displayWidth(id), tone: .dim)
    }

    // MARK: Bars

    /// The columns in which an operation visibly waits, from the first column of the axis; nil without any.
    func waitColumns(of operation: OperationReport) -> Range<Int>? {
        // Rounded like the bar, so that the wait ends where that begins.
        guard let ready = operation.ready, let start = operation.start else { return nil }
        let first = Int(axis.position(ready).rounded())
        // The last column belongs to the bar, which is never empty.
        let end = min(Int(axis.position(start).rounded()), axis.columns - 1)
        return first < end ? first..<end : nil
    }

    /// - Returns: the columns of the canvas that are taken, empty when the operation never ran.
    private func putBar(of operation: OperationReport, on canvas: inout Canvas) -> Range<Int> {
        let origin = columns.barStart
        guard let look = look(of: operation), let start = operation.start else { return origin..<origin }
        let cells =
            // Other kinds have no character for a part of a cell.
            look.glyph == style.bars.running && style.isUnicode
            ? fineCells(from: start, to: operation.end) : coarseCells(from: start, to: operation.end, glyph: look.glyph)
        let wait = waitColumns(of: operation) ?? cells.first..<cells.first
        canvas.fill(origin + wait.lowerBound..<origin + wait.upperBound, with: style.bars.waiting, tone: .dim)
        for (offset, glyph) in cells.glyphs.enumerated() {
            canvas.fill(origin + cells.first + offset..<origin + cells.first + offset + 1, with: glyph, tone: look.tone)
        }
        return origin + min(wait.lowerBound, cells.first)..<origin + cells.first + cells.glyphs.count
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

    private typealias Cells = (first: Int, glyphs: [String])

    /// Whole cells: at least one, since every operation that ran is seen.
    private func coarseCells(from start: Duration, to end: Duration, glyph: String) -> Cells {
        // A start at the very end has a column all the same.
        let first = min(Int(axis.position(start).rounded()), axis.columns - 1)
        let last = max(Int(axis.position(end).rounded()), first + 1)
        return (first, Array(repeating: glyph, count: last - first))
    }

    /// The start to half a cell, the end to an eighth: Unicode has no finer characters.
    private func fineCells(from start: Duration, to end: Duration) -> Cells {
        // Half cells exist on the right side, eighths only on the left.
        let begin = min((axis.position(start) * 2).rounded(), Double(axis.columns * 2 - 1)) / 2
        let first = Int(begin)
        let startsHalfway = begin > Double(first)
        // A bar that begins in the middle of a cell fills that cell to its end.
        let eighths = max(Int(((axis.position(end) - Double(first)) * 8).rounded()), startsHalfway ? 8 : 1)
        var glyphs = Array(repeating: style.bars.running, count: eighths / 8)
        if eighths % 8 > 0 { glyphs.append(BarGlyphs.eighths[eighths % 8 - 1]) }
        if startsHalfway { glyphs[0] = BarGlyphs.rightHalf }
        return (first, glyphs)
    }

    // MARK: Notes

    /// Puts what there is to say beside the bar: after it, or else before it.
    ///
    /// - Returns: the lines to go below if the note does not fit.
    private func putNote(of operation: OperationReport, beside bar: Range<Int>, on canvas: inout Canvas) -> [String] {
        guard let note = Note(operation) else { return [] }
        let tone = self.noteTone(operation)
        // A blank column between a bar and its note; without a bar none is needed.
        let after = bar.isEmpty ? bar.upperBound : bar.upperBound + 1
        func put(_ text: String) -> Bool {
            let length = displayWidth(text)
            if length <= width - after {
                canvas.put(text, at: after, tone: tone)
            } else if length + 1 <= bar.lowerBound - columns.barStart {
                canvas.put(text, at: bar.lowerBound - 1 - length, tone: tone)
            } else {
                return false
            }
            return true
        }
        if put(note.text) { return [] }
        // Two words beside the bar, if not the whole sentence.
        let isLabelled = put(note.summary)
        if isLabelled, note.isSummaryEnough { return [] }
        let indent = 6
        let lines = wrapped(isLabelled ? note.message : note.text, to: width - indent, limit: 3, ellipsis: style.ellipsis)
        return lines.map { String(repeating: " ", count: indent) + style.applying(tone, to: $0) }
    }

    private func noteTone(_ operation: OperationReport) -> TextStyle.Tone {
        switch operation.outcome {
        case .failed, .timedOut: .red
        case .fellBack: .yellow
        case .succeeded, .cancelled, .skipped: .dim
        }
    }
}

/// The outcome of an operation that did not simply succeed.
struct Note: Equatable, Sendable {
    /// Two words at the most.
    let summary: String
    /// Why, in one sentence.
    let message: String
    /// Both.
    let text: String
    /// Whether the message adds so little that it is left out if it does not fit.
    let isSummaryEnough: Bool

    /// Nil when there is nothing to say.
    init?(_ operation: OperationReport) {
        let message = operation.message.map { printable($0, limit: 600) }
        switch operation.outcome {
        case .succeeded where operation.isDeferred:
            let expected = operation.expected.map { ", with \(durationText($0)) expected" } ?? ""
            self.init("deferred", "put off until after the milestone, to keep the budget\(expected)")
        case .succeeded where operation.attempts > 1: self.init("\(operation.attempts) attempts")
        case .succeeded: return nil
        // That the launch had stopped is said once, by the verdict; another message may repeat the summary.
        case .cancelled where operation.start == nil || message?.hasPrefix("cancelled") == true:
            let summary = operation.start == nil ? "not started" : "cancelled"
            self.init(summary, message, text: message, isSummaryEnough: true)
        case .cancelled: self.init("cancelled", message)
        case .skipped: self.init("skipped", message)
        case .failed: self.init("failed", message == "failed" ? nil : message)
        case .timedOut: self.init("timed out", message)
        case .fellBack:
            let end = "; its fallback was used"
            // The engine's sentence ends so, and the summary says it already.
            self.init("fell back", message.map { $0.hasSuffix(end) ? String($0.dropLast(end.count)) : $0 })
        }
    }

    private init(_ summary: String, _ message: String? = nil, text: String? = nil, isSummaryEnough: Bool = false) {
        self.summary = summary
        self.message = message ?? summary
        self.text = text ?? message.map { "\(summary): \($0)" } ?? summary
        self.isSummaryEnough = isSummaryEnough || message == nil
    }
}

/// Time laid out over the columns of a terminal.
struct TimelineAxis: Equatable, Sendable {
    struct Tick: Equatable, Sendable {
        let column: Int
        let label: String
    }

    /// The time from the first column to the end of the last.
    let range: Duration
    let columns: Int

    init(range: Duration, columns: Int) {
        self.range = max(range, .zero)
        self.columns = max(columns, 1)
    }

    /// Where a time is, in columns and parts of them.
    func position(_ time: Duration) -> Double {
        // A launch that took no time has everything at its start.
        if range == .zero { return 0 }
        return min(max(time / range * Double(columns), 0), Double(columns))
    }

    /// The column that shows a time.
    func column(_ time: Duration) -> Int { min(Int(position(time).rounded()), columns - 1) }

    /// Ticks at round times, as close as their labels allow.
    func ticks(_ style: TextStyle) -> [Tick] {
        let (unit, name): (Duration, String) =
            switch range {
            case .seconds(300)...: (.seconds(60), "min")
            case .seconds(1)...: (.seconds(1), "s")
            case .milliseconds(1)...: (.milliseconds(1), "ms")
            case .microseconds(1)...: (.microseconds(1), style.isUnicode ? "µs" : "us")
            default: (.nanoseconds(1), "ns")
            }
        let units = range / unit
        var magnitude = 1e-3
        while magnitude <= units {
            for factor in [1.0, 2, 5] {
                let ticks = ticks(every: factor * magnitude, of: name, units: units)
                if areApart(ticks) { return ticks }
            }
            magnitude *= 10
        }
        return [Tick(column: 0, label: "0")]
    }

    private func ticks(every step: Double, of unit: String, units: Double) -> [Tick] {
        // A sum of tenths can lie just below a whole number of steps.
        let count = Int((units / step + 1e-9).rounded(.down))
        // More ticks than columns never fit.
        guard count < columns else { return [] }
        return (0...count).map { number in
            // Rounded to thousandths: a product of decimal fractions shows digits that nobody asked for.
            let value = (Double(number) * step * 1000).rounded() / 1000
            let text = value == value.rounded() ? String(Int(value)) : String(value)
            return Tick(
                column: min(Int((value / units * Double(columns)).rounded()), columns - 1),
                label: number == 0 ? "0" : "\(text) \(unit)"
            )
        }
    }

    /// Whether two columns are free after every label; one before the last, which is drawn further to the left where it
    /// has to be.
    private func areApart(_ ticks: [Tick]) -> Bool {
        !ticks.isEmpty
            && zip(ticks, ticks.dropFirst()).allSatisfy { left, right in
                left.column + left.label.count + (right == ticks.last ? 1 : 2) <= right.column
            }
    }
}
