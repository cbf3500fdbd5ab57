import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// Every command with every kind of source that it takes, as text, as JSON, and into a file.
@Suite("The command line, cell by cell", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CommandTableTests {
    /// What a command can work on.
    enum Source: Hashable, Sendable {
        case nothing
        case builtIn(String)
        /// Scenario files.
        case file, standardInput
        /// Saved reports.
        case report, reportOnStandardInput
        /// Saved benches: two files, or one of them on standard input.
        case benches, benchOnStandardInput
        /// One report a line.
        case lines, linesOnStandardInput
        /// What another tool has timed.
        case foreign, foreignOnStandardInput
    }

    struct Row: Sendable {
        let command: String
        let sources: [Source]
        var options: [String] = []
        /// The schema of its JSON; nil for a command without any.
        let schema: String?
    }

    struct Cell: CustomTestStringConvertible, Sendable {
        let row: Row
        let source: Source
        var testDescription: String { "\(row.command) \(source)" }
    }

    private static let builtIn = [
        "first-launch", "regular", "push", "deeplink", "shortcut", "guest", "guest-dismissable", "guest-none", "restore-account",
        "warm-resume",
        "bootstrap", "background",
    ].map(Source.builtIn)
    private static let scenarios = builtIn + [.file, .standardInput]
    private static let launches = scenarios + [.report, .reportOnStandardInput]

    static let rows = [
        Row(command: "run", sources: [.nothing] + scenarios, options: ["--clock", "virtual"], schema: "sequencer.report/1"),
        Row(command: "plan", sources: scenarios, schema: "sequencer.plan/1"),
        Row(command: "graph", sources: scenarios, schema: "sequencer.graph/1"),
        Row(command: "verify", sources: scenarios, schema: "sequencer.verification/1"),
        Row(command: "explore", sources: scenarios, options: ["--clock", "virtual", "--orders", "2"], schema: "sequencer.exploration/1"),
        Row(command: "blame", sources: launches, schema: "sequencer.blame/1"),
        Row(command: "critical-chain", sources: launches, schema: "sequencer.critical-chain/1"),
        Row(command: "bench", sources: scenarios, options: ["--clock", "virtual", "--runs", "2"], schema: "sequencer.bench/1"),
        Row(command: "compare", sources: [.benches, .benchOnStandardInput], schema: "sequencer.comparison/1"),
        Row(command: "report", sources: launches, schema: "sequencer.report/1"),
        Row(command: "import", sources: [.foreign, .foreignOnStandardInput], schema: nil),
        Row(command: "stats", sources: [.lines, .linesOnStandardInput], schema: "sequencer.stats/1"),
        Row(command: "scenarios", sources: [.nothing], schema: "sequencer.scenarios/1"),
        Row(command: "completions bash", sources: [.nothing], schema: nil),
        Row(command: "completions zsh", sources: [.nothing], schema: nil),
        Row(command: "completions fish", sources: [.nothing], schema: nil),
    ]

    /// By day each command has every sixth built-in scenario, others than the command before it has.
    static let cells: [Cell] = rows.enumerated().flatMap { place, row in
        row.sources.compactMap { source -> Cell? in
            if let number = builtIn.firstIndex(of: source), !Nightly.includes(number + place, of: 6) { return nil }
            return Cell(row: row, source: source)
        }
    }

    /// The words for a source, and what is on standard input.
    private func words(_ source: Source) throws -> (words: [String], input: Data?) {
        func path(_ name: String) -> String { SnapshotTests.folder.appendingPathComponent(name).path }
        func data(_ name: String) throws -> Data { try Data(contentsOf: SnapshotTests.folder.appendingPathComponent(name)) }
        switch source {
        case .nothing: return ([], nil)
        case .builtIn(let name): return ([name], nil)
        case .file: return ([path("launch.json")], nil)
        case .standardInput: return (["-"], try data("launch.json"))
        case .report: return ([path("launch.report.json")], nil)
        case .reportOnStandardInput: return (["-"], try data("launch.report.json"))
        case .benches: return ([path("before.bench.json"), path("before.bench.json")], nil)
        case .benchOnStandardInput: return (["-", path("before.bench.json")], try data("before.bench.json"))
        case .lines: return ([path("launches.jsonl")], nil)
        case .linesOnStandardInput: return (["-"], try data("launches.jsonl"))
        case .foreign: return ([path("trace.json")], nil)
        case .foreignOnStandardInput: return (["-"], try data("trace.json"))
        }
    }

    @Test("A result on standard output and nothing else; the same in a file; as JSON of its schema", arguments: cells)
    func cell(_ cell: Cell) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (words, input) = try words(cell.source)
        let line = cell.row.command.split(separator: " ").map(String.init) + words + cell.row.options
        let text = try await Tool.run(line, input: input)
        // `import` says how much it read.
        #expect(text.code == 0 && text.messages.isEmpty == (cell.row.command != "import"), "\(text.messages)")
        #expect(text.output.hasSuffix("\n") && !text.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })

        let file = folder.file("result")
        guard let schema = cell.row.schema else {
            let written = try await Tool.run(line + ["-o", file.path], input: input)
            #expect(written.code == 0 && written.output.isEmpty && written.messages == text.messages, "\(written.messages)")
            #expect(try String(contentsOf: file, encoding: .utf8) == text.output)
            return
        }
        let written = try await Tool.run(line + ["--json", "-o", file.path], input: input)
        #expect(written.code == 0 && written.output.isEmpty && written.messages.isEmpty, "\(written.messages)")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        #expect(json?["schema"] as? String == schema)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["result"])
    }

    @Test(
        "--color always adds colours to the text, and nothing else; '-o -' is standard output",
        arguments: rows.filter { $0.schema != nil }
    )
    func color(_ row: Row) async throws {
        let (words, input) = try words(row.sources[row.sources.count - 1])
        let line = [row.command] + words + row.options
        let plain = try await Tool.run(line + ["--color", "never"], input: input)
        let colored = try await Tool.run(line + ["--color", "always", "-o", "-"], input: input)
        #expect(!plain.output.contains("\u{1B}"))
        let escapes = try Regex("\u{1B}\\[[0-9;]*m")
        #expect(colored.output.replacing(escapes, with: "") == plain.output)
        if ["run", "plan", "explore", "blame", "critical-chain", "bench", "compare", "report", "stats"].contains(row.command) {
            #expect(colored.output.contains("\u{1B}["), "\(row.command)")
        }
        let wrong = try await Tool.run(line + ["--color", "sometimes"], input: input)
        #expect(wrong.code == 64 && wrong.messages.contains("'auto', 'always' or 'never'"), "\(wrong.messages)")
    }

    @Test("What is wrong with a command line, an input or an output has the same code everywhere, and one sentence", arguments: rows)
    func mistakes(_ row: Row) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (words, input) = try words(row.sources[0])
        let command = row.command.split(separator: " ").map(String.init)
        func expect(_ code: ExitCode, _ line: [String], _ place: SourceLocation = #_sourceLocation) async throws {
            let result = try await Tool.run(line, input: input)
            #expect(result.code == code.rawValue, "\(line): \(result.messages)", sourceLocation: place)
            #expect(result.output.isEmpty && result.messages.hasPrefix("sequencer-cli: "), "\(line)", sourceLocation: place)
        }
        let line = command + words + row.options
        try await expect(.usage, line + ["--no-such-option"])
        // `stats` takes any number of files.
        if row.command != "stats" { try await expect(.usage, line + ["one", "too", "many"]) }
        try await expect(.cannotWrite, line + ["-o", folder.file("none/result").path])
        try await expect(.cannotWrite, line + ["-o", folder.url.path])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        guard row.sources != [.nothing] else { return }
        let other = row.command == "compare" ? [words[0]] : []
        if row.command != "run" { try await expect(.usage, command + row.options) }
        try await expect(.noInput, command + other + [folder.file("none.json").path] + row.options)
        try await expect(.noInput, command + other + [folder.url.path] + row.options)
        let broken = try folder.write("[1, 2", to: "broken.json")
        if row.command != "stats" { try await expect(.badData, command + other + [broken] + row.options) }
    }

    @Test("All of the built-in scenarios are here, and all of the commands")
    func isComplete() async throws {
        let names = try await Tool.run("scenarios").output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        #expect(names.map(Source.builtIn) == Self.builtIn)
        let commands = Self.rows.map { String($0.command.prefix { $0 != " " }) }
        // What `explain` works on is a folder that launches leave behind: see its own tests.
        #expect(Set(commands).union(["help", "explain"]) == Set(Commands.names))
    }
}
