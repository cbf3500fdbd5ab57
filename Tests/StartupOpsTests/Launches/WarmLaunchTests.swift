import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// A launch that brings the app back has its own milestone, and is judged by its own budget.
@Suite("Hot and warm launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct WarmLaunchTests {
    private let cold = Budget.seconds(1.5)

    /// As a guide has it: after a moment less time than after hours.
    private func budget(_ lifecycle: AppLifecycle) -> Budget? {
        lifecycle.timeAway.map { $0 < .seconds(60) ? .milliseconds(200) : .milliseconds(600) }
    }

    private func run(_ facts: LaunchFacts, _ budget: Budget) async throws -> LaunchReport {
        let steps = StartupSteps.simulated(durations: ["force-update": .milliseconds(400)])
        return try await Scenario(for: facts).graph(steps).run(budget: budget, options: LaunchOptions(clock: VirtualClock())).report
    }

    @Test(
        "the same check of the version is in time for a cold launch and for a warm one, and too late for a hot one",
        arguments: [Duration.seconds(30), .seconds(3_600)]
    )
    func budgets(away: Duration) async throws {
        let time = Locked(Duration.seconds(100))
        let lifecycle = AppLifecycle(now: { time.withLock { $0 } })
        let start = try await run(LaunchFacts(), cold)
        #expect(start.milestone == "main-app" && start.outcome == .completed && start.budget.isMet)
        // Nobody has left it yet.
        #expect(budget(lifecycle) == nil)

        lifecycle.send(.didEnterBackground)
        time.withLock { $0 += away }
        lifecycle.send(.didBecomeActive)
        let isHot = away < .seconds(60)
        let report = try await run(LaunchFacts(isRunning: true), try #require(budget(lifecycle)))
        #expect(report.scenario == "warm-resume" && report.milestone == "become-active" && report.outcome == .completed)
        #expect(report.budget.measured >= .milliseconds(400) && report.budget.measured < .milliseconds(600))
        #expect(report.budget.measured < cold.limit)
        #expect(report.budget.isMet == !isHot)
        #expect(report.budget.causes.first == (isHot ? "force-update" : nil))
    }
}
