import Sequencer
import StartupStorage
import TestSupport
import Testing

@testable import StartupOps

/// When an app offers its subscription, and to whom.
@Suite("The offer of a subscription", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SubscriptionOfferTests {
    /// Somebody who has no subscription; the other one, `AgreeablePerson` by itself, has one.
    private var newcomer: AgreeablePerson { AgreeablePerson(login: .logIn(email: "new@example.com", password: "correct horse")) }

    private func device(_ key: SettingKey<Bool>?) throws -> SampleDevice {
        let device = try SampleDevice()
        if let key { try Settings(device.directory().settings).set(true, for: key) }
        return device
    }

    private func places(_ shown: [String]) -> [String] { shown.filter { ["login", "paywall", "main"].contains($0) } }

    @Test("B15: an app that is set to it offers a subscription right after the login, before the main screen")
    func afterLogin() async throws {
        let device = try device(.presentsSubscriptionAfterLogin)
        #expect(places(try await device.launch(.firstLaunch, newcomer).shown) == ["login", "paywall", "main"])
        // Nobody logs in at the next start.
        let next = try await device.launch(nil, newcomer)
        #expect(places(next.shown) == ["main"], "\(next.shown) \(next.report.remarks)")
    }

    @Test("B15: who gets back the account that was found on the device has not logged in; who had been a guest has")
    func withoutLogin() async throws {
        let device = try device(.presentsSubscriptionAfterLogin)
        #expect(try await device.launch(.guest, AgreeablePerson(login: .continueAsGuest)).content?.account.isAnonymous == true)
        // A guest's session is there, and this app asks for an account now.
        #expect(places(try await device.launch(.guest, newcomer).shown) == ["login", "paywall", "main"])
        for scenario in [Scenario.regular, .guest, .guestNone] {
            #expect(places(try await device.launch(scenario, newcomer).shown) == ["main"], "\(scenario)")
        }
        try Settings(device.directory().settings).set(true, for: .enablesRestoreAccount)
        let restored = try await device.launch(.restoreAccount, newcomer)
        #expect(restored.shown.contains { $0.hasPrefix("restore") } && places(restored.shown) == ["main"], "\(restored.shown)")
    }

    @Test("B15: who logs in by work of the app's own, in the place of somebody else, has logged in")
    func ownLogin() async throws {
        let device = try device(.presentsSubscriptionAfterLogin)
        #expect(places(try await device.launch().shown) == ["login", "main"])
        let person = newcomer
        let environment = device.environment(StartupPresenters(all: person))
        defer { environment.devices.closeAll() }
        var steps = StartupSteps(environment)
        steps[.login] = { [accounts = environment.services.accounts] _, _ in
            try await accounts.logIn(email: "new@example.com", password: "correct horse", by: .after(patience))
        }
        let report = try await device.run(environment.graph(.regular, steps: steps))
        #expect(report.outcome == .completed && places(person.shown) == ["paywall", "main"], "\(person.shown) \(report.remarks)")
    }
}
