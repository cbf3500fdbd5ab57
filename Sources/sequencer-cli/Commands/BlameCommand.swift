import Sequencer

/// `blame`: where the time of a launch went, operation by operation.
struct BlameCommand: LaunchingCommand {
    static let name = "blame"
    static let summary = "Show where the time of a launch went: what took longest, what waited, what shortening it would gain."
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
        let gain: Duration
    }

    func launch() async throws -> ExitCode {
        let output = Output(common.output)
        try output.check()
        let report = try await ProgressBar.during("blame", reading: source) {
            try await LoadedReport.load(source)
        }
        let paths = MeasuredPaths(report)
        // The launch is over with its milestone: what ran on is not to blame for it.
        let later = Set(report.afterMilestone?.operations ?? [])
        let longest = report.operations.indices.filter { report.operations[$0].start != nil && !later.contains(report.operations[$0].id) }
            .sorted { report.operations[$0].duration > report.operations[$1].duration }
        let shown = common.json ? longest[...] : longest.prefix(Self.maximumRows)
        let rows = shown.map { Row(operation: report.operations[$0], gain: paths.gain($0)) }
        try output.write(common.json ? json(report, rows) : text(report, rows, omitted: longest.count - rows.count, for: output))
        return .success
    }

    private func text(_ report: LaunchReport, _ rows: [Row], omitted: Int, for output: Output) -> String {
        let style = TextStyle(common.color, for: output)
        var text =
            style.bold(printable(report.scenario))
            + ": \(style.duration(report.endOfLaunchProper)), \(style.duration(report.workOfLaunchProper)) of work\n"
        text += report.warning(style, width: output.width)
        if let before = report.beforeRun { text += "before the launch: \(style.duration(before)) since the process started\n" }
        var table = TextTable(["operation", "took", "waited", "slack", "would gain"])
        for row in rows {
            let operation = row.operation
            let marks = (operation.isCritical ? " *" : "") + (operation.isMostlyInteractive ? " (person)" : "")
            table.add([
                printable(operation.id, limit: 80) + marks,
                style.duration(operation.duration),
                operation.wait == .zero ? "" : style.duration(operation.wait),
                style.duration(operation.slack),
                row.gain == .zero ? "" : style.duration(row.gain),
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
                json.write(milliseconds: row.operation.slack, for: "slackMs")
                json.write(milliseconds: row.gain, for: "gainMs")
                json.write(row.operation.isCritical, for: "critical")
            }
        }
    }
}
