import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// When the operations of a launch begin, and where.
@Suite("Behaviours: the schedule", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScheduleTests {
    @Test("A30: what touches the screen begins on the main thread, everything else off it, in every scenario", arguments: Scenario.all)
    func threads(scenario: Scenario) async throws {
        let begun = Locked<[String: Bool]>([:])
        var steps = StartupSteps.simulated().observed { step in
            let isMain = isOnMain()
            begun.withLock { $0[step.id] = isMain }
        }
        steps.offersSubscription = true
        let graph = graph(of: scenario, steps)
        let report = try await runVirtually(graph)
        #expect(report.outcome == .completed)
        let isBegunOnMain = begun.withLock { $0 }
        #expect(Set(isBegunOnMain.keys) == Set(graph.identifiers))
        for step in BuiltInStep.all {
            guard let isMain = isBegunOnMain[step.id] else { continue }
            #expect(isMain == step.isOnMain, "\(step)")
            #expect(report[step.id]?.isMain == step.isOnMain, "\(step)")
        }
    }
}
