import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// Scenario files that ask for what files must not get.
@Suite("Faults in scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScenarioFileFaultTests {
    @Test(
        "fault J12: a file includes no other: the key is refused, and nothing outside is read",
        arguments: ["include", "extends", "$ref"]
    )
    func include(key: String) async throws {
        let result = try await Tool.call("run", "-", input: scenarioText(head: "\"\(key)\": \"../../../../etc/passwd\","))
        #expect(result.code == 65 && result.output.isEmpty)
        #expect(result.messages.contains("unknown key '\(key)'"), "\(result.messages)")
        #expect(!result.messages.contains("root:"))
    }

    @Test("fault J16: nothing in a file stands for a variable: a word that looks like one is taken as it is")
    func variables() async throws {
        let text = scenarioText(#"{ "id": "a", "work": { "command": ["sh", "-c", "test \"$1\" = '$''CANARY'", "sh", "$CANARY"] } }"#)
        let result = try await Tool.run(["run", "-", "--json"], input: Data(text.utf8), environment: ["CANARY": "expanded"])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test(
        "fault J14: what is secret in a file is in no output, whatever becomes of it",
        arguments: [[], ["--json"], ["--inject", "fetch=fail"], ["--clock", "virtual"]]
    )
    func secrets(_ options: [String]) async throws {
        let canary = "canary-8c1f0e6a"
        let fetch =
            #"{ "id": "fetch", "timeout": "5s", "work": { "http": { "url": "http://127.0.0.1:9/a?token=\#(canary)", "headers": { "Authorization": "Bearer \#(canary)" } } } }"#
        let result = try await Tool.run(["run", "-"] + options, input: Data(scenarioText(fetch).utf8))
        #expect(result.code == (options.contains("virtual") ? 0 : 1), "\(result.messages)")
        #expect(!result.output.isEmpty)
        #expect(!(result.output + result.messages).contains(canary))
        let plan = try await Tool.run(["graph", "-", "--format", "json"], input: Data(scenarioText(fetch).utf8))
        #expect(plan.code == 0 && !plan.output.contains(canary))
    }

    @Test(
        "fault J10: names that hold what turns the direction of writing, or what nobody sees, are refused with its number",
        arguments: [
            "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{200E}",
            "\u{200F}",
            "\u{61C}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{2063}", "\u{FEFF}", "\u{AD}", "\u{34F}", "\u{115F}", "\u{3164}",
            "\u{180E}", "\u{FE0F}", "\u{E0041}", "\u{E0101}", "\u{FFF9}",
        ]
    )
    func invisible(character: Unicode.Scalar) async throws {
        let name = "log\(character)in"
        let escaped = character.escaped(asASCII: true)
        let files = [
            scenarioText(#"{ "id": "\#(name)" }"#), scenarioText(#"{ "id": "a" }, { "id": "b", "after": ["\#(name)"] }"#),
            scenarioText(#"{ "id": "a", "exclusive": ["\#(name)"] }"#), scenarioText(#"{ "id": "a", "title": "\#(name)" }"#),
            scenarioText(#"{ "id": "a" }"#, head: #""milestone": "\#(name)","#),
            scenarioText(#"{ "id": "a" }"#).replacing(#""test""#, with: "\"\(name)\""),
        ]
        for file in files {
            var message = ""
            do throws(ScenarioError) { _ = try parseScenario(Array(file.utf8), file: "f") } catch { message = error.description }
            #expect(message.hasSuffix(" 'log\(escaped)in' holds a character that cannot be printed, \(escaped)"), "\(message)")
        }
        // What is not a name is not refused, and nowhere printed as it is.
        let word = scenarioText(#"{ "id": "a", "on": "\#(name)" }"#, #"{ "id": "\#(name)" }"#)
        let result = try await Tool.call("run", "-", input: word)
        #expect(result.code == 65 && result.messages.contains("'log\(escaped)in'") && !result.messages.unicodeScalars.contains(character))
    }
}
