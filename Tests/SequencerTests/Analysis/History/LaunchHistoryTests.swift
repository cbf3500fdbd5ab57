import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Histories of launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchHistoryTests {
    @Test("What is expected is the median of the latest durations, so many and no more")
    func median() {
        var history = LaunchHistory(maximumDurations: 3)
        #expect(history.isEmpty)
        #expect(history.expectedDurations(in: "regular") == [:])
        for (launch, expected) in zip([900, 100, 300, 200, 7], [900, 500, 300, 200, 200]) {
            history.record(["login": .milliseconds(launch)], in: "regular")
            #expect(history.expectedDurations(in: "regular") == ["login": .milliseconds(expected)])
        }
        #expect(history.durations(of: "login", in: "regular") == [.milliseconds(300), .milliseconds(200), .milliseconds(7)])
        #expect(history.durations(of: "login", in: "other") == [])
        history.record(["login": .seconds(-1), "hang": .seconds(Int64.max)], in: "other")
        #expect(history.expectedDurations(in: "other") == ["login": .zero, "hang": .seconds(86_400)])
        #expect(history.recorded.map(\.name).sorted() == ["other", "regular"])
    }

    @Test("A launch leaves the durations of what succeeded, and what its graph no longer has is forgotten")
    func report() async throws {
        var graph = OperationGraph("regular")
        graph.wait("config", 300)
        graph.add("broken", .onFailure(.continue)) { throw CancellationError() }
        graph.join("all", after: "config")
        graph.wait("login", 200, after: "all", "broken")
        var history = LaunchHistory()
        history.record(["gone": .seconds(1), "broken": .milliseconds(5)], in: "regular")
        history.record(try await graph.run(options: .virtual()).report)
        #expect(
            history.expectedDurations(in: "regular")
                == ["config": .milliseconds(300), "login": .milliseconds(200), "broken": .milliseconds(5)]
        )
    }

    @Test("A history survives being written and read, exact to the nanosecond")
    func json() throws {
        var history = LaunchHistory(maximumDurations: 2)
        history.record(["b": .nanoseconds(1), "a\u{1B}\"": .milliseconds(300)], in: "z")
        history.record(["b": .seconds(86_400) - .nanoseconds(1)], in: "z")
        history.record([:], in: "a")
        let text =
            #"{"scenarios":[{"operations":{"a\u001b\"":[300],"b":[1e-06,86399999.999999]},"scenario":"z"},"#
            + #"{"operations":{},"scenario":"a"}],"schema":"sequencer.history/1"}"#
        #expect(history.json() == text)
        #expect(try LaunchHistory(json: Data(text.utf8), maximumDurations: 2) == history)
        // A smaller limit keeps the latest.
        let latest = try LaunchHistory(json: Data(text.utf8), maximumDurations: 1)
        #expect(latest.durations(of: "b", in: "z") == [.seconds(86_400) - .nanoseconds(1)])
        #expect(try LaunchHistory(json: Data(), maximumDurations: 2).isEmpty)
    }

    @Test("fault H2: that a duration is a lower bound survives being written and read")
    func lowerBounds() throws {
        var history = LaunchHistory(maximumDurations: 3)
        history.record(["b": .milliseconds(4)], in: "z")
        history.record([:], atLeast: ["b": .milliseconds(2)], in: "z")
        history.record(["b": .milliseconds(3), "c": .zero], in: "z")
        let text =
            #"{"scenarios":[{"atLeast":{"b":[1]},"operations":{"b":[4,2,3],"c":[0]},"scenario":"z"}],"schema":"sequencer.history/1"}"#
        #expect(history.json() == text)
        #expect(try LaunchHistory(json: Data(text.utf8), maximumDurations: 3) == history)
        #expect(history.expectedDurations(in: "z")["b"] == .nanoseconds(3_500_000))
    }

    @Test("A history among an app's own data is read as it was, whichever the coder; of another format it is refused")
    func coders() throws {
        struct Kept: Codable, Equatable {
            var launches = 1
            var history: LaunchHistory
        }
        var random = SplitMix64(seed: 1)
        for round in 0..<100 {
            var history = LaunchHistory(maximumDurations: [1, 3, 20, 1000][random.index(below: 4)])
            for _ in 0..<random.index(below: 12) {
                let durations = ["é\"\n \(random.index(below: 3))": Duration.nanoseconds(random.index(below: 86_400_000_000_001))]
                let scenario = "scenario \(random.index(below: 3))"
                if random.index(below: 3) == 0 {
                    history.record([:], atLeast: durations, in: scenario)
                } else {
                    history.record(durations, in: scenario)
                }
            }
            let kept = Kept(history: history)
            let json = try JSONDecoder().decode(Kept.self, from: JSONEncoder().encode(kept))
            let propertyList = try PropertyListDecoder().decode(Kept.self, from: PropertyListEncoder().encode(kept))
            #expect(json == kept && propertyList == kept, "round \(round)")
            let text = history.json()
            #expect(try JSONDecoder().decode(LaunchHistory.self, from: Data(text.utf8)).json() == text, "round \(round)")
        }
        let later = Data(#"{"schema":"sequencer.history/2","scenarios":[]}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(LaunchHistory.self, from: later) }
    }

    @Test("At most 100 scenarios are kept, those recorded last")
    func manyScenarios() throws {
        var history = LaunchHistory()
        for number in 0..<150 {
            history.record(["a": .seconds(number)], in: "scenario-\(number)")
            history.record(["a": .seconds(1)], in: "regular")
        }
        #expect(history.recorded.count == 100)
        #expect(history.durations(of: "a", in: "regular").count == 20)
        #expect(history.durations(of: "a", in: "scenario-149") == [.seconds(149)])
        #expect(history.durations(of: "a", in: "scenario-50") == [])
    }

    @Test(
        "A text that is no history is corrupt, and says why",
        arguments: [
            ("{", "it is no JSON object with a schema"),
            ("[1]", "it is no JSON object with a schema"),
            (#"{"schema":"sequencer.report/1"}"#, "its schema is 'sequencer.report/1', expected 'sequencer.history/1'"),
            (#"{"schema":"sequencer.history/1"}"#, "a value is missing, or of another kind"),
            (#"{"schema":"sequencer.history/1","scenarios":[{"scenario":"a","operations":{"b":["1"]}}]}"#, "a value is missing, or of"),
            (
                #"{"schema":"sequencer.history/1","scenarios":[{"scenario":"a","operations":{"b":[-1]}}]}"#,
                "scenarios[0].operations.b[0]: expected a duration of 0 to 24 hours"
            ),
            (
                #"{"schema":"sequencer.history/1","scenarios":[{"scenario":"a","operations":{"b":[1e300]}}]}"#,
                "scenarios[0].operations.b[0]: expected a duration of 0 to 24 hours"
            ),
            (
                #"{"schema":"sequencer.history/1","scenarios":[{"scenario":"a","operations":{"b":[1]},"atLeast":{"b":[1]}}]}"#,
                "scenarios[0].atLeast: b has no duration at place 1"
            ),
        ] as [(String, String)]
    )
    func corrupt(text: String, reason: String) {
        do throws(HistoryError) {
            let history = try LaunchHistory(json: Data(text.utf8), maximumDurations: 20)
            Issue.record("read as \(history)")
        } catch {
            #expect(error.code == .corrupt && error.reason.hasPrefix(reason), "\(error)")
        }
    }

    @Test("fault H1: an operation that is a person's is not recorded, for the next person may be quicker")
    func interactiveHistory() async throws {
        var graph = OperationGraph("history")
        graph.add("ask", .interactive) { (launch: StepContext) async throws in try await launch.sleep(for: .seconds(10)) }
        graph.add("work") { (launch: StepContext) async throws in try await launch.sleep(for: .seconds(1)) }
        var history = LaunchHistory()
        history.record(try await graph.run(options: .virtual()).report)
        #expect(history.expectedDurations(in: "history") == ["work": .seconds(1)])
    }
}
