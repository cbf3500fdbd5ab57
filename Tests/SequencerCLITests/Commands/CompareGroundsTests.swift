import Foundation
import Sequencer
import SequencerAnalysis
import TestSupport
import Testing

@testable import sequencer_cli

/// Times of different work are not compared.
@Suite("compare, of launches that end otherwise", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CompareGroundsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A saved bench of runs whose times lie around this, in milliseconds.
    private func bench(
        _ time: Int,
        runs: Int,
        milestone: String? = nil,
        clock: ClockMode = .wall,
        _ operations: [String: [Outcome: Int]] = [:]
    ) throws -> String {
        var scenario = BenchedScenario(name: "regular", budget: .seconds(3))
        let times = (0..<runs).map { Duration.milliseconds(clock == .wall ? time + $0 % 5 : time) }
        scenario.runs = times.map { BenchRun(outcome: .completed, isMet: true, measured: $0, makespan: $0, interactive: .zero) }
        scenario.milestone = milestone
        scenario.operations = operations.sorted { $0.key < $1.key }.map { id, counts in
            var outcomes = OutcomeCounts()
            for (outcome, count) in counts { outcomes.add(outcome, count) }
            return BenchedOperation(id: id, durations: times, dependencies: [], outcomes: outcomes)
        }
        let machine = BenchMachine(system: "Linux", architecture: "x86_64", processors: 4, name: "Model 7")
        let document = BenchDocument(toolVersion: "0.1.0", machine: machine, clock: clock, warmups: 1, scenarios: [scenario])
        return try folder.write(document.json(), to: "\(UUID()).json")
    }

    @Test(
        "An operation that fails, falls back or is absent more often than before is named; the verdict goes by what chance explains",
        arguments: [
            // Of 30 runs on either side.
            (
                [.succeeded: 29, .failed: 1], [.succeeded: 10, .failed: 20],
                "CHANGED  a: 29 succeeded, 1 failed → 10 succeeded, 20 failed: ", 4
            ),
            ([.succeeded: 29, .fellBack: 1], [.succeeded: 22, .fellBack: 8], "INCONCLUSIVE  a: 29 succeeded, 1 fell back → ", 5),
            ([.succeeded: 27, .failed: 3], [.succeeded: 26, .failed: 4], "IMPROVED  ", 0),
            ([.succeeded: 30], [.succeeded: 12], "CHANGED  a: 30 succeeded → 12 succeeded, 18 absent: ", 4),
            ([.succeeded: 30], [.succeeded: 29], "INCONCLUSIVE  a: 30 succeeded → 29 succeeded, 1 absent, which chance may explain; ", 5),
            ([.succeeded: 12], [.succeeded: 30], "CHANGED  a: 12 succeeded, 18 absent → 30 succeeded: ", 4),
            // One that is new.
            ([:], [.failed: 30], "CHANGED  a: absent → 30 failed: ", 4),
            ([:], [.succeeded: 29, .failed: 1], "INCONCLUSIVE  a: absent → 29 succeeded, 1 failed, new, and not always successful\n", 5),
            ([:], [.succeeded: 30], "IMPROVED  ", 0), ([:], [.skipped: 30], "IMPROVED  ", 0),
        ] as [([Outcome: Int], [Outcome: Int], String, Int32)]
    )
    func risingFailures(before: [Outcome: Int], after: [Outcome: Int], verdict: String, code: Int32) async throws {
        defer { folder.remove() }
        let first = try bench(300, runs: 30, before.isEmpty ? [:] : ["a": before])
        let result = try await Tool.run("compare", first, try bench(100, runs: 30, ["a": after]), "--strict")
        #expect(result.code == code && result.output.contains("\n" + verdict), "\(result.output)")
        // What changes no verdict is told, too.
        let isWorse = after[.failed, default: 0] > 0 || after[.fellBack, default: 0] > 0
        if isWorse { #expect(result.output.contains("\n  ended   a: "), "\(result.output)") }
    }

    @Test("Of fewer than six runs nobody knows whether chance explains failures that come more often: INCONCLUSIVE", arguments: [2, 3, 5])
    func risingInFewRuns(runs: Int) async throws {
        defer { folder.remove() }
        let first = try bench(300, runs: runs, clock: .virtual, ["a": [.succeeded: runs - 1, .failed: 1]])
        let result = try await Tool.run("compare", first, try bench(300, runs: runs, clock: .virtual, ["a": [.failed: runs]]), "--strict")
        #expect(result.output.contains("INCONCLUSIVE  a: ") && result.code == 5, "\(result.output)")
    }

    @Test("An operation that is absent from some runs says so in JSON")
    func absentRuns() async throws {
        defer { folder.remove() }
        let first = try bench(300, runs: 30, ["a": [.succeeded: 30]])
        let json = try await Tool.call("compare", first, try bench(100, runs: 30, ["a": [.succeeded: 12]]), "--json").json()
        let comparison = try #require((json["comparisons"] as? [[String: Any]])?.first)
        let outcomes = try #require((comparison["outcomes"] as? [[String: Any]])?.first)
        #expect(outcomes["before"] as? [String: Int] == ["succeeded": 30])
        #expect(outcomes["after"] as? [String: Int] == ["succeeded": 12, "absent": 18])
    }

    @Test("Times to different milestones are neither better nor worse nor the same: CHANGED, code 4", arguments: [100, 300, 900])
    func milestones(time: Int) async throws {
        defer { folder.remove() }
        let first = try bench(300, runs: 10, milestone: "home", ["home": [.succeeded: 10]])
        for (second, words) in [("main", "home → main"), (nil, "home → none")] as [(String?, String)] {
            let after = try bench(time, runs: 9, milestone: second, ["home": [.succeeded: 9], "main": [.succeeded: 9]])
            let result = try await Tool.run("compare", first, after)
            let verdict = "\nCHANGED  milestone: \(words): the times end at different operations\n"
            #expect(result.code == 4 && result.output.hasSuffix(verdict), "\(result.output)")
            let json = try await Tool.call("compare", first, after, "--json").json()
            let comparison = try #require((json["comparisons"] as? [[String: Any]])?.first)
            #expect(comparison["verdict"] as? String == "changed")
            #expect(
                comparison["milestones"] as? [String: String] == (second.map { ["before": "home", "after": $0] } ?? ["before": "home"])
            )
        }
    }

    @Test(
        "A step that nobody knows the duration of any longer makes nothing faster, and one that nobody knew makes nothing slower: INCONCLUSIVE"
    )
    func unknownDuration() async throws {
        defer { folder.remove() }
        func bench(_ expected: String, _ name: String, _ words: String...) async throws -> (path: String, result: Tool.Result) {
            let text = scenarioText(
                #"{ "id": "config"\#(expected), "work": { "command": ["config"] } }"#,
                #"{ "id": "home", "after": ["config"], "work": { "simulate": "100ms" } }"#,
                head: #""milestone": "home", "#
            )
            let path = folder.file(name).path
            let scenario = try folder.write(text, to: "launch.json")
            return (path, try await Tool.run(["bench", scenario, "--clock", "virtual", "--save", path, "--strict"] + words))
        }
        let known = try await bench(#", "expected": "300ms""#, "known.json").path
        let (unknown, result) = try await bench("", "unknown.json", "--baseline", known)
        let words = "\nINCONCLUSIVE  nobody knows how long config takes after, where it counts as 0 ms; give a duration that is expected\n"
        #expect(result.code == 5 && result.output.contains(words), "\(result)")
        #expect(result.output.contains("\n  unknown   nobody knows how long config takes\n"), "\(result)")
        let comparison = try await Tool.call("compare", known, unknown, "--json").json()
        let change = try #require((comparison["comparisons"] as? [[String: Any]])?.first)
        #expect(change["verdict"] as? String == "inconclusive" && change["unknownAfter"] as? [String] == ["config"])
        let back = try await Tool.run("compare", unknown, known, "--strict")
        #expect(back.code == 5 && back.output.contains("\nINCONCLUSIVE  nobody knows how long config takes before, "), "\(back)")
        // Of a time that is unknown on either side nobody knows whether it is the same.
        let both = try await Tool.run("compare", unknown, unknown, "--strict")
        let doubt = "\nINCONCLUSIVE  nobody knows how long config takes on either side, where it counts as 0 ms; "
        #expect(both.code == 5 && both.output.contains(doubt), "\(both)")
    }

    /// Tips that are shown before the milestone, if they can be, within a budget of a second.
    private func tips(_ time: String) -> String {
        scenarioText(
            #"{ "id": "load", "work": { "simulate": "100ms" } }"#,
            #"{ "id": "tips", "deferrable": true, "work": { "simulate": "\#(time)" } }"#,
            #"{ "id": "home", "after": ["load", "tips"], "work": { "simulate": "50ms" } }"#,
            head: #""milestone": "home", "budget": "1s", "#
        )
    }

    @Test(
        "A step that is put off past the milestone, or no longer is, makes nothing faster or slower: CHANGED, code 4, in every comparison"
    )
    func deferral() async throws {
        defer { folder.remove() }
        let (fast, slow) = (try folder.write(tips("300ms"), to: "fast.json"), try folder.write(tips("980ms"), to: "slow.json"))
        let before = folder.file("before.json").path, after = folder.file("after.json").path
        let bench = ["bench", "--clock", "virtual", "--strict"]
        #expect(try await Tool.run(bench + [fast, "--save", before]).code == 0)
        let saved = try await Tool.run(bench + [slow, "--baseline", before, "--save", after])
        let words = "10 succeeded → 10 succeeded, 10 of them put off past the milestone"
        #expect(saved.output.contains("\n  tips: 10 succeeded, 10 of them put off past the milestone\n"), "\(saved)")
        // Put off, it holds up nothing: the launch is as much shorter as it took before.
        #expect(saved.output.contains("\n  tips *     +680 ms  -200 ms (100%)  300 ms  980 ms"), "\(saved)")
        for result in [saved, try await Tool.run(bench + [fast, "--interleave", slow]), try await Tool.run("compare", before, after)] {
            #expect(result.code == 4 && result.output.contains("\nCHANGED  tips: \(words): "), "\(result)")
        }
        let back = try await Tool.run("compare", after, before)
        #expect(
            back.code == 4 && back.output.contains("\nCHANGED  tips: 10 succeeded, 10 of them put off past the milestone → "),
            "\(back)"
        )
        #expect(try await Tool.run("compare", after, after, "--strict").output.contains("\nSAME  "))
        let json = try await Tool.call("compare", before, after, "--json").json()
        let change = try #require(((json["comparisons"] as? [[String: Any]])?.first?["outcomes"] as? [[String: Any]])?.first)
        #expect(change["id"] as? String == "tips" && change["deferredAfter"] as? Int == 10 && change["deferredBefore"] == nil)
        var reports: [String] = []
        for (scenario, name) in [(fast, "fast.jsonl"), (slow, "slow.jsonl")] {
            let line = try await Tool.call("run", scenario, "--clock", "virtual", "--json-lines").output
            reports.append(try folder.write(line + line, to: name))
        }
        #expect(try await Tool.run(["compare"] + reports).code == 4)
    }

    @Test("A step that is put off now and then, as chance may have it, makes nothing faster: INCONCLUSIVE")
    func rareDeferral() {
        func ends(_ deferrals: Int) -> LaunchEnds {
            var counts = OutcomeCounts()
            counts.add(.succeeded, 10)
            counts.deferrals = deferrals
            return LaunchEnds(runs: 10, completed: 10, milestone: nil, outcomes: [("tips", counts)])
        }
        for (before, after, verdict) in [(0, 1, ChangeVerdict.inconclusive), (0, 10, .changed), (10, 0, .changed), (4, 4, .improved)] {
            #expect(EndsChange(from: ends(before), to: ends(after)).verdict(.improved) == verdict, "\(before) \(after)")
        }
    }

    @Test("A scenario that only one file has is named: CHANGED where it is gone, INCONCLUSIVE where it is new")
    func missingScenarios() async throws {
        defer { folder.remove() }
        func launch(_ name: String) throws -> String {
            let text = scenarioText(#"{ "id": "home", "work": { "simulate": "100ms" } }"#).replacing(#""test""#, with: "\"\(name)\"")
            return try folder.write(text, to: "\(name).json")
        }
        let (a, b) = (try launch("A"), try launch("B"))
        let one = folder.file("one.bench").path, two = folder.file("two.bench").path
        let bench = ["bench", a, "--clock", "virtual"]
        _ = try await Tool.run(bench + ["--save", one])
        _ = try await Tool.run(bench + ["--interleave", b, "--save", two])
        let lines = try await Tool.call("run", a, "--clock", "virtual", "--json-lines").output
        let others = try await Tool.call("run", b, "--clock", "virtual", "--json-lines").output
        let files = (try folder.write(lines + lines, to: "one.jsonl"), try folder.write(lines + others + lines + others, to: "two.jsonl"))
        for (one, two) in [(one, two), files] {
            let gone = try await Tool.run("compare", two, one)
            #expect(gone.code == 4 && gone.output.contains("\nSAME  "), "\(gone)")
            #expect(gone.output.hasSuffix("\nCHANGED  not measured after: B\n"), "\(gone)")
            let new = try await Tool.run("compare", one, two, "--strict")
            #expect(new.code == 5 && new.output.hasSuffix("\nINCONCLUSIVE  not measured before: B\n"), "\(new)")
            #expect(try await Tool.run("compare", one, two).code == 0)
            let (first, second) = (try await Tool.run("compare", two, one, "--json"), try await Tool.run("compare", one, two, "--json"))
            #expect(try first.json()["onlyBefore"] as? [String] == ["B"] && first.json()["onlyAfter"] == nil)
            #expect(try second.json()["onlyAfter"] as? [String] == ["B"] && second.json()["onlyBefore"] == nil)
        }
    }

    @Test(
        "Benches and reports of earlier versions, without keys that this one writes, are never IMPROVED",
        arguments: ["unknown", "deferredRuns"]
    )
    func earlierForms(key: String) async throws {
        defer { folder.remove() }
        let (slow, fast) = (
            try bench(300, runs: 10, clock: .virtual, ["a": [.succeeded: 10]]),
            try bench(100, runs: 10, clock: .virtual, ["a": [.succeeded: 10]])
        )
        func old(_ path: String) throws -> String {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let old = try Regex(#""\#(key)": [^,]*,\s*"#)
            #expect(text.contains(old))
            return try folder.write(text.replacing(old, with: ""), to: "old.json")
        }
        #expect(try await Tool.run("compare", slow, fast).output.contains("\nIMPROVED  "))
        let words = "\nINCONCLUSIVE  the bench before does not say how its operations ended, which were put off "
        let result = try await Tool.run("compare", try old(slow), fast, "--strict")
        #expect(result.code == 5 && result.output.contains(words), "\(result)")
        #expect(try await Tool.run("compare", try old(fast), slow).code == 4)
    }

    @Test(
        "Reports that name neither a date nor a clock need six runs, and what takes no time in them is unknown; newer ones are comparable"
    )
    func namelessClock() async throws {
        defer { folder.remove() }
        func lines(_ time: String, _ work: String, runs: Int, isOld: Bool = true) async throws -> String {
            let text = scenarioText(
                #"{ "id": "config", "work": \#(work) }"#,
                #"{ "id": "home", "after": ["config"], "work": { "simulate": "\#(time)" } }"#,
                head: #""milestone": "home", "#
            )
            let line = try await Tool.call("run", "-", "--clock", "virtual", "--json-lines", input: text).output
            let old = line.replacing(#""clock":"virtual","#, with: "").replacing(/"(c|notC)ontrolled":\[[^\]]*\],/, with: "")
            #expect(old != line)
            return try folder.write(String(repeating: isOld ? old : line, count: runs), to: "\(UUID()).jsonl")
        }
        let known = #"{ "simulate": "9ms" }"#, unknown = #"{ "command": ["config"] }"#
        for (work, runs, isOld, words) in [
            (known, 2, true, "INCONCLUSIVE  too few runs: 2 against 2"), (known, 6, true, "IMPROVED  "), (known, 6, false, "IMPROVED  "),
            (unknown, 6, true, "INCONCLUSIVE  nobody knows how long config takes on either side"),
        ] {
            let (before, after) = (try await lines("300ms", work, runs: runs), try await lines("100ms", work, runs: runs, isOld: isOld))
            let result = try await Tool.run("compare", before, after)
            #expect(result.code == 0 && result.output.contains("\n" + words), "\(result)")
        }
    }

    @Test("A bench whose milestone is no operation, or that was put off more often than it ran, is refused")
    func brokenBench() async throws {
        defer { folder.remove() }
        let text = try String(contentsOfFile: try bench(100, runs: 2, milestone: "a", ["a": [.succeeded: 2]]), encoding: .utf8)
        for (old, new, words) in [
            (#""milestone": "a""#, #""milestone": "b""#, "scenarios[0].milestone: there is no operation 'b'"),
            (#""deferredRuns": 0"#, #""deferredRuns": 3"#, "scenarios[0].operations[0].deferredRuns: expected 0 to 2, found 3"),
        ] {
            #expect(text.contains(old))
            let path = try folder.write(text.replacing(old, with: new), to: "broken.json")
            let result = try await Tool.run("compare", path, path)
            #expect(result.code == 65 && result.messages.contains(words), "\(result)")
        }
    }

    @Test("The times of runs whose milestone failed are no times to it: compare and stats count them and leave them out")
    func missedMilestones() async throws {
        defer { folder.remove() }
        let text = scenarioText(
            #"{ "id": "config", "work": { "simulate": "300ms" } }"#,
            #"{ "id": "home", "after": ["config"], "onFailure": "continue", "work": { "simulate": "200ms" } }"#,
            head: #""milestone": "home", "#
        )
        let launch = try folder.write(text, to: "launch.json")
        let virtual = [launch, "--clock", "virtual"], fault = ["--inject", "home=fail"]
        let good = try await Tool.run(["run", "--json-lines"] + virtual).output
        let bad = try await Tool.run(["run", "--json-lines"] + virtual + fault).output
        let some = try folder.write(String(repeating: good, count: 6) + String(repeating: bad, count: 4), to: "some.jsonl")
        let stats = try await Tool.run("stats", some)
        #expect(stats.output.contains("\n  4 of 10 did not reach their milestone, and are not in the times\n"), "\(stats)")
        let total = try #require(try await Tool.call("stats", some, "--json").json()["total"] as? [String: Any])
        let times = try #require((total["outcomes"] as? [[String: Any]])?.first)
        #expect(total["missedMilestone"] as? Int == 4 && total["launches"] as? Int == 10)
        #expect(times["launches"] as? Int == 6 && times["minMs"] as? Double == 500 && times["maxMs"] as? Double == 500)
        let compared = try await Tool.run("compare", some, some).output
        #expect(compared.contains("  6 against 6 completed runs\n"), "\(compared)")
        #expect(compared.contains("\n  after: 4 of 10 did not reach their milestone, not in the times\n"), "\(compared)")
    }

    @Test("Reports of one scenario with different milestones are no bench")
    func mixedMilestones() async throws {
        defer { folder.remove() }
        var lines = ""
        for milestone in ["a", "b"] {
            let text = scenarioText(#"{ "id": "a" }, { "id": "b" }"#, head: #""milestone": "\#(milestone)", "#)
            lines += try await Tool.call("run", "-", "--clock", "virtual", "--json-lines", input: text).output
        }
        let file = try folder.write(lines, to: "mixed.jsonl")
        let result = try await Tool.run("compare", file, file)
        #expect(
            result.code == 65 && result.messages.contains("some launches of 'test' end with 'a', others with 'b'; "),
            "\(result.messages)"
        )
    }

    @Test("Where the milestone fails on both sides, its time is none: INCONCLUSIVE")
    func missedMilestone() async throws {
        defer { folder.remove() }
        for (failed, verdict) in [(10, "INCONCLUSIVE  home: 10 failed before, "), (1, "IMPROVED  ")] {
            let outcomes: [String: [Outcome: Int]] = ["home": [.succeeded: 10 - failed, .failed: failed]]
            let first = try bench(300, runs: 10, milestone: "home", outcomes)
            let result = try await Tool.run("compare", first, try bench(100, runs: 10, milestone: "home", outcomes))
            #expect(result.code == 0 && result.output.contains("\n" + verdict), "\(result.output)")
        }
    }
}
