import Foundation
import TestSupport
import Testing

/// Every mistake is one clear sentence on standard error, with its place, and the right exit code; nothing on standard output.
@Suite("Bad input", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BadInputTests {
    @Test(
        "fault J2: a mistake in a file is told with its place; bytes that are no text, an encoding that no command reads, and no text, too"
    )
    func texts() async throws {
        let cycle = scenarioText(#"{ "id": "login", "after": ["splash"] }"#, #"{ "id": "splash", "after": ["login"] }"#)
        let inputs: [(command: String, bytes: [UInt8], message: String)] = [
            ("run", Array(cycle.utf8), "<stdin>:3:5: operations[0].after: cycle: login → splash → login (each waits for the next)"),
            ("run", [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x7D], "<stdin>:1:3: the text is not UTF-8 (byte 0xFF)"),
            ("run", [0xEF, 0xBB, 0xBF], "<stdin>:1:1: the text starts with a byte order mark (BOM)"),
            ("stats", [0xEF, 0xBB, 0xBF], "<stdin>:1:1: the text starts with a byte order mark (BOM)"),
            ("stats", [0xFF, 0xFE, 0x7B, 0x00], ": the text is UTF-16"), ("import", [], ": the text is empty"),
        ]
        for (command, bytes, message) in inputs {
            let result = try await Tool.run([command, "-"], input: Data(bytes))
            if command != "stats" { expectOneSentence(result, code: 65) }
            #expect(result.code == 65 && result.messages.contains(message), "\(result.messages)")
        }
    }

    @Test("fault J1: files that cannot be read")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let files = [
            (folder.url.path, "directory"), (folder.file("missing.json").path, "No such file"), ("regulr", "did you mean 'regular'?"),
        ]
        for (file, message) in files {
            let result = try await Tool.call("run", file)
            expectOneSentence(result, code: 66)
            #expect(result.messages.contains(message))
        }
    }

    @Test(
        "A file that is neither a report nor a scenario is told the schema of reports first",
        arguments: ["report", "blame", "critical-chain"]
    )
    func noReport(command: String) async throws {
        let result = try await Tool.call(command, "-", input: #"{"a": 1}"#)
        expectOneSentence(result, code: 65)
        #expect(result.messages.contains("missing key 'schema'; this version reads 'sequencer.report/1', 'sequencer.scenario/1' or"))
    }

    @Test(
        "Faults that the scenario cannot have are wrong usage",
        arguments: [
            ("logn=fail", "did you mean 'login'?"), ("login=explode", "'hang'"),
            ("login=required", "only 'force-update' can be required, not 'login'"),
        ]
    )
    func injections(fault: String, words: String) async throws {
        let result = try await Tool.call("run", "regular", "--clock", "virtual", "--inject", fault)
        #expect(result.code == 64 && result.messages.contains(words), "\(result.messages)")
    }

    @Test("fault A1: an unknown command is answered with three lines: what is wrong, what may have been meant, where help is")
    func unknownCommand() async throws {
        for arguments in [["rnu"], ["help", "rnu"]] {
            let result = try await Tool.run(arguments)
            #expect(result.code == 64 && result.output.isEmpty)
            #expect(result.messages == "sequencer-cli: unknown command 'rnu'\ndid you mean 'run'?\nSee 'sequencer-cli help'.\n")
        }
        let strange = try await Tool.run("xyzzy").messages.split(separator: "\n")
        #expect(strange.count == 3 && strange[1].hasPrefix("expected 'run', 'plan', "))
    }

    @Test("outputs that cannot be written")
    func unwritable() async throws {
        let file = try await Tool.run("graph", "regular", "-o", "/dev/full")
        expectOneSentence(file, code: 73)
        #expect(file.messages.contains("/dev/full"))
        expectOneSentence(try await Tool.shell(#""$TOOL" graph regular > /dev/full"#), code: 73)
        expectOneSentence(try await Tool.shell(#""$TOOL" graph regular >&-"#), code: 73)
    }

    @Test("fault A7: standard streams that are closed are said to be, and nothing waits for them")
    func closedStreams() async throws {
        let result = try await Tool.shell("\"$TOOL\" run - <&-")
        expectOneSentence(result, code: 66)
        #expect(result.messages.contains("cannot read <stdin>: Bad file descriptor"))
        #expect(try await Tool.shell("\"$TOOL\" run regular --clock virtual <&- 2>&- >/dev/null").code == 0)
    }

    @Test("verify stops at the hundredth mistake, and says so")
    func hundred() async throws {
        let many = (0..<300).map { #"{ "id": "s\#($0)", "after": ["x\#($0)"] }"# }.joined(separator: ",\n")
        let result = try await Tool.run("verify", "-", input: scenarioText(many))
        #expect(result.code == 65)
        #expect(result.messages.split(separator: "\n").count == 101)
        #expect(result.messages.hasSuffix("sequencer-cli: there may be more: these are the first 100\n"))
    }

    private func expectOneSentence(_ result: Tool.Result, code: Int32, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(result.code == code, "\(result.messages)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        #expect(result.messages.hasPrefix("sequencer-cli: "), "\(result.messages)", sourceLocation: sourceLocation)
        #expect(result.messages.split(separator: "\n").count == 1, "\(result.messages)", sourceLocation: sourceLocation)
    }
}
