import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// All combinations of facts, with the real steps: each launch comes to the end that the table of `Scenario(for:)` has for it.
@Suite("Launches from all facts", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FactsLaunchTests {
    /// Turns down the account that was found, and is not asked to log in.
    @MainActor
    private final class Declining: LoginPresenter {
        nonisolated init() {}
        func askForLogin(problem: String?) async -> LoginAnswer { .dismissed }
        func askForVerificationCode(of email: String, problem: String?) async -> Secret? { nil }
        func askToRestore(_ account: StoredSession) async -> Bool { false }
    }

    private let app = AppInfo(version: SemanticVersion(1), region: Region(country: "FR", language: "fr"))

    /// The app on a device of which these facts are true, but for what starts it.
    private func environment(_ directory: StateDirectory, _ service: Service, _ person: AgreeablePerson) -> StartupEnvironment {
        // As a process of its own would: no launch of this one is its second.
        var directory = directory
        directory.place = "process \(UUID())"
        return StartupEnvironment(
            app: app,
            services: StartupServices(service, speakers: service),
            presenters: StartupPresenters(all: person),
            directory: directory,
            bundled: Service.configuration(),
            splashMinimum: .zero
        )
    }

    private func directory(_ facts: LaunchFacts) throws -> StateDirectory {
        let directory = StateDirectory.inMemory()
        let (settings, state) = (Settings(directory.settings), directory.launchState())
        // What an app sets counts over its configuration.
        if facts.onboarding != .regular { try settings.set(facts.onboarding, for: .onboarding) }
        try settings.set(facts.account == .found, for: .enablesRestoreAccount)
        if facts.isRegionKnown { try state.recordChosenRegion(Region(country: "DE", language: "de")) }
        if facts.hasSeenTutorial { try state.recordTutorialSeen(version: SemanticVersion(1)) }
        switch facts.speaker {
        case .none: break
        case .known: try state.rememberSpeaker(Service.speaker)
        case .declined: try state.recordDeclinedSpeaker()
        }
        return directory
    }

    /// The screens up to the main screen, in order, and those after it: the table of `Scenario(for:)`, written down once more.
    private func screens(_ facts: LaunchFacts) -> (before: [String], after: Set<String>) {
        let isKnown = facts.account == .known || facts.account == .found
        var (before, after) = (["splash"], Set<String>())
        if !facts.isRegionKnown { before.append("region") }
        if facts.account == .found { before.append("restore Ada") }
        let logsIn = !isKnown && facts.onboarding == .regular
        if logsIn { before.append("login") }
        // Whoever may have to be asked who they are is asked that first.
        let isAskedNothing = facts.account == .known || facts.account == .guest && !logsIn
        let showsPush = facts.origin == .push && facts.isRegionKnown && isAskedNothing
        if showsPush { before.append("push") } else if !facts.hasSeenTutorial { before.append("tutorial") }
        if facts.speaker == .none { before.append("speakers: Kitchen") }
        switch facts.origin {
        case .icon: break
        case .push: if !showsPush { after.insert("push") }
        case .link: after.insert("link")
        case .shortcut: after.insert("shortcut")
        }
        if !isKnown, facts.onboarding == .dismissable { after.insert("onboarding") }
        return (before + ["main"], after)
    }

    private func check(_ facts: LaunchFacts) async throws {
        let (service, person) = (Service(facts.account), AgreeablePerson())
        let stored = try directory(facts)
        let environment = environment(stored, service, person)
        defer { environment.devices.closeAll() }
        switch facts.origin {
        case .icon: break
        case .push: environment.mailbox.receive(try EntryPointSamples.push())
        case .link: environment.mailbox.receive(try EntryPointSamples.link("https://good.example/"))
        case .shortcut: environment.mailbox.receive(EntryPointSamples.shortcut())
        }
        #expect(environment.facts() == facts)
        let graph = environment.graph(Scenario(for: environment.facts()))
        let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)))).report
        #expect(report.outcome == .completed && report.budget.isMet, "\(facts): \(report.remarks)")
        let (expected, shown) = (screens(facts), person.shown)
        #expect(Array(shown.prefix(expected.before.count)) == expected.before, "\(facts)")
        #expect(shown.dropFirst(expected.before.count).sorted() == expected.after.sorted(), "\(facts)")
        let content = try #require(person.content)
        let isGuest = !(facts.account == .known || facts.account == .found) && facts.onboarding != .regular
        #expect(content.account.isAnonymous == isGuest && content.configuration.source == .remote, "\(facts)")
        #expect(content.speaker == (facts.speaker == .declined ? nil : Service.speaker), "\(facts)")

        // The next launch knows all that this one has come to, and asks nothing more.
        let next = self.environment(stored, service, person).facts()
        let learnt = LaunchFacts(
            account: isGuest ? .guest : .known,
            hasSeenTutorial: facts.hasSeenTutorial || shown.contains("tutorial"),
            speaker: facts.speaker == .declined ? .declined : .known,
            onboarding: facts.onboarding
        )
        #expect(next == learnt, "\(facts)")
        #expect(next.speaker != .none && !next.mayAskToLogIn, "\(facts)")
    }

    @Test(
        "F2: each of 576 combinations of facts, by day every fifth, shows the screens that are documented, and the next launch asks nothing",
        arguments: LaunchFacts.AccountState.allCases
    )
    func launches(account: LaunchFacts.AccountState) async throws {
        let combinations = LaunchFactsTests.facts.filter { $0.account == account }
        #expect(combinations.count == 144)
        for (number, facts) in combinations.enumerated() where Nightly.includes(number, of: 5) { try await check(facts) }
    }

    private func run(_ environment: StartupEnvironment) async throws -> LaunchReport {
        let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)))
        return try await environment.graph(Scenario(for: environment.facts())).run(budget: .seconds(3), options: options).report
    }

    @Test("B13: who turns down the account that was found, in an app that can be tried, is a guest, and sees the onboarding")
    func turnedDown() async throws {
        let facts = LaunchFacts(account: .found, onboarding: .dismissable)
        let person = AgreeablePerson()
        var environment = try environment(directory(facts), Service(facts.account), person)
        defer { environment.devices.closeAll() }
        environment.presenters.login = Declining()
        #expect(environment.facts() == facts)
        let report = try await run(environment)
        #expect(report.outcome == .completed && person.content?.account.isAnonymous == true, "\(report.remarks)")
        #expect(person.shown == ["splash", "main", "onboarding"])
    }

    @Test("B13, B66: who is a guest by the first configuration, which alone says dismissable, sees the onboarding at the next launch, once")
    func firstConfiguration() async throws {
        let (stored, service) = (try directory(.firstLaunch), Service(.none, says: .dismissable))
        for number in 1...3 {
            let person = AgreeablePerson()
            let environment = environment(stored, service, person)
            defer { environment.devices.closeAll() }
            let report = try await run(environment)
            #expect(report.outcome == .completed && person.content?.account.isAnonymous == true, "\(report.remarks)")
            #expect(!person.shown.contains("login") && person.shown.contains("onboarding") == (number == 2), "\(person.shown)")
        }
    }
}

/// All that a launch talks to: it answers at once, and serves one country that is not the device's. It need not say how somebody is received.
private final class Service: UpdatePolicyService, ConfigurationService, AccountService, EntitlementService, DeviceConnector {
    private struct Connection: DeviceConnection {
        let speaker: Speaker
        func ping(by deadline: Deadline) async throws(DeviceError) {}
        func close() {}
    }

    static let speaker = Speaker(id: "kitchen", name: "Kitchen", host: "kitchen.local", port: 7400)
    static func configuration(says onboarding: OnboardingType? = nil) -> AppConfiguration {
        AppConfiguration(
            version: "1",
            country: "DE",
            language: "de",
            onboarding: onboarding,
            tutorialPages: [TutorialPage(title: "Willkommen", text: "Musik in jedem Raum.")]
        )
    }

    private static let person = Account(id: "7", name: "Ada", email: "ada@example.com")
    private static let guest = Account(id: "g", name: "", isAnonymous: true)

    private let session: Locked<StoredAnswer<StoredSession>>
    private let onboarding: OnboardingType?

    init(_ account: LaunchFacts.AccountState, says onboarding: OnboardingType? = nil) {
        self.onboarding = onboarding
        session =
            switch account {
            case .none: Locked(.absent)
            case .guest: Locked(.value(Self.session(of: Self.guest)))
            case .known: Locked(.value(Self.session(of: Self.person)))
            case .found: Locked(.value(Self.session(of: Self.person, isOfThisInstallation: false)))
            }
    }

    private static func session(of account: Account, isOfThisInstallation: Bool = true) -> StoredSession {
        var session = StoredSession(userID: account.id, isAnonymous: account.isAnonymous, account: account)
        session.isOfThisInstallation = isOfThisInstallation
        return session
    }

    private func open(_ account: Account) -> Account {
        session.withLock { $0 = .value(Self.session(of: account)) }
        return account
    }

    func storedSession() -> StoredAnswer<StoredSession> { session.withLock { $0 } }
    func logOut(because reason: String) async { session.withLock { $0 = .absent } }

    func restore(by deadline: Deadline) async throws -> Account {
        guard let account = storedSession().value?.account else { throw AccountError(.noSession, "nobody is logged in") }
        return account
    }

    func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account { open(Self.person) }
    func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account { open(Self.person) }
    func logInAnonymously(by deadline: Deadline) async throws -> Account { open(Self.guest) }
    func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account { Self.person }

    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy { UpdatePolicy() }
    func countries(by deadline: Deadline) async throws -> [Country] { [Country(code: "DE", name: "Deutschland", languages: ["de"])] }
    func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
        Self.configuration(says: onboarding)
    }
    func entitlements(by deadline: Deadline) async throws -> Entitlements { Entitlements() }

    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        Connection(speaker: speaker)
    }

    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] { [Self.speaker] }
}
