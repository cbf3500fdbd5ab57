import Sequencer

/// `critical-chain`: the operations that made a launch end when it did.
struct CriticalChainCommand {
    private let arguments: AnalysisArguments

    init(_ arguments: AnalysisArguments) {
        self.arguments = arguments
    }

    func run() async throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let report = try await ProgressBar.during("critical-chain", reading: arguments.source) {
            try await LoadedReport.load(arguments.source)
        }
        let operations = report.operations
        // The chain of what the launch is for; of a report without one, of what ended last.
        let last =
            operations.lastIndex { $0.id == report.criticalPath.last } ?? operations.indices.max { operations[$0].end < operations[$1].end }
        let chain = last.map { MeasuredPaths(report).chain(endingWith: $0) } ?? []
        let style = TextStyle(arguments.common.color, for: output)
        try output.write(arguments.common.json ? json(report, chain) : text(report, chain, style))
        return .success
    }

    /// The end first, each operation under the one that waited for it.
    private func text(_ report: ReportDocument, _ chain: [Int], _ style: TextStyle) -> String {
        var text = style.bold(printable(report.scenario)) + ": \(style.duration(report.makespan))\n"
        for (depth, index) in chain.reversed().enumerated() {
            let operation = report.operations[index]
            let branch = depth == 0 ? "" : String(repeating: " ", count: 2 * min(depth - 1, 30)) + style.branch
            let times = operation.start.map { "@\(style.duration($0)) +\(style.duration(operation.duration))" } ?? "not started"
            let wait = operation.start != nil && operation.wait > .zero ? style.dim(", waited \(style.duration(operation.wait))") : ""
            let outcome = operation.outcome == .succeeded ? "" : ", \(operation.outcome.rawValue)"
            text += branch + printable(operation.id, limit: 80) + " " + times + wait + outcome + "\n"
        }
        return text + style.dim("@ when it started, + how long it took; each waited for the one below it\n")
    }

    private func json(_ report: ReportDocument, _ chain: [Int]) -> String {
        JSONWriter.object(pretty: true) { json in
            json.write("sequencer.critical-chain/1", for: "schema")
            json.write(report.scenario, for: "scenario")
            json.write(milliseconds: report.makespan, for: "makespanMs")
            json.writeArray(for: "chain") { json in
                for index in chain {
                    let operation = report.operations[index]
                    json.writeObject { json in
                        json.write(operation.id, for: "id")
                        json.write(milliseconds: operation.start, for: "startMs")
                        json.write(milliseconds: operation.duration, for: "durationMs")
                        json.write(milliseconds: operation.wait, for: "waitMs")
                    }
                }
            }
        } + "\n"
    }
}
