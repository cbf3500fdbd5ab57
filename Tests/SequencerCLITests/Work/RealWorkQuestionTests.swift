import Foundation
import StartupOps
import TestSupport
import Testing

@testable import sequencer_cli

/// A scenario file may be somebody else's: what it runs is said, and on a terminal allowed by a person, before any of it runs.
@Suite("What a scenario file runs", .serialized, .timeLimit(.minutes(30)), .real)
struct RealWorkQuestionTests {
    private func lines(_ operations: String...) throws -> [String]? {
        let text = operations.joined(separator: ", ")
        return WorkQuestion(try parseScenario(Array(scenarioText(text).utf8), file: "f"), file: "f")?.text
            .split(separator: "\n").map(String.init)
    }

    @Test("Programs are named as a shell would take them, requests by method and address without the query; what runs the same is one line")
    func text() throws {
        let found = try lines(
            #"{ "id": "a", "work": { "command": ["./migrate", "--fast", "two words", "it's", ""] } }"#,
            #"{ "id": "b", "work": { "command": ["true"] } }"#,
            #"{ "id": "c", "work": { "command": ["true"] } }"#,
            #"{ "id": "d", "work": { "http": { "url": "https://example.com/a?token=secret", "method": "POST" } } }"#,
            #"{ "id": "e", "work": { "simulate": "1s" } }"#,
            #"{ "id": "off", "when": false, "work": { "command": ["never"] } }"#
        )
        #expect(
            found == [
                "f runs:", #"  a: ./migrate --fast 'two words' 'it'\''s' ''"#, "  b and 1 more: true",
                "  d: POST https://example.com/a?…",
            ]
        )
        #expect(try lines(#"{ "id": "a", "work": { "compute": "1s" } }"#, #"{ "id": "b" }"#) == nil)
    }

    @Test("Nothing in a program's words hides others: control characters, turned writing and line ends are escaped, and nothing is cut")
    func hidden() throws {
        let long = String(repeating: "x", count: 100_000)
        let found = try lines(#"{ "id": "a", "work": { "command": ["rm\u001b[2K\r\n", "\u202e\u200b", "\#(long)"] } }"#)
        #expect(found == ["f runs:", #"  a: 'rm\u{1B}[2K\r\n' '\u{202E}\u{200B}' \#(long)"#])
    }

    @Test("A program is named where the facts let its operation run, and only there")
    func facts() throws {
        let operation = #"{ "id": "a", "when": { "account": "unknown" }, "work": { "command": ["true"] } }"#
        let text = scenarioText(operation, head: #""facts": { "account": ["known", "unknown"] },"#)
        var document = try parseScenario(Array(text.utf8), file: "f")
        #expect(WorkQuestion(document, file: "f") == nil)
        try document.set([FactArgument(name: "account", value: "unknown")], file: "f")
        #expect(WorkQuestion(document, file: "f")?.lines == ["  a: true"])
    }

    private static let writes = #"{ "id": "write", "work": { "command": ["touch", "MARK"] } }"#

    /// Runs a command on a terminal, and answers; nil presses Ctrl-D.
    private func run(_ words: [String], answer: String?, signal: Int32? = nil) async throws -> (code: Int32, hasRun: Bool, shown: String) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mark = folder.file("mark").path
        let path = try folder.write(scenarioText(Self.writes.replacing("MARK", with: mark), head: #""budget": "1h","#))
        let terminal = try PseudoTerminal()
        let tool = try Tool.start(on: terminal, [words[0], path] + words.dropFirst(), environment: ["NO_COLOR": "1"])
        #expect(await terminal.shows("Run this? [y/N] "))
        #expect(!FileManager.default.fileExists(atPath: mark))
        #expect(terminal.shown.contains("  write: touch \(mark)\r\n"))
        if let signal { kill(tool.process.processIdentifier, signal) } else { terminal.type(answer ?? "\u{4}") }
        let code = await tool.code.value
        terminal.write("\nover\n")
        #expect(await terminal.shows("over"))
        return (code, FileManager.default.fileExists(atPath: mark), terminal.shown)
    }

    private static let commands = [["run"], ["bench", "--runs", "2", "--warmup", "0"]]

    @Test("On a terminal a person is asked; yes runs it, once asked", arguments: commands, ["YES\n"])
    func allowed(words: [String], answer: String) async throws {
        let result = try await run(words, answer: answer)
        #expect(result.code == 0 && result.hasRun && result.shown.components(separatedBy: "[y/N]").count == 2)
    }

    @Test("Any other answer, and none, runs nothing and exits with 1", arguments: [commands[0]], ["\n", "yea\n", nil])
    func refused(words: [String], answer: String?) async throws {
        let result = try await run(words, answer: answer)
        #expect(result.code == 1 && !result.hasRun)
        #expect(result.shown.contains("may not run its work, so nothing was run"))
    }

    @Test("A signal gives the question up, runs nothing and exits as it always does", arguments: [commands[1]])
    func interrupted(words: [String]) async throws {
        let result = try await run(words, answer: nil, signal: SIGINT)
        #expect(result.code == 130 && !result.hasRun)
    }

    @Test("fault P42: a launch whose question is given up by a signal has not begun, and its journal has nothing of it")
    func journal() async throws {
        let state = try TemporaryFolder()
        defer { state.remove() }
        let result = try await run(["run", "--state", state.url.path], answer: nil, signal: SIGINT)
        #expect(result.code == 130 && LaunchJournal.launches(in: state.url).isEmpty)
        let allowed = try await run(["run", "--state", state.url.path, "--budget", "60s"], answer: "y\n")
        #expect(allowed.code == 0 && LaunchJournal.launches(in: state.url).map(\.ending) == [.completed])
    }

    @Test("With --trust, in virtual time, and without such work nothing is asked", arguments: ["run", "bench"])
    func unasked(command: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let foreign = try folder.write(scenarioText(#"{ "id": "a", "work": { "command": ["true"] } }"#, head: #""budget": "1h","#))
        let simulated = #"{ "id": "a", "work": { "simulate": "1ms" } }"#
        let own = try folder.write(scenarioText(simulated, head: #""budget": "1h","#), to: "own.json")
        for words in [[foreign, "--trust"], [foreign, "--clock", "virtual"], [own]] {
            let terminal = try PseudoTerminal()
            let tool = try Tool.start(on: terminal, [command] + words, environment: ["NO_COLOR": "1"])
            #expect(await tool.code.value == 0)
            terminal.write("\nover\n")
            #expect(await terminal.shows("over"))
            #expect(!terminal.shown.contains("[y/N]") && !terminal.shown.contains(" runs:"))
        }
    }

    @Test("Off a terminal the launch goes on as it always did, and standard error names what it runs, unless --trust is given")
    func offTerminal() async throws {
        let text = scenarioText(#"{ "id": "a", "work": { "command": ["true"] } }"#, head: #""budget": "1h","#)
        let result = try await Tool.run("run", "-", "--json", input: text)
        #expect(result.code == 0)
        #expect(result.messages == "sequencer-cli: <stdin> runs:\nsequencer-cli:   a: true\n")
        #expect(try result.json()["outcome"] as? String == "completed")
        let trusted = try await Tool.run("run", "-", "--json", "--trust", input: text)
        #expect(trusted.code == 0 && trusted.messages.isEmpty)
    }
}
