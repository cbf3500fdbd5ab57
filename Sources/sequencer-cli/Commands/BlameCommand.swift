import Sequencer
import SequencerAnalysis

/// `blame`: where the time of a launch went, operation by operation.
struct BlameCommand: LaunchingCommand {
    static let name = "blame"
    static let summary = "Show where the time of a launch went: the longest operations, their waits, and the gain of shortening each."
    static let positionals: [CommandPositional<Self>] = [.source { $0.source = $1 }]
    static let options: [CommandOption<Self>] = part(CommonArguments.options, \.common)
    static let examples: KeyValuePairs = [
        "blame report.json": "Look into a report that 'run --json' wrote.",
        "blame regular": "Run a scenario in virtual time, and look into that.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "The report could be read. How its launch ended is in the result, and changes no exit code."
    ]

    /// More rows than anyone reads.
    private static let maximumRows = 50

    /// A saved report, a built-in scenario, a scenario file, or `-`.
    var source = ""
    var common = CommonArguments()

    private struct Row {
        let operation: OperationReport
        /// How much shorter the longest path would be without it.
        let gain: Duration
        /// How much shorter the launch would be without it, where something was scarce; nil where nothing was, or where that was not worked out.
        let scheduledGain: Duration?
        /// Whether a schedule alone tells the gain.
        let needsSchedule: Bool
        /// The operation that held it up.
        let holder: String?

        /// Zero where it was not worked out.
        var knownGain: Duration { scheduledGain ?? (needsSchedule ? .zero : gain) }
    }

    func launch() async throws -> ExitCode {
        let output = Output(common.output)
        // Before the launch of a scenario, which may take long.
        try output.check()
        let report = try await ProgressBar.during("blame", reading: source) {
            try await LoadedReport.load(source)
        }
        // The launch is over with its milestone: operations that ran on are not to blame for its length.
        let later = Set(report.afterMilestone?.operations ?? [])
        let longest = report.operations.indices.filter { report.operations[$0].start != nil && !later.contains(report.operations[$0].id) }
            .sorted { report.operations[$0].duration > report.operations[$1].duration }
        // A program gets all rows; a person gets as many as can be read.
        let rows = await rows(report, common.json ? longest[...] : longest.prefix(Self.maximumRows))
        try output.write(common.json ? json(report, rows) : text(report, rows, omitted: longest.count - rows.count, for: output))
        return .success
    }

    private func rows(_ report: LaunchReport, _ shown: ArraySlice<Int>) async -> [Row] {
        let holdUps = HoldUps(report)
        let gains = report.gainsByPath
        // Nothing scarce, nothing to run: the longest path alone tells each gain.
        let rehearsed = await report.gains(of: shown)
        return shown.map { node in
            let operation = report.operations[node]
            return Row(
                operation: operation,
                gain: gains[node],
                scheduledGain: rehearsed?[node],
                needsSchedule: rehearsed != nil,
                holder: holdUps.holder(of: node).map { report.operations[$0].id }
            )
        }
    }

    private func text(_ report: LaunchReport, _ rows: [Row], omitted: Int, for output: Output) -> String {
        let style = TextStyle(common.color, for: output)
        var text =
            style.bold(printable(report.scenario))
            + ": \(style.duration(report.endOfLaunchProper)), \(style.duration(report.work)) of work\n"
        let after = later(report)
        if after > .zero {
            text.insert(contentsOf: ", \(style.duration(after)) of it after the milestone", at: text.index(before: text.endIndex))
        }
        text += report.warning(style, width: output.width)
        if let before = report.beforeRun { text += "before the launch: \(style.duration(before)) since the process started\n" }
        let hasHolders = rows.contains { $0.holder != nil }
        // A column that would be empty in every row is left out.
        var table = TextTable(["operation", "took", "waited", "slack", "would gain"] + (hasHolders ? ["held up by"] : []))
        // What is worth shortening comes first; of equal gains, the longest.
        let order = rows.indices.sorted { (rows[$0].knownGain, $1) > (rows[$1].knownGain, $0) }
        for row in order.map({ rows[$0] }) {
            let operation = row.operation
            let marks =
                operation.awaitedEventText + (operation.isCritical ? " *" : "") + (operation.isMostlyInteractive ? " (person)" : "")
            table.add([
                printable(operation.id, limit: 80) + marks,
                style.duration(operation.duration),
                // Blank cells instead of zeros: the few waits stand out.
                operation.wait == .zero ? "" : style.duration(operation.wait),
                style.duration(operation.slack),
                gain(row, style),
                row.holder.map { printable($0, limit: 80) } ?? "",
            ])
        }
        text += table.text(style)
        let unknown = rows.count { $0.needsSchedule && $0.scheduledGain == nil }
        if unknown > 0 {
            text += style.dim(
                "  ? not worked out: something was scarce, so each gain takes a launch in virtual time; the \(rows.count - unknown) longest were run\n"
            )
        }
        if omitted > 0 { text += style.dim("  and \(omitted) more that took less\n") }
        if let later = report.afterMilestone?.operations {
            text += style.dim(
                "  not counted, for they ran on after the milestone: \(VerdictText.list(later) { printable($0, limit: 80) })\n"
            )
        }
        for (step, other) in report.sharedOnMain.prefix(VerdictText.maximumNamed) {
            let (step, other) = (printable(step, limit: 80), printable(other, limit: 80))
            text += style.dim(
                "  \(other) had the main thread while \(step) was suspended there: a part of \(step)'s time may be a wait for it\n"
            )
        }
        text += report.scopeNote(style) + report.groundsNote(style)
        return text + style.dim("* critical path; operations overlap, so their times do not add up to the launch's\n")
    }

    /// The work of what ran on after the milestone.
    private func later(_ report: LaunchReport) -> Duration {
        let later = Set(report.afterMilestone?.operations ?? [])
        return report.operations.lazy.filter { later.contains($0.id) }.reduce(.zero) { $0 + $1.duration }
    }

    private func gain(_ row: Row, _ style: TextStyle) -> String {
        // A question mark is not a zero: the text below the table says how many were worked out.
        if row.needsSchedule, row.scheduledGain == nil { return "?" }
        return row.knownGain == .zero ? "" : style.duration(row.knownGain)
    }

    private func json(_ report: LaunchReport, _ rows: [Row]) -> String {
        JSONWriter.document("sequencer.blame/1") { json in
            json.write(report.scenario, for: "scenario")
            report.writeOutcome(to: &json)
            if let before = report.beforeRun { json.write(milliseconds: before, for: "beforeRunMs") }
            json.write(milliseconds: report.makespan, for: "makespanMs")
            if let later = report.afterMilestone { json.write(milliseconds: later.start, for: "milestoneMs") }
            json.write(milliseconds: report.work, for: "workMs")
            json.writeObjects(rows, for: "operations") { json, row in
                // All keys but two are in every row, so that a program needs no test for each.
                json.write(row.operation.id, for: "id")
                json.write(milliseconds: row.operation.duration, for: "durationMs")
                json.write(milliseconds: row.operation.wait, for: "waitMs")
                json.write(milliseconds: row.operation.slack, for: "slackMs")
                json.write(milliseconds: row.scheduledGain ?? row.gain, for: "gainMs")
                if let gain = row.scheduledGain { json.write(milliseconds: gain, for: "scheduledGainMs") }
                json.write(row.operation.isCritical, for: "critical")
                if let holder = row.holder { json.write(holder, for: "heldUpBy") }
            }
        }
    }
}

extension LaunchReport {
    /// The operations of the main thread in the midst of which others had that, each with the longest of these: the engine does not see how long
    /// they waited for it.
    fileprivate var sharedOnMain: [(step: String, other: String)] {
        let main = operations.filter { $0.isMain && $0.duration > .zero }.sorted { ($0.start ?? .zero) < ($1.start ?? .zero) }
        var others: [String: OperationReport] = [:]
        var open: OperationReport?
        for operation in main {
            if let step = open, let start = operation.start, start < step.end,
                others[step.id].map({ $0.duration < operation.duration }) ?? true
            {
                others[step.id] = operation
            }
            if open.map({ $0.end <= operation.end }) ?? true { open = operation }
        }
        return main.compactMap { step in others[step.id].map { (step.id, $0.id) } }
    }
}
