import Foundation
import Sequencer
import SequencerAnalysis

/// `report`: a saved report in another form.
struct ReportCommand: LaunchingCommand {
    /// The forms of a report.
    enum Format: String, CaseIterable, Sendable { case text, html, svg, markdown, chrome, otlp, json }

    static let name = "report"
    static let summary = "Make saved reports into something to look at, to share or to load elsewhere."
    static let ownArguments: [CommandArgument<Self>] = [
        .source(\.source),
        .word("format", "FORMAT", \.format).help("One of: \(Format.words.joined(separator: ", ")) (default: text)."),
        .integer("width", "PIXELS", in: 280...20_000, \.width)
            .help("The width of an SVG, 280 to 20000 (default: 1200); below 600, names are above their bars."),
        .text("service", "NAME", \.service).help("The app's name in OTLP, its service.name (default: sequencer)."),
    ]
    static let resultOptions = [CommonArguments.linesOption] + CommonArguments.options
    static let examples: KeyValuePairs = [
        "report report.json": "See the timeline of a launch that was saved.",
        "report report.json --format html -o report.html": "A page to look into it, in one file.",
        "report report.json --format chrome -o trace.json": "For ui.perfetto.dev or chrome://tracing.",
        "report saved.json --json-lines >> launches.jsonl": "Put reports of any layout in lines.",
        "report regular --format json -o report.json": "Save what a scenario does in virtual time.",
    ]
    static let exitCodes = LoadedReport.exitCodes

    /// Saved reports, a built-in scenario, a scenario file, or `-`.
    var source = ""
    /// Nil for text.
    var format: Format?
    /// The width of an SVG; nil for the usual one.
    var width: Int?
    /// The name of the app in OTLP; nil for that of the engine.
    var service: String?
    var common = CommonArguments()

    mutating func check() throws(UsageError) {
        if width != nil, format != .svg { throw Self.failure("option '--width' is for '--format svg'") }
        if service != nil, format != .otlp { throw Self.failure("option '--service' is for '--format otlp'") }
        format = try Self.format(format, common, json: .json)
    }

    func launch(_ page: ResultPage) async throws -> ExitCode {
        ProgressLine.begin("report", reading: source)
        let text = try await form(of: try await LoadedReport.loadAll(source), page)
        try page.output.write(text.hasSuffix("\n") ? text : text + "\n")
        return .success
    }

    /// Joins several reports if the form allows that.
    private func form(of reports: [LaunchReport], _ page: ResultPage) async throws -> String {
        let format = format ?? .text
        // These forms are whole documents: two in one file could not be opened.
        if reports.count > 1, ![.text, .markdown, .json].contains(format) {
            let message = "\(inputName(source)) holds \(reports.count) reports, and \(format.rawValue) shows one; give it one of them"
            throw ToolError(.badData, message)
        }
        // A blank line separates texts; in JSON lines each report is a line already.
        var forms: [String] = []
        for report in reports { forms.append(try await form(of: report, page)) }
        // The output is a single document for any number of reports.
        if format == .json, !common.isInLines, forms.count > 1 { return "[\n" + forms.joined(separator: ",\n") + "\n]" }
        return forms.joined(separator: "\n")
    }

    private func form(of report: LaunchReport, _ page: ResultPage) async throws -> String {
        switch format ?? .text {
        case .text: TimelineText(report, style: page.style, width: page.output.width).text
        case .html: report.html(gains: await report.certainGains())
        case .svg: width.map { report.svg(width: $0) } ?? report.svg()
        case .markdown: report.markdown()
        case .chrome: report.chromeTrace()
        // A launch in virtual time has no start date: it is written as if it had started now.
        case .otlp: try report.otlp(startedAt: report.startedAt ?? Date(), service: service ?? "sequencer")
        case .json: report.json(pretty: !common.isInLines)
        }
    }
}
