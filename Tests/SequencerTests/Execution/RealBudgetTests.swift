import Foundation
import Sequencer
import TestSupport
import Testing

/// In real time, where every timer comes a little late.
@Suite("Keeping the budget in real time", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBudgetTests {
    private let options = LaunchOptions(deadline: .seconds(60))

    @Test("an operation right before the milestone is cut, each time")
    func rightBefore() async throws {
        for _ in 0..<Nightly.times(day: 5, night: 20) {
            // config   ├── waits ──────────── cut ┄┄┄┄┄┄┄┄ goes on when the launch has ended
            // main                              ├─┤
            let gate = Gate()
            var graph = OperationGraph("cut")
            let config = graph.add("fetch-config", .cuttable, fallback: "bundled") {
                await gate.wait()
                return "remote"
            }
            graph.add("main", .milestone, using: config) { _ in }
            let launch = try await graph.run(budget: .milliseconds(60), options: options)
            gate.open()
            #expect(launch.report["fetch-config"]?.isCut == true && launch.report.outcome == .completed)
            #expect(try launch[config] == "bundled")
        }
    }
}
