import Foundation
import Sequencer
import SequencerAnalysis
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("compare", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CompareCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A saved bench of runs that take these times, in milliseconds; `login` takes all of it but 100 ms.
    ///
    /// - Parameter processor: the processor time of each run, in milliseconds.
    private func bench(
        _ name: String,
        _ times: [Int],
        clock: ClockMode = .wall,
        processors: Int = 4,
        at span: BenchSpan? = nil,
        processor: Int? = nil
    ) throws -> String {
        var scenario = BenchedScenario(name: "regular", budget: .seconds(3))
        scenario.runs = times.map {
            BenchRun(
                outcome: .completed,
                isMet: $0 <= 3000,
                measured: .milliseconds($0),
                makespan: .milliseconds($0),
                interactive: .zero,
                processor: processor.map { .milliseconds($0) }
            )
        }
        var outcomes = OutcomeCounts()
        outcomes.add(.succeeded, times.count)
        func operation(_ id: String, _ durations: [Duration], after dependencies: [String]) -> BenchedOperation {
            BenchedOperation(id: id, durations: durations, criticalRuns: times.count, dependencies: dependencies, outcomes: outcomes)
        }
        scenario.operations = [
            operation("splash", times.map { _ in .milliseconds(100) }, after: []),
            operation("login", times.map { .milliseconds($0 - 100) }, after: ["splash"]),
        ]
        let machine = BenchMachine(system: "Linux", architecture: "x86_64", processors: processors, name: "Model 7")
        let document = BenchDocument(toolVersion: "0.1.0", machine: machine, clock: clock, warmups: 1, span: span, scenarios: [scenario])
        return try folder.write(document.json(), to: name + ".json")
    }

    private static let before = [1000, 1010, 990, 1005, 995, 1020, 980, 1002, 998, 1015]

    @Test("Benches at the same time are compared at the threshold that was asked for; those taken apart say so, and ask for turns")
    func apart() async throws {
        defer { folder.remove() }
        func span(_ hours: Double, _ load: Double) -> BenchSpan {
            let begin = Date(timeIntervalSince1970: 1_700_000_000 + hours * 3600)
            return BenchSpan(begin: begin, end: begin + 60, loadAtBegin: load, loadAtEnd: load)
        }
        let before = try bench("a", Self.before, at: span(0, 0.1))
        let slower = Self.before.map { $0 + 100 }
        let together = try await Tool.run("compare", before, try bench("b", slower, at: span(0, 0.1)))
        #expect(together.code == 4 && together.output.hasSuffix("REGRESSION  slower by more than 5%\n"))
        #expect(!together.output.contains("apart"))
        let later = try await Tool.run("compare", before, try bench("c", slower, at: span(5.5, 0.1)), "--strict")
        #expect(later.code == 5)
        #expect(later.output.contains("\n  apart   taken 5.48 h apart, not in turns: only a change of more than 9.2% counts\n"))
        #expect(later.output.contains("than 9.2%; measure both in turns ('bench --command' twice)\n"))
        let much = Self.before.map { $0 + 300 }
        let busier = try await Tool.run("compare", before, try bench("d", much, at: span(0.1, 2.1)))
        #expect(busier.code == 0)
        #expect(busier.output.contains("INCONCLUSIVE  the machine alone may have made the change; measure both in turns"))
        #expect(busier.output.contains("apart   taken 5 min apart, not in turns and on a machine that was not as busy: only a change of"))
        let json = try await Tool.call("compare", before, folder.file("d.json").path, "--json").json()
        let comparison = try #require((json["comparisons"] as? [[String: Any]])?.first)
        let apart = try #require(comparison["apart"] as? [String: Any])
        #expect(apart["askedThreshold"] as? Double == 0.05 && apart["seconds"] as? Double == 300)
        let (threshold, ratio) = (comparison["threshold"] as? Double, apart["loadRatio"] as? Double)
        #expect(try #require(threshold) > 1)
        #expect(try #require(ratio) > 1.4)
    }

    @Test("A launch that waits is slower where the machine was busier: only what computes takes longer there")
    func waiting() async throws {
        defer { folder.remove() }
        func span(_ load: Double) -> BenchSpan {
            let begin = Date(timeIntervalSince1970: 1_700_000_000 + load * 3600)
            return BenchSpan(begin: begin, end: begin + 60, loadAtBegin: load, loadAtEnd: load)
        }
        func compare(processor: Int?) async throws -> Tool.Result {
            let times = (0..<8).map { 758 + $0 }
            let before = try bench("before", times, at: span(0), processor: processor)
            let after = try bench("after", times.map { $0 + 100 }, at: span(0.8), processor: processor)
            return try await Tool.run("compare", before, after, "--strict")
        }
        for processor in [nil, 900] {
            let computing = try await compare(processor: processor)
            #expect(computing.code == 5 && computing.output.contains("only a change of more than 57.2% counts"))
            #expect(computing.output.contains("\nINCONCLUSIVE  the machine alone may have made the change"))
        }
        let waiting = try await compare(processor: 15)
        #expect(waiting.code == 4, "\(waiting)")
        #expect(waiting.output.contains("+13.1%") && waiting.output.contains("p = 0.0002 (exact)"), "\(waiting.output)")
        #expect(waiting.output.contains(", of launches that compute 2.0% of their time: only a change of"))
        #expect(waiting.output.hasSuffix("%, in benches taken apart\n"))
        #expect(waiting.output.contains("\nREGRESSION  slower"))
        let files = ["before.json", "after.json"].map { folder.file($0).path }
        let json = try await Tool.call(["compare"] + files + ["--json"]).json()
        let comparison = try #require((json["comparisons"] as? [[String: Any]])?.first)
        let share = try #require((comparison["apart"] as? [String: Any])?["processorShare"] as? Double)
        #expect(share > 0.01 && share < 0.03)
        let login = try #require((comparison["operations"] as? [[String: Any]])?.first)
        #expect(login["accountsForShare"] as? Double == 1)
    }

    @Test("How many runs did not complete is told")
    func incomplete() async throws {
        defer { folder.remove() }
        let (before, after) = (folder.file("before.json").path, folder.file("after.json").path)
        let bench = ["bench", "regular", "--clock", "virtual", "--runs", "2", "--warmup", "0"]
        #expect(try await Tool.call(bench + ["--save", before]).code == 0)
        #expect(try await Tool.call(bench + ["--save", after, "--inject", "login=fail"]).code == 1)
        let text = try await Tool.call("compare", before, after)
        #expect(text.code == 4 && text.output.contains("  after: 2 failed, not in the times\n"), "\(text.output)")
        let json = try await Tool.call("compare", before, after, "--json").json()
        let comparison = try #require((json["comparisons"] as? [[String: Any]])?.first)
        #expect(comparison["beforeRuns"] as? [String: Int] == ["completed": 2])
        #expect(comparison["afterRuns"] as? [String: Int] == ["failed": 2])
    }

    @Test("Faster is a success; so is no change")
    func improvement() async throws {
        defer { folder.remove() }
        let (slow, fast) = (try bench("a", Self.before), try bench("b", Self.before.map { $0 - 200 }))
        let result = try await Tool.run("compare", slow, fast)
        #expect(result.code == 0)
        #expect(result.output.hasSuffix("IMPROVED  faster by more than 9.2%, in benches taken apart\n"))
        let same = try await Tool.run("compare", slow, slow, "--strict")
        #expect(same.code == 0)
        #expect(same.output.hasSuffix("SAME  neither faster nor slower by more than 9.2%, in benches taken apart\n"))
    }

    @Test("Too few runs, or too much noise, are no regression: inconclusive, an error only with --strict")
    func inconclusive() async throws {
        defer { folder.remove() }
        let few = (try bench("a", [1000, 1001, 1002]), try bench("b", [1200, 1201, 1202]))
        let lenient = try await Tool.run("compare", few.0, few.1)
        #expect(lenient.code == 0)
        #expect(lenient.output.hasSuffix("INCONCLUSIVE  too few runs: 3 against 3; measure at least 6 of each\n"))
        let one = try await Tool.run("compare", few.0, try bench("e", Self.before))
        #expect(one.output.hasSuffix("INCONCLUSIVE  too few runs: 3 against 10; measure at least 6 before\n"), "\(one.output)")
        #expect(try await Tool.run("compare", few.0, few.1, "--strict").code == 5)
        let noise = (try bench("c", [500, 2000, 900, 1700, 1000, 1200]), try bench("d", [700, 2100, 800, 1500, 1300, 900]))
        let noisy = try await Tool.run("compare", noise.0, noise.1, "--strict")
        #expect(noisy.code == 5)
        #expect(noisy.output.contains("INCONCLUSIVE  the change may be more or less than 9.2%"))
    }

    /// A fault of the scenario, and what it makes of the step `config`, which takes 300 ms otherwise.
    @Test(
        "A step that begins to fail, to fall back or to be skipped is no improvement: CHANGED, with its name and counts, code 4",
        arguments: [
            (#""onFailure": "continue""#, "config=fail", "config: 10 succeeded → 10 failed"),
            (#""fallback": "bundled""#, "config=fail", "config: 10 succeeded → 10 fell back"),
            (#""onFailure": "continue", "timeout": "400ms""#, "config=hang", "config: 10 succeeded → 10 timed out"),
            (#""onFailure": "skipDependents""#, "config=fail", "news: 10 succeeded → 10 skipped"),
        ]
    )
    func outcomes(policy: String, fault: String, words: String) async throws {
        defer { folder.remove() }
        let path = try folder.write(
            scenarioText(
                #"{ "id": "splash", "work": { "simulate": "20ms" } }"#,
                #"{ "id": "config", \#(policy), "work": { "simulate": "300ms" } }"#,
                #"{ "id": "news", "after": ["config"], "onFailure": "continue", "work": { "simulate": "10ms" } }"#,
                #"{ "id": "main", "after": [{ "id": "news", "onFailure": "continue" }], "work": { "simulate": "50ms" } }"#
            )
        )
        let (before, after) = (folder.file("before.json").path, folder.file("after.json").path)
        let bench = ["bench", path, "--clock", "virtual", "--runs", "10"]
        #expect(try await Tool.run(bench + ["--save", before]).code == 0)
        let changed = try await Tool.run(bench + ["--inject", fault, "--baseline", before, "--save", after])
        #expect(changed.code == 4 && changed.output.contains("\nCHANGED  "), "\(changed.output)")
        #expect(changed.output.contains("\n  ended   \(words)\n"), "\(changed.output)")
        #expect(!changed.output.contains("IMPROVED") && !changed.output.contains("SAME"), "\(changed.output)")
        // A step that has come back to life has changed, too, and one that fails on both sides has not.
        #expect(try await Tool.run("compare", after, before).code == 4)
        let same = try await Tool.run("compare", after, after, "--strict")
        #expect(same.code == 0 && same.output.contains("\nSAME  ") && !same.output.contains("ended"), "\(same.output)")
        let json = try await Tool.call("compare", before, after, "--json").json()
        let comparison = try #require((json["comparisons"] as? [[String: Any]])?.first)
        let outcomes = try #require(comparison["outcomes"] as? [[String: Any]])
        #expect(comparison["verdict"] as? String == "changed" && outcomes.allSatisfy { $0["certain"] as? Bool == true })
        #expect(outcomes.first?["id"] as? String == "config" && outcomes.first?["before"] as? [String: Int] == ["succeeded": 10])
    }

    @Test("A bench that does not say how its operations ended is neither better nor the same, and may be worse")
    func unknownOutcomes() async throws {
        defer { folder.remove() }
        func old(_ path: String) throws -> String {
            let text = try String(contentsOfFile: path, encoding: .utf8).replacing(/,?\s*"outcomes": \{[^}]*\}/, with: "")
            return try folder.write(text, to: "old.json")
        }
        let after = try bench("after", Self.before.map { $0 - 200 })
        for (before, words, code) in [
            (Self.before, "INCONCLUSIVE  the bench before does not say how its operations ended", 5),
            (Self.before.map { $0 - 200 }, "INCONCLUSIVE  the bench before does not say", 5),
            (Self.before.map { $0 - 500 }, "REGRESSION", 4),
        ] as [([Int], String, Int32)] {
            let result = try await Tool.run("compare", try old(try bench("before", before)), after, "--strict")
            #expect(result.code == code && result.output.contains("\n" + words), "\(result.output)")
        }
        let json = try await Tool.call("compare", try old(after), after, "--json").json()
        #expect((json["comparisons"] as? [[String: Any]])?.first?["outcomesKnown"] as? Bool == false)
    }

    @Test("Reports of one launch each: a step that has failed is a fact, and no times are compared")
    func oneEach() async throws {
        defer { folder.remove() }
        func report(_ name: String, _ steps: [String], _ words: String...) async throws -> String {
            let run = try await Tool.run(["run", "-", "--json"] + words, input: Data(scenarioText(steps.joined(separator: ",")).utf8))
            return try folder.write(run.output, to: name)
        }
        let splash = #"{ "id": "splash", "work": { "simulate": "1ms" } }"#
        let config = #"{ "id": "config", "onFailure": "continue", "work": { "simulate": "5ms" } }"#
        let healthy = try await report("healthy.json", [splash, config])
        let failed = try await Tool.run("compare", healthy, try await report("failed.json", [splash, config], "--inject", "config=fail"))
        #expect(failed.code == 4 && failed.output.contains("\nCHANGED  config: 1 succeeded → 1 failed: "), "\(failed.output)")
        let same = try await Tool.run("compare", healthy, healthy, "--strict")
        #expect(
            same.code == 5 && same.output.contains("\nINCONCLUSIVE  too few runs: 1 against 1; measure at least 6 of each\n"),
            "\(same.output)"
        )
    }

    @Test("A step that is gone makes no improvement, and nothing else of a launch that is not faster")
    func goneStep() async throws {
        defer { folder.remove() }
        let steps = [#"{ "id": "config", "work": { "simulate": "300ms" } }"#, #"{ "id": "main", "work": { "simulate": "400ms" } }"#]
        let chain = #"{ "id": "main", "after": ["config"], "work": { "simulate": "400ms" } }"#
        func bench(_ name: String, _ steps: [String]) async throws -> String {
            let path = folder.file(name).path
            let words = ["bench", "-", "--clock", "virtual", "--runs", "2", "--save", path]
            #expect(try await Tool.run(words, input: Data(scenarioText(steps.joined(separator: ",")).utf8)).code == 0)
            return path
        }
        let without = try await bench("without.json", [steps[1]])
        let faster = try await Tool.run("compare", try await bench("chain.json", [steps[0], chain]), without)
        #expect(faster.code == 4 && faster.output.contains("\nCHANGED  config: 2 succeeded → absent: "), "\(faster.output)")
        let beside = try await Tool.run("compare", try await bench("beside.json", steps), without, "--strict")
        #expect(beside.code == 0 && beside.output.contains("\nSAME  "), "\(beside.output)")
    }

    @Test("Other machines and other clocks are refused with a sentence; --force is for machines")
    func machines() async throws {
        defer { folder.remove() }
        let (small, large) = (try bench("a", Self.before, processors: 4), try bench("b", Self.before, processors: 64))
        let result = try await Tool.run("compare", small, large)
        #expect(result.code == 65)
        #expect(result.output.isEmpty)
        #expect(result.messages.contains("was measured on another machine (Model 7, 4 processors, Linux x86_64;"))
        #expect(try await Tool.run("compare", small, large, "--force").code == 0)
        let report = try await Tool.run("run", "-", "--json", input: scenarioText(#"{ "id": "a" }"#))
        let unknown = try await Tool.run("compare", small, try folder.write(report.output, to: "report.json"))
        #expect(unknown.code == 65 && unknown.messages.contains("report.json does not say on which machine it was measured"), "\(unknown)")
        let clocks = try await Tool.run("compare", small, try bench("c", Self.before, clock: .virtual), "--force")
        #expect(clocks.code == 65)
        #expect(clocks.messages.contains("measure both with the same '--clock'"))
    }

    @Test("JSON, and a file that is no bench")
    func formats() async throws {
        defer { folder.remove() }
        let file = try bench("a", Self.before)
        let json = try await Tool.call("compare", file, file, "--json").json()
        #expect(json["schema"] as? String == "sequencer.comparison/1")
        let graph = try await Tool.run("graph", "regular", "--json").output
        let wrong = try await Tool.run("compare", file, try folder.write(graph, to: "graph.json"))
        #expect(wrong.code == 65)
        #expect(wrong.messages.contains("expected 'sequencer.bench/1', as 'bench --save' writes it, found 'sequencer.graph/1'"))
        #expect(try await Tool.run("compare", file).code == 64)
    }
}
