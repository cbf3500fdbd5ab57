import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

@Suite("Launch after launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ThreeLaunchesTests {
    @Test("A16, A19, B17, B24, E9: the first launch asks for everything; the next two follow what it has stored, and ask nothing")
    func threeLaunches() async throws {
        let device = try SampleDevice()
        #expect(device.directory().launchState().isFirstLaunch)
        let first = try await device.launch()
        #expect(first.scenario == "first-launch" && first.report.outcome == .completed)
        #expect(!device.directory().launchState().isFirstLaunch)
        #expect(first.shown == ["splash", "login", "tutorial", "speakers: Kitchen", "main"])
        #expect(first.content?.configuration.source == .remote && first.content?.speaker?.name == "Kitchen")
        for number in 2...3 {
            let later = try await device.launch()
            #expect(later.scenario == "regular" && later.report.outcome == .completed, "launch \(number)")
            #expect(later.shown == ["splash", "main"])
            #expect(later.content?.account == first.content?.account && later.content?.speaker?.name == "Kitchen")
            #expect(later.report.remarks.isEmpty && later.report.operations.allSatisfy { !$0.isInteractive })
            #expect(device.directory().launchState().appStarts == number)
        }
        #expect(device.service.counts["POST /oauth/token"] == 1 && device.service.counts["GET /v1/countries"] == 1)
        #expect(device.lastingProblems.isEmpty && first.report.remarks.isEmpty)
    }

    @Test(
        "B22, B23, B42: the first launch of a new installation ends the session that an earlier one has left, or offers it where the app restores accounts",
        arguments: [false, true]
    )
    func reinstalled(restores: Bool) async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        // As a phone does: the session outlives the app, and all else is gone.
        try device.directory().state.removeAll()
        try Settings(device.directory().settings).set(restores, for: .enablesRestoreAccount)
        let launch = try await device.launch()
        #expect(launch.report.outcome == .completed && launch.content?.account.email == "person@example.com", "\(launch.report.remarks)")
        #expect(launch.shown.contains("login") == !restores, "\(launch.shown)")
        #expect(launch.shown.contains { $0.hasPrefix("restore") } == restores, "\(launch.shown)")
        let ended = "login: the stored session was ended, because this is the first launch"
        #expect(launch.report.remarks.contains(ended) == !restores, "\(launch.report.remarks)")
    }

    @Test("B23: who leaves the offer without an answer is neither logged in nor out: the launch ends, and the next one offers it again")
    func unanswered() async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        try device.directory().state.removeAll()
        try Settings(device.directory().settings).set(true, for: .enablesRestoreAccount)
        var presenters = StartupPresenters(all: AgreeablePerson())
        presenters.login = FakePerson(restores: nil)
        let environment = device.environment(presenters)
        defer { environment.devices.closeAll() }
        let report = try await device.run(environment.graph(Scenario(for: environment.facts())))
        #expect(report.outcome.name == "failed" && report["login"]?.message == "the person dismissed login", "\(report.remarks)")
        let next = try await device.launch()
        #expect(next.shown.contains { $0.hasPrefix("restore") } && !next.shown.contains("login"), "\(next.shown)")
    }

    @Test("A guest stays a guest where the last known configuration lets the app be tried, and is not asked to log in at the second launch")
    func guest() async throws {
        let device = try SampleDevice()
        let person = AgreeablePerson(login: .continueAsGuest)
        let first = try await device.launch(nil, person) { environment in
            // What earlier launches have come to.
            try environment.configurations.know("6", onboarding: .dismissable)
        }
        #expect(first.content?.account.isAnonymous == true)
        let second = try await device.launch { environment in
            try environment.configurations.know("6", onboarding: .dismissable)
        }
        #expect(second.scenario == "regular" && second.shown == ["splash", "main", "onboarding"])
        #expect(second.content?.account.id == first.content?.account.id && second.content?.account.isAnonymous == true)
        // The service asks for an account from now on: that was too late for this launch.
        #expect(
            second.report["main-app"]?.notes == [
                "the launch was decided with dismissable onboarding, before the configuration came that says regular: regular counts from the "
                    + "next launch"
            ]
        )
    }

    @Test("E12: one version, the app's, decides whether an update is required and whether the tutorial is shown")
    func version() async throws {
        let device = try SampleDevice()
        // Required from 2.0.0 on, and seen in 1.0.0.
        _ = try await device.launch()
        device.service.requireUpdate(to: "2.0.0")
        let old = try await device.launch(version: SemanticVersion(1, 9))
        #expect(old.report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(!old.shown.contains("main") && old.shown.contains("update"))
        let new = try await device.launch(version: SemanticVersion(2))
        #expect(new.report.outcome == .completed && new.shown.contains("tutorial"))
        #expect(device.directory().launchState().tutorialVersionSeen == .value(SemanticVersion(2)))
    }

    @Test("E12: unless told otherwise, an app runs on this platform, and is set to the device's country and language")
    func defaults() {
        let app = AppInfo(version: SemanticVersion(1))
        #expect(app.platform == currentPlatform && !app.platform.isEmpty)
        #expect(app.region == AppInfo.deviceRegion && !app.region.country.isEmpty && !app.region.language.isEmpty)
    }
}
