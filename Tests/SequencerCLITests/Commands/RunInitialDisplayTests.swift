import Foundation
import TestSupport
import Testing

/// What the tool makes of a scenario with an initial display.
@Suite("An initial display, in scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RunInitialDisplayTests {
    private static func result(_ words: String..., budget: String = "500ms") async throws -> Tool.Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(
            scenarioText(
                #"{ "id": "backup", "work": { "simulate": "900ms" } }"#,
                #"{ "id": "feed", "work": { "simulate": "400ms" } }"#,
                #"{ "id": "home", "after": ["feed"], "work": { "simulate": "200ms" } }"#,
                #"{ "id": "skeleton", "work": { "simulate": "100ms" } }"#,
                head:
                    #""milestone": "home", "initialDisplay": "skeleton", "initialDisplayBudget": "\#(budget)", "budget": "1s", "lanes": 1, "#
            )
        )
        return try await Tool.run(words.map { $0 == "FILE" ? path : $0 })
    }

    @Test("run shows it first, and says when it came")
    func run() async throws {
        let result = try await Self.result("run", "FILE", "--clock", "virtual")
        #expect(result.code == 0)
        #expect(result.output.hasSuffix("\nPASS  700 ms of 1 s; initial display after 100 ms of 500 ms, pass\n"), "\(result.output)")
    }

    @Test("plan has a column for it, and a key")
    func plan() async throws {
        let text = try await Self.result("plan", "FILE", "--lanes", "1,2").output
        #expect(text.hasPrefix("  lanes  initial display  milestone"), "\(text)")
        let json = try await Self.result("plan", "FILE", "--lanes", "1", "--json").json()
        let plans = try #require(json["plans"] as? [[String: Any]])
        #expect(plans[0]["initialDisplayMs"] as? Double == 100 && plans[0]["milestoneMs"] as? Double == 700)
    }

    @Test("one that is later than its budget allows is told by run, plan and verify, which end with 3")
    func budget() async throws {
        let run = try await Self.result("run", "FILE", "--clock", "virtual", budget: "80ms")
        #expect(run.code == 3)
        #expect(run.output.hasSuffix("\nFAIL  700 ms of 1 s; initial display after 100 ms of 80 ms, fail\n"), "\(run.output)")
        let plan = try await Self.result("plan", "FILE", budget: "80ms")
        #expect(plan.code == 3 && plan.output.contains("FAIL 700 ms of 1 s, initial display 100 ms of 80 ms"), "\(plan.output)")
        let planned = try await Self.result("plan", "FILE", "--json", budget: "80ms").json()
        #expect((planned["plans"] as? [[String: Any]])?.first?["meetsInitialDisplayBudget"] as? Bool == false)
        let verify = try await Self.result("verify", "FILE", budget: "80ms")
        #expect(verify.code == 3)
        let warning = "warning: the path to the initial display alone takes 100 ms of 80 ms: skeleton\n"
        #expect(verify.output.contains("budget 1 s, initial display 80 ms, deadline "), "\(verify.output)")
        #expect(verify.output.contains(warning), "\(verify.output)")
    }

    @Test(
        "one that is switched off has missed its budget, in run, plan and verify; without a budget, nothing is missed",
        arguments: [true, false]
    )
    func switchedOff(hasBudget: Bool) async throws {
        let text = scenarioText(
            #"{ "id": "skeleton", "when": false, "work": { "simulate": "100ms" } }"#,
            #"{ "id": "home", "after": ["skeleton"], "work": { "simulate": "200ms" } }"#,
            head: #""milestone": "home", "initialDisplay": "skeleton", "budget": "1s", "#
                + (hasBudget ? #""initialDisplayBudget": "500ms", "# : "")
        )
        for words in [["run", "-", "--clock", "virtual"], ["plan", "-"], ["verify", "-"]] {
            let result = try await Tool.run(words, input: Data(text.utf8))
            #expect(
                result.code == (hasBudget ? 3 : 0) && result.output.contains("PASS") == (!hasBudget && words[0] != "verify"),
                "\(result)"
            )
            let told = ["run": "no initial display, fail", "plan": "the initial display is switched off"][words[0]]
            #expect(result.output.contains(told ?? "the initial display, skeleton, is switched off") == hasBudget, "\(result)")
        }
    }

    @Test("bench counts its budget too: in the runs that missed, in the file, and in the exit code", arguments: [true, false])
    func bench(isMissed: Bool) async throws {
        let budget = isMissed ? "80ms" : "100ms"
        let text = try await Self.result("bench", "FILE", "--clock", "virtual", "--runs", "2", budget: budget)
        #expect(text.code == (isMissed ? 3 : 0) && text.output.contains("  budget    \(isMissed ? 2 : 0) of 2 missed"), "\(text)")
        let json = try await Self.result("bench", "FILE", "--clock", "virtual", "--runs", "2", "--json", budget: budget).json()
        let scenario = try #require((json["scenarios"] as? [[String: Any]])?.first)
        #expect(scenario["initialDisplayBudgetMs"] as? Double == (isMissed ? 80 : 100))
        #expect((scenario["runs"] as? [[String: Any]])?.first?["verdict"] as? String == (isMissed ? "fail" : "pass"))
    }

    @Test("graph and report name it")
    func names() async throws {
        #expect(try await Self.result("graph", "FILE", "--json").json()["initialDisplay"] as? String == "skeleton")
        let report = try await Self.result("run", "FILE", "--clock", "virtual", "--json")
        #expect(try report.json()["initialDisplay"] as? String == "skeleton")
    }
}
