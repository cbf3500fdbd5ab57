import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// What `verify`, `plan` and `blame` foresee is what `run` does in virtual time.
@Suite("Forecasts come true in virtual time", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ForecastTests {
    private static func run(_ words: [String], _ text: String) async throws -> Tool.Result {
        try await Tool.run([words[0], "-"] + words.dropFirst(), input: Data(text.utf8))
    }

    /// Expects that all three commands end with this code.
    private func expectCode(_ code: Int32?, _ text: String, _ location: SourceLocation = #_sourceLocation) async throws {
        let launch = try await Self.run(["run", "--clock", "virtual"], text)
        if let code { #expect(launch.code == code, "\(launch)", sourceLocation: location) }
        for command in ["verify", "plan"] {
            let result = try await Self.run([command], text)
            #expect(result.code == launch.code, "\(command): \(result) \(launch) \(text)", sourceLocation: location)
        }
        // Where it fails, one of the problems is the reason.
        let problems = try await Self.run(["verify", "--format", "github"], text).output
        #expect(problems.contains("::error ") == (launch.code != 0), "\(problems) \(text)", sourceLocation: location)
    }

    @Test(
        "a launch that surely fails by a timeout fails verify and plan: by a step that is skipped for it, and by one beside the milestone"
    )
    func timeouts() async throws {
        let skipped = scenarioText(
            #"{ "id": "a", "onFailure": "skipDependents", "timeout": "1s", "work": { "simulate": "2s" } }"#,
            #"{ "id": "m", "after": ["a"], "work": { "simulate": "10ms" } }"#,
            head: #""milestone": "m", "#
        )
        try await expectCode(1, skipped)
        let verified = try await Self.run(["verify"], skipped).output
        #expect(verified.contains("warning: by what is expected the launch fails at m: a timed out\n"), "\(verified)")
        let beside = scenarioText(
            #"{ "id": "log", "timeout": "1s", "work": { "simulate": "2s" } }"#,
            #"{ "id": "m", "work": { "simulate": "3s" } }"#,
            head: #""milestone": "m", "budget": "4s", "#
        )
        try await expectCode(1, beside)
        #expect(try await Self.run(["verify"], beside).output.contains("log takes 2 s, and times out after 1 s, so the launch fails\n"))
        // On one lane it starts after the milestone.
        let plan = try await Self.run(["plan", "--lanes", "1,2"], beside)
        #expect(plan.code == 0 && plan.output.hasPrefix("  lanes") && !plan.output.contains("\nFAILED"), "\(plan)")
        #expect(try await Self.run(["plan"], beside).output.contains("\nFAILED  log: "))
        let missed = scenarioText(
            #"{ "id": "home", "timeout": "10ms", "onFailure": "continue", "work": { "simulate": "1s" } }"#,
            head: #""milestone": "home", "#
        )
        try await expectCode(3, missed)
    }

    @Test("what is over its budget for want of a resource, or of lanes, fails verify as it does run")
    func scarce() async throws {
        let steps = (0..<3).map { #"{ "id": "s\#($0)", "exclusive": ["disk"], "work": { "simulate": "400ms" } }"# }
        let text = scenarioText(steps.joined(separator: ",\n"), head: #""budget": "1s", "#)
        try await expectCode(3, text)
        let warning = "warning: by what is expected the launch takes 1.2 s of 1 s: s0 → s1 → s2\n"
        #expect(try await Self.run(["verify"], text).output.contains(warning))
    }

    @Test("what a launch puts off to keep its budget, verify and plan put off, and say so")
    func deferred() async throws {
        let text = scenarioText(
            #"{ "id": "load", "work": { "simulate": "300ms" } }"#,
            #"{ "id": "tips", "deferrable": true, "work": { "simulate": "980ms" } }"#,
            #"{ "id": "m", "after": ["load", "tips"], "work": { "simulate": "100ms" } }"#,
            head: #""milestone": "m", "budget": "1s", "#
        )
        try await expectCode(0, text)
        let note = "note: put off until after the milestone, to keep the budget: tips\n"
        #expect(try await Self.run(["verify"], text).output.hasSuffix(note))
        #expect(try await Self.run(["verify", "--json"], text).json()["deferred"] as? [String] == ["tips"])
        let plan = try await Self.run(["plan"], text).output
        #expect(plan.contains("\nPASS  400 ms of 1 s\n") && plan.contains("deferred") && plan.contains("longest path: 400 ms, load, m\n"))
        let json = try await Self.run(["plan", "--json"], text).json()
        let rows = try #require(((json["plans"] as? [[String: Any]])?.last)?["operations"] as? [[String: Any]])
        #expect(rows.map { $0["deferred"] as? Bool } == [nil, true, nil] && rows[1]["startMs"] as? Double == 400)
    }

    /// A scenario of a few steps, with timeouts, fallbacks, and what may be put off or cut.
    private static func scenario(_ random: inout SplitMix64, instant: String? = nil) -> String {
        let kinds = ["timeout", "deferrable", "cuttable"], kind = kinds[random.index(below: 3)]
        let count = 2 + random.index(below: 4)
        let operations = (0..<count).map { number in
            let after = (0..<number).filter { _ in random.index(below: 5) < 2 }.map { "\"s\($0)\"" }.joined(separator: ", ")
            let (time, limit) = (10 + 10 * random.index(below: 50), 10 + 10 * random.index(below: 50))
            let policy = ["required", "skipDependents", "continue"][random.index(below: 3)]
            var option = #""onFailure": "\#(policy)""#
            if random.index(below: 2) == 0 {
                switch kind {
                case "timeout": option += #", "timeout": "\#(limit)ms""#
                case "deferrable": if number < count - 1 { option += #", "deferrable": true"# }
                default: option = #""fallback": "x", "cuttable": true"#
                }
            }
            let id = "s\(number)"
            return #"{ "id": "\#(id)", "after": [\#(after)], \#(option), "work": { "simulate": "\#(id == instant ? 0 : time)ms" } }"#
        }
        let milestone = random.index(below: 3) > 0 ? #""milestone": "s\#(count - 1)", "# : ""
        let lanes = kind == "timeout" && random.index(below: 2) == 0 ? #""lanes": \#(1 + random.index(below: 2)), "# : ""
        return scenarioText(
            operations.joined(separator: ",\n"),
            head: milestone + lanes + #""budget": "\#(10 + 10 * random.index(below: 60))ms", "#
        )
    }

    @Test("verify and plan end as run does in virtual time, whatever times out, is put off or is cut")
    func agreement() async throws {
        for seed in 0..<UInt64(Nightly.times(day: 12, night: 200)) {
            var random = SplitMix64(seed: seed)
            try await expectCode(nil, Self.scenario(&random))
        }
    }

    @Test("a gain that blame tells is that of a launch in which the step takes no time, whatever times out, is put off or is cut")
    func gains() async throws {
        func launch(_ seed: UInt64, instant: String? = nil) async throws -> (text: String, measured: Double, isCompleted: Bool) {
            var random = SplitMix64(seed: seed)
            let text = Self.scenario(&random, instant: instant)
            let json = try await Self.run(["run", "--clock", "virtual", "--json"], text).json()
            let measured = try #require((json["budget"] as? [String: Any])?["measuredMs"] as? Double)
            return (text, measured, json["outcome"] as? String == "completed")
        }
        for seed in 0..<UInt64(Nightly.times(day: 12, night: 200)) {
            let usual = try await launch(seed)
            let blame = try await Self.run(["blame", "--json"], usual.text).json()
            for row in try #require(blame["operations"] as? [[String: Any]]) {
                guard let gain = row["gainMs"] as? Double else { continue }
                let other = try await launch(seed, instant: row["id"] as? String)
                #expect(usual.isCompleted && gain == max(0, usual.measured - other.measured), "\(row) of \(usual.text)")
            }
        }
    }

    @Test("blame tells what a launch gains that puts off or cuts otherwise then, and nothing of a launch that failed")
    func decidedGains() async throws {
        func gains(_ text: String) async throws -> [String: Double] {
            let rows = try #require(try await Self.run(["blame", "--json"], text).json()["operations"] as? [[String: Any]])
            return rows.reduce(into: [:]) { gains, row in gains[row["id"] as? String ?? ""] = row["gainMs"] as? Double }
        }
        let cut = scenarioText(
            #"{ "id": "c", "fallback": "x", "cuttable": true, "work": { "simulate": "200ms" } }"#,
            #"{ "id": "m", "after": ["c"], "work": { "simulate": "350ms" } }"#,
            head: #""milestone": "m", "budget": "100ms", "#
        )
        // Then `c` would be cut, which is of no use now.
        #expect(try #require(try await gains(cut)["m"]) > 350)
        let putOff = scenarioText(
            #"{ "id": "tips", "deferrable": true, "work": { "simulate": "250ms" } }"#,
            #"{ "id": "m", "after": ["tips"], "work": { "simulate": "260ms" } }"#,
            head: #""milestone": "m", "budget": "320ms", "#
        )
        // `tips` would be in time then, and be waited for.
        #expect(try await gains(putOff)["m"] == 10)
        let failed = scenarioText(
            #"{ "id": "a", "work": { "simulate": "30ms" } }"#,
            #"{ "id": "t", "timeout": "300ms", "after": ["a"], "work": { "simulate": "500ms" } }"#,
            head: #""milestone": "t", "#
        )
        #expect(try await gains(failed).isEmpty)
    }

    @Test("a time that nobody knows is told by each JSON beside its verdict, and has no gain; stats counts launches with a part of it")
    func unknown() async throws {
        let work = #""work": { "command": ["sleep", "1"] } }"#
        func text(_ last: String) -> String {
            scenarioText(#"{ "id": "a", \#(work)"#, #"{ "id": "m", "after": ["a"], \#(last)"#, head: #""milestone": "m", "budget": "1s", "#)
        }
        let nothing = text(work)
        let run = try await Self.run(["run", "--clock", "virtual", "--strict", "--json"], nothing)
        let budget = try #require(try run.json()["budget"] as? [String: Any])
        #expect(run.code == 5 && budget["unknown"] as? [String] == ["a", "m"] && budget["timeIsUnknown"] as? Bool == true)
        let plan = try #require(try await Self.run(["plan", "--json"], nothing).json()["plans"] as? [[String: Any]])
        #expect(plan.allSatisfy { $0["unknown"] as? [String] == ["a", "m"] && $0["timeIsUnknown"] as? Bool == true })
        let bench = try await Self.run(["bench", "--clock", "virtual", "--runs", "2", "--json"], nothing).json()
        #expect((bench["scenarios"] as? [[String: Any]])?.first?["timeIsUnknown"] as? Bool == true)
        let part = text(#""work": { "simulate": "9ms" } }"#)
        let rows = try #require(try await Self.run(["blame", "--json"], part).json()["operations"] as? [[String: Any]])
        #expect(rows.map { $0["gainMs"] as? Double } == [9, nil])
        let blame = try await Self.run(["blame"], part).output
        #expect(blame.contains("\n  ? unknown: nobody knows how long that takes\n") && !blame.contains("uncertain"), "\(blame)")
        let report = try await Self.run(["run", "--clock", "virtual", "--json-lines"], part).output
        let known = try await Self.run(["stats", "--json"], report).json()["total"] as? [String: Any]
        #expect(known?["partlyUnknownTimes"] as? Int == 1 && known?["unknownTimes"] == nil)
        #expect(
            try await Self.run(["stats"], report).output.contains("\n  1 of 1 needed operations of which nobody knows how long they take")
        )
    }

    @Test("a milestone that fell back passes by its time, each form says so, and --strict does not accept it")
    func fallbackOfMilestone() async throws {
        let text = scenarioText(
            #"{ "id": "m", "timeout": "50ms", "fallback": "x", "work": { "simulate": "100ms" } }"#,
            head: #""milestone": "m", "budget": "1s", "#
        )
        try await expectCode(0, text)
        let run = try await Self.run(["run", "--clock", "virtual", "--strict"], text)
        #expect(run.code == 1 && run.output.contains("\nPASS  50 ms of 1 s; milestone fell back: "), "\(run)")
        let report = try await Self.run(["run", "--clock", "virtual", "--json"], text)
        #expect(try report.json()["milestoneOutcome"] as? String == "fellBack")
        for format in ["markdown", "html", "svg", "chrome"] {
            let output = try await Self.run(["report", "--format", format], report.output).output
            #expect(output.contains("pass: 50 ms of 1 s; milestone fell back"), "\(format): \(output)")
        }
        let plans = try #require(try await Self.run(["plan", "--json"], text).json()["plans"] as? [[String: Any]])
        #expect(plans.allSatisfy { $0["verdict"] as? String == "pass" && $0["milestoneOutcome"] as? String == "fellBack" })
        #expect(try await Self.run(["plan"], text).output.contains("PASS 50 ms of 1 s, the milestone fell back\n"))
    }

    @Test("A plan cuts when the launch does, also where nobody knows how long a step behind takes")
    func cutBeforeUnknown() async throws {
        let file = scenarioText(
            #"{ "id": "config", "cuttable": true, "fallback": "bundled", "work": { "simulate": "1450ms" } }"#,
            #"{ "id": "unknown", "on": "main", "after": ["config"], "work": { "command": ["unknown"] } }"#,
            #"{ "id": "layout", "after": ["unknown"], "work": { "simulate": "1700ms" } }"#,
            head: #""budget": "1800ms","#
        )
        let plan = try await Tool.run("plan", "-", "--lanes", "2", "--json", input: file).json()
        let run = try await Tool.run("run", "-", "--clock", "virtual", "--lanes", "2", "--json", input: file).json()
        let plans = try #require(plan["plans"] as? [[String: Any]])
        #expect(plans.first?["makespanMs"] as? Double == run["makespanMs"] as? Double, "\(plan) \(run)")
    }
}
