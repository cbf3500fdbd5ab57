import Sequencer
import SequencerAnalysis

/// The last word on a launch, for a terminal: whether it met its budget, or how else it ended.
struct VerdictText {
    let report: LaunchReport
    /// Its unknown times.
    let unknown: UnknownTimes
    let style: TextStyle
    let width: Int

    /// - Parameter unknown: the unknown times; nil takes those of the report.
    init(_ report: LaunchReport, unknown: UnknownTimes? = nil, style: TextStyle, width: Int) {
        (self.report, self.unknown, self.style, self.width) = (report, unknown ?? report.unknownTimes, style, width)
    }

    /// The lines, none of them wider than the terminal; the first one begins with the verdict.
    var lines: [String] {
        let (word, rest) = verdict
        // Wrapped before it is coloured: an escape sequence has no width, and cannot be cut.
        let lines = wrapped(word + rest, to: width, indent: 6, ellipsis: style.ellipsis)
        // In a very narrow terminal the word itself is broken: without a colour then.
        guard let first = lines.first, first.hasPrefix(word) else { return lines }
        return [style.applying(tone, to: word) + first.dropFirst(word.count)] + lines.dropFirst()
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    private var verdict: (word: String, rest: String) {
        switch report.outcome {
        case .completed: return budgetVerdict
        case .aborted(let operation, let reason):
            let names = "by \(printable(operation, limit: 80)) (\(printable(reason.description, limit: 80)))"
            return ("ABORTED", " \(names): \(report.progressText)\(milestone)")
        case .failed(let operation, let message):
            return ("FAILED", "  \(printable(operation, limit: 80)): \(printable(message, limit: 600))\(milestone)")
        case .cancelled: return ("CANCELLED", "  \(report.progressText)\(milestone)")
        }
    }

    /// The times of the milestone and of the initial display, if they were reached; otherwise empty.
    private var milestone: String { report.milestoneText(style.duration) + report.initialDisplayText(style.duration) }

    /// `; milestone failed: no network`, or `; milestone fell back: no network`.
    private var milestoneOutcome: String {
        report.milestoneOutcomeText + (report.unusualMilestone?.message.map { ": \(printable($0, limit: 600))" } ?? "")
    }

    private var tone: TextStyle.Tone {
        switch report.outcome {
        case .completed: !report.isWithinBudgets ? .red : unknown.tellNothing ? .yellow : .green
        case .aborted, .cancelled: .yellow
        case .failed: .red
        }
    }

    private var budgetVerdict: (word: String, rest: String) {
        let result = report.budget
        var rest = "  \(report.budget.measuredText(style.duration))"
        if result.budget?.isFromProcessStart == true {
            rest += " since the process started"
            if let before = report.beforeRun { rest += ", \(style.duration(before)) of it before the launch" }
        }
        // Only over the budget: otherwise nobody asks for a cause.
        if let excess = report.excessText(style.duration) {
            rest += ", \(excess)"
            // Causes may be a thousand; only those that are named are looked up.
            let causes = listed(result.causes) { report[$0].map(describe) ?? printable($0, limit: 80) }
            rest += causes.isEmpty ? "" : ": " + causes
        }
        if result.interactive > .zero { rest += " (\(style.duration(result.interactive)) waiting for a person not counted)" }
        if !unknown.operations.isEmpty { rest += "; \(unknown.text())" }
        return (
            !report.isWithinBudgets ? "FAIL" : unknown.tellNothing ? "UNKNOWN" : "PASS",
            rest + report.processStartText + milestoneOutcome + report.initialDisplayText(style.duration) + report.troubleText()
        )
    }

    /// An operation with its times.
    private func describe(_ operation: OperationReport) -> String {
        "\(printable(operation.id, limit: 80)) (\(operation.timesText(style.duration)))"
    }
}
