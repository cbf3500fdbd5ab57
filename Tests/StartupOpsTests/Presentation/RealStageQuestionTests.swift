import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

@Suite("Questions on the stage", .serialized, .timeLimit(.minutes(30)), .real)
struct RealStageQuestionTests {
    /// Somebody has the screen for five seconds, and login wants it to ask.
    private func run(_ first: @escaping @MainActor @Sendable (Stage, StepContext) async throws -> Void) async throws -> LaunchReport {
        let stage = Stage()
        var graph = OperationGraph("stage")
        graph.add("first", on: .main) { step in try await first(stage, step) }
        // Nobody tells the clock of the wait for the screen: virtual time goes on when its patience is over.
        graph.add("login", .timeout(.seconds(1)), on: .main) { step in
            // The other one is first.
            try await step.sleep(for: .milliseconds(1))
            try await stage.ask(in: step) { try? await step.sleep(for: .seconds(60)) }
        }
        let options = LaunchOptions(deadline: .never, clock: VirtualClock(patience: .seconds(2)))
        return try await graph.run(budget: .seconds(3), options: options).report
    }

    @Test("A29, fault O18: the time counts until a question has the screen, and takes nothing from the timeout of the step that waits")
    func waiting() async throws {
        let report = try await run { stage, step in
            try await stage.present(by: step.operation) { try await step.sleep(for: .seconds(5)) }
        }
        #expect(report.outcome == .completed && report["login"]?.outcome == .succeeded)
        #expect(!report.budget.isMet && report.budget.measured == .seconds(5) && report.budget.interactive == .seconds(60))
        #expect(report["first"]?.isInteractive == false && report["login"]?.isInteractive == true)
    }

    @Test("A29: who waits while another question is on the screen waits for the person: that does not count")
    func questions() async throws {
        let report = try await run { stage, step in
            try await stage.ask(in: step) { try? await step.sleep(for: .seconds(5)) }
        }
        #expect(report.outcome == .completed && report["login"]?.outcome == .succeeded)
        #expect(report.budget.isMet && report.budget.measured == .zero && report.budget.interactive == .seconds(65))
        #expect(report["login"]?.interactive == .seconds(60))
    }

    @Test("A29: who was never given the screen has asked nobody")
    func refused() async throws {
        let report = try await run { stage, step in
            await stage.takeOver(by: step.operation) { try? await step.sleep(for: .seconds(5)) }
        }
        #expect(report["login"]?.outcome == .failed && report["login"]?.isInteractive == false && report.budget.interactive == .zero)
    }
}
