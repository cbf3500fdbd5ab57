import Sequencer

extension TimelineText {
    private static let mostNamed = 5
    private static let mostNoted = 20

    /// What else a person should know: what was left running, and what did what it should not have done.
    var messages: [String] {
        var messages: [String] = []
        let stragglers = report.stragglers
        if !stragglers.isEmpty {
            messages.append("still running when the launch ended: \(list(stragglers.map { printable($0, limit: 80) }))")
        }
        let notes = operations.lazy.flatMap { operation in operation.notes.map { "\(printable(operation.id, limit: 80)): \($0)" } }
        messages += notes.prefix(Self.mostNoted)
        if notes.count > Self.mostNoted { messages.append("and \(notes.count - Self.mostNoted) more notes") }
        messages += anomalies.prefix(Self.mostNamed)
        if anomalies.count > Self.mostNamed { messages.append("and \(anomalies.count - Self.mostNamed) more like these") }
        return messages.flatMap { wrapped($0, to: width, indent: 2, ellipsis: style.ellipsis) }.map(style.yellow)
    }

    /// The last line: what the launch made of its budget, or why it has nothing to say about it.
    var verdict: (word: String, rest: String) {
        switch report.outcome {
        case .completed: return budgetVerdict
        case .aborted(let operation, let reason):
            let names = "by \(printable(operation, limit: 80)) (\(printable(reason.rawValue, limit: 80)))"
            return ("ABORTED", " \(names): \(endings)")
        case .failed(let operation, let message):
            return ("FAILED", "  \(printable(operation, limit: 80)): \(printable(message, limit: 600))")
        case .cancelled: return ("CANCELLED", "  \(endings)")
        }
    }

    /// `verdict`, fit for the terminal.
    var verdictLines: [String] {
        let (word, rest) = verdict
        let lines = wrapped(word + rest, to: width, indent: 6, ellipsis: style.ellipsis)
        guard let first = lines.first, first.hasPrefix(word) else { return lines }
        return [style.applying(tone, to: word) + first.dropFirst(word.count)] + lines.dropFirst()
    }

    private var tone: TextStyle.Tone {
        switch report.outcome {
        case .completed: report.budget.isMet ? .green : .red
        case .aborted, .cancelled: .yellow
        case .failed: .red
        }
    }

    private var budgetVerdict: (word: String, rest: String) {
        let result = report.budget
        var rest = "  \(style.duration(result.measured)) of \(style.duration(result.budget.limit))"
        if result.budget.origin == .processStart { rest += " since the process started" }
        if !result.isMet {
            rest += ", \(style.duration(result.measured - result.budget.limit)) over"
            let causes = result.causes
            let wanted = Set(causes.prefix(Self.mostNamed))
            let named = Dictionary(grouping: operations.lazy.filter { wanted.contains($0.id) }, by: \.id)
            if !causes.isEmpty { rest += ": " + list(causes) { named[$0]?.first.map(describe) ?? printable($0, limit: 80) } }
        }
        if result.interactive > .zero { rest += " (\(style.duration(result.interactive)) waiting for a person not counted)" }
        return (result.isMet ? "PASS" : "FAIL", rest)
    }

    /// An operation with its duration, and the one that was expected where that was less.
    private func describe(_ operation: OperationReport) -> String {
        var times = style.duration(operation.duration)
        if let expected = operation.expected, expected < operation.duration { times += ", \(style.duration(expected)) expected" }
        return "\(printable(operation.id, limit: 80)) (\(times))"
    }

    /// `a, b, c and 7 more`.
    private func list(_ items: [String], describe: (String) -> String = { $0 }) -> String {
        let named = items.prefix(Self.mostNamed).map(describe).joined(separator: ", ")
        return items.count > Self.mostNamed ? named + " and \(items.count - Self.mostNamed) more" : named
    }

    /// How far a launch came that was stopped.
    private var endings: String {
        let ended = operations.count { $0.outcome == .succeeded || $0.outcome == .fellBack }
        let notStarted = operations.count { $0.start == nil }
        let total = operations.count
        return "\(ended) of \(total) operation\(total == 1 ? "" : "s") done, \(notStarted) not started"
    }
}

extension Anomaly {
    private static let notableDelay = Duration.milliseconds(100)

    /// A sentence; nil for an operation that came to its end as soon as it could after it was told to: that is no news.
    func text(_ style: TextStyle) -> String? {
        let name = printable(operation, limit: 80)
        switch kind {
        case .finishedAgain: return "\(name) finished more than once; only the first time counted"
        case .endedLate(let delay) where delay < Self.notableDelay: return nil
        case .endedLate(let delay): return "\(name) came to its end \(style.duration(delay)) after it had ended; its result was dropped"
        }
    }
}
