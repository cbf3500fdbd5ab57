import Sequencer

/// How a launch ended, and its time against its budget, as the span of a launch says it that this tool has exported.
struct ExportedResult {
    /// That of the span's status.
    var message: String?
    private var outcome: String?
    private var abort: (by: String?, reason: String?) = (nil, nil)
    private var failed: String?
    private var limit: Duration?
    private var measured: Duration?
    private var interactive: Duration?
    private var beforeRun: Duration?
    private var isMet = true
    private var causes: [String] = []

    /// Takes over an attribute of the span.
    mutating func read(_ key: String, _ values: [String]) {
        // Attributes of other programs come here as well; each has one value or a list.
        guard key.hasPrefix("sequencer."), let value = values.first else { return }
        switch key.dropFirst("sequencer.".count) {
        case "outcome": outcome = value
        case "abort.by": abort.by = value
        case "abort.reason": abort.reason = value
        case "failure.operation": failed = value
        case "budget.verdict": isMet = value == "pass"
        case "budget.limit_ms": limit = Self.time(value).flatMap { $0 > .zero ? $0 : nil }
        case "budget.measured_ms": measured = Self.time(value)
        case "budget.interactive_ms": interactive = Self.time(value)
        case "budget.causes": causes = values
        case "before_run_ms": beforeRun = Self.time(value)
        default: break
        }
    }

    /// Gives the result to a launch.
    func add(to launch: inout ImportedLaunch) {
        switch outcome {
        case "aborted": launch.outcome = .aborted(by: abort.by ?? "", reason: AbortReason(abort.reason ?? ""))
        case "cancelled": launch.outcome = .cancelled
        case "failed":
            let id = failed ?? ""
            // The status begins with the operation's name.
            let head = printable(id) + ": "
            let text = message ?? ""
            launch.outcome = .failed(operation: id, message: text.hasPrefix(head) ? String(text.dropFirst(head.count)) : text)
        default: launch.outcome = .completed
        }
        guard let measured else { return }
        launch.budget = BudgetResult(
            // Only a budget from the start of the process has a time before the run.
            budget: limit.map { Budget($0, fromProcessStart: beforeRun != nil) },
            measured: measured,
            interactive: interactive ?? .zero,
            isMet: isMet,
            causes: causes
        )
        if limit != nil { launch.beforeRun = beforeRun }
    }

    private static func time(_ milliseconds: String) -> Duration? {
        // Six digits, as the export counts in milliseconds.
        nanoseconds(milliseconds, digits: 6).flatMap { 0...JSONCursor.times.upperBound ~= $0 ? .nanoseconds($0) : nil }
    }
}
