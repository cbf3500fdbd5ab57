import Sequencer

/// `report`: a saved report in another form.
struct ReportCommand {
    private let arguments: ReportArguments

    init(_ arguments: ReportArguments) {
        self.arguments = arguments
    }

    func run() async throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let report = try await LoadedReport.load(arguments.source)
        let text =
            switch arguments.format {
            case .text: TimelineText(report, style: TextStyle(arguments.common.color, for: output), width: output.width).text
            case .json: report.json()
            }
        try output.write(text.hasSuffix("\n") ? text : text + "\n")
        return .success
    }
}
