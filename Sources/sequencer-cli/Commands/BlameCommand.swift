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
    /// Where something is scarce, a gain takes a schedule of all operations: so many operations are scheduled at the most, for those that took longest.
    private static let maximumScheduled = 200_000

    /// A saved report, a built-in scenario, a scenario file, or `-`.
    var source = ""
    var common = CommonArguments()

    private struct Row {
        let operation: OperationReport
        /// Nil where it was not worked out.
        let gain: Duration?
        let slack: Duration
        let isCritical: Bool
        /// The operation that held it up.
        let holder: String?
    }

    func launch() async throws -> ExitCode {
        let output = Output(common.output)
        try output.check()
        let report = try await ProgressBar.during("blame", reading: source) {
            try await LoadedReport.load(source)
        }
        // The launch is over with its milestone: what ran on is not to blame for it.
        let later = Set(report.afterMilestone?.operations ?? [])
        let longest = report.operations.indices.filter { report.operations[$0].start != nil && !later.contains(report.operations[$0].id) }
            .sorted { report.operations[$0].duration > report.operations[$1].duration }
        let rows = rows(report, common.json ? longest[...] : longest.prefix(Self.maximumRows))
        try output.write(common.json ? json(report, rows) : text(report, rows, omitted: longest.count - rows.count, for: output))
        return .success
    }

    private func rows(_ report: LaunchReport, _ shown: ArraySlice<Int>) -> [Row] {
        let paths = MeasuredPaths(report)
        let launch = MeasuredLaunch(report)
        let worked = launch == nil ? Int.max : Self.maximumScheduled / max(report.operations.count, 1)
        let chain = paths.chain()
        // Where somebody was held up, the longest path is not what made the launch as long as it was.
        let isHeldUp = chain.contains { paths.holdUps.holder(of: $0) != nil }
        let critical = Set(chain)
        return shown.enumerated().map { place, node in
            let operation = report.operations[node]
            return Row(
                operation: operation,
                gain: place < worked ? launch?.gain(node) ?? paths.gain(node) : nil,
                slack: launch?.slack(node) ?? operation.slack,
                isCritical: isHeldUp ? critical.contains(node) : operation.isCritical,
                holder: paths.holdUps.holder(of: node).map { report.operations[$0].id }
            )
        }
    }

    private func text(_ report: LaunchReport, _ rows: [Row], omitted: Int, for output: Output) -> String {
        let style = TextStyle(common.color, for: output)
        var text =
            style.bold(printable(report.scenario))
            + ": \(style.duration(report.endOfLaunchProper)), \(style.duration(report.workOfLaunchProper)) of work\n"
        text += report.warning(style, width: output.width)
        if let before = report.beforeRun { text += "before the launch: \(style.duration(before)) since the process started\n" }
        let hasHolders = rows.contains { $0.holder != nil }
        var table = TextTable(["operation", "took", "waited", "slack", "would gain"] + (hasHolders ? ["held up by"] : []))
        for row in rows {
            let operation = row.operation
            let marks = (row.isCritical ? " *" : "") + (operation.isMostlyInteractive ? " (person)" : "")
            table.add([
                printable(operation.id, limit: 80) + marks,
                style.duration(operation.duration),
                operation.wait == .zero ? "" : style.duration(operation.wait),
                style.duration(row.slack),
                row.gain.map { $0 == .zero ? "" : style.duration($0) } ?? "?",
                row.holder.map { printable($0, limit: 80) } ?? "",
            ])
        }
        text += table.text(style)
        if omitted > 0 { text += style.dim("  and \(omitted) more that took less\n") }
        if let later = report.afterMilestone?.operations {
            text += style.dim(
                "  not counted, for they ran on after the milestone: \(VerdictText.list(later) { printable($0, limit: 80) })\n"
            )
        }
        return text + style.dim("* critical path; operations overlap, so their times do not add up to the launch's\n")
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
                json.write(row.operation.id, for: "id")
                json.write(milliseconds: row.operation.duration, for: "durationMs")
                json.write(milliseconds: row.operation.wait, for: "waitMs")
                json.write(milliseconds: row.slack, for: "slackMs")
                if let gain = row.gain { json.write(milliseconds: gain, for: "gainMs") }
                json.write(row.isCritical, for: "critical")
                if let holder = row.holder { json.write(holder, for: "heldUpBy") }
            }
        }
    }
}
