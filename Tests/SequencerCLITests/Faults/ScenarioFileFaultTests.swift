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
        let result = try await Tool.run("run", "-", input: scenarioText(head: "\"\(key)\": \"../../../../etc/passwd\","))
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

    @Test("fault G14: operations that may take longer than the budget, one after the other, are a warning with their path and sum")
    func timeouts() async throws {
        let text = scenarioText(
            #"{ "id": "config", "timeout": "2s" }"#,
            #"{ "id": "person", "after": ["config"], "timeout": "5m", "interactive": true }"#,
            #"{ "id": "login", "after": ["person"], "timeout": "1500ms", "work": { "simulate": "100ms" } }"#,
            #"{ "id": "main", "after": ["login"] }"#,
            #"{ "id": "later", "after": ["main"], "timeout": "1h" }"#,
            head: #""milestone": "main","#
        )
        let result = try await Tool.run("verify", "-", input: text)
        #expect(result.code == 0)
        #expect(
            result.output == """
                test: 5 operations, 4 dependencies, 1 warning
                budget 3 s, deadline 30 s
                warning: by their timeouts, operations may take 3.5 s of 3 s: config → login
                note: without an expected duration, which counts as 0 ms: config, person, main, later

                """
        )
        let json = try await Tool.run("verify", "-", "--json", input: text).json()
        #expect((json["warnings"] as? [[String: String]])?.compactMap { $0["code"] } == ["timeouts"])
        #expect(json["budgetVerdict"] as? String == "pass")
    }

    @Test("fault G16: a check for a required update behind slow operations, or behind a person, is a warning that names them")
    func lateUpdateCheck() async throws {
        func warnings(_ operations: String...) async throws -> [String] {
            let text = scenarioText(operations.joined(separator: ",\n"), head: #""budget": "3s", "milestone": "main","#)
            let result = try await Tool.run("verify", "-", input: text)
            #expect(result.code == 0, "\(result.messages)")
            let json = try await Tool.run("verify", "-", "--json", input: text).json()
            let codes = (json["warnings"] as? [[String: String]])?.compactMap { $0["code"] } ?? []
            let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("warning: ") }.map(String.init)
            #expect(codes == lines.map { _ in "lateUpdateCheck" })
            return lines
        }
        let splash = #"{ "id": "splash", "work": { "simulate": "900ms" } }"#
        let main = #"{ "id": "main", "after": ["force-update"] }"#
        let late = try await warnings(
            splash,
            #"{ "id": "fetch-config", "after": ["splash"], "work": { "simulate": "350ms" } }"#,
            #"{ "id": "quick", "work": { "simulate": "1s" } }"#,
            #"{ "id": "join", "after": ["fetch-config", "quick"] }"#,
            #"{ "id": "force-update", "after": ["join"], "work": { "simulate": "50ms" } }"#,
            main
        )
        #expect(
            late == ["warning: force-update, which can end the launch, starts after 1.25 s of 3 s: it waits for splash → fetch-config"]
        )
        let asked = try await warnings(
            #"{ "id": "login", "interactive": true }"#,
            #"{ "id": "force-update", "after": ["login"] }"#,
            main
        )
        #expect(asked == ["warning: force-update, which can end the launch, waits for a person: login"])
        // A tenth of the budget is nothing to speak of, and what runs beside the check delays nothing.
        let early = try await warnings(
            #"{ "id": "open", "work": { "simulate": "300ms" } }"#,
            splash,
            #"{ "id": "force-update", "after": ["open"] }"#,
            #"{ "id": "main", "after": ["force-update", "splash"] }"#
        )
        #expect(early.isEmpty)
    }

    @Test("fault G18: a required operation that the milestone does not wait for is a warning")
    func unawaitedRequired() async throws {
        let work = #""work": { "simulate": "10ms" }"#
        let text = scenarioText(
            #"{ "id": "config", \#(work) }"#,
            #"{ "id": "upload", "after": ["config"], \#(work) }"#,
            #"{ "id": "statistics", "onFailure": "continue", \#(work) }"#,
            #"{ "id": "images", "fallback": "none", \#(work) }"#,
            #"{ "id": "sync", "deferrable": true, \#(work) }"#,
            #"{ "id": "all", "after": ["upload", "statistics"] }"#,
            #"{ "id": "main", "after": ["config"], \#(work) }"#,
            #"{ "id": "later", "after": ["main"], \#(work) }"#,
            head: #""milestone": "main","#
        )
        let result = try await Tool.run("verify", "-", input: text)
        #expect(result.code == 0)
        #expect(
            result.output == """
                test: 8 operations, 5 dependencies, 1 warning
                budget 3 s, deadline 30 s
                warning: upload is required, but main does not wait for it; add the dependency, or give it another 'onFailure'
                note: needed by the milestone and without a timeout, so that only the deadline ends it: \
                config, main
                note: without an expected duration, which counts as 0 ms: all

                """
        )
        let json = try await Tool.run("verify", "-", "--json", input: text).json()
        #expect(json["withoutTimeout"] as? [String] == ["config", "main"])
        #expect((json["warnings"] as? [[String: String]])?.compactMap { $0["code"] } == ["unawaitedRequired"])
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
        let result = try await Tool.run("run", "-", input: word)
        #expect(result.code == 65 && result.messages.contains("'log\(escaped)in'") && !result.messages.unicodeScalars.contains(character))
    }

    @Test("names and titles keep what belongs to an emoji or to a script")
    func titles() throws {
        for title in ["👩‍👩‍👧 family", "❤️", "1️⃣ first", "می\u{200C}خواهم", "क्\u{200D}ष"] {
            let file = scenarioText(#"{ "id": "\#(title)", "title": "\#(title)" }"#)
            let operation = try parseScenario(Array(file.utf8), file: "f").operations[0]
            #expect(operation.id == title && operation.title == title)
        }
    }

    @Test("fault G8: no operation at all completes, and verify says that there is nothing to run")
    func empty() async throws {
        let run = try await Tool.run("run", "-", "--json", input: scenarioText())
        #expect(run.code == 0)
        #expect(try run.json()["outcome"] as? String == "completed")
        let verified = try await Tool.run("verify", "-", input: scenarioText())
        #expect(verified.code == 0 && verified.output.hasSuffix("warning: there is nothing to run\n"))
    }
}
