import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// A launch that asks nobody keeps its budget, whichever services accept a request and never answer, and whichever of
/// its optional parts hang. The update check has no time of its own: it runs beside the others.
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

    /// Reads the tutorial, and sees a splash that never appears.
    @MainActor
    private final class Spectator: SplashPresenter, TutorialPresenter {
        let clock: VirtualClock
        let reading: Duration
        private(set) var hasRead = false

        init(_ clock: VirtualClock, reading: Duration = .zero) { (self.clock, self.reading) = (clock, reading) }

        func showSplash() async { try? await clock.sleep(for: .seconds(100)) }
        func splashEnded() async {}
        func showTutorial(_ pages: [TutorialPage]) async throws {
            try await clock.sleep(for: reading)
            hasRead = true
        }
    }

    /// What hangs beside the services.
    enum Hang: String, CaseIterable {
        case splash, module, modules, preparation, sdks

        func addParts(to plan: inout BootstrapPlan, _ clock: VirtualClock) {
            let time = Duration.seconds(100)
            let prepares = self == .preparation
            if self == .module || self == .modules || prepares {
                plan.modules = [
                    BootstrapModule("shop", prepare: { if prepares { try await clock.sleep(for: time) } }) { _ in
                        try await clock.sleep(for: time)
                    }
                ]
            }
            if self == .modules {
                plan.modules.append(
                    BootstrapModule("cart", dependencies: [.after("shop", because: "it sells the items")]) { _ in
                        try await clock.sleep(for: time)
                    }
                )
            }
            if self == .sdks || prepares {
                plan.thirdParties = [("ads", []), ("maps", ["ads"])].prefix(prepares ? 1 : 2).map { name, before in
                    ThirdPartySDK(name, after: before, timeout: .seconds(1)) { _ in try await clock.sleep(for: time) }
                }
            }
        }
    }

    /// Optional parts of an app, one after the other or all at once, each of which takes as long.
    private struct Chain: CustomStringConvertible {
        let preparations, sdks: Int
        let time: Duration
        let isParallel: Bool

        var description: String { "\(preparations) modules, \(sdks) SDKs, \(time) each\(isParallel ? ", at once" : "")" }

        func addParts(to plan: inout BootstrapPlan, _ clock: VirtualClock) {
            plan.modules = (0..<preparations).map { [time, isParallel] number in
                let before = isParallel || number == 0 ? [] : [OrderConstraint.after("m\(number - 1)", because: "it comes first")]
                return BootstrapModule("m\(number)", dependencies: before, prepare: { try await clock.sleep(for: time) }) { _ in }
            }
            plan.thirdParties = (0..<sdks).map { [time, isParallel] number in
                let before = isParallel || number == 0 ? [] : ["s\(number - 1)"]
                return ThirdPartySDK("s\(number)", after: before) { _ in try await clock.sleep(for: time) }
            }
        }
    }

    private func launch(
        _ scenario: Scenario,
        _ service: Service,
        _ presenters: StartupPresenters,
        onboarding: OnboardingType = .none,
        budget: Budget = .seconds(3),
        hang: Hang? = nil,
        chain: Chain? = nil
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
            var plan = harness.plan()
            hang?.addParts(to: &plan, service.clock)
            chain?.addParts(to: &plan, service.clock)
            environment = try harness.bootstrap(plan).environment(presenters: presenters)
            environment.services = services
        }
        defer { environment.lateUpdateCheck.cancel() }
        var steps = StartupSteps(environment)
        if hang != .splash { steps[.splash] = { step in try await step.sleep(for: .milliseconds(400)) } }
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

    @Test(
        "A28, fault L69: optional modules, their preparation, SDKs and the splash may hang as well",
        arguments: Hang.allCases,
        [Account(id: "7", name: "Ada"), nil]
    )
    func parts(hang: Hang, account: Account?) async throws {
        for silent in [[], Set(Part.allCases)] {
            for budget in [2, 3, 5] {
                let service = Service(slow: silent, clock: VirtualClock(patience: .seconds(300)), account: account)
                var presenters = StartupPresenters()
                presenters.splash = await Spectator(service.clock)
                let report = try await launch(.bootstrap, service, presenters, budget: .seconds(Double(budget)), hang: hang)
                let told = "\(silent), \(report.budget): \(report.remarks)"
                #expect(report.outcome == .completed, "\(told)")
                #expect(report.budget.measured <= .seconds(budget), "\(told)")
                #expect(report.operations.contains { $0.outcome == .timedOut }, "\(told)")
            }
        }
    }

    @Test("A28, fault L69: however many optional parts hang or are slow, in a chain or all at once, the budget is kept")
    func chains() async throws {
        var random = SplitMix64(seed: 28)
        var cases: [(chain: Chain, isSilent: Bool, hang: Hang?, budget: Int)] = []
        for preparations in [1, 2, 5, 10] {
            for sdks in [0, 1, 2, 5, 10] {
                for time in [Duration.seconds(100), .milliseconds(300), .milliseconds(80)] {
                    for isParallel in [false, true] {
                        let chain = Chain(preparations: preparations, sdks: sdks, time: time, isParallel: isParallel)
                        for isSilent in [false, true] {
                            for hang in [nil, Hang.splash] { cases += [1, 2, 3, 5].map { (chain, isSilent, hang, $0) } }
                        }
                    }
                }
            }
        }
        for (chain, isSilent, hang, budget) in Nightly.cases(cases.shuffled(using: &random), each: cases.count / 60) {
            let silent = isSilent ? Set(Part.allCases) : []
            let clock = VirtualClock(patience: .seconds(300))
            let service = Service(slow: silent, clock: clock, account: Account(id: "7", name: "Ada"))
            var presenters = StartupPresenters()
            presenters.splash = await Spectator(clock)
            let limit = Budget.seconds(Double(budget))
            let report = try await launch(.bootstrap, service, presenters, budget: limit, hang: hang, chain: chain)
            let told = "\(chain), \(isSilent), \(hang?.rawValue ?? "-"), \(report.budget): \(report.remarks)"
            #expect(report.outcome == .completed, "\(told)")
            #expect(report.budget.measured <= .seconds(budget), "\(told)")
        }
    }

    @Test("a long chain of quick parts is not cut, however small the budget", arguments: [1, 3])
    func quickParts(budget: Int) async throws {
        let clock = VirtualClock(patience: .seconds(300))
        let service = Service(slow: [], clock: clock, account: Account(id: "7", name: "Ada"))
        let chain = Chain(preparations: 10, sdks: 10, time: .milliseconds(1), isParallel: false)
        let limit = Budget.seconds(Double(budget))
        let report = try await launch(.bootstrap, service, StartupPresenters(), budget: limit, chain: chain)
        #expect(report.outcome == .completed && report.operations.allSatisfy { $0.outcome != .timedOut }, "\(report.remarks)")
    }

    @Test("an optional part that is slow, and a splash, have what the budget leaves; what is required has its own time")
    func slowParts() async throws {
        let (clock, harness) = (VirtualClock(patience: .seconds(300)), BootstrapHarness())
        var plan = harness.plan()
        plan.modules = [
            BootstrapModule("shop") { _ in try await clock.sleep(for: .seconds(1)) },
            BootstrapModule("chat", isRequired: true, timeout: .seconds(5)) { _ in try await clock.sleep(for: .seconds(4)) },
        ]
        let environment = try harness.bootstrap(plan).environment(presenters: StartupPresenters())
        var steps = StartupSteps(environment)
        steps.set(.timeout(.seconds(5)), on: .splash)
        let report = try await environment.graph(.bootstrap, steps: steps).run(budget: .seconds(3), options: LaunchOptions(clock: clock))
            .report
        #expect(report["module-shop"]?.outcome == .succeeded && report["module-chat"]?.outcome == .succeeded, "\(report.remarks)")
    }

    @Test("a tutorial asks nothing, however long it is read: what follows still keeps the budget", arguments: [0, 5])
    func tutorial(seconds: Int) async throws {
        let service = Service(slow: Set(Part.allCases), clock: VirtualClock(patience: .seconds(300)))
        let spectator = await Spectator(service.clock, reading: .seconds(seconds))
        var presenters = StartupPresenters()
        presenters.tutorial = spectator
        let report = try await launch(.bootstrap, service, presenters)
        #expect(report.outcome == .completed && report.budget.measured <= .seconds(3), "\(report.budget): \(report.remarks)")
        #expect(await spectator.hasRead)
    }

    @Test("a service that lives and is slow: the configuration has what the budget leaves, and a login is not taken for silence")
    func slowService() async throws {
        var presenters = StartupPresenters()
        let clock = VirtualClock(patience: .seconds(300))
        for milliseconds in [550, 850] {
            let person = FakePerson(logins: [.logIn(email: "ada@example.com", password: "right")])
            presenters.login = person
            let service = Service(slow: Set(Part.allCases), time: .milliseconds(milliseconds), clock: clock)
            let report = try await launch(.bootstrap, service, presenters, onboarding: .regular)
            #expect(report.outcome == .completed && report["fetch-config"]?.outcome == .succeeded, "\(report.remarks)")
            #expect(person.shown.withLock { $0 } == ["login: -"] && report["login"]?.notes == [], "\(report.remarks)")
        }
    }

    @Test("what was typed has all of its time at the first try, also where the service has been silent")
    func typed() async throws {
        let person = FakePerson(logins: [.logIn(email: "ada@example.com", password: "right")])
        var presenters = StartupPresenters()
        presenters.login = person
        let slow: Set<Part> = [.versionPolicy, .countries, .flags, .token]
        let service = Service(slow: slow, time: .milliseconds(2500), clock: VirtualClock(patience: .seconds(300)))
        let report = try await launch(.bootstrap, service, presenters, onboarding: .regular)
        #expect(report.outcome == .completed && report["fetch-config"]?.outcome == .fellBack, "\(report.remarks)")
        #expect(person.shown.withLock { $0 } == ["login: -"] && report["login"]?.notes == [], "\(report.remarks)")
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
