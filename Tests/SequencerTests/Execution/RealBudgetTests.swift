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
        for _ in 0..<20 {
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

    @Test("two operations in a row behind one that is late are both cut, also where their threads are blocked", arguments: [false, true])
    func twoInARow(blocks: Bool) async throws {
        @Sendable func block() { Thread.sleep(forTimeInterval: 2) }
        @Sendable func takesTwoSeconds(_ launch: StepContext) async throws {
            if blocks { block() } else { try await launch.sleep(for: .seconds(2)) }
        }
        for _ in 0..<5 {
            // late     ├── 50 ms, 1 expected ──┤
            // first                            ├── cut, for the second needs its time
            // second                              ├── cut ┄┄┄ main
            var graph = OperationGraph("row")
            let late = graph.add("late", .expected(.milliseconds(1))) { launch in try await launch.sleep(for: .milliseconds(50)) }
            let first = graph.add("first", .cuttable, .expected(.milliseconds(20)), after: late, fallback: 0) { launch in
                try await takesTwoSeconds(launch)
                return 1
            }
            let second = graph.add("second", .cuttable, .expected(.milliseconds(20)), using: first, fallback: 0) { launch, _ in
                try await takesTwoSeconds(launch)
                return 1
            }
            graph.add("main", .milestone, using: second) { _ in }
            let report = try await graph.run(budget: .milliseconds(120), options: options).report
            #expect(report.outcome == .completed)
            // On a machine that is too busy for the first one to end in time, the budget is lost, and nothing is to be cut.
            guard let end = report["late"]?.end, end < .milliseconds(105) else { continue }
            #expect(report["first"]?.isCut == true && report["second"]?.isCut == true)
        }
    }
}
