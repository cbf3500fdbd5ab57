import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// The text of every command, to the letter, in `Tests/Data/CommandLine`, a file for each command line, and what they
/// say of scenarios of all kinds, in `Tests/Data/Situations`.
///
/// `RECORD_SNAPSHOTS=1 swift test --filter SnapshotTests` writes them anew, and fails, so that nobody takes it for a
/// check; what has changed is then for a person to read.
@Suite("The text of every command", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SnapshotTests {
    struct Snapshot: CustomTestStringConvertible, Sendable {
        /// The file's name without `.txt`; of another width than 80, that stands behind it.
        let name: String
        /// The words of the command line; those that are names of files in the folder are taken for these files.
        let words: [String]
        let code: ExitCode
        let columns: Int

        init(_ name: String, _ line: String, _ code: ExitCode = .success, columns: Int = 80) {
            self.name = columns == 80 ? name : "\(name)-\(columns)"
            words = line.split(separator: " ").map(String.init)
            (self.code, self.columns) = (code, columns)
        }

        var testDescription: String { "\(words.joined(separator: " "))\(columns == 80 ? "" : ", \(columns) columns")" }

        /// A text for people in a narrow terminal and in a wide one, too; that for programs has one form, and the help
        /// of each command is fitted as the help of all.
        var atAllWidths: [Snapshot] {
            let isForPrograms = words[0] == "completions" || words.contains { ["--json", "--format", "--as"].contains($0) }
            let line = words.joined(separator: " ")
            return [self] + (isForPrograms ? [] : [40, 200].map { Snapshot(name, line, code, columns: $0) })
        }
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Data/CommandLine")
        .standardized

    static let snapshots =
        ([
            Snapshot("run", "run launch.json --clock virtual"),
            Snapshot("run-over-budget", "run regular --clock virtual --budget 500ms", .overBudget),
            Snapshot("run-failed", "run regular --clock virtual --inject login=fail", .failed),
            Snapshot("run-aborted", "run first-launch --clock virtual --inject force-update=required", .aborted),
            Snapshot("run-json", "run launch.json --clock virtual --json"),
            Snapshot("plan", "plan launch.json --lanes 1,2,4"),
            Snapshot("plan-over-budget", "plan regular --what-if main-app=4s", .overBudget),
            Snapshot("plan-json", "plan launch.json --json"),
            Snapshot("graph", "graph launch.json"),
            Snapshot("graph-reduced", "graph launch.json --reduce"),
            Snapshot("graph-dot", "graph launch.json --format dot"),
            Snapshot("graph-mermaid", "graph launch.json --format mermaid"),
            Snapshot("graph-gantt", "graph launch.json --format gantt"),
            Snapshot("graph-json", "graph launch.json --format json"),
            Snapshot("verify", "verify launch.json"),
            Snapshot("verify-json", "verify launch.json --json"),
            Snapshot("blame", "blame launch.report.json"),
            Snapshot("blame-json", "blame launch.report.json --json"),
            Snapshot("critical-chain", "critical-chain launch.report.json"),
            Snapshot("critical-chain-json", "critical-chain launch.report.json --json"),
            Snapshot("bench", "bench launch.json --clock virtual --runs 3 --interleave regular", .regression),
            Snapshot("compare", "compare before.bench.json after.bench.json", .regression),
            Snapshot("compare-json", "compare before.bench.json after.bench.json --json", .regression),
            Snapshot("report", "report launch.report.json"),
            Snapshot("report-markdown", "report launch.report.json --format markdown"),
            Snapshot("import", "import trace.json"),
            Snapshot("import-scenario", "import trace.json --as scenario"),
            Snapshot("stats", "stats launches.jsonl"),
            Snapshot("stats-json", "stats launches.jsonl --json"),
            Snapshot("scenarios", "scenarios"),
            Snapshot("scenarios-json", "scenarios --json"),
            Snapshot("help", "--help"),
        ] + Shell.allCases.map { Snapshot("completions-\($0.rawValue)", "completions \($0.rawValue)") })
        .flatMap(\.atAllWidths) + Commands.all.map { Snapshot("help-\($0.name)", "\($0.name) --help") }

    @Test("Exactly this", arguments: snapshots)
    func text(_ snapshot: Snapshot) async throws {
        // Beside the files, so that their names alone are in the text.
        let result = try await Tool.run(
            ["-c", #"cd "$0" && exec "$TOOL" "$@""#, Self.folder.path] + snapshot.words,
            executable: URL(fileURLWithPath: "/bin/sh"),
            environment: ["TOOL": Tool.path.path, "COLUMNS": "\(snapshot.columns)"]
        )
        #expect(result.code == snapshot.code.rawValue)
        // Only `import` says something besides: how much it read.
        try Self.expect(result.messages + result.output, in: Self.folder.appendingPathComponent(snapshot.name + ".txt"))
    }

    private static let situations = folder.appendingPathComponent("../Situations").standardized
    static let subjects = ((try? FileManager.default.contentsOfDirectory(atPath: situations.path)) ?? []).sorted()

    /// Each file is a subject, and each part of it begins with what it shows, behind `# `, and a scenario, or other input.
    /// The lines behind `$ ` get that as standard input, and below them stands what they answer, and their exit code
    /// where that is not 0.
    @Test(
        "fault G1, G8, G14, G15, G16, G18, J7, O50: Exactly this, of each scenario that stands beside it",
        arguments: subjects
    )
    func situation(_ name: String) async throws {
        let file = Self.situations.appendingPathComponent(name)
        var (text, scenario, isAnswer) = ("", "", false)
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("# ") {
                text += (text.isEmpty ? "" : "\n") + line + "\n"
                (scenario, isAnswer) = ("", false)
            } else if line.hasPrefix("$ ") {
                isAnswer = true
                text += line + "\n" + (try await Self.answer(to: line.dropFirst(2), scenario))
            } else if !isAnswer {
                scenario += line + "\n"
                text += line + "\n"
            }
        }
        try Self.expect(text, in: file)
    }

    /// What a line for a shell prints, its messages first, and how it ends.
    private static func answer(to line: Substring, _ input: String) async throws -> String {
        let result = try await Tool.run(
            ["-c", String(line).replacing("sequencer-cli", with: #""$TOOL""#)],
            executable: URL(fileURLWithPath: "/bin/sh"),
            input: Data(input.utf8),
            environment: ["TOOL": Tool.path.path]
        )
        return result.messages + result.output + (result.code == 0 ? "" : "exit \(result.code)\n")
    }

    /// Expects the text of a file, or writes it anew.
    private static func expect(_ text: String, in file: URL) throws {
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
            try Data(text.utf8).write(to: file)
            Issue.record("recorded \(file.path)")
            return
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(text == expected, "\(file.lastPathComponent): \(difference(expected, text))")
    }

    /// The first line that differs.
    private static func difference(_ expected: String, _ found: String) -> String {
        let before = expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + ["(the end)"]
        let after = found.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + ["(the end)"]
        for (number, (before, after)) in zip(before, after).enumerated() where before != after {
            return "line \(number + 1): expected '\(before)', found '\(after)'"
        }
        return "the same"
    }

    @Test("Every file of the folder is one of them, or read by one")
    func files() throws {
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: Self.folder.path))
        let inputs = Self.snapshots.flatMap(\.words).filter { $0.contains(".json") }
        #expect(names == Set(Self.snapshots.map { $0.name + ".txt" } + inputs))
        #expect(Set(Self.snapshots.map(\.name)).count == Self.snapshots.count && !Self.subjects.isEmpty)
    }

    @Test("Every command has its text here")
    func commands() {
        let shown = Set(Self.snapshots.compactMap(\.words.first))
        for command in Commands.all where command.name != "help" { #expect(shown.contains(command.name)) }
    }
}
