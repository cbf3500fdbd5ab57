import Sequencer

/// `blame`: where the time of a launch went, operation by operation.
struct BlameCommand {
    /// More rows than anyone reads.
    private static let mostRows = 50

    private let arguments: AnalysisArguments

    init(_ arguments: AnalysisArguments) {
        self.arguments = arguments
    }

    private struct Row {
        let operation: OperationReport
        let gain: Duration
    }

    func run() async throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let report = try await ProgressBar.during("blame", reading: arguments.source) { try await LoadedReport.load(arguments.source) }
        let paths = MeasuredPaths(report)
        let longest = report.operations.indices.filter { report.operations[$0].start != nil }
            .sorted { report.operations[$0].duration > report.operations[$1].duration }
        let shown = arguments.common.json ? longest[...] : longest.prefix(Self.mostRows)
        let rows = shown.map { Row(operation: report.operations[$0], gain: paths.gain($0)) }
        let style = TextStyle(arguments.common.color, for: output)
        try output.write(arguments.common.json ? json(report, rows) : text(report, rows, omitted: longest.count - rows.count, style))
        return .success
    }

    private func text(_ report: ReportDocument, _ rows: [Row], omitted: Int, _ style: TextStyle) -> String {
        var text = style.bold(printable(report.scenario)) + ": \(style.duration(report.makespan)), \(style.duration(report.work)) of work\n"
        var table = TextTable(["operation", "took", "waited", "slack", "would gain"])
        for row in rows {
            let operation = row.operation
            let marks = (operation.isCritical ? " *" : "") + (operation.isInteractive ? " (person)" : "")
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
        return text + style.dim("* critical path; operations overlap, so their times do not add up to the launch's\n")
    }

    private func json(_ report: ReportDocument, _ rows: [Row]) -> String {
        JSONWriter.object(pretty: true) { json in
            json.write("sequencer.blame/1", for: "schema")
            json.write(report.scenario, for: "scenario")
            json.write(milliseconds: report.makespan, for: "makespanMs")
            json.write(milliseconds: report.work, for: "workMs")
            json.writeArray(for: "operations") { json in
                for row in rows {
                    json.writeObject { json in
                        json.write(row.operation.id, for: "id")
                        json.write(milliseconds: row.operation.duration, for: "durationMs")
                        json.write(milliseconds: row.operation.wait, for: "waitMs")
                        json.write(milliseconds: row.operation.slack, for: "slackMs")
                        json.write(milliseconds: row.gain, for: "gainMs")
                        json.write(row.operation.isCritical, for: "critical")
                    }
                }
            }
        } + "\n"
    }
}
