import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// The symptoms of a wrong start, as an app is told of them after a launch, or during one.
@Suite("Bootstrap: findings", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapFindingsTests {
    @Test("B65: set-up that has ended a launch is the finding, not what did not come because of that")
    func setUp() async throws {
        let harness = BootstrapHarness()
        var plan = harness.plan()
        plan.modules = [
            BootstrapModule("shop", isActive: { false }) { _ in "shop" },
            BootstrapModule("chat", dependencies: [.after("shop", because: "it sells there")]) { _ in "chat" },
        ]
        let bootstrap = try harness.bootstrap(plan)
        _ = try await harness.launch(bootstrap)
        #expect(bootstrap.findings == ["set-up is missing or misordered: shop is not active, and chat needs it: it sells there"])
    }

    @Test("B65: a session that the launch has ended, and why; somebody who logs in ends the complaint, a guest does not")
    func loggedOut() async throws {
        let harness = BootstrapHarness()
        try await harness.leaveSession()
        let bootstrap = try harness.bootstrap(harness.plan())
        #expect(try await harness.launch(bootstrap).outcome == .completed)
        #expect(
            bootstrap.findings == [
                "the person is logged out: the session was ended because first launch; to keep it and offer the account, set the plan's "
                    + "enablesRestoreAccount"
            ]
        )
        _ = try await bootstrap.service.logIn(
            email: "person@example.com",
            password: Secret("correct horse"),
            by: .after(patience)
        )
        #expect(bootstrap.findings == [])
        await bootstrap.service.logOut(because: LogoutReason.requested.description)
        #expect(bootstrap.findings == [])
    }

    @Test("B65: a push that nobody has taken")
    func push() async throws {
        let harness = BootstrapHarness()
        let bootstrap = try harness.bootstrap(harness.plan())
        let environment = harness.environment(bootstrap, FakePerson(logins: [.continueAsGuest]))
        environment.mailbox.receive(.push(PushPayload(category: nil, title: "Sale", body: "Today", link: nil, problems: [])))
        let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
        #expect(try await environment.graph(.bootstrap).run(budget: .seconds(3), options: options).report.outcome == .completed)
        #expect(
            bootstrap.findings == [
                "a push notification leads nowhere: it is kept for the app, to be taken after the main screen: give the presenters an entryPoint, or "
                    + "call deliver(to:) of the mailbox"
            ]
        )
    }

    @Test("B65: a session that the service has ended, and what to do")
    func rejected() async throws {
        let harness = BootstrapHarness()
        try await harness.leaveSession()
        let bootstrap = try harness.bootstrap(harness.plan())
        bootstrap.service.tokens.end(.rejected)
        #expect(
            bootstrap.findings == [
                "the person is logged out: the session was ended because the service has ended the session; it does not take the refresh token any "
                    + "more: have the person log in again"
            ]
        )
    }

    @Test("B65, B66: an onboarding that the configuration changes after the coordinator has gone by another")
    func onboarding() async throws {
        let harness = BootstrapHarness(onboarding: .dismissable)
        // Nobody is there whose session could have been ended.
        let first = try harness.bootstrap(harness.plan())
        #expect(try await harness.launch(first).outcome == .completed)
        #expect(first.findings == [])
        let later = BootstrapHarness(onboarding: .dismissable)
        try later.leaveCompletedLaunch()
        _ = try await AppService(
            at: .service(at: later.backend.baseURL),
            http: later.http,
            directory: later.directory,
            app: later.app,
            deviceID: "earlier"
        )
        .logInAnonymously(by: .after(patience))
        let bootstrap = try later.bootstrap(later.plan())
        #expect(try await later.launch(bootstrap).outcome == .completed)
        #expect(
            bootstrap.findings.last?.hasPrefix(
                "the onboarding is not the one that was configured: regular counted in this launch, dismissable is configured"
            ) == true
        )
    }
}
