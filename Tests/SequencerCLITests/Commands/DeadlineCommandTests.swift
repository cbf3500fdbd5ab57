import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// A launch that its deadline ends before its milestone has failed, and every command that foresees it or reads of it says so.
@Suite("Deadlines, and launches that failed", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DeadlineCommandTests {
    /// What runs after the milestone takes longer than a launch may: its budget is met, and what runs on is ended.
    private static let late = scenarioText(
        #"{ "id": "main", "work": { "simulate": "1s" } }"#,
        #"{ "id": "sync", "after": ["main"], "onFailure": "continue", "work": { "simulate": "31s" } }"#,
        head: #""budget": "10s", "milestone": "main","#
    )
    /// One step within its budget, for which the default deadline would be too early.
    private static let patient = scenarioText(#"{ "id": "a", "work": { "simulate": "35s" } }"#, head: #""budget": "1m","#)

    @Test("The deadline is shown before a launch, and is never less than its budget")
    func shown() async throws {
        #expect(try await Tool.run("help", "run").output.contains("default: 30s, or the budget if longer"))
        let regular = try await Tool.run("verify", "regular")
        #expect(regular.output.hasPrefix("regular: 7 operations, 6 dependencies, no problem found\nbudget 3 s, deadline 30 s\n"))
        #expect(try await Tool.run("plan", "regular").output.contains("\ndeadline: 30 s\n"))
        for command in ["verify", "plan", "run --clock virtual", "blame"] {
            let words = command.split(separator: " ").map(String.init)
            let result = try await Tool.run([words[0], "-"] + words.dropFirst(), input: Data(Self.patient.utf8))
            #expect(result.code == 0, "\(command): \(result.output)\(result.messages)")
        }
        #expect(try await Tool.run("verify", "-", input: Self.patient).output.contains("budget 1 min, deadline 1 min"))
        #expect(try await Tool.run("plan", "-", input: Self.patient).output.contains("deadline: 1 min"))
        #expect(try await Tool.run("verify", "-", "--json", input: Self.patient).json()["deadlineMs"] as? Double == 60_000)
        #expect(try await Tool.run("plan", "-", "--json", input: Self.patient).json()["deadlineMs"] as? Double == 60_000)
        let endless = try await Tool.run("plan", "-", "--json", "--deadline", "none", input: Self.late)
        #expect(try endless.code == 0 && endless.json()["deadlineMs"] == nil)
    }

    @Test("What runs while a person is waited for counts against no budget, in verify as in plan and run; what waits for the person does")
    func besidePerson() async throws {
        for (after, code) in [("", 0), (#""after": ["ask"], "#, 3)] {
            let file = scenarioText(
                #"{ "id": "ask", "interactive": true, "work": { "simulate": "300ms" } }"#,
                #"{ "id": "long", \#(after)"work": { "simulate": "400ms" } }"#,
                head: #""budget": "200ms", "#
            )
            for command in [["verify"], ["plan"], ["run", "--clock", "virtual"]] {
                let result = try await Tool.run([command[0], "-"] + command.dropFirst(), input: Data(file.utf8))
                #expect(result.code == code, "\(command): \(result)")
                let note = "takes 400 ms of 200 ms, a person's time not counted: ask → long\n"
                if command == ["verify"] { #expect(result.output.contains(note) == (code == 3), "\(result)") }
            }
        }
    }

    @Test(
        "A required step that takes longer than its timeout fails the launch in verify and plan as it does in run; another one is a warning"
    )
    func timeouts() async throws {
        func file(_ options: String) -> String {
            scenarioText(
                #"{ "id": "a", "timeout": "50ms", \#(options)"work": { "simulate": "400ms" } }"#,
                #"{ "id": "b", "after": ["a"], "work": { "simulate": "10ms" } }"#,
                head: #""budget": "1s", "milestone": "b","#
            )
        }
        for command in [["verify"], ["plan"], ["run", "--clock", "virtual"]] {
            let result = try await Tool.run([command[0], "-"] + command.dropFirst(), input: Data(file("").utf8))
            #expect(result.code == 1, "\(command): \(result)")
            let other = try await Tool.run([command[0], "-"] + command.dropFirst(), input: Data(file(#""fallback": "x", "#).utf8))
            #expect(other.code == 0, "\(command): \(other)")
        }
        let verified = try await Tool.run("verify", "-", input: file("")).output
        #expect(verified.contains("warning: a takes 400 ms, and times out after 50 ms, so the launch fails\n"), "\(verified)")
        #expect(try await Tool.run("verify", "-", "--json", input: file("")).json()["budgetVerdict"] as? String == "fail")
        #expect(try await Tool.run("verify", "-", "--format", "github", input: file("")).output.hasPrefix("::error "))
        #expect(try await Tool.run("verify", "-", input: file(#""fallback": "x", "#)).output.contains("so it always falls back\n"))
        // By its expectation it is in time, but not by what it simulates.
        #expect(try await Tool.run("verify", "-", input: file(#""expected": "20ms", "#)).code == 1)
        let plan = try await Tool.run("plan", "-", "--json", "--lanes", "1", input: file("")).json()
        let plans = try #require(plan["plans"] as? [[String: Any]])
        #expect(plans[0]["verdict"] as? String == "fail" && plans[0]["timedOut"] as? [String] == ["a"])
    }

    @Test(
        "A launch whose milestone comes after its deadline fails in plan and verify as it does in run; what runs on is ended there, and fails nothing"
    )
    func foreseen() async throws {
        let run = try await Tool.run("run", "-", "--clock", "virtual", input: Self.late)
        #expect(
            run.code == 0 && run.output.contains("PASS  1 s of 10 s")
                && run.output.replacing("\n  ", with: " ").contains("and sync failed: still running at the launch's deadline")
        )
        let plan = try await Tool.run("plan", "-", "--lanes", "2", input: Self.late, environment: ["COLUMNS": "80"])
        #expect(plan.code == 0)
        #expect(
            plan.output.contains(
                "1 operation runs on after the milestone, to 32 s, and sync fails: expected to\n  end after the launch's deadline, 30 s\n"
            ),
            "\(plan.output)"
        )
        let verified = try await Tool.run("verify", "-", input: Self.late)
        #expect(verified.code == 0)
        #expect(
            verified.output.contains(
                "warning: by what is expected, what runs on after the milestone takes until 32 s, and is ended at the deadline, 30 s\n"
            ),
            "\(verified.output)"
        )
        let sooner = scenarioText(
            #"{ "id": "a", "work": { "simulate": "2s" } }"#,
            #"{ "id": "main", "after": ["a"], "work": { "simulate": "1s" } }"#,
            head: #""budget": "10s", "deadline": "2500ms", "milestone": "main","#
        )
        #expect(try await Tool.run("run", "-", "--clock", "virtual", input: sooner).code == 1)
        let json = try await Tool.run("plan", "-", "--lanes", "2", "--json", input: sooner)
        let plans = try #require(try json.json()["plans"] as? [[String: Any]])
        #expect(json.code == 1 && plans[0]["verdict"] as? String == "fail" && plans[0]["meetsDeadline"] as? Bool == false)
        let failing = try await Tool.run("verify", "-", input: sooner)
        #expect(failing.code == 1)
        #expect(
            failing.output.contains("warning: by what is expected the launch takes 3 s, and fails at its deadline, 2.5 s: a → main\n"),
            "\(failing.output)"
        )
        // A milestone that comes after the deadline is not reached.
        let early = try await Tool.run("plan", "-", "--lanes", "2", "--deadline", "500ms", input: Self.late)
        #expect(early.code == 1 && early.output.contains("\nFAILED  main: expected to end after the launch's deadline, 500 ms\n"))
        // Over its budget, too: it fails all the same.
        let both = scenarioText(#"{ "id": "a", "work": { "simulate": "35s" } }"#)
        for command in ["plan", "verify"] { #expect(try await Tool.run(command, "-", input: both).code == 1) }
        let longer = try await Tool.run("plan", "-", "--deadline", "40s", input: Self.late)
        #expect(longer.code == 0, "\(longer.output)")
    }

    @Test("A deadline of a file that is less than its budget is warned of")
    func withinBudget() async throws {
        let text = scenarioText(#"{ "id": "a", "work": { "simulate": "5s" } }"#, head: #""budget": "1m", "deadline": "10s","#)
        let result = try await Tool.run("verify", "-", input: text)
        #expect(result.code == 0)
        #expect(
            result.output.contains("warning: the launch is ended at its deadline, 10 s, before its budget, 1 min, is used up\n"),
            "\(result.output)"
        )
    }

    @Test(
        "A failed launch is said to have failed by each command that reads its report, and changes no exit code",
        arguments: [false, true]
    )
    func readOf(isJSON: Bool) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("report.json").path
        #expect(try await Tool.run("run", "regular", "--clock", "virtual", "--inject", "login=fail", "--json", "-o", path).code == 1)
        for command in ["blame", "critical-chain", "report"] {
            let result = try await Tool.run([command, path] + (isJSON ? ["--json"] : []))
            #expect(result.code == 0)
            if isJSON {
                let json = try result.json()
                let failure = json["failure"] as? [String: String]
                #expect(json["outcome"] as? String == "failed" && failure?["operation"] == "login", "\(command): \(result.output)")
            } else {
                #expect(result.output.contains("FAILED  login: a failure was injected into login\n"), "\(command): \(result.output)")
            }
            #expect(try await Tool.run("help", command).output.contains("Exit codes:\n  0 "))
        }
    }

    @Test("compare says how many runs did not complete")
    func compared() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (before, after) = (folder.file("before.json").path, folder.file("after.json").path)
        let bench = ["bench", "regular", "--clock", "virtual", "--runs", "2", "--warmup", "0"]
        #expect(try await Tool.run(bench + ["--save", before]).code == 0)
        #expect(try await Tool.run(bench + ["--save", after, "--inject", "login=fail"]).code == 1)
        let text = try await Tool.run("compare", before, after)
        #expect(text.code == 4 && text.output.contains("  after: 2 failed, not in the times\n"), "\(text.output)")
        let json = try await Tool.run("compare", before, after, "--json").json()
        let comparison = try #require((json["comparisons"] as? [[String: Any]])?.first)
        #expect(comparison["beforeRuns"] as? [String: Int] == ["completed": 2])
        #expect(comparison["afterRuns"] as? [String: Int] == ["failed": 2])
    }
}
