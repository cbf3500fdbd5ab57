import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Drift", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DriftTests {
    private static let rising = [800, 812, 806, 821, 818, 830, 825, 841, 839, 850].map(Double.init)

    @Test("The later half is compared with the earlier one, in either direction, where it differs by 1 % at least")
    func ratio() {
        let up = driftRatio(of: Self.rising)
        #expect(abs(up - 839.0 / 812) < 1e-12)
        let down = driftRatio(of: Self.rising.reversed())
        #expect(abs(down - 839.0 / 812) < 1e-12)
        #expect(driftRatio(of: (0..<100).map { 1000 + Double($0) / 10 }) == 1)
        #expect(driftRatio(of: [1, 2, 3, 4, 5, 6]) == 1 && driftRatio(of: [1, 2, 3, 4, 5, 6, 7]) > 1)
        #expect(driftRatio(of: [0, 0, 0, 1, 2, 3, 4]) == 1)
    }

    @Test("Comparisons of benches taken apart ask for as much more as the runs of a bench drifted")
    func texts() {
        func scenario(_ times: [Double]) -> BenchedScenario {
            var scenario = BenchedScenario(name: "regular", budget: .seconds(9))
            scenario.runs = times.map { time in
                let time = Duration.nearest(nanoseconds: time * 1e6)
                return BenchRun(outcome: .completed, isMet: true, measured: time, makespan: time, interactive: .zero)
            }
            return scenario
        }
        let document = BenchDocument(toolVersion: "", machine: .current, clock: .wall, warmups: 0, scenarios: [scenario(Self.rising)])
        let style = TextStyle(isColored: false, isUnicode: false)
        let later = scenario(Self.rising.map { $0 * 1.13 })
        let inTurns = BenchComparison(scenario(Self.rising), later, clock: .wall, threshold: 0.05)
        #expect(inTurns.verdict == .regression && inTurns.threshold == 0.05)
        let apart = BenchComparison(
            scenario(Self.rising),
            later,
            clock: .wall,
            threshold: 0.05,
            gap: BenchGap(document, document)
        )
        #expect(apart.verdict == .inconclusive && apart.threshold > 0.16)
        #expect(
            ComparisonText(comparison: apart, style: style).text
                .contains("taken apart, not in turns, while runs became longer or shorter all the time: only a change of more than 16.6%")
        )
        #expect(BenchComparison.json([apart]).contains("\"drift\": 1.03325"))
    }
}
