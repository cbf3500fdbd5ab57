import Foundation
import TestSupport
import Testing

/// What the tool says, and ends with, when something runs on after the first screen.
@Suite("run, after the milestone", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RunAfterMilestoneTests {
    private static func result(_ words: String..., more: [String] = []) async throws -> Tool.Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(
            scenarioText(
                #"{ "id": "home", "work": { "simulate": "275ms" } }"#,
                #"{ "id": "counters", "after": ["home"], "work": { "simulate": "3s" } }"#,
                #"{ "id": "sync", "after": ["home"], "work": { "simulate": "1s" } }"#,
                #"{ "id": "upload", "after": ["sync"], "work": { "simulate": "1s" } }"#,
                head: #""milestone": "home", "budget": "1s", "#
            )
        )
        return try await Tool.run(words.map { $0 == "FILE" ? path : $0 } + more + (words.first == "run" ? ["--clock", "virtual"] : []))
    }

    @Test("run shows what ran on as a second part; the verdict, which comes last, is the launch's")
    func secondPart() async throws {
        let result = try await Self.result("run", "FILE")
        #expect(result.code == 0)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "test: completed in 275 ms, 2 lanes")
        let heading = try #require(lines.firstIndex(of: "after the milestone"))
        #expect(lines[..<heading].contains { $0.hasPrefix("* home") })
        for id in ["counters", "sync", "upload"] {
            #expect(lines[heading...].contains { $0.hasPrefix("  \(id)") } && !lines[..<heading].contains { $0.contains(id) }, "\(id)")
        }
        #expect(lines.dropLast().last == "3 operations ran on after the milestone, to 3.28 s")
        #expect(lines.last == "PASS  275 ms of 1 s")
    }

    @Test("a failure after the milestone changes the exit code with --strict alone", arguments: ["fail", "hang"])
    func failure(fault: String) async throws {
        for (words, code) in [([], 0), (["--strict"], 1)] as [([String], Int32)] {
            let result = try await Self.result("run", "FILE", "--inject", "sync=\(fault)", more: words)
            #expect(result.code == code)
            // What was skipped did not run.
            let text = result.output.replacing("\n  ", with: " ")
            #expect(text.contains("\n2 operations ran on after the milestone") && text.contains("and sync failed: "), "\(text)")
            #expect(result.output.hasSuffix("PASS  275 ms of 1 s\n"))
        }
        let saved = try await Self.result("run", "FILE", "--inject", "sync=\(fault)", "--json")
        let markdown = try await Tool.run("report", "-", "--format", "markdown", input: saved.output).output
        #expect(markdown.contains("; after the milestone failed: `sync`"), "\(markdown)")
        let json = try saved.json()
        #expect(json["outcome"] as? String == "completed")
        let later = try #require(json["afterMilestone"] as? [String: Any])
        #expect(later["outcome"] as? String == "failed" && later["startMs"] as? Double == 275)
        #expect(later["failures"] as? [String] == ["sync"])
        let operations = try #require(later["operations"] as? [[String: String]])
        #expect(operations.map { $0["id"] } == ["counters", "sync", "upload"])
        #expect(
            operations.map { $0["outcome"] } == [
                "succeeded", fault == "fail" ? "failed" : "timedOut", fault == "fail" ? "skipped" : "cancelled",
            ]
        )
        #expect(later["stragglers"] as? [String] == (fault == "hang" ? ["sync"] : nil))
    }

    @Test("a failure that an operation's policy allows changes the exit code with --strict alone, too; over budget wins")
    func allowed() async throws {
        let text = scenarioText(
            #"{ "id": "home", "work": { "simulate": "275ms" } }"#,
            #"{ "id": "tips", "after": ["home"], "onFailure": "continue", "work": { "simulate": "1s" } }"#,
            head: #""milestone": "home", "#
        )
        let words = ["run", "-", "--clock", "virtual", "--inject", "tips=fail"]
        for (more, code) in [([], 0), (["--strict"], 1), (["--strict", "--budget", "200ms"], 3)] as [([String], Int32)] {
            let result = try await Tool.run(words + more, input: Data(text.utf8))
            #expect(result.code == code && result.output.contains("to 275 ms; failed: tips"), "\(result.output)")
        }
    }

    @Test("an operation that failed, fell back or was skipped for another changes the exit code with --strict alone; a condition does not")
    func strict() async throws {
        func codes(_ members: String, after dependency: String = #""config""#, _ words: String...) async throws -> [Int32] {
            let text = scenarioText(
                #"{ "id": "config", \#(members), "work": { "simulate": "10ms" } }"#,
                #"{ "id": "home", "after": [\#(dependency)], "work": { "simulate": "5ms" } }"#,
                head: #""milestone": "home", "#
            )
            let run = ["run", "-", "--clock", "virtual"] + words
            return [
                try await Tool.run(run, input: Data(text.utf8)).code, try await Tool.run(run + ["--strict"], input: Data(text.utf8)).code,
            ]
        }
        let goesOn = #"{ "id": "config", "onFailure": "continue" }"#
        let plain = #""config""#
        for (policy, dependency) in [
            (#""onFailure": "continue""#, plain), (#""fallback": "bundled""#, plain), (#""onFailure": "skipDependents""#, goesOn),
        ] {
            #expect(try await codes(policy, after: dependency) == [0, 0], "\(policy)")
            #expect(try await codes(policy, after: dependency, "--inject", "config=fail") == [0, 1], "\(policy)")
        }
        #expect(try await codes(#""when": false"#) == [0, 0])
    }

    @Test("a milestone that is switched off has missed its budget, and plan and bench say so, too")
    func milestoneSwitchedOff() async throws {
        let text = scenarioText(
            #"{ "id": "config", "work": { "simulate": "10ms" } }"#,
            #"{ "id": "home", "when": false, "after": ["config"], "work": { "simulate": "5ms" } }"#,
            head: #""milestone": "home", "budget": "1s", "#
        )
        func result(_ words: String...) async throws -> Tool.Result { try await Tool.run(words, input: Data(text.utf8)) }
        let run = try await result("run", "-", "--clock", "virtual")
        #expect(run.code == 3 && run.output.contains("FAIL  10 ms of 1 s; milestone skipped"), "\(run.output)")
        let plan = try await result("plan", "-")
        #expect(plan.code == 3 && plan.output.contains("the milestone is switched off") && !plan.output.contains("PASS"), "\(plan.output)")
        #expect(plan.output.contains("switched off, which counts as 0 ms: home"), "\(plan.output)")
        let json = try await result("plan", "-", "--json").json()
        let verdicts = (json["plans"] as? [[String: Any]])?.map { $0["verdict"] as? String }
        #expect(json["switchedOff"] as? [String] == ["home"] && verdicts?.allSatisfy { $0 == "fail" } == true)
        #expect(try await result("bench", "-", "--clock", "virtual", "--runs", "2").code == 3)
        let verify = try await result("verify", "-")
        let warning = "\nwarning: the milestone, home, is switched off, and so misses its budget\n"
        #expect(verify.code == 3 && verify.output.contains(warning), "\(verify.output)")
        #expect(try await result("verify", "-", "--json").json()["budgetVerdict"] as? String == "fail")
        #expect(try await result("graph", "-").messages.contains("switched off, and drawn as 0 ms: home"))
    }

    @Test("a milestone that failed has missed the budget, though the launch goes on in time", arguments: ["fail", "hang"])
    func failedMilestone(fault: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(
            scenarioText(
                #"{ "id": "home", "onFailure": "continue", "timeout": "200ms", "work": { "simulate": "100ms" } }"#,
                #"{ "id": "sync", "after": ["home"], "work": { "simulate": "10ms" } }"#,
                head: #""milestone": "home", "budget": "1s", "#
            )
        )
        let words = [path, "--clock", "virtual", "--inject", "home=\(fault)"]
        let run = try await Tool.run(["run"] + words)
        let ending = fault == "fail" ? "failed" : "timed out"
        #expect(run.code == 3 && run.output.contains("\nFAIL  ") && run.output.contains(" of 1 s; milestone \(ending): "), "\(run.output)")
        let saved = try await Tool.run(["run"] + words + ["--json"])
        #expect((try saved.json()["budget"] as? [String: Any])?["verdict"] as? String == "fail")
        let page = try await Tool.run(["report", "-", "--format", "markdown"], input: Data(saved.output.utf8))
        #expect(page.output.hasPrefix("### test: fail: ") && page.output.contains(" of 1 s; milestone \(ending)\n"), "\(page.output)")
        let bench = try await Tool.run(["bench"] + words)
        #expect(bench.code == 3 && bench.output.contains("10 of 10 missed"), "\(bench.output)")
        #expect(try await Tool.run(["run"] + words.prefix(3)).code == 0)
    }

    @Test("of a launch too large to be shown whole, the second part has a heading where it has rows, and is counted where it has none")
    func large() async throws {
        let chain = (0..<150).map { number in
            let after = number == 0 ? "" : #""after": ["s\#(number - 1)"], "#
            return #"{ "id": "s\#(number)", \#(after)"work": { "simulate": "10ms" } }"#
        }
        let text = """
            { "schema": "sequencer.scenario/1", "name": "large", "milestone": "s149", "operations": [
              \(chain.joined(separator: ",\n")),
              { "id": "analytics", "after": ["s149"], "work": { "simulate": "1ms" } } ] }
            """
        let result = try await Tool.run(["run", "-", "--clock", "virtual"], input: Data(text.utf8))
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("after the milestone") == lines.contains { $0.contains("analytics") })
        #expect(lines.dropLast().last == "1 operation ran on after the milestone, to 1.5 s", "\(lines.suffix(3))")
    }

    @Test("an update that is required after the milestone exits 6, and the launch has completed")
    func update() async throws {
        let text = scenarioText(
            #"{ "id": "home", "work": { "simulate": "275ms" } }"#,
            #"{ "id": "force-update", "after": ["home"], "work": { "simulate": "1s" } }"#,
            head: #""milestone": "home", "#
        )
        let result = try await Tool.run("run", "-", "--clock", "virtual", "--inject", "force-update=required", "--json", input: text)
        #expect(result.code == 6)
        let report = try result.json()
        #expect(report["outcome"] as? String == "completed" && (report["budget"] as? [String: Any])?["verdict"] as? String == "pass")
        let later = try #require(report["afterMilestone"] as? [String: Any])
        #expect((later["abort"] as? [String: String]) == ["by": "force-update", "reason": "force-update"])
    }

    @Test("blame and critical-chain look at the launch proper: what runs on leads neither")
    func blame() async throws {
        let blame = try await Self.result("blame", "FILE")
        #expect(blame.code == 0)
        let rows = blame.output.split(separator: "\n").map(String.init)
        #expect(rows.first?.hasPrefix("test: 275 ms") == true)
        #expect(rows.contains { $0.contains("home *") })
        #expect(!rows.dropLast(3).contains { $0.contains("counters") })
        #expect(blame.output.contains("not counted, for they ran on after the milestone: counters, sync, upload"))
        let chain = try await Self.result("critical-chain", "FILE")
        #expect(chain.output.hasPrefix("test: 275 ms\nhome @0 ms +275 ms"), "\(chain.output)")
    }
}
