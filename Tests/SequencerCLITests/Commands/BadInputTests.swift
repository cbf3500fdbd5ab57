import Foundation
import TestSupport
import Testing

/// Every mistake is one clear sentence on standard error, with its place, and the right exit code; nothing on standard output.
@Suite("Bad input", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BadInputTests {
    struct Mistake: CustomTestStringConvertible, Sendable {
        let name: String
        let text: String
        let place: String
        let words: [String]

        init(_ name: String, _ text: String, at place: String = "", says words: String...) {
            self.name = name
            self.text = text
            self.place = place
            self.words = words
        }

        var testDescription: String { name }
    }

    static let mistakes: [Mistake] = [
        Mistake("empty file", "", at: "1:1", says: "empty"),
        Mistake("not JSON", "hello", at: "1:1", says: "'hello'"),
        Mistake("wrong schema", #"{ "schema": "sequencer.scenari/1", "name": "x", "operations": [] }"#, says: "sequencer.scenario/1"),
        Mistake("unknown key", scenarioText(#"{ "id": "a", "timeoutMS": 3 }"#), at: "3:18", says: "operations[0].timeoutMS", "'timeout'"),
        Mistake("missing id", scenarioText(#"{ "after": [] }"#), says: "operations[0]", "id"),
        Mistake("duplicate id", scenarioText(#"{ "id": "a" }"#, #"{ "id": "a" }"#), says: "operations[1].id", "'a'", "3:"),
        Mistake("unknown dependency", scenarioText(#"{ "id": "login" }"#, #"{ "id": "b", "after": ["logn"] }"#), says: "'logn'", "'login'"),
        Mistake("self-dependency", scenarioText(#"{ "id": "a", "after": ["a"] }"#), says: "'a'", "itself"),
        Mistake(
            "cycle",
            scenarioText(
                #"{ "id": "login", "after": ["fetch-config"] }"#,
                #"{ "id": "fetch-config", "after": ["splash"] }"#,
                #"{ "id": "splash", "after": ["login"] }"#
            ),
            at: "3:",
            says: "operations[0].after",
            "login → fetch-config → splash → login"
        ),
        Mistake("bad duration", scenarioText(#"{ "id": "a", "timeout": "3" }"#), says: "operations[0].timeout", "'3'", "ms"),
        Mistake(
            "negative duration",
            scenarioText(#"{ "id": "a", "work": { "simulate": "-3s" } }"#),
            says: "operations[0].work.simulate",
            "-3s"
        ),
        Mistake("huge duration", scenarioText(#"{ "id": "a", "timeout": "1e300s" }"#), says: "operations[0].timeout"),
        Mistake("too long a duration", scenarioText(#"{ "id": "a", "timeout": "9999h" }"#), says: "operations[0].timeout", "24h"),
        Mistake("unknown thread", scenarioText(#"{ "id": "a", "on": "mian" }"#), says: "operations[0].on", "'mian'", "'main'"),
        Mistake("unknown policy", scenarioText(#"{ "id": "a", "onFailure": "ignore" }"#), says: "operations[0].onFailure", "'continue'"),
        Mistake(
            "two kinds of work",
            scenarioText(#"{ "id": "a", "work": { "simulate": "1s", "compute": "1s" } }"#),
            says: "operations[0].work"
        ),
        Mistake("nesting 100,000 deep", String(repeating: "[", count: 100_000), at: "1:", says: "128"),
        Mistake("trailing comma", #"{ "schema": "sequencer.scenario/1", }"#, at: "1:", says: "comma"),
        Mistake("two of one key", #"{ "name": "a", "name": "b" }"#, says: "'name'"),
        Mistake("a comment", "// hello\n{}", at: "1:1", says: "comment"),
    ]

    @Test("fault J1, J2, J3, J4, J5, J6, J7: in a scenario file", arguments: mistakes)
    func file(_ mistake: Mistake) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(mistake.text, to: "launch.json")
        let result = try await Tool.run("run", path, "--clock", "virtual")
        expectOneSentence(result, code: 65)
        #expect(result.messages.contains("\(path):\(mistake.place)"), "\(result.messages)")
        for word in mistake.words { #expect(result.messages.contains(word), "\(result.messages)") }
    }

    @Test("fault J2: bytes that are no text")
    func notUTF8() async throws {
        let result = try await Tool.run(["run", "-"], input: Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x7D]))
        expectOneSentence(result, code: 65)
        #expect(result.messages.contains("<stdin>:1:3") && result.messages.contains("UTF-8"))
        expectOneSentence(try await Tool.run(["run", "-"], input: Data([0xFF, 0xFE, 0x7B, 0x00])), code: 65)
    }

    @Test("fault J1: files that cannot be read")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let directory = try await Tool.run("run", folder.url.path)
        expectOneSentence(directory, code: 66)
        #expect(directory.messages.contains("directory"))
        let missing = try await Tool.run("verify", folder.file("missing.json").path)
        expectOneSentence(missing, code: 66)
        #expect(missing.messages.contains("No such file"))
        let typo = try await Tool.run("run", "regulr")
        expectOneSentence(typo, code: 66)
        #expect(typo.messages.contains("did you mean 'regular'?"))
        let link = try await Tool.shell("cd '\(folder.url.path)' && ln -s nowhere word && \"$TOOL\" run word")
        expectOneSentence(link, code: 66)
        #expect(link.messages.contains("cannot read word: No such file or directory"))
    }

    @Test(
        "fault J2: an encoding that no command reads is named, and so is a text that is empty",
        arguments: [
            ("run", [0xEF, 0xBB, 0xBF], "starts with a byte order mark (BOM)"),
            ("stats", [0xEF, 0xBB, 0xBF], "starts with a byte order mark (BOM)"),
            ("stats", [0xFF, 0xFE, 0x7B, 0x00], "is UTF-16"), ("import", [], "is empty"),
        ] as [(String, [UInt8], String)]
    )
    func encodings(command: String, bytes: [UInt8], words: String) async throws {
        let result = try await Tool.run([command, "-"], input: Data(bytes))
        #expect(result.code == 65 && result.messages.contains(": the text \(words)"), "\(result)")
    }

    @Test(
        "A file that is neither a report nor a scenario is told the schema of reports first",
        arguments: ["report", "blame", "critical-chain"]
    )
    func noReport(command: String) async throws {
        let result = try await Tool.run(command, "-", input: #"{"a": 1}"#)
        expectOneSentence(result, code: 65)
        #expect(result.messages.contains("missing key 'schema'; this version reads 'sequencer.report/1', 'sequencer.scenario/1' and"))
    }

    @Test("fault A1, A2, A3: command lines")
    func commandLines() async throws {
        let mistakes: [([String], String)] = [
            (["rnu"], "did you mean 'run'?"), (["run", "--budgt", "3s"], "--budget"), (["run", "--budget"], "--budget"),
            (["run", "--budget", "3"], "'3'"), (["run", "--budget", "0s"], "--budget"), (["run", "--lanes", "0"], "--lanes"),
            (["run", "--lanes", "many"], "--lanes"), (["run", "--clock", "sand"], "wall"), (["run", "--inject", "login"], "OP=EFFECT"),
            (["run", "regular", "--inject", "logn=fail"], "did you mean 'login'?"),
            (["run", "regular", "--inject", "login=explode"], "hang"),
            (["run", "regular", "--inject", "login=required"], "only 'force-update' can be required, not 'login'"),
            (["run", "a", "b"], "'b'"), (["graph"], "SCENARIO"),
            (["graph", "regular", "--format", "png"], "dot"), (["run", "--color", "pink"], "always"),
            (["run", "--budget", "1s", "--budget", "2s"], "--budget"),
        ]
        for (arguments, word) in mistakes {
            let result = try await Tool.run(arguments)
            #expect(result.code == 64, "\(arguments): \(result.messages)")
            #expect(result.output.isEmpty)
            #expect(result.messages.contains(word), "\(arguments): \(result.messages)")
        }
    }

    @Test("fault A1: an unknown command is answered with three lines: what is wrong, what may have been meant, where help is")
    func unknownCommand() async throws {
        for arguments in [["rnu"], ["help", "rnu"], ["rnu", "regular"]] {
            let result = try await Tool.run(arguments)
            #expect(result.code == 64 && result.output.isEmpty)
            #expect(result.messages == "sequencer-cli: unknown command 'rnu'\ndid you mean 'run'?\nSee 'sequencer-cli help'.\n")
        }
        let strange = try await Tool.run("xyzzy").messages.split(separator: "\n")
        #expect(strange.count == 3 && strange[1].hasPrefix("expected 'run', 'plan', "))
    }

    @Test("outputs that cannot be written")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for path in [folder.url.path, folder.file("no/folder").path, "/dev/full"] {
            let result = try await Tool.run("graph", "regular", "-o", path)
            expectOneSentence(result, code: 73)
            #expect(result.messages.contains(path))
        }
        let full = try await Tool.shell(#""$TOOL" graph regular > /dev/full"#)
        expectOneSentence(full, code: 73)
    }

    @Test("fault A7: standard streams that are closed are said to be, and nothing waits for them", arguments: ["run -", "verify -"])
    func closedInput(_ command: String) async throws {
        let result = try await Tool.shell("\"$TOOL\" \(command) <&-")
        expectOneSentence(result, code: 66)
        #expect(result.messages.contains("cannot read <stdin>: Bad file descriptor"))
    }

    @Test("a result for a standard output that is closed cannot be written")
    func closedOutput() async throws {
        let result = try await Tool.shell("\"$TOOL\" graph regular >&-")
        expectOneSentence(result, code: 73)
        #expect(try await Tool.shell("\"$TOOL\" run regular --clock virtual <&- 2>&- >/dev/null").code == 0)
    }

    @Test("20,000 operations are many, not a mistake")
    func many() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let operations = (0..<20_000).map { index in
            index == 0 ? #"{ "id": "op0" }"# : #"{ "id": "op\#(index)", "after": ["op\#(index - 1)"] }"#
        }
        let path = try folder.write(scenarioText(operations.joined(separator: ",\n")))
        let verified = try await Tool.run("verify", path)
        #expect(verified.code == 0)
        let note = "note: without an expected duration, which counts as 0 ms: op0, op1, op2, op3, op4 and 19995 more\n"
        let head = "test: 20000 operations, 19999 dependencies, no problem found\nbudget 3 s, deadline 30 s\n"
        #expect(verified.output == head + note)
        let run = try await Tool.run("run", path, "--clock", "virtual")
        #expect(run.code == 0)
    }

    private func expectOneSentence(_ result: Tool.Result, code: Int32, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(result.code == code, "\(result.messages)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        #expect(result.messages.hasPrefix("sequencer-cli: "), "\(result.messages)", sourceLocation: sourceLocation)
        #expect(result.messages.split(separator: "\n").count == 1, "\(result.messages)", sourceLocation: sourceLocation)
    }
}
