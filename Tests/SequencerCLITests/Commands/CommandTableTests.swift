import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// What every command does alike with its input, its output and its options. What each prints is in the snapshots.
@Suite("The command line, command by command", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CommandTableTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let command: String
        /// Files of the snapshots' folder, and names of built-in scenarios.
        let sources: [String]
        var options: [String] = []
        /// The schema of its JSON; nil for a command without any.
        let schema: String?

        var testDescription: String { command }
        /// Its line without what it works on.
        var words: [String] { command.split(separator: " ").map(String.init) }
        var paths: [String] {
            sources.map { $0.contains(".") ? SnapshotTests.folder.appendingPathComponent($0).path : $0 }
        }
    }

    private static let virtual = ["--clock", "virtual"]

    static let rows = [
        Row(command: "run", sources: ["launch.json"], options: virtual, schema: "sequencer.report/1"),
        Row(command: "plan", sources: ["launch.json"], schema: "sequencer.plan/1"),
        Row(command: "graph", sources: ["launch.json"], schema: "sequencer.graph/1"),
        Row(command: "verify", sources: ["launch.json"], schema: "sequencer.verification/1"),
        Row(command: "explore", sources: ["launch.json"], options: virtual + ["--orders", "2"], schema: "sequencer.exploration/1"),
        Row(command: "blame", sources: ["launch.report.json"], schema: "sequencer.blame/1"),
        Row(command: "critical-chain", sources: ["launch.report.json"], schema: "sequencer.critical-chain/1"),
        Row(command: "bench", sources: ["launch.json"], options: virtual + ["--runs", "2"], schema: "sequencer.bench/1"),
        Row(command: "compare", sources: ["before.bench.json", "before.bench.json"], schema: "sequencer.comparison/1"),
        Row(command: "report", sources: ["launch.report.json"], schema: "sequencer.report/1"),
        Row(command: "import", sources: ["trace.json"], schema: nil),
        Row(command: "stats", sources: ["launches.jsonl"], schema: "sequencer.stats/1"),
        Row(command: "scenarios", sources: [], schema: "sequencer.scenarios/1"),
        Row(command: "completions bash", sources: [], schema: nil),
    ]

    @Test("In a file, and from standard input: JSON of its schema and nothing else", arguments: rows)
    func results(_ row: Row) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.file("result")
        let options = row.options + (row.schema == nil ? [] : ["--json"])
        let written = try await Tool.run(row.words + row.paths + options + ["-o", file.path])
        #expect(written.code == 0 && written.output.isEmpty, "\(written.messages)")
        // `import` says how much it read.
        #expect(written.messages.isEmpty == (row.command != "import"), "\(written.messages)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["result"])
        let start = row.schema.map { "{\n  \"schema\": \"\($0)\"" } ?? ""
        #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix(start))
        guard let first = row.paths.first else { return }
        let input = try Data(contentsOf: URL(fileURLWithPath: first))
        let read = try await Tool.run(row.words + ["-"] + row.paths.dropFirst() + options + ["-o", "-"], input: input)
        #expect(read.code == 0 && read.output.hasPrefix(start) && read.output.hasSuffix("\n"), "\(read.messages)")
    }

    @Test("--color always adds colours to the text, and nothing else", arguments: rows.filter { $0.schema != nil })
    func color(_ row: Row) async throws {
        let line = row.words + row.paths + row.options + ["--color"]
        let plain = try await Tool.call(line + ["never"])
        let colored = try await Tool.call(line + ["always"])
        #expect(!plain.output.isEmpty && !plain.output.contains("\u{1B}"))
        #expect(colored.output.replacing(try Regex("\u{1B}\\[[0-9;]*m"), with: "") == plain.output)
        let hasColors = !["graph", "verify", "scenarios"].contains(row.command)
        if hasColors { #expect(colored.output.contains("\u{1B}[")) }
        let wrong = try await Tool.call(line + ["sometimes"])
        #expect(wrong.code == 64 && wrong.messages.contains("'auto', 'always' or 'never'"), "\(wrong.messages)")
    }

    @Test("What is wrong with a command line, an input or an output has the same code everywhere, and one sentence", arguments: rows)
    func mistakes(_ row: Row) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func expect(_ code: ExitCode, _ line: [String], _ place: SourceLocation = #_sourceLocation) async throws {
            let result = try await Tool.call(line)
            #expect(result.code == code.rawValue, "\(line): \(result.messages)", sourceLocation: place)
            #expect(result.output.isEmpty && result.messages.hasPrefix("sequencer-cli: "), "\(line)", sourceLocation: place)
        }
        let line = row.words + row.paths + row.options
        try await expect(.usage, line + ["--no-such-option"])
        // `stats` takes any number of files.
        if row.command != "stats" { try await expect(.usage, line + ["one", "too", "many"]) }
        try await expect(.cannotWrite, line + ["-o", folder.file("none/result").path])
        try await expect(.cannotWrite, line + ["-o", folder.url.path])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        guard !row.sources.isEmpty else { return }
        let others = row.paths.dropLast()
        if row.command != "run" { try await expect(.usage, row.words + row.options) }
        try await expect(.noInput, row.words + others + [folder.file("none.json").path] + row.options)
        try await expect(.noInput, row.words + others + [folder.url.path] + row.options)
        let broken = try folder.write("[1, 2", to: "broken.json")
        // What these say of it goes to standard error, line by line.
        if !["stats", "verify"].contains(row.command) { try await expect(.badData, row.words + others + [broken] + row.options) }
    }

    @Test("All of the commands are here")
    func isComplete() {
        // What `explain` works on is a folder that launches leave behind: see its own tests.
        #expect(Set(Self.rows.compactMap(\.words.first)).union(["help", "explain"]) == Set(Commands.all.map { $0.name }))
    }
}
