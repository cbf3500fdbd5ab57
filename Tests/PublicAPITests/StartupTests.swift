import Foundation
import Sequencer
import SequencerTesting
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// The launch of an app that has its own screens and its own services.
@Suite("Public API: an app's launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StartupTests {
    /// What the app has: its state outlives a launch, all else is made anew.
    private let directory = StateDirectory.inMemory()

    /// Of one launch.
    private var options: LaunchOptions { LaunchOptions(clock: VirtualClock(patience: .seconds(300))) }

    private func environment(_ backend: Backend, _ presenters: StartupPresenters) -> StartupEnvironment {
        StartupEnvironment(
            app: AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de")),
            services: StartupServices(
                updates: backend,
                configurations: backend,
                accounts: backend,
                entitlements: backend,
                speakers: backend
            ),
            presenters: presenters,
            directory: directory,
            splashMinimum: .zero
        )
    }

    @MainActor
    private func launch(_ scenario: Scenario? = nil, _ backend: Backend = Backend(), _ screens: Screens = Screens()) async throws -> (
        scenario: String, report: LaunchReport, shown: [String]
    ) {
        let environment = environment(backend, StartupPresenters(all: screens))
        let scenario = scenario ?? Scenario(for: environment.facts())
        // Whatever a busy machine does to real waits: the time of the launch is virtual.
        var options = options
        options.admission = .oneAtATime
        let report = try await environment.graph(scenario).run(options: options).report
        return (scenario.name, report, screens.shown)
    }

    @Test("the first launch asks for what it needs and reaches the main screen; the next one asks nothing")
    func twice() async throws {
        let backend = Backend()
        let first = try await launch(nil, backend)
        #expect(first.scenario == "first-launch" && first.report.outcome == .completed)
        #expect(first.shown.contains("login") && first.shown.last == "main for Ada")
        let second = try await launch(nil, backend)
        #expect(second.report.outcome == .completed)
        #expect(!second.shown.contains("login") && second.shown.last == "main for Ada")
    }

    @Test("an app reads whether an account's address is verified, and the flags of its build")
    func facts() throws {
        let account = Account(id: "1", name: "Ada", email: "ada@example.com", isEmailVerified: false)
        #expect(!account.isEmailVerified && !account.isAnonymous)
        var plan = BootstrapPlan(endpoints: try APIEnvironment(graphQL: "https://api.example.com/graphql"))
        #expect(!plan.build.contains(.staging))
        plan.build.insert(.staging)
        #expect(plan.build == .staging)
    }

    @Test("an app tells a session that the person ended from one that the service has ended")
    func logouts() async {
        let tokens = TokenManager(store: SessionStore(directory.secure)) { _, _ in throw SessionRejected("invalid_grant") }
        tokens.begin(Session(accessToken: "access-of-startup", refreshToken: "refresh-of-startup", userID: "u1"))
        var events = tokens.events.makeAsyncIterator()
        tokens.end(.requested)
        let event = await events.next()
        #expect(event == .loggedOut(.requested) && event != .loggedOut(.rejected))
        #expect("\(LogoutReason.rejected)" == "the service has ended the session")
    }

    @Test("a version that is too old sees the update, and nothing of the app")
    func update() async throws {
        let backend = Backend()
        backend.requireVersion(SemanticVersion(2))
        let launch = try await launch(.regular, backend)
        #expect(launch.report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(launch.shown.last == "update" && !launch.shown.contains { $0.hasPrefix("main") })
    }

    @Test("A11: the app's own screens take turns with the launch's; a takeover refuses them, and says that it is there")
    @MainActor
    func stage() async throws {
        let backend = Backend()
        let environment = environment(backend, StartupPresenters(all: Screens()))
        var isShown = false
        try await environment.stage.present(by: "news") { isShown = true }
        #expect(isShown && environment.stage.isTakenOverBy == nil)
        backend.requireVersion(SemanticVersion(2))
        var graph = environment.graph(.regular)
        graph.add("poll", after: "main-app") { step in try await environment.stage.ask(in: step) { Issue.record("asked") } }
        #expect(try await graph.run(options: options).report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(environment.stage.isTakenOverBy == StartupStep.forceUpdate.id)
        let refusal = await #expect(throws: PresentationRefused.self) {
            try await environment.stage.present(by: "news") { Issue.record("presented") }
        }
        #expect(refusal?.operation == "news" && refusal?.takenOverBy == "force-update")
    }

    @Test("a launch to the main screen completes once in a process, unless the app allows more")
    @MainActor
    func oncePerProcess() async throws {
        let environment = environment(Backend(), StartupPresenters(all: Screens()))
        #expect(try await environment.graph(.firstLaunch).run(options: options).report.outcome == .completed)
        let error = await #expect(throws: GraphError.self) { try await environment.graph(.regular).run(options: options) }
        #expect(error?.problems.map(\.code) == [.alreadyLaunched])
        var again = options
        again.admission = .oneAtATime
        #expect(try await environment.graph(.regular).run(options: again).report.outcome == .completed)
    }

    @Test("without a service the app starts with what it has: the bundled configuration, and a guest")
    func offline() async throws {
        let backend = Backend()
        backend.goOffline()
        try Settings(directory.settings).set(.none, for: .onboarding)
        let launch = try await launch(Scenario(for: LaunchFacts(account: .none, onboarding: OnboardingType.none)), backend)
        #expect(launch.report.outcome == .completed)
        #expect(launch.report["fetch-config"]?.outcome == .fellBack)
        #expect(launch.shown.last == "main for Guest")
    }

    @Test("an app without a screen that it needs is told which, and does not hang")
    @MainActor
    func missingPresenter() async throws {
        let environment = environment(Backend(), StartupPresenters())
        let report = try await environment.graph(.firstLaunch).run(options: options).report
        #expect(report.outcome.name == "failed")
        #expect(report.operations.contains { $0.message?.contains("presenter") == true }, "\(report.operations.map(\.message))")
    }

    @Test("F14, F15: steps of a launch can be asked for outside one, and a test asks which screen is on top")
    @MainActor
    func askedFor() async throws {
        let (backend, screens) = (Backend(), Screens())
        let environment = environment(backend, StartupPresenters(all: screens))
        #expect(environment.screenOnTop == nil)
        let account = try await environment.run(.login, options: options)
        let speaker = try await environment.run(.connectSpeaker, options: options)
        try await environment.run(.tutorial, options: options)
        #expect(account.name == "Ada" && speaker == nil && screens.shown.first == "login")
        #expect(try await environment.graph(.regular).run(options: options).report.outcome == .completed)
        #expect(environment.screenOnTop == "main-app" && screens.shown.last == "main for Ada")
    }

    @Test("the parts of a scenario can be simulated, to look at the shape of a launch without an app")
    func simulated() async throws {
        let graph = Scenario.regular.graph(.simulated(requiresUpdate: false))
        #expect(try graph.validated().milestone == "main-app")
        #expect(try await graph.run(budget: .seconds(3), options: virtual()).report.budget.isMet)
        #expect(Scenario.all.contains { $0.name == "regular" })
    }

    @Test("F3: an app has facts, steps and scenarios of its own, and changes the options of a built-in step in a line")
    func own() async throws {
        var facts = LaunchFacts(speaker: .declined)
        facts[Subscription.self] = .expired
        let scenario = Scenario("news", "The news, then the main screen.") { [facts] graph, steps in
            let news = graph.add(.news, of: steps)
            let login = graph.add(.login, of: steps, .timeout(.seconds(2)))
            if facts[Subscription.self] == .expired { graph.add("offer-renewal", after: login) {} }
            graph.add("main-app", .milestone, after: news, login, on: .main) {}
        }
        var steps = StartupSteps.simulated()
        steps.set(.timeout(.milliseconds(500)), .onFailure(.continue), .expected(.milliseconds(400)), on: .login)
        let report = try await scenario.graph(steps).run(options: virtual()).report
        #expect(report.operations.map(\.id) == ["news", "login", "offer-renewal", "main-app"])
        // It is expected to take 600 ms, which it does; the app has given it 500.
        #expect(report["login"]?.outcome == .timedOut && report.outcome == .completed)
        #expect(report["news"]?.duration == .milliseconds(200))

        let launched = try await launch(scenario)
        #expect(launched.report.outcome == .completed && launched.report["news"]?.notes == ["news for 1.0.0"])
    }
}

private enum Subscription: LaunchFact { case unknown, expired }

extension StartupStep where Work == ScreenWork {
    fileprivate static var news: Self {
        Self("news", "Show the news", expected: .milliseconds(200), simulated: { $0.screenWork }) { environment in
            return { step in step.note("news for \(environment.app.version)") }
        }
    }
}

/// The app's screens: each is noted, each question answered.
@MainActor
private final class Screens: SplashPresenter, UpdatePresenter, RegionPresenter, LoginPresenter, TutorialPresenter, SpeakerPresenter,
    EntryPointPresenter, MainPresenter
{
    private(set) var shown: [String] = []

    func showSplash() async { shown.append("splash") }
    func splashEnded() async {}
    func showUpdate(_ decision: UpdateDecision) async { shown.append("update") }
    func recommendUpdate(_ version: SemanticVersion) {}
    func chooseRegion(from countries: [Country]) async -> Region? { Region(country: "DE", language: "de") }
    func askForLogin(problem: String?) async -> LoginAnswer {
        shown.append("login")
        return .logIn(email: "ada@example.com", password: "correct horse")
    }
    func askForVerificationCode(of email: String, problem: String?) async -> Secret? { nil }
    func askToRestore(_ account: StoredSession) async -> Bool { true }
    func showTutorial(_ pages: [TutorialPage]) async { shown.append("tutorial") }
    func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? { nil }
    func showPush(_ push: PushPayload) async {}
    func follow(_ link: DeepLink) async {}
    func perform(_ shortcut: ShortcutItem) async {}
    func confirm(_ entryPoint: EntryPoint) async -> Bool { false }
    func showMain(_ content: MainContent) async { shown.append("main for \(content.account.name)") }
    func showOnboarding() async {}
    func showPaywall() async {}
    func becameActive() async {}
}

/// The app's services, all in one and without a network.
private final class Backend: UpdatePolicyService, ConfigurationService, AccountService, EntitlementService, DeviceConnector,
    @unchecked Sendable
{
    // @unchecked: `lock` guards all of its state.
    struct Offline: Error {}

    private let lock = NSLock()
    private var isLoggedIn = false
    private var isOffline = false
    private var minimumVersion: SemanticVersion?

    func goOffline() { lock.withLock { isOffline = true } }
    func requireVersion(_ version: SemanticVersion) { lock.withLock { minimumVersion = version } }
    private func connect() throws { if lock.withLock({ isOffline }) { throw Offline() } }

    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
        try connect()
        return UpdatePolicy(minimumVersion: lock.withLock { minimumVersion })
    }

    func countries(by deadline: Deadline) async throws -> [Country] {
        try connect()
        return [Country(code: "DE", name: "Deutschland", languages: ["de"])]
    }

    func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
        try connect()
        return AppConfiguration(version: "1", country: region.country, language: region.language)
    }

    func storedSession() -> StoredAnswer<StoredSession> {
        lock.withLock { isLoggedIn } ? .value(StoredSession(userID: "ada", isAnonymous: false)) : .absent
    }

    func restore(by deadline: Deadline) async throws -> Account {
        try connect()
        return Account(id: "ada", name: "Ada")
    }

    func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        try connect()
        lock.withLock { isLoggedIn = true }
        return Account(id: "ada", name: "Ada", email: email)
    }

    func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account { throw Offline() }
    func logInAnonymously(by deadline: Deadline) async throws -> Account { throw Offline() }
    func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account { throw Offline() }
    func logOut(because reason: String) async { lock.withLock { isLoggedIn = false } }
    func entitlements(by deadline: Deadline) async throws -> Entitlements { Entitlements() }

    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        throw DeviceError(.unreachable, speaker.name, "there is none")
    }
    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] { [] }
}
