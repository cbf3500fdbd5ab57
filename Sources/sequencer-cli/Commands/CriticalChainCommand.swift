import Sequencer

/// `critical-chain`: the operations that made a launch end when it did.
struct CriticalChainCommand: LaunchingCommand {
    static let name = "critical-chain"
    static let summary = "Show the operations that made a launch end when it did, from its end back to its beginning."
    static let ownArguments: [CommandArgument<Self>] = [.source(\.source)]
    static let examples: KeyValuePairs = [
        "critical-chain report.json": "See what to shorten first.",
        "critical-chain regular --json": "The same of a scenario, for a program.",
    ]
    static let exitCodes = LoadedReport.exitCodes

    /// A saved report, a built-in scenario, a scenario file, or `-`.
    var source = ""
    var common = CommonArguments()

    func launch(_ page: ResultPage) async throws -> ExitCode {
        ProgressLine.begin("critical-chain", reading: source)
        let report = try await LoadedReport.load(source)
        let places = Dictionary(report.operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let holdUps = HoldUps(report)
        let chain = report.criticalPath.compactMap { places[$0] }.map { place in
            (operation: report.operations[place], holder: holdUps.holder(of: place).map { report.operations[$0].id })
        }
        try page.write(json: json(report, chain), text: text(report, chain, page))
        return .success
    }

    /// The end first, each operation under the one that waited for it.
    private func text(_ report: LaunchReport, _ chain: [(operation: OperationReport, holder: String?)], _ page: ResultPage) -> String {
        let style = page.style
        // The end first: the user asks why the launch ended so late, and reads on towards the cause.
        let lines = chain.reversed().enumerated().map { depth, link in
            let (operation, holder) = link
            // Bounded, so that a chain of thousands of operations does not run off the right edge.
            let branch = depth == 0 ? "" : String(repeating: " ", count: 2 * min(depth - 1, 30)) + style.branch
            let times = "@\(style.duration(operation.start ?? .zero)) +\(style.duration(operation.duration))"
            let cause = holder.map { " for \(printable($0, limit: 80))" } ?? ""
            let wait = operation.wait > .zero ? style.dim(", waited \(style.duration(operation.wait))\(cause)") : ""
            let outcome = operation.outcome == .succeeded ? "" : ", \(operation.outcome.rawValue)"
            return branch + printable(operation.id, limit: 80) + " " + times + wait + outcome + "\n"
        }
        let signs = "@ when it started, + how long it took; each waited for the one below it"
        return report.text(lines.joined(), signs: signs, page)
    }

    private func json(_ report: LaunchReport, _ chain: [(operation: OperationReport, holder: String?)]) -> String {
        let links = chain.map { operation, holder -> JSONTree in
            [
                "id": .text(operation.id), "outcome": .text(operation.outcome.rawValue),
                "startMs": .milliseconds(operation.start) ?? .null, "durationMs": .milliseconds(operation.duration),
                "waitMs": .milliseconds(operation.wait), "heldUpBy": .text(holder),
            ]
        }
        return report.document("sequencer.critical-chain/1", ["chain": .array(links)])
    }
}
