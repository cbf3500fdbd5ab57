import Foundation
import Testing

@testable import sequencer_cli

/// Scenario files that ask for what files must not get.
@Suite("Faults in scenario files", .serialized, .timeLimit(.minutes(10)))
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
        let text = scenarioText(#"{ "id": "a", "work": { "command": ["sh", "-c", "test \"$1\" = '$CANARY'", "sh", "$CANARY"] } }"#)
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
                warning: by their timeouts, operations may take 3.5 s of 3 s: config → login

                """
        )
        let json = try await Tool.run("verify", "-", "--json", input: text).json()
        #expect((json["warnings"] as? [[String: String]])?.compactMap { $0["code"] } == ["timeouts"])
        #expect(json["budgetVerdict"] as? String == "pass")
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
