import Foundation
import Sequencer

/// `import`: another tool's measurements as a report or as a scenario.
struct ImportCommand: ResultCommand {
    /// The kind of output.
    enum Form: String, CaseIterable, Sendable { case report, scenario }

    static let name = "import"
    static let summary = "Make a report or a scenario of another tool's measurements, for the other commands to explain."
    static let ownArguments: [CommandArgument<Self>] = [
        .positional("FILE") { $0.input = $1 }.help("A Chrome trace or OTLP spans, as JSON, also gzipped, or '-'."),
        .word("format", "FORMAT", \.format).help("Take FILE for one of: chrome, otlp (default: by its content)."),
        .text("trace", "ID", \.trace).help("Take this trace of FILE alone (default: a report for each, in lines)."),
        .word("as", "FORM", \.form).help("Make a report (default), or a scenario for plan and graph."),
    ]
    static let resultOptions = [CommonArguments.outputOption]
    static let examples: KeyValuePairs = [
        "import trace.json -o report.json":
            "Make a report of a trace for ui.perfetto.dev or chrome://tracing; then try 'blame report.json'.",
        "import spans.json.gz > launches.jsonl": "A report for each trace that a collector wrote; then try 'stats launches.jsonl'.",
        "import trace.json --as scenario -o launch.json": "Try other schedules: 'plan launch.json --lanes 2'.",
    ]

    /// A file, or `-`.
    var input = ""
    /// Nil to recognize it by the content.
    var format: ImportFormat?
    /// The identifier of one of the file's traces; nil for all.
    var trace: String?
    var form = Form.report
    var common = CommonArguments()

    func run(_ page: ResultPage) throws -> ExitCode {
        let name = inputName(input)
        ProgressLine.begin("import", reading: input)
        // Larger than a scenario: traces of builds have hundreds of megabytes.
        let file = try ImportedFile(try readInput(input, limit: ImportFormat.sizeLimit), file: name, format: format)
        if file.launches.isEmpty { throw ToolError(.badData, "\(name): nothing is left to import: \(file.summary)") }
        let result = try text(of: try chosen(from: file.launches, in: name), in: name)
        message("\(name): \(file.summary)")
        try page.output.write(result)
        return .success
    }

    private func chosen(from launches: [ImportedLaunch], in name: String) throws -> [ImportedLaunch] {
        guard let trace else { return launches }
        let chosen = launches.filter { $0.trace == trace }
        if chosen.isEmpty { throw ToolError(.badData, "\(name): there is no trace \(quoted(trace)); \(Self.traces(launches))") }
        return chosen
    }

    private func text(of launches: [ImportedLaunch], in name: String) throws -> String {
        // Several reports are lines, as 'stats' reads them.
        if form == .report { return try launches.map { try $0.report().json(pretty: launches.count == 1) + "\n" }.joined() }
        guard let launch = launches.first, launches.count == 1 else {
            let advice = "name one of its \(launches.count) by '--trace': \(Self.traces(launches))"
            throw ToolError(.badData, "\(name): a scenario is one launch; \(advice)")
        }
        return try launch.scenario()
    }

    private static func traces(_ launches: [ImportedLaunch]) -> String {
        let traces = launches.compactMap(\.trace)
        if traces.isEmpty { return "only OTLP has several" }
        return "expected \(alternatives(Array(traces.prefix(5))))\(traces.count > 5 ? ", and \(traces.count - 5) more" : "")"
    }
}
