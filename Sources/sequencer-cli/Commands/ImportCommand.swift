import Foundation
import Sequencer

/// `import`: another tool's measurements as a report or as a scenario.
struct ImportCommand: Command {
    /// The kind of output.
    enum Form: String, CaseIterable, Sendable {
        case report, scenario
    }

    static let name = "import"
    static let summary = "Make a report or a scenario of another tool's measurements, for the other commands to explain."
    static let positionals: [CommandPositional<Self>] = [
        .required(
            "FILE",
            help: "Spans, a trace, a .ninja_log, a package-lock.json, a workflow as JSON, a plot of systemd-analyze, or '-'."
        ) { $0.input = $1 }
    ]
    static let options: [CommandOption<Self>] = combined(
        [
            .word(
                "format",
                "FORMAT",
                ImportFormat.self,
                help: "Take FILE for one of: \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")) (default: by its content)."
            ) { $0.format = $1 },
            .text("dot", "FILE", help: "Read the dependencies of a system's units from FILE, the output of 'systemd-analyze dot'.") {
                $0.dot = $1
            },
            .word("as", "FORM", Form.self, help: "Make a report (default), or a scenario for plan and graph.") { $0.form = $1 },
        ],
        part([CommonArguments.outputOption], \.common)
    )
    static let examples: KeyValuePairs = [
        "import .ninja_log -o build.json": "Make a report of the last build; then try 'blame build.json'.",
        "import trace.json -o report.json": "The same of a trace for ui.perfetto.dev or chrome://tracing.",
        "import boot.json --dot boot.dot -o boot.report.json": "The start of a system, with the dependencies of its units.",
        "import boot.json --as scenario -o boot.scenario.json": "Try other schedules: 'plan boot.scenario.json --lanes 2'.",
    ]

    /// A file, or `-`.
    var input = ""
    /// Nil to recognize it by the content.
    var format: ImportFormat?
    /// The dependencies of a system's units; a file, or `-`.
    var dot: String?
    var form = Form.report
    var common = CommonArguments()

    // Only dot's output names units, so it decides the format too.
    mutating func check() throws(UsageError) {
        guard let dot else { return }
        if let format, format != .systemd {
            throw Self.failure("option '--dot' is for the units of systemd, not for '--format \(format.rawValue)'")
        }
        if input == "-", dot == "-" { throw Self.failure("standard input ('-') can be read only once") }
        format = .systemd
    }

    func run() throws -> ExitCode {
        let output = Output(common.output)
        try output.check()
        let (text, remark) = try ProgressBar.during("import", reading: input) {
            // Larger than a scenario: traces of builds have hundreds of megabytes.
            let bytes = try readInput(input, limit: ImportFormat.sizeLimit)
            var launch = try importLaunch(bytes, file: inputName(input), format: format)
            if let dot {
                let bytes = try readInput(dot, limit: ImportFormat.sizeLimit)
                try addSystemdDependencies(from: bytes, file: inputName(dot), to: &launch)
            }
            let text =
                switch form {
                case .report: launch.report().json() + "\n"
                case .scenario: launch.scenario()
                }
            return (text, launch.remark)
        }
        // After the progress, which would be drawn over it.
        if let remark { message("\(inputName(input)): \(remark)") }
        try output.write(text)
        return .success
    }
}
