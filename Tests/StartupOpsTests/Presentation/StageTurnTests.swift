import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

@Suite("Turns on the stage", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StageTurnTests {
    /// Three steps of a launch want the screen at about the same time, again and again: one that is forgotten meets its timeout.
    @Test("fault O18: whoever asks just as the stage becomes free gets it: in 500 launches nobody waits for a turn that has passed")
    func noTurnIsLost() async throws {
        for round in 0..<500 {
            let stage = Stage()
            var graph = OperationGraph("turns")
            for number in 0..<3 {
                graph.add("step-\(number)", .timeout(.seconds(20))) { launch in
                    for _ in 0..<(round + number) % 4 { await Task.yield() }
                    try await stage.present(by: launch.operation) {}
                }
            }
            let clock = VirtualClock(patience: .seconds(300))
            let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: clock)).report
            try #require(report.outcome == .completed, "round \(round): \(report.outcome)")
        }
    }
}
