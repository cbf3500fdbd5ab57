import Foundation
import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import sequencer_cli

@Suite("Saved benches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BenchDocumentTests {
    private static func scenario(_ name: String, _ times: [Int], extra: [Int?] = []) -> BenchedScenario {
        var scenario = BenchedScenario(name: name, budget: .seconds(1))
        for (index, time) in times.enumerated() {
            let outcome: LaunchOutcome = index == 1 ? .failed : .completed
            let (measured, makespan) = (Duration.milliseconds(time), Duration.nanoseconds(time * 1_000_000 + 1))
            scenario.runs.append(
                BenchRun(outcome: outcome, isMet: outcome == .completed, measured: measured, makespan: makespan, interactive: .zero)
            )
        }
        scenario.operations = [BenchedOperation(id: "a \"b\"", durations: times.map { .milliseconds($0) }, criticalRuns: 2)]
        if !extra.isEmpty {
            scenario.operations.append(BenchedOperation(id: "extra", durations: extra.map { $0.map { .milliseconds($0) } }))
        }
        return scenario
    }

    private static func document(_ scenarios: [BenchedScenario]) -> BenchDocument {
        let machine = BenchMachine(system: "Linux", architecture: "arm64", processors: 8, name: "Model 7")
        return BenchDocument(toolVersion: "0.1.0", machine: machine, clock: .wall, warmups: 2, scenarios: scenarios)
    }

    @Test("What is written is read back, to the nanosecond", arguments: [true, false])
    func roundTrip(_ pretty: Bool) throws {
        let document = Self.document([Self.scenario("one", [100, 200, 300], extra: [nil, 5, nil]), Self.scenario("two", [7, 8])])
        #expect(try parseBench(Array(document.json(pretty: pretty).utf8), file: "f") == document)
    }

    @Test("Its dates are kept to the millisecond")
    func dates() throws {
        var document = Self.document([Self.scenario("one", [100, 200, 300], extra: [nil, 5, nil])])
        for millisecond in stride(from: 0, to: 1000, by: Nightly.times(day: 111, night: 7)) {
            let begin = Date(timeIntervalSince1970: 1_700_000_000 + Double(millisecond) / 1000).roundedToMilliseconds
            document.span = BenchSpan(begin: begin, end: begin, loadAtBegin: 0.25, loadAtEnd: nil)
            #expect(try parseBench(Array(document.json().utf8), file: "f") == document)
        }
    }

    @Test("When it was taken, and how busy the machine was, is kept where it is known", arguments: [nil, 0.25])
    func span(_ load: Double?) throws {
        var document = Self.document([Self.scenario("one", [100, 200])])
        let begin = Date(timeIntervalSince1970: 1_700_000_000.5)
        document.span = BenchSpan(begin: begin, end: begin + 20, loadAtBegin: load, loadAtEnd: load.map { $0 + 1 })
        let json = document.json(pretty: false)
        #expect(json.contains(#""taken":{"begin":"2023-11-14T22:13:20.500Z","end":"2023-11-14T22:13:40.500Z""#))
        #expect(json.contains("loadBegin") == (load != nil))
        #expect(try parseBench(Array(json.utf8), file: "f") == document)
        let turned = json.replacing("\"end\":\"2023", with: "\"end\":\"2022")
        let error = #expect(throws: ScenarioError.self) { try parseBench(Array(turned.utf8), file: "f") }
        #expect(error?.description.contains("taken.end: the bench ends before it begins") == true)
    }

    @Test("Times to the initial display are kept, told and compared, where there are some")
    func initialDisplays() throws {
        var scenario = Self.scenario("one", [600, 600, 600])
        // Of operations it would have to say how they ended.
        scenario.operations = []
        let style = TextStyle(isColored: false, isUnicode: false)
        #expect(!BenchText(document: Self.document([scenario]), style: style, requested: 3).text.contains("display"))
        for index in scenario.runs.indices { scenario.runs[index].initialDisplay = .milliseconds(200 + 20 * index) }
        let document = Self.document([scenario])
        #expect(try parseBench(Array(document.json().utf8), file: "f") == document)
        // The run between these two did not complete.
        #expect(document.json(pretty: false).contains(#""initialDisplayMs":220,"budgetMisses""#))
        #expect(
            BenchText(document: document, style: style, requested: 3).text
                .contains("\n  display   220 ms to the initial one, 200 ms to 240 ms\n")
        )
        var slower = scenario
        for index in slower.runs.indices { slower.runs[index].initialDisplay = .milliseconds(242) }
        let comparison = BenchComparison(scenario, slower, clock: .virtual, threshold: 0.05)
        #expect(comparison.verdict == .same)
        #expect(
            ComparisonText(comparison: comparison, style: style).text.contains("\n  display 220 ms -> 242 ms, +10.0%, to the initial one\n")
        )
        #expect(BenchComparison.json([comparison]).contains(#""initialDisplay": {"#))
    }

    @Test("Only completed runs have times; all have verdicts")
    func summary() throws {
        let summary = BenchSummary(Self.scenario("one", [100, 900, 300], extra: [nil, 5, 9]))
        #expect(summary.sample?.values == [100e6, 300e6])
        #expect(summary.misses == 1 && summary.count(of: .failed) == 1)
        #expect(summary.operations.map(\.id) == ["a \"b\"", "extra"])
        #expect(summary.operations.map(\.isCritical) == [true, false])
        #expect(summary.operations.last?.sample.values == [9e6])
        #expect(BenchSummary(BenchedScenario(name: "none", budget: .seconds(1))).sample == nil)
    }

    @Test("A change of exactly the threshold is no change, in either clock", arguments: [ClockMode.wall, .virtual], [0.05, 0.15, 0.3])
    func exactThreshold(_ clock: ClockMode, _ threshold: Double) {
        func scenario(_ time: Double) -> BenchedScenario {
            var scenario = BenchedScenario(name: "one", budget: .seconds(9))
            let time = Duration.nearest(nanoseconds: time)
            let run = BenchRun(outcome: .completed, isMet: true, measured: time, makespan: time, interactive: .zero)
            scenario.runs = Array(repeating: run, count: 10)
            return scenario
        }
        for (share, verdict) in [(threshold, ChangeVerdict.same), (-threshold, .same), (threshold + 0.001, .regression)] {
            let comparison = BenchComparison(scenario(800e6), scenario(800e6 * (1 + share)), clock: clock, threshold: threshold)
            #expect(comparison.verdict == verdict, "\(share)")
        }
        #expect(
            BenchComparison(scenario(800e6), scenario(800e6 * (0.999 - threshold)), clock: clock, threshold: threshold).verdict == .improved
        )
    }

    @Test("The least number of runs can show a change: two samples of it that do not overlap are not chance")
    func leastRuns() throws {
        let least = SampleChange.leastRuns(isAlwaysSame: false)
        let (first, second) = ((0..<least).map { 1e9 + Double($0) }, (0..<least).map { 2e9 + Double($0) })
        let change = SampleChange(from: SortedSample(first), to: SortedSample(second), isVirtual: false, threshold: 0.05, same: 0.05)
        #expect(change.verdict == .regression && change.interval != nil)
    }

    @Test("Runs of graphs that are not quite the same keep each operation's runs in line")
    func changingGraphs() async throws {
        var scenario = BenchedScenario(name: "test", budget: .seconds(1))
        for (number, names) in [["a", "b"], ["b", "c"], ["a", "b"]].enumerated() {
            var graph = OperationGraph("test")
            for name in names {
                graph.add(name) { launch in try await launch.sleep(for: .milliseconds(number + 1)) }
            }
            scenario.add(try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report)
        }
        let expected: [String: [Duration?]] = [
            "a": [.milliseconds(1), nil, .milliseconds(3)], "b": [.milliseconds(1), .milliseconds(2), .milliseconds(3)],
            "c": [nil, .milliseconds(2), nil],
        ]
        #expect(Dictionary(uniqueKeysWithValues: scenario.operations.map { ($0.id, $0.durations) }) == expected)
    }

    @Test(
        "What is wrong with a file is said with its place",
        arguments: [
            ("\"clock\":\"wall\"", "\"clock\":\"moon\"", "clock: unknown clock 'moon'"),
            ("\"processors\":8", "\"processors\":0", "machine.processors: expected one at least, found 0"),
            ("\"measuredMs\":100,", "\"measuredMs\":-1,", "scenarios[0].runs[0].measuredMs: expected 0 to 9000000000000 milliseconds"),
            (
                "\"durationsMs\":[100,", "\"durationsMs\":[",
                "scenarios[0].operations[0].durationsMs: expected a duration for each of 2 runs, found 1"
            ),
            ("\"durationsMs\":[100,", "\"durationsMs\":[-1,", "operations[0].durationsMs[0]: expected 0 to 9000000000000 milliseconds"),
            ("\"scenarios\":[{", "\"scenarios\":[],\"was\":[{", "scenarios: there is no scenario"),
            ("\"name\":\"Model 7\"", "\"x\":1", "machine: missing key 'name'"),
            ("\"verdict\":\"pass\"", "\"verdict\":true", "scenarios[0].runs[0].verdict: expected a string, found true"),
        ] as [(String, String, String)]
    )
    func faults(_ text: String, _ replacement: String, _ expected: String) {
        let valid = Self.document([Self.scenario("one", [100, 200])]).json(pretty: false)
        #expect(valid.contains(text))
        let error = #expect(throws: ScenarioError.self) {
            try parseBench(Array(valid.replacing(text, with: replacement, maxReplacements: 1).utf8), file: "f")
        }
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }
}

@Suite("Arguments of benches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BenchArgumentsTests {
    @Test(
        "Mistakes",
        arguments: [
            (["bench"], "the argument SCENARIO is missing"),
            (["bench", "a", "--runs", "0"], "option '--runs': '0' is not a whole number from 1 to 100000"),
            (
                ["bench", "a", "--threshold", "5"],
                "option '--threshold': '5' is not a share; expected a number and '%' such as '5%', at most '1000%'"
            ),
            (
                ["bench", "a", "--threshold", "-5%"],
                "option '--threshold': '-5%' is not a share; expected a number and '%' such as '5%', at most '1000%'"
            ),
            (["bench", "--command", "a 'b"], "option '--command': 'a 'b' has a quotation mark that is not closed"),
            (["bench", "--command", " "], "option '--command': ' ' names no program"),
            (
                ["bench", "--command", "a", "--command", "b", "--command", "c"],
                "option '--command': found 3 commands; give one, or two to compare"
            ),
            (
                ["bench", "regular", "--command", "a"],
                "option '--command' measures a program as it is, without a scenario and the options of its launch"
            ),
            (
                ["bench", "--command", "a", "--inject", "b=fail"],
                "option '--command' measures a program as it is, without a scenario and the options of its launch"
            ),
            (["bench", "a", "b", "--interleave", "c"], "the argument 'b' and '--interleave' exclude each other"),
            (["bench", "a", "--at-most", "9"], "option '--at-most' is for two that are compared in real time, without '--runs'"),
            (["bench", "-", "--baseline", "-"], "standard input ('-') can be read only once"),
            (["compare", "-", "-"], "standard input ('-') can be read only once"),
            (["compare", "a"], "the argument AFTER is missing"),
            (["stats"], "the argument FILE is missing"),
            (["stats", "a", ""], "the argument FILE is empty"),
            (["stats", "a", "--by", "a,b"], "option '--by': 'a,b' is not 'operation', the name of an attribute, or both with a comma"),
            (["stats", "a", "--by", "a,"], "option '--by': 'a,' is not 'operation', the name of an attribute, or both with a comma"),
            (["stats", "-", "a", "-"], "standard input ('-') can be read only once"),
        ] as [([String], String)]
    )
    func mistakes(_ line: [String], _ message: String) {
        let error = #expect(throws: UsageError.self) { try parseArguments(line) }
        #expect(error?.description == message)
    }

    @Test(
        "Commands are words, held together by quotation marks",
        arguments: [
            ("./app", ["./app"]), ("  a  b\tc ", ["a", "b", "c"]), ("sh -c 'a \"b\" c'", ["sh", "-c", "a \"b\" c"]),
            (#"a "b 'c' \" \\ \n" d"#, ["a", #"b 'c' " \ \n"#, "d"]), (#"a\ b c\'d"#, ["a b", "c'd"]), ("a '' b''c", ["a", "", "bc"]),
        ]
    )
    func commands(_ text: String, _ words: [String]) throws {
        #expect(try ProgramCommand(text).words == words)
    }

    @Test(
        "Shares",
        arguments: [
            ("5%", 0.05), ("0%", 0), ("2.5%", 0.025), ("1000%", 10), ("x%", nil), ("%", nil), ("1001%", nil), ("1e2%", nil), ("..%", nil),
        ]
    )
    func shares(_ text: String, _ expected: Double?) {
        #expect((try? ShareText.parse(text)) == expected)
    }
}
