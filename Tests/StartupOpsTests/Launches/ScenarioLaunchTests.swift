import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples

/// The built-in scenarios with the real operations.
@Suite("Launching in each scenario", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScenarioLaunchTests {
    /// All but the one that carries out a plan of its own: ``RealBootstrapConfigurationTests`` and those beside them launch that.
    static let scenarios = Scenario.all.filter { $0.name != Scenario.bootstrap.name }

    @Test("B60: an app that comes back has its version checked again, and is told; nothing of the launch is run again")
    func warmResume() async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        let before = device.service.counts
        let starts = device.directory().launchState().appStarts
        let result = try await device.launch(isRunning: true)
        #expect(result.scenario == "warm-resume" && result.report.outcome == .completed)
        #expect(result.report.operations.map(\.id) == ["force-update", "become-active"])
        #expect(result.shown == ["active"])
        var expected = before
        expected["GET /v1/version-policy", default: 0] += 1
        #expect(device.service.counts == expected, "no other request was sent")
        #expect(device.directory().launchState().appStarts == starts)

        device.service.requireUpdate()
        let old = try await device.launch(isRunning: true)
        #expect(old.report.outcome == .aborted(by: "force-update", reason: .forceUpdate) && old.shown == ["update"])
    }

    @Test(
        "B67: an app without any optional part, screen, SDK or observer reaches its first screen",
        arguments: [Scenario.guestNone, .regular]
    )
    func minimal(_ scenario: Scenario) async throws {
        let device = try SampleDevice()
        if scenario.name == "regular" { _ = try await device.launch() }
        let person = AgreeablePerson()
        var presenters = StartupPresenters()
        presenters.main = person
        let environment = device.environment(presenters)
        defer { environment.devices.closeAll() }
        // Nobody is logged in, and the app does not mind.
        if scenario.name == "guest-none" {
            try environment.configurations.know("1", onboarding: OnboardingType.none)
            device.service.setFault(.status(404), for: "/v1/configuration")
        }
        let report = try await device.run(scenario.graph(StartupSteps(environment)))
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(person.shown == ["main"])
    }
}
