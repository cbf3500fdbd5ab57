import Sequencer
import SequencerAnalysis

/// `blame`: where the time of a launch went, operation by operation.
struct BlameCommand: LaunchingCommand {
    static let name = "blame"
    static let summary = "Show where the time of a launch went: the longest operations, their waits, and the gain of shortening each."
    static let ownArguments: [CommandArgument<Self>] = [.source(\.source)]
    static let examples: KeyValuePairs = [
        "blame report.json": "Look into a report that 'run --json' wrote.",
        "blame regular": "Run a scenario in virtual time, and look into that.",
    ]
    static let exitCodes = LoadedReport.exitCodes

    /// More rows than anyone reads.
    private static let maximumRows = 50

    /// A saved report, a built-in scenario, a scenario file, or `-`.
    var source = ""
    var common = CommonArguments()

    private struct Row {
        let operation: OperationReport
        /// How much shorter the launch would be without it; nil where nobody knows.
        let gain: Duration?
        /// Whether nobody can know the gain, rather than that it takes too many launches in virtual time.
        let isUncertain: Bool
        /// The operation that held it up.
        let holder: String?
    }

    func launch(_ page: ResultPage) async throws -> ExitCode {
        ProgressLine.begin("blame", reading: source)
        let report = try await LoadedReport.load(source)
        // The launch is over with its milestone: operations that ran on are not to blame for its length.
        let later = Set(report.afterMilestone?.operations ?? [])
        let longest = report.operations.indices.filter { report.operations[$0].start != nil && !later.contains(report.operations[$0].id) }
            .sorted { report.operations[$0].duration > report.operations[$1].duration }
        // A program gets all rows; the user gets as many as can be read.
        let rows = await rows(report, common.json ? longest[...] : longest.prefix(Self.maximumRows))
        try page.write(json: json(report, rows), text: text(report, rows, omitted: longest.count - rows.count, page))
        return .success
    }

    private func rows(_ report: LaunchReport, _ shown: ArraySlice<Int>) async -> [Row] {
        let holdUps = HoldUps(report)
        let uncertain = report.uncertainGains
        let gains = await report.gains(of: shown)
        return shown.map { node in
            let holder = holdUps.holder(of: node).map { report.operations[$0].id }
            let (operation, gain) = (report.operations[node], gains[node])
            let isUncertain = uncertain.contains(node) || gain ?? .zero < .zero
            return Row(operation: operation, gain: isUncertain ? nil : gain, isUncertain: isUncertain, holder: holder)
        }
    }

    private func text(_ report: LaunchReport, _ rows: [Row], omitted: Int, _ page: ResultPage) -> String {
        let style = page.style
        func name(_ id: String) -> String { printable(id, limit: 80) }
        /// Blank instead of zero: the few that are not stand out.
        func cell(_ duration: Duration) -> String { duration == .zero ? "" : style.duration(duration) }

        let later = report.afterMilestone?.operations, ids = Set(later ?? [])
        let after = report.operations.lazy.filter { ids.contains($0.id) }.reduce(Duration.zero) { $0 + $1.duration }
        let before = report.beforeRun.map { "before the launch: \(style.duration($0)) since the process started\n" }
        // A column that would be empty in every row is left out.
        let hasHolders = rows.contains { $0.holder != nil }
        let isMeasured = rows.contains { $0.operation.processorTime != nil }
        // Sorted by gain; of equal gains, the longest first.
        let order = rows.indices.sorted { (rows[$0].gain ?? .zero, $1) > (rows[$1].gain ?? .zero, $0) }
        let cells = order.map { place -> [String] in
            let (row, operation) = (rows[place], rows[place].operation)
            let marks =
                operation.awaitedEventText + (operation.isCritical ? " *" : "")
                + (operation.isMostlyInteractive ? " (person)" : "")
                + (operation.outcome == .succeeded ? "" : " (\(operation.outcome.words))")
            let ran = isMeasured ? [operation.processorTime.map(style.duration) ?? ""] : []
            return [name(operation.id) + marks, style.duration(operation.duration)] + ran + [
                cell(operation.wait), style.duration(operation.slack),
                row.gain.map(cell) ?? "?", row.holder.map(name) ?? "",
            ]
        }
        let header =
            ["operation", "took"] + (isMeasured ? ["ran"] : []) + ["waited", "slack", "would gain"]
            + (hasHolders ? ["held up by"] : [])
        let (isUnknown, gains) = (report.isUnknown, rows.count { $0.gain != nil })
        let notes = [
            rows.contains { isUnknown($0.operation) } ? "? unknown: nobody knows how long that takes" : nil,
            rows.contains { $0.isUncertain && !isUnknown($0.operation) }
                ? "? uncertain: if that took no time, others would run, wait or be cut otherwise" : nil,
            rows.contains { $0.gain == nil && !$0.isUncertain }
                ? "? not worked out: there are too many; the gains of \(gains) were" : nil,
            omitted > 0 ? "and \(omitted) more that took less" : nil,
            later.map { "not counted, for they ran on after the milestone: \(listed($0, name))" },
        ].compactMap(\.self)
        let processors = report.processorTexts(style.duration).flatMap {
            wrapped($0, to: max(page.output.width - 2, 20), indent: 2, ellipsis: style.ellipsis)
        }
        return report.text(
            title: ", \(style.duration(report.work)) of work"
                + (after > .zero ? ", \(style.duration(after)) of it after the milestone" : ""),
            (before ?? "") + style.table(header, cells)
                + (notes + processors).map { style.dim("  \($0)\n") }.joined(),
            signs: "* critical path; operations overlap, so their times do not add up to the launch's",
            page
        )
    }

    private func json(_ report: LaunchReport, _ rows: [Row]) -> String {
        let rows = rows.map { row -> JSONTree in
            let operation = row.operation
            // All keys but two are in every row, so that a program needs no test for each.
            return [
                "id": .text(operation.id), "outcome": .text(operation.outcome.rawValue),
                "durationMs": .milliseconds(operation.duration), "waitMs": .milliseconds(operation.wait),
                "slackMs": .milliseconds(operation.slack), "gainMs": .milliseconds(row.gain) ?? .null,
                "scheduledGainMs": .milliseconds(row.gain), "critical": .flag(operation.isCritical),
                "heldUpBy": .text(row.holder), "processorMs": .milliseconds(operation.processorTime),
                "runnableMs": .milliseconds(operation.runnableTime),
            ]
        }
        let times: JSONTree = [
            "beforeRunMs": .milliseconds(report.beforeRun), "workMs": .milliseconds(report.work),
            "otherProcessorMs": .milliseconds(report.otherProcessorTime),
        ]
        return report.document("sequencer.blame/1", times + ["operations": .array(rows)])
    }
}
