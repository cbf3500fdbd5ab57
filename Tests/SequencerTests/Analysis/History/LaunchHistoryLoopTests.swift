import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// Launches that go by what earlier ones took, over and over.
@Suite("Histories that launches go by", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchHistoryLoopTests {
    private func run(_ graph: OperationGraph, expecting history: LaunchHistory, _ budget: Budget) async throws -> LaunchReport {
        var graph = graph
        graph.expect(history)
        return try await graph.run(budget: budget, options: LaunchOptions(clock: VirtualClock())).report
    }

    @Test("fault H2: a step that is cut in every launch is not expected to take less and less; where the budget is lost nothing is cut")
    func ratchet() async throws {
        // The server is slower than its fallback allows, and the login, now and then, slower than the budget.
        var random = SplitMix64(seed: 7)
        var history = LaunchHistory()
        var (cuts, forNothing, expectations) = (0, 0, [Duration]())
        for _ in 0..<400 {
            let fetch = Duration.milliseconds(Int.random(in: 300...1800, using: &random))
            let login = Duration.milliseconds(Int.random(in: 400...1600, using: &random))
            var graph = OperationGraph("daily")
            let config = graph.add("fetch-config", .cuttable, .expected(.milliseconds(1000)), fallback: "bundled") { launch in
                try await launch.sleep(for: fetch)
                return "remote"
            }
            graph.add("login", .expected(.milliseconds(1000)), after: config) { launch in try await launch.sleep(for: login) }
            graph.add("main-app", .milestone, after: "login") {}
            let expectedLogin = history.expectedDurations(in: "daily")["login"] ?? .seconds(1)
            let report = try await run(graph, expecting: history, .milliseconds(1500))
            history.record(report)
            if report["fetch-config"]?.isCut == true {
                cuts += 1
                if !report.budget.isMet, login <= expectedLogin { forNothing += 1 }
            }
            if let expected = history.expectedDurations(in: "daily")["fetch-config"] { expectations.append(expected) }
        }
        print("400 launches: \(cuts) cuts, \(forNothing) for nothing; expected at the end: \(expectations.last ?? .zero)")
        #expect(cuts > 100 && forNothing == 0)
        // In truth the median is 1050 ms. Of what was cut, after 500 ms or so, it is known that it takes longer; without that, less than 450 is left.
        let later = expectations.dropFirst(20)
        #expect(later.reduce(.zero, +) / later.count > .milliseconds(520))
    }

    @Test("fault H2: durations of what was cut count as lower bounds")
    func lowerBounds() {
        var history = LaunchHistory()
        for _ in 0..<3 { history.record(["a": .milliseconds(100)], atLeast: ["b": .milliseconds(500)], in: "s") }
        history.record(["b": .milliseconds(200)], in: "s")
        #expect(history.expectedDurations(in: "s") == ["a": .milliseconds(100), "b": .milliseconds(500)])
        // Two of seven took 900 ms, one 200 ms; four took more than 500 ms.
        for _ in 0..<2 { history.record(["b": .milliseconds(900)], in: "s") }
        history.record([:], atLeast: ["b": .milliseconds(500)], in: "s")
        #expect(history.expectedDurations(in: "s")["b"] == .milliseconds(900))
        #expect(history.durations(of: "b", in: "s").count == 7)
    }
}
