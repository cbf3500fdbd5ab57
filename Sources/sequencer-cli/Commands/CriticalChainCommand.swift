import Sequencer

/// `critical-chain`: the operations that made a launch end when it did.
struct CriticalChainCommand: LaunchingCommand {
    static let name = "critical-chain"
    static let summary = "Show the operations that made a launch end when it did, from its end back to its beginning."
    static let positionals: [CommandPositional<Self>] = [.source { $0.source = $1 }]
    static let options: [CommandOption<Self>] = part(CommonArguments.options, \.common)
    static let examples: KeyValuePairs = [
        "critical-chain report.json": "See what to shorten first.",
        "critical-chain regular --json": "The same of a scenario, for a program.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "The report could be read. How its launch ended is in the result, and changes no exit code."
    ]

    /// A saved report, a built-in scenario, a scenario file, or `-`.
    var source = ""
    var common = CommonArguments()

    func launch() async throws -> ExitCode {
        let output = Output(common.output)
        try output.check()
        let report = try await ProgressBar.during("critical-chain", reading: source) {
            try await LoadedReport.load(source)
        }
        let places = Dictionary(report.operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let chain = report.criticalPath.compactMap { places[$0] }
        try output.write(common.json ? json(report, chain) : text(report, chain, for: output))
        return .success
    }

    /// The end first, each operation under the one that waited for it.
    private func text(_ report: LaunchReport, _ chain: [Int], for output: Output) -> String {
        let holdUps = HoldUps(report)
        let style = TextStyle(common.color, for: output)
        var text = style.bold(printable(report.scenario)) + ": \(style.duration(report.endOfLaunchProper))\n"
        text += report.warning(style, width: output.width)
        // The end first: a person asks why the launch ended so late, and reads on towards the cause.
        for (depth, index) in chain.reversed().enumerated() {
            let operation = report.operations[index]
            // Bounded, so that a chain of thousands of operations does not run off the right edge.
            let branch = depth == 0 ? "" : String(repeating: " ", count: 2 * min(depth - 1, 30)) + style.branch
            let times = "@\(style.duration(operation.start ?? .zero)) +\(style.duration(operation.duration))"
            let holder = holdUps.holder(of: index).map { " for \(printable(report.operations[$0].id, limit: 80))" } ?? ""
            let wait = operation.wait > .zero ? style.dim(", waited \(style.duration(operation.wait))\(holder)") : ""
            let outcome = operation.outcome == .succeeded ? "" : ", \(operation.outcome.rawValue)"
            text += branch + printable(operation.id, limit: 80) + " " + times + wait + outcome + "\n"
        }
        text += report.scopeNote(style) + report.groundsNote(style)
        return text + style.dim("@ when it started, + how long it took; each waited for the one below it\n")
    }

    private func json(_ report: LaunchReport, _ chain: [Int]) -> String {
        let holdUps = HoldUps(report)
        return JSONWriter.document("sequencer.critical-chain/1") { json in
            json.write(report.scenario, for: "scenario")
            report.writeOutcome(to: &json)
            json.write(milliseconds: report.makespan, for: "makespanMs")
            if let later = report.afterMilestone { json.write(milliseconds: later.start, for: "milestoneMs") }
            json.writeObjects(chain, for: "chain") { json, index in
                let operation = report.operations[index]
                json.write(operation.id, for: "id")
                json.write(milliseconds: operation.start, for: "startMs")
                json.write(milliseconds: operation.duration, for: "durationMs")
                json.write(milliseconds: operation.wait, for: "waitMs")
                if let holder = holdUps.holder(of: index) { json.write(report.operations[holder].id, for: "heldUpBy") }
            }
        }
    }
}
