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
        let json = try await Tool.run("compare", first, try bench(100, runs: 30, ["a": [.succeeded: 12]]), "--json").json()
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
            let json = try await Tool.run("compare", first, after, "--json").json()
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
        let comparison = try await Tool.run("compare", known, unknown, "--json").json()
        let change = try #require((comparison["comparisons"] as? [[String: Any]])?.first)
        #expect(change["verdict"] as? String == "inconclusive" && change["unknownAfter"] as? [String] == ["config"])
        let back = try await Tool.run("compare", unknown, known, "--strict")
        #expect(back.code == 5 && back.output.contains("\nINCONCLUSIVE  nobody knows how long config takes before, "), "\(back)")
        // What is as unknown as before says nothing against the rest.
        #expect(try await Tool.run("compare", unknown, unknown, "--strict").output.contains("\nSAME  "))
    }

    @Test("The times of runs whose milestone failed are no times to it: bench, compare and stats count them and leave them out")
    func missedMilestones() async throws {
        defer { folder.remove() }
        let text = scenarioText(
            #"{ "id": "config", "work": { "simulate": "300ms" } }"#,
            #"{ "id": "home", "after": ["config"], "onFailure": "continue", "work": { "simulate": "200ms" } }"#,
            head: #""milestone": "home", "#
        )
        let launch = try folder.write(text, to: "launch.json")
        let virtual = [launch, "--clock", "virtual"], fault = ["--inject", "home=fail"]
        let bench = try await Tool.run(["bench"] + virtual + fault)
        #expect(bench.output.contains("\n  no run reached its milestone: there is no time to tell\n"), "\(bench)")
        #expect(bench.output.contains("10 of 10 did not reach their milestone") && !bench.output.contains("\n  median"), "\(bench)")
        let json = try await Tool.run(["bench", "--json"] + virtual + fault).json()
        let summary = try #require((json["scenarios"] as? [[String: Any]])?.first?["summary"] as? [String: Any])
        #expect(summary["missedMilestone"] as? Int == 10 && summary["completed"] as? Int == 10 && summary["medianMs"] is NSNull)
        #expect(try await Tool.run(["bench", "--format", "github-action-benchmark"] + virtual + fault).output == "[]\n")

        let good = try await Tool.run(["run", "--json-lines"] + virtual).output
        let bad = try await Tool.run(["run", "--json-lines"] + virtual + fault).output
        let some = try folder.write(String(repeating: good, count: 6) + String(repeating: bad, count: 4), to: "some.jsonl")
        let stats = try await Tool.run("stats", some)
        #expect(stats.output.contains("\n  4 of 10 did not reach their milestone, and are not in the times\n"), "\(stats)")
        let total = try #require(try await Tool.run("stats", some, "--json").json()["total"] as? [String: Any])
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
            lines += try await Tool.run("run", "-", "--clock", "virtual", "--json-lines", input: text).output
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
