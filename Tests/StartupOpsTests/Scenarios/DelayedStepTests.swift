import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// Promise 10, for each step of each built-in scenario: what a step waits for counts, unless a person is asked meanwhile.
@Suite("A delay of each step", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DelayedStepTests {
    private func run(_ scenario: Scenario, delaying step: String? = nil, by delay: Duration = .zero) async throws -> LaunchReport {
        var steps = StartupSteps.simulated()
        steps.offersSubscription = true
        var graph = scenario.graph(steps)
        if let step { try graph.inject(.delay(delay), into: step) }
        return try await graph.run(budget: .seconds(3), options: LaunchOptions(deadline: .never, clock: VirtualClock())).report
    }

    /// The steps that the milestone waits for, itself included.
    private func stepsBeforeMain(_ scenario: Scenario) throws -> Set<String> {
        var steps = StartupSteps.simulated()
        steps.offersSubscription = true
        let graph = try scenario.graph(steps).validated()
        var found: Set<String> = []
        var next = [try #require(graph.milestone)]
        while let id = next.popLast() {
            if found.insert(id).inserted { next += try graph.dependencies(of: id) }
        }
        return found
    }

    /// A delay of a step misses the budget, unless a timeout or a cut has ended the step, or the milestone does not wait for it.
    private func check(_ delay: Duration, in scenario: Scenario) async throws {
        let plain = try await run(scenario)
        #expect(plain.outcome == .completed && plain.budget.isMet)
        let before = try stepsBeforeMain(scenario)
        for step in plain.operations.map(\.id) {
            let report = try await run(scenario, delaying: step, by: delay)
            let delayed = try #require(report[step])
            // Two questions that came together may come one after the other now, and no more.
            #expect(report.budget.interactive <= plain.operations.reduce(.zero) { $0 + $1.interactive }, "\(step)")
            let isWaitedFor = delayed.outcome == .succeeded && before.contains(step)
            if isWaitedFor { #expect(!report.budget.isMet && delayed.duration >= delay, "\(step)") }
            if before.contains(step), report.budget.isMet { #expect([.timedOut, .fellBack].contains(delayed.outcome), "\(step)") }
        }
    }

    @Test(
        "A29: a delay is no person's time: it misses the budget, unless the step was cut off",
        arguments: Nightly.cases(Scenario.all, each: 3)
    )
    func delays(scenario: Scenario) async throws { try await check(.seconds(30), in: scenario) }

    @Test(
        "A29: a person who takes 30 s to answer misses no budget, in any scenario, and the report says who asked",
        arguments: Nightly.cases(Scenario.all, each: 3)
    )
    func answers(scenario: Scenario) async throws {
        let plain = try await run(scenario)
        for step in plain.operations where step.isInteractive {
            let graph = scenario.graph(.simulated(durations: [step.id: .seconds(30)]))
            let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
            #expect(report.outcome == .completed && report.budget.isMet && report[step.id]?.interactive == .seconds(30), "\(step.id)")
        }
    }

    @Test("A29: what replaces the work of a step says itself when it asks")
    func replaced() async throws {
        var steps = StartupSteps.simulated()
        steps[.login] = { step, _ in
            try await step.sleep(for: .seconds(2))
            try await step.waitForPerson { try await step.sleep(for: .seconds(60)) }
            return .guest
        }
        let options = LaunchOptions(clock: VirtualClock())
        let report = try await Scenario.firstLaunch.graph(steps).run(budget: .seconds(3), options: options).report
        // The rest of the time that counts is 950 ms.
        #expect(report.budget.measured == .milliseconds(2_950) && report.budget.isMet)
        #expect(report["login"]?.interactive == .seconds(60))
    }
}
