import SequencerTesting
import StartupSamples
import TestSupport
import Testing

@testable import StartupOps

@Suite("A launch that fails, of a version that has to be updated", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FailedLaunchUpdateTests {
    @Test(
        "fault P17: whichever step fails at once, the update's screen comes in the failure's place: the policy is stored, or the service is waited for",
        arguments: Scenario.all.map(\.name),
        [false, true]
    )
    @MainActor
    func everyStep(name: String, isStored: Bool) async throws {
        let scenario = try #require(Scenario.named(name))
        // By day, other steps in each scenario.
        let first = Scenario.all.firstIndex { $0.name == name } ?? 0
        for (number, id) in try OutdatedApp.steps(of: scenario).enumerated()
        where Nightly.includes(first + number, of: 6) || id == "prologue" {
            // Steps that wait for the screen are waited for in real time: this long.
            let clock = VirtualClock(patience: .milliseconds(50))
            let app = try OutdatedApp(scenario, isStored: isStored) { try await clock.sleep(for: .seconds(1)) }
            var options = LaunchOptions(grace: .seconds(60), clock: clock)
            options.failureTakeover = { _ in Issue.record("\(id): the failure has the screen") }
            let report = try await app.graph(failing: id).run(options: options).report
            await app.environment.lateUpdateCheck.end()
            #expect(app.isUpdated, "\(id): \(app.person.shown), \(report.outcome)")
            if id == "prologue" { #expect(report["force-update"]?.outcome == .cancelled && report.outcome.name == "failed") }
        }
    }

    @Test("fault P17: a graph that is launched again, and fails before its check, asks anew")
    @MainActor
    func again() async throws {
        struct Failure: Error {}
        let (clock, isFirst) = (VirtualClock(patience: .milliseconds(50)), Locked(true))
        let app = try OutdatedApp(.warmResume, isStored: false) {
            if isFirst.withLock({ $0 }) { throw unreachable }
        }
        var graph = app.environment.graph(.warmResume)
        graph.addPrologue("sdk") { if !isFirst.withLock({ $0 }) { throw Failure() } }
        #expect(try await graph.run(options: LaunchOptions(clock: clock)).report.outcome == .completed)
        isFirst.withLock { $0 = false }
        #expect(try await graph.run(options: LaunchOptions(clock: clock)).report.outcome.name == "failed")
        #expect(app.person.shown == ["active", "update"])
    }
}
