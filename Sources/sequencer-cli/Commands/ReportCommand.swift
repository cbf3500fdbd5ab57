import Foundation
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
        let text = try await ProgressBar.during("report", reading: arguments.source) {
            try form(of: try await LoadedReport.load(arguments.source), for: output)
        }
        try output.write(text.hasSuffix("\n") ? text : text + "\n")
        return .success
    }

    private func form(of report: ReportDocument, for output: Output) throws -> String {
        switch arguments.format {
        case .text: TimelineText(report, style: TextStyle(arguments.common.color, for: output), width: output.width).text
        case .html: report.html()
        case .svg: report.svg()
        case .markdown: report.markdown()
        case .chrome: report.chromeTrace()
        case .otlp: try otlp(report)
        case .json: report.json()
        }
    }

    /// What ran in virtual time began at no time: it is told as if it began now.
    private func otlp(_ report: ReportDocument) throws -> String {
        try report.otlp(startedAt: report.startedAt ?? Date())
    }
}
