import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// The built-in scenarios, run in virtual time.
@Suite("Running the built-in scenarios", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScenarioRunTests {
    private func run(_ scenario: Scenario, _ fault: (Fault, String)? = nil) async throws -> LaunchReport {
        var graph = scenario.graph(.simulated())
        if let fault { try graph.inject(fault.0, into: fault.1) }
        return try await graph.run(
            budget: .seconds(3),
            options: LaunchOptions(deadline: .seconds(20), deadlineCountsInteractiveTime: false, clock: VirtualClock())
        ).report
    }

    @Test("A28: each takes as long as its critical path, and meets its budget")
    func makespans() async throws {
        for (scenario, milliseconds) in [
            (Scenario.firstLaunch, 2500), (.regular, 800), (.push, 800), (.deeplink, 880), (.guest, 1150), (.warmResume, 350),
        ] {
            let report = try await run(scenario)
            #expect(report.outcome == .completed)
            #expect(report.makespan == .milliseconds(milliseconds), "\(scenario)")
            #expect(report.criticalPathDuration == report.endOfLaunchProper)
            #expect(report.afterMilestone?.operations == (scenario.name == "deeplink" ? ["deeplink"] : nil), "\(scenario)")
            #expect(report.budget.isMet)
        }
    }

    @Test("what may go wrong goes wrong without harm; what may not is named")
    func faults() async throws {
        #expect(try await run(.regular, (.hang, "force-update")).outcome == .completed)
        #expect(try await run(.regular, (.fail, "connect-speaker")).outcome == .completed)
        let slow = try await run(.regular, (.delay(.seconds(10)), "fetch-config"))
        #expect(slow.outcome == .completed && slow.budget.isMet)
        #expect(slow["fetch-config"]?.outcome == .fellBack)
        let hung = try await run(.regular, (.hang, "login"))
        #expect(hung.outcome == .failed(operation: "login", message: "not ended after its timeout of 2 s"))
        let failed = try await run(.push, (.fail, "login"))
        #expect(failed.outcome == .failed(operation: "login", message: "a failure was injected into login"))
    }
}
