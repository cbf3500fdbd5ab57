import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// A launch that asks nobody keeps its budget, whichever services accept a request and never answer. The update check
/// has no time of its own: it runs beside the others.
@Suite("A launch that asks nobody", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct UnaskedLaunchTests {
    private enum Part: Int, CaseIterable {
        case versionPolicy, countries, configuration, flags, token, profile, entitlements, speakers
    }

    /// Answers at once, but for its slow parts, which take no notice of a deadline.
    private struct Service: UpdatePolicyService, ConfigurationService, AccountService, EntitlementService,
        DeviceConnector
    {
        let slow: Set<Part>
        var time = Duration.seconds(100)
        let clock: VirtualClock
        var account: Account?
        var country = Country(code: "US", name: "United States", languages: ["en"])

        private func answer<Answer>(_ answer: Answer, of parts: Part...) async throws -> Answer {
            if !slow.isDisjoint(with: parts) { try await clock.sleep(for: time) }
            return answer
        }

        func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
            try await answer(UpdatePolicy(), of: .versionPolicy)
        }

        func countries(by deadline: Deadline) async throws -> [Country] { try await answer([country], of: .countries) }
        func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
            let configuration = AppConfiguration(version: "1", country: region.country, language: region.language)
            return try await answer(configuration, of: .configuration)
        }
        func flags(by deadline: Deadline) async throws -> FeatureFlags? { try await answer(FeatureFlags(), of: .flags) }

        func storedSession() -> StoredAnswer<StoredSession> {
            guard let account else { return .absent }
            var session = StoredSession(userID: account.id, isAnonymous: false, account: account)
            session.isOfThisInstallation = true
            return .value(session)
        }

        func restore(by deadline: Deadline) async throws -> Account {
            try await answer(account ?? .guest, of: .token, .profile)
        }
        func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
            try await answer(Account(id: "7", name: "Ada"), of: .token, .profile)
        }
        func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
            try await logIn(email: email, password: password, by: deadline)
        }
        func logInAnonymously(by deadline: Deadline) async throws -> Account {
            try await answer(Account(id: "g", name: "", isAnonymous: true), of: .token)
        }
        func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account { .guest }
        func logOut(because reason: String) async {}
        func entitlements(by deadline: Deadline) async throws -> Entitlements {
            try await answer(Entitlements(["premium"]), of: .entitlements)
        }

        func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
            try? await answer((), of: .speakers)
            throw DeviceError(.unreachable, speaker.name, "it is switched off")
        }

        /// Fails: the speakers that were found would be asked about.
        func scan(
            _ endpoints: [AppConfiguration.Endpoint],
            by deadline: Deadline
        ) async throws(DeviceError) -> [Speaker] {
            try? await answer((), of: .speakers)
            throw DeviceError(.unreachable, "speaker", "there is no network")
        }
    }

    @MainActor
    private struct Nobody: SpeakerPresenter {
        nonisolated init() {}
        func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? {
            Issue.record("somebody was asked")
            return nil
        }
    }

    private func launch(
        _ scenario: Scenario,
        _ service: Service,
        _ presenters: StartupPresenters,
        onboarding: OnboardingType = .none,
        budget: Budget = .seconds(3)
    ) async throws -> LaunchReport {
        let harness = BootstrapHarness()
        let (app, directory) = (harness.app, harness.directory)
        let settings = Settings(directory.settings)
        try settings.set(onboarding, for: .onboarding)
        // All that a launch can wait for.
        try settings.set(true, for: .presentsSubscriptionOnEveryStart)
        try settings.set(true, for: .waitsForRemoteConfigurationOnFirstLaunch)
        if service.account != nil {
            let state = directory.launchState()
            try state.recordChosenRegion(app.region)
            try state.rememberSpeaker(Speaker(id: "kitchen", name: "Kitchen", host: "kitchen.local", port: 7400))
            try state.recordCompletedLaunch()
        }
        let services = StartupServices(service, speakers: service)
        var environment = StartupEnvironment(
            app: app,
            services: services,
            presenters: presenters,
            directory: directory
        )
        if scenario.name == Scenario.bootstrap.name {
            environment = try harness.bootstrap(harness.plan()).environment(presenters: presenters)
            environment.services = services
        }
        defer { environment.lateUpdateCheck.cancel() }
        var steps = StartupSteps(environment)
        steps[.splash] = { step in try await step.sleep(for: .milliseconds(400)) }
        let options = LaunchOptions(grace: .seconds(60), clock: service.clock, admission: .oneAtATime)
        return try await environment.graph(scenario, steps: steps).run(budget: budget, options: options).report
    }

    /// Each part alone, each two, and all.
    private static let silences: [Set<Part>] = {
        let all = Part.allCases
        return [Set(all)] + all.flatMap { one in all.filter { $0.rawValue >= one.rawValue }.map { [one, $0] } }
    }()

    @Test(
        "A28: whichever services never answer, alone, in pairs or all, the main screen comes within the budget",
        arguments: Scenario.builtIn,
        [Account(id: "7", name: "Ada"), nil]
    )
    func silence(scenario: Scenario, account: Account?) async throws {
        var presenters = StartupPresenters()
        presenters.speaker = Nobody()
        for (number, silent) in Self.silences.enumerated() {
            for budget in [2, 3, 5] {
                let isDue = budget == 3 && silent.count != 2 || Nightly.includes(number * 3 + budget, of: 5)
                guard isDue else { continue }
                let service = Service(slow: silent, clock: VirtualClock(patience: .seconds(300)), account: account)
                let report = try await launch(scenario, service, presenters, budget: .seconds(Double(budget)))
                let told = "\(silent), \(report.budget): \(report.remarks)"
                #expect(report.outcome == .completed, "\(told)")
                #expect(report.budget.measured <= .seconds(budget), "\(told)")
                #expect(silent.count <= 2 || !report.remarks.isEmpty, "\(told)")
            }
        }
    }

    @Test("what a person has set off has all of its time: the configuration of a country that was chosen, and a login")
    func setOff() async throws {
        let person = FakePerson(
            logins: [.logIn(email: "ada@example.com", password: "right")],
            region: Region(country: "DE", language: "de")
        )
        var presenters = StartupPresenters()
        (presenters.region, presenters.login) = (person, person)
        let clock = VirtualClock(patience: .seconds(300))
        var service = Service(slow: [.configuration, .token], time: .milliseconds(1750), clock: clock)
        service.country = Country(code: "DE", name: "Germany", languages: ["de"])
        let report = try await launch(.firstLaunch, service, presenters, onboarding: .regular)
        #expect(report.outcome == .completed && report.budget.measured > .seconds(3), "\(report.remarks)")
        #expect(report["fetch-config"]?.outcome == .succeeded && report["login"]?.notes == [], "\(report.remarks)")
        #expect(person.shown.withLock { $0 } == ["region: DE", "login: -"])
    }
}
