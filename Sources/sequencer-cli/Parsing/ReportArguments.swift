/// What a report can be made into.
enum ReportFormat: String, CaseIterable, Sendable {
    case text, html, svg, markdown, chrome, otlp, json
}

/// The arguments of `report`.
struct ReportArguments: Equatable, Sendable {
    /// A saved report, a built-in scenario, a scenario file, or `-`.
    var source: String
    var format = ReportFormat.text
    var common = CommonArguments()
}

extension CommandDeclaration {
    static let report = CommandDeclaration(
        name: "report",
        summary: "Make a saved report into something to look at, to share or to load elsewhere.",
        positionals: [.source],
        options: [
            OptionDeclaration(
                "format",
                .value("FORMAT"),
                words: ReportFormat.allCases.map(\.rawValue),
                help: "One of: \(ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")) (default: text)."
            )
        ] + CommonArguments.options,
        examples: [
            CommandExample(line: "report report.json", effect: "See the timeline of a launch that was saved."),
            CommandExample(line: "report report.json --format html -o report.html", effect: "A page to look into it, in one file."),
            CommandExample(line: "report report.json --format chrome -o trace.json", effect: "For ui.perfetto.dev or chrome://tracing."),
            CommandExample(line: "report regular --format json -o report.json", effect: "Save what a scenario does in virtual time."),
        ]
    ) { arguments throws(UsageError) in
        let common = try CommonArguments(arguments)
        let format = try arguments.word("format", ReportFormat.self)
        if common.json, let format, format != .json {
            throw arguments.failure("options '--json' and '--format \(format.rawValue)' exclude each other")
        }
        return .report(
            ReportArguments(source: try arguments.required(0), format: format ?? (common.json ? .json : .text), common: common)
        )
    }
}
