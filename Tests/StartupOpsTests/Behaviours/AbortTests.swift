import Sequencer
import TestSupport
import Testing

@testable import StartupOps

/// What a required update does to a launch that is under way.
@Suite("Behaviours: aborting", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AbortTests {
    @Test("A10, fault O21: whenever a required update is found, no operation starts after the decision")
    func nothingStarts() async throws {
        let rounds = Nightly.times(day: 300, night: 3_000)
        let takeovers = Locked(0)
        for round in 0..<rounds {
            var steps = StartupSteps.simulated()
            let loaded = LoadedConfiguration(.bundled, from: .bundled)
            steps[.splash] = { _ in await Task.yield() }
            steps[.fetchConfig] = { _ in loaded }
            steps[.login] = { _, _ in .guest }
            steps[.connectSpeaker] = { _, _ in nil }
            steps[.tutorial] = { _, _ in }
            steps[.mainApp] = { _, _ in Issue.record("the main screen was shown") }
            steps[.forceUpdate] = { launch in
                for _ in 0..<round % 16 { await Task.yield() }
                launch.abort(.forceUpdate) { takeovers.withLock { $0 += 1 } }
            }
            let launch = try graph(of: round.isMultiple(of: 2) ? .regular : .firstLaunch, steps).start(
                budget: .seconds(3),
                options: LaunchOptions(lanes: 1 + round % 4, grace: .seconds(30))
            )
            let events = launch.events
            let report = await launch.end().report
            #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))

            var started: Set<String> = []
            var isDecided = false
            for await event in events {
                switch event.kind {
                case .stopped: isDecided = true
                case .started(let id, _):
                    #expect(!isDecided, "\(id) started after the decision, in round \(round)")
                    started.insert(id)
                default: break
                }
            }
            #expect(isDecided)
            for operation in report.operations where !started.contains(operation.id) {
                #expect(operation.outcome == .cancelled && operation.start == nil, "\(operation.id)")
            }
        }
        #expect(takeovers.withLock { $0 } == rounds)
    }

    @Test("A10: what runs is told to cancel, what waits never starts, in every scenario", arguments: Scenario.all)
    func waitingAndRunning(scenario: Scenario) async throws {
        let moment = Duration.milliseconds(300)
        let without = try await runVirtually(graph(of: scenario))
        let report = try await runVirtually(graph(of: scenario, .simulated(requiresUpdate: true)))
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        for operation in report.operations where operation.id != "force-update" {
            let usual = try #require(without[operation.id])
            let usualStart = try #require(usual.start)
            // What would have ended by then has; all else is cancelled, and what would have started later never has.
            #expect(operation.outcome == (usual.end <= moment ? .succeeded : .cancelled), "\(operation.id)")
            #expect(operation.start == (usualStart < moment ? usualStart : nil), "\(operation.id)")
            #expect(operation.end == min(usual.end, moment), "\(operation.id)")
        }
    }
}
