import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// What a person sees on a terminal, and on one that can do little.
@Suite("On a terminal", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTerminalOutputTests {
    /// What is shown of a command, and its exit code.
    private func shown(_ arguments: [String], _ environment: [String: String]) async throws -> (text: String, code: Int32) {
        let terminal = try PseudoTerminal()
        let tool = try Tool.start(on: terminal, arguments, environment: environment)
        let code = await tool.code.value
        terminal.write("\nover\n")
        #expect(await terminal.shows("over"))
        return (terminal.shown, code)
    }

    @Test("Colours on a terminal, unless NO_COLOR asks for none, or --color for them")
    func colors() async throws {
        let line = ["run", "regular", "--clock", "virtual"]
        #expect(try await shown(line, [:]).text.contains("\u{1B}[32mPASS"))
        #expect(try await !shown(line, ["NO_COLOR": "1"]).text.contains("\u{1B}"))
        #expect(try await shown(line + ["--color", "always"], ["NO_COLOR": "1"]).text.contains("\u{1B}[32mPASS"))
    }

    @Test("A launch is drawn live on a terminal; on a dumb one only its end is shown, without a single escape")
    func live() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(scenarioText(#"{ "id": "a", "work": { "simulate": "300ms" } }"#, head: #""budget": "1h","#))
        let live = try await shown(["run", path], ["NO_COLOR": "1"])
        #expect(live.code == 0 && live.text.contains("\u{1B}[K\r\n\u{1B}[J") && !live.text.contains("\u{1B}[?25l"))
        let dumb = try await shown(["run", path], ["TERM": "dumb"])
        #expect(dumb.code == 0 && dumb.text.contains("PASS") && !dumb.text.contains("\u{1B}"))
    }

    @Test("A bench in the middle of a long run shows that its time goes on, and nothing of that is left")
    func bench() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mark = folder.file("mark").path
        let path = try folder.write(
            scenarioText(
                #"{ "id": "a", "work": { "command": ["sh", "-c", "while [ ! -e \#(mark) ]; do sleep 0.05; done"] } }"#,
                head: #""budget": "1h","#
            )
        )
        let terminal = try PseudoTerminal()
        let output = folder.file("output")
        try Data().write(to: output)
        let tool = try Tool.start(
            on: terminal,
            ["bench", path, "--trust", "--runs", "1", "--warmup", "0", "--deadline", "none"],
            output: FileHandle(forWritingTo: output),
            environment: ["NO_COLOR": "1"]
        )
        #expect(await terminal.shows("0%  1 s"))
        try Data().write(to: URL(fileURLWithPath: mark))
        #expect(await tool.code.value == 0)
        #expect(try String(contentsOf: output, encoding: .utf8).hasPrefix("test  1 run after 0 to warm up"))
        terminal.write("over\n")
        #expect(await terminal.shows("\u{1B}[1A\r\u{1B}[Jover"))
    }

    @Test("Whatever takes more than a second shows that it goes on")
    func slowInput() async throws {
        let lines = [
            ["run", "-", "--clock", "virtual"], ["plan", "-"], ["graph", "-"], ["verify", "-"], ["blame", "-"], ["critical-chain", "-"],
            ["report", "-"], ["bench", "-", "--clock", "virtual"], ["compare", "-", "other"], ["stats", "-"], ["import", "-"],
        ]
        // All at once: each of them takes a second in which nothing is done.
        try await atOnce(lines) { line in try await showsThatItGoesOn(line) }
    }

    private func showsThatItGoesOn(_ arguments: [String]) async throws {
        let terminal = try PseudoTerminal()
        // Nobody writes to it yet: the command waits.
        let input = Pipe()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let output = folder.file("output")
        try Data().write(to: output)
        let other = SnapshotTests.folder.appendingPathComponent("before.bench.json").path
        let tool = try Tool.start(
            on: terminal,
            arguments.map { $0 == "other" ? other : $0 },
            input: input,
            output: FileHandle(forWritingTo: output)
        )
        #expect(await terminal.shows("\(arguments[0])  <stdin>  "))
        try input.fileHandleForWriting.close()
        // The input was empty: most commands say so, once the line is gone.
        _ = await tool.code.value
        terminal.write("over\n")
        #expect(await terminal.shows("over"))
        let written = terminal.shown.split(separator: "\r\n").filter { !$0.hasSuffix("\u{1B}[K") }
        let lines = written.map { $0.components(separatedBy: "\u{1B}[J").last ?? "" }.filter { !$0.isEmpty }
        #expect(lines.allSatisfy { $0.hasPrefix("sequencer-cli: <stdin>") || $0 == "over" }, "\(arguments): \(lines)")
    }
}
