/// What the exports for people say in words, the same in each.
extension ReportDocument {
    /// `pass: 1.33 s of 3 s`.
    var verdictText: String {
        "\(budget.isMet ? "pass" : "fail"): \(durationText(budget.measured)) of \(durationText(budget.budget.limit))"
    }

    /// How the launch ended, without a full stop. Identifiers and messages are as they are in the report.
    var outcomeText: String {
        switch outcome {
        case .completed: "Completed"
        case .aborted(let operation, let reason): "Aborted by \(operation): \(reason)"
        case .failed(let operation, let message): "Failed at \(operation): \(message)"
        case .cancelled: "Cancelled"
        }
    }

    /// What there is to say about the budget's causes; nil when it was kept, or nothing can be said.
    var causesText: String? {
        budget.isMet || budget.causes.isEmpty ? nil : "Over budget because of"
    }
}

extension OperationReport {
    /// How it ended, in words.
    var outcomeText: String {
        switch outcome {
        case .succeeded: "succeeded"
        case .fellBack: "fell back"
        case .failed: "failed"
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        }
    }

    /// Where it ran, or would have; nil when that is not known.
    var place: String? { isMain ? "main" : lane.map { "lane \($0)" } }

    /// What is special about it.
    var marks: [String] {
        var marks: [String] = []
        if isCritical { marks.append("critical") }
        if isInteractive { marks.append("interactive") }
        if isCut { marks.append("cut") }
        if isDeferred { marks.append("deferred") }
        return marks
    }

    /// Why it did not succeed, and what it noted.
    var remarks: [String] { (message.map { [$0] } ?? []) + notes }

    /// Its numbers in one line, for the small window that a pointer brings up.
    var summary: String {
        var text = "\(outcomeText)"
        if let start {
            text += ", \(durationText(start)) to \(durationText(end)) (\(durationText(duration)))"
            if wait > .zero { text += ", waited \(durationText(wait))" }
        }
        if let expected { text += ", expected \(durationText(expected))" }
        text += isCritical ? ", on the critical path" : ", slack \(durationText(slack))"
        if let place { text += ", \(place)" }
        return text
    }
}
