import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

@Suite("Bootstrap: the first screen", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapFirstScreenTests {
    /// A service whose flags come when the test wants.
    private struct Flags: ConfigurationService {
        let service: any ConfigurationService
        let flags: FeatureFlags
        /// What holds them up.
        let wait: @Sendable () async -> Void

        func countries(by deadline: Deadline) async throws -> [Country] { try await service.countries(by: deadline) }
        func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
            try await service.configuration(for: region, by: deadline)
        }
        func flags(by deadline: Deadline) async throws -> FeatureFlags? {
            await wait()
            return flags
        }
    }

    private func launch(
        _ bootstrap: Bootstrap,
        _ harness: BootstrapHarness,
        _ person: AgreeablePerson,
        scene: (any ScenePresenter)? = nil,
        flags: FeatureFlags? = nil,
        waitingFor wait: @escaping @Sendable () async -> Void = {},
        patience: Duration = .seconds(120),
        work: (inout StartupSteps) -> Void = { _ in },
        change: (inout OperationGraph) throws -> Void = { _ in }
    ) async throws -> LaunchReport {
        var presenters = StartupPresenters(all: person)
        presenters.scene = scene
        var bundled = AppConfiguration.bundled
        bundled.onboarding = .regular
        var environment = bootstrap.environment(presenters: presenters, bundled: bundled)
        // Virtual time would not move for a splash while a service waits for what comes after it.
        environment.splashMinimum = .zero
        if let flags {
            environment.services.configurations = Flags(service: bootstrap.service, flags: flags, wait: wait)
        }
        var steps = StartupSteps(environment)
        work(&steps)
        var graph = environment.graph(.bootstrap, steps: steps)
        try change(&graph)
        let options = LaunchOptions(grace: .zero, clock: VirtualClock(patience: patience), admission: .oneAtATime)
        return try await graph.run(budget: .seconds(3), options: options).report
    }

    private func sources(_ bootstrap: Bootstrap) -> [String: String?] {
        Dictionary(
            uniqueKeysWithValues: (bootstrap.firstScreenGate?.conditions ?? []).map { ($0.condition.name.description, $0.source) }
        )
    }

    private func unmet(_ bootstrap: Bootstrap) -> [ConditionName]? {
        bootstrap.firstScreenGate?.conditions.filter { !$0.isMet }.map(\.condition.name)
    }

    // MARK: What the gate waits for

    @Test("B14, B44, B46, B65: the first launch of an app that is set to it waits at the gate for the flags, says so, and goes by them")
    func waits() async throws {
        let harness = BootstrapHarness()
        try Settings(harness.directory.settings).set(true, for: .waitsForRemoteConfigurationOnFirstLaunch)
        try Settings(harness.directory.settings).set(true, for: .showsSplashVideo)
        let bootstrap = try harness.bootstrap(harness.plan())
        let person = AgreeablePerson()
        let flags = FeatureFlags(features: ["paywall": false, "new": true], onboarding: OnboardingType.none)
        let report = try await launch(bootstrap, harness, person, flags: flags) {
            // Everything else is there, and nothing but the splash was shown.
            await eventually { unmet(bootstrap) == [.initialFlagsRefreshed] }
            #expect(person.shown == ["splash"])
            #expect(bootstrap.findings.map { $0.hasPrefix("the app stays on its splash: first-screen is waiting for: ") } == [true])
        }
        #expect(report.outcome == .completed)
        #expect(
            sources(bootstrap) == [
                "splashVideoDone": "its end", "splashControllerEnded": "its end", "configurationPresent": "the remote configuration",
                "initialFlagsRefreshed": "the service", "userKnown": "the absence of a session",
            ]
        )
        // The configuration asks for an account; the flags, which count over it, for none.
        #expect(!person.shown.contains("login") && person.content?.account.isAnonymous == true)
        #expect(person.content?.configuration.configuration.features == ["paywall": false, "speakers": true, "new": true])
        #expect(report["fetch-flags"]?.notes == [] && report["first-screen"]?.notes.count == 1)
    }

    @Test(
        "B14: the flags are those of the service; one that has none holds nobody up",
        arguments: [FeatureFlags(features: ["new": true]), nil]
    )
    func ofTheService(flags: FeatureFlags?) async throws {
        let harness = BootstrapHarness(flags: flags)
        try Settings(harness.directory.settings).set(true, for: .waitsForRemoteConfigurationOnFirstLaunch)
        let bootstrap = try harness.bootstrap(harness.plan())
        let person = AgreeablePerson()
        let report = try await launch(bootstrap, harness, person)
        #expect(report.outcome == .completed && report["fetch-flags"]?.outcome == .succeeded && report["fetch-flags"]?.notes == [])
        #expect(harness.backend.service.counts["GET /v1/flags"] == 1)
        #expect(sources(bootstrap)["initialFlagsRefreshed"] == (flags == nil ? "a service without flags" : "the service"))
        #expect(person.content?.configuration.configuration.features["new"] == flags?.features["new"])
    }

    @Test(
        "B46, B66: without the setting, on a later launch, and for who is logged in nobody waits: flags that come later count from the next launch",
        arguments: [(false, false, false), (true, true, false), (true, false, true)]
    )
    func passes(isSet: Bool, isLater: Bool, isLoggedIn: Bool) async throws {
        let harness = BootstrapHarness()
        try Settings(harness.directory.settings).set(isSet, for: .waitsForRemoteConfigurationOnFirstLaunch)
        if isLater { try harness.leaveCompletedLaunch() }
        if isLoggedIn { try await harness.leaveSession() }
        var plan = harness.plan()
        plan.enablesRestoreAccount = true
        let bootstrap = try harness.bootstrap(plan)
        let person = AgreeablePerson()
        let flags = FeatureFlags(features: ["new": true], onboarding: .dismissable)
        let report = try await launch(bootstrap, harness, person, flags: flags) {
            await eventually { person.shown.contains("main") }
        }
        #expect(report.outcome == .completed)
        #expect(
            sources(bootstrap)["initialFlagsRefreshed"]
                == (isLoggedIn ? "a bypass, for the person is logged in already" : "a bypass, for the app does not wait for them")
        )
        #expect(person.content?.configuration.configuration.features["new"] == nil && person.shown.contains("login") == !isLoggedIn)
        #expect(
            report["fetch-flags"]?.notes == [
                "the flags came after the first screen was decided: they count from the next launch", "they ask for dismissable onboarding",
            ]
        )

        let next = AgreeablePerson()
        harness.backend.service.setFault(.status(503), for: "/v1/flags")
        #expect(try await launch(try harness.bootstrap(plan), harness, next).outcome == .completed)
        #expect(next.content?.configuration.configuration.features["new"] == true)
    }

    @Test("B14, B49, B66: flags that never come hold up the first launch for as long as they may take, not for ever, and are a finding")
    func bounded() async throws {
        let harness = BootstrapHarness()
        try Settings(harness.directory.settings).set(true, for: .waitsForRemoteConfigurationOnFirstLaunch)
        let bootstrap = try harness.bootstrap(harness.plan())
        let never = AsyncGate()
        let report = try await launch(
            bootstrap,
            harness,
            AgreeablePerson(),
            flags: FeatureFlags(),
            waitingFor: { _ = await never.wait() },
            patience: .seconds(2)
        )
        never.open()
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(report["fetch-flags"]?.outcome == .fellBack)
        #expect(report["fetch-flags"]?.notes == ["no flags are known yet, so none count"])
        #expect(sources(bootstrap)["initialFlagsRefreshed"] == "the absence of flags")
        let finding = "the onboarding may not be the one that is configured: regular counted, and the flags did not come in time"
        #expect(bootstrap.findings == [finding])
    }

    @Test(
        "B14: the app's own work fetches the flags in place of the step's, and they count; they may take as long as their step says",
        arguments: [Duration.zero, .seconds(4)]
    )
    func ownWork(duration: Duration) async throws {
        let harness = BootstrapHarness()
        try Settings(harness.directory.settings).set(true, for: .waitsForRemoteConfigurationOnFirstLaunch)
        let bootstrap = try harness.bootstrap(harness.plan())
        let person = AgreeablePerson()
        let work: (inout StartupSteps) -> Void = { steps in
            steps.set(.timeout(.seconds(6)), on: .fetchFlags)
            steps[.fetchFlags] = { step in
                try await step.sleep(for: duration)
                return FeatureFlags(features: ["own": true])
            }
        }
        let report = try await launch(bootstrap, harness, person, work: work)
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(sources(bootstrap)["initialFlagsRefreshed"] == "the app" && report["fetch-flags"]?.notes == [])
        #expect(person.content?.configuration.configuration.features["own"] == true)
    }

    @Test("B14: flags that no step fetches are not waited for to the end; the report says so")
    func noFlags() async throws {
        let harness = BootstrapHarness()
        try Settings(harness.directory.settings).set(true, for: .waitsForRemoteConfigurationOnFirstLaunch)
        let bootstrap = try harness.bootstrap(harness.plan())
        let report = try await launch(bootstrap, harness, AgreeablePerson(), change: { $0.remove("fetch-flags") })
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(report["first-screen"]?.notes.first == "initialFlagsRefreshed was not waited for: no step fetches the flags")
        #expect(sources(bootstrap)["initialFlagsRefreshed"] == "a bypass, for no step fetches them" && bootstrap.findings == [])
    }

    @Test("a splash that was left out meets nothing, and is not waited for; the report says so")
    func leftOut() async throws {
        let harness = BootstrapHarness()
        let bootstrap = try harness.bootstrap(harness.plan())
        let report = try await launch(bootstrap, harness, AgreeablePerson(), change: { try $0.skip("splash", because: "it crashed") })
        #expect(report.outcome == .completed)
        #expect(report["first-screen"]?.notes.first == "splashControllerEnded was not waited for: its step has ended without it")
        #expect(sources(bootstrap)["splashControllerEnded"] == "a bypass, for its step has ended without it")
    }

    // MARK: The scene

    /// A scene that tells some phases, in order.
    private struct Scene: ScenePresenter {
        let phases: [LaunchPhase]
        /// The end of its stay; nil when it returns at once.
        var end: AsyncGate?

        func connectScene(_ report: @escaping @MainActor @Sendable (LaunchPhase) -> Void) async {
            for phase in phases { report(phase) }
            if let end { _ = await end.wait() }
        }
    }

    @Test("B1, E5: the phases of the scene are those that the app tells, and their problems are noted")
    func scene() async throws {
        let harness = BootstrapHarness()
        let without = try harness.bootstrap(harness.plan())
        #expect(try await launch(without, harness, AgreeablePerson()).outcome == .completed)
        // Nobody has said that there is a scene.
        #expect(without.phases.mark(.sceneSession, scene: "main") == nil && !without.phases.sceneGate.isOpen)

        let with = try harness.bootstrap(harness.plan())
        for phase in [LaunchPhase.applicationCreated, .delegateCreated, .didFinishLaunching] { with.phases.mark(phase) }
        let scene = Scene(phases: [.sceneSession, .window, .keyAndVisible, .willConnect])
        let report = try await launch(with, harness, AgreeablePerson(), scene: scene)
        #expect(report.outcome == .completed && with.phases.sceneGate.isOpen)
        #expect(with.phases.problems == ["willConnect of scene main must come before keyAndVisible, and came after it"])
        #expect(report["connect-scene"]?.notes == with.phases.problems)
        #expect(with.phases.mark(.viewDidLoad, scene: "main") == nil)
    }

    @Test("B1, B49: a scene that does not become visible ends the launch, and it is said who should have told it")
    func invisible() async throws {
        let harness = BootstrapHarness()
        let bootstrap = try harness.bootstrap(harness.plan())
        let report = try await launch(bootstrap, harness, AgreeablePerson(), scene: Scene(phases: [.sceneSession]))
        #expect(
            report.outcome.isFailure(
                of: "connect-scene",
                saying: "scene did not open within 3 s; waiting for: keyAndVisible (set by scene presenter, unmet for"
            )
        )
        #expect(bootstrap.findings.count == 1)
        #expect(bootstrap.findings.first?.hasPrefix("the app stays on its splash: scene is waiting for: keyAndVisible (set by ") == true)
    }

    @Test("B1: the launch goes on when the scene can be seen, and does not wait for a presenter that stays")
    func stayingScene() async throws {
        let harness = BootstrapHarness()
        let bootstrap = try harness.bootstrap(harness.plan())
        let end = AsyncGate()
        let scene = Scene(phases: [.sceneSession, .willConnect, .window, .keyAndVisible], end: end)
        #expect(try await launch(bootstrap, harness, AgreeablePerson(), scene: scene).outcome == .completed)
        end.open()
    }

    @Test("E11, F16: a second scene gets its scene part only, once; before the process phase has ended it waits")
    func secondScene() async throws {
        let harness = BootstrapHarness()
        let bootstrap = try harness.bootstrap(harness.plan())
        let second = Scene(phases: [.sceneSession, .willConnect, .window, .keyAndVisible])
        for unmet in [2, 1] {
            let error = await #expect(throws: GateClosedError.self) {
                _ = try await bootstrap.connectScene("second", by: second, deadline: .after(.zero))
            }
            #expect(error?.gate == "process-phase" && error?.unmet.count == unmet && bootstrap.phases.problems == [])
            // The app has finished launching before all of it is set up.
            if unmet == 2 { bootstrap.phases.mark(.didFinishLaunching) }
        }

        let person = AgreeablePerson()
        let report = try await launch(bootstrap, harness, person, scene: second)
        #expect(report.outcome == .completed)
        let (registered, parts, shown) = (bootstrap.registered, bootstrap.configurationParts, person.shown)
        #expect(try await bootstrap.connectScene("second", by: second, deadline: .after(patience)))
        #expect(try await !bootstrap.connectScene("second", by: second, deadline: .after(patience)))
        #expect(bootstrap.phases.mark(.viewDidLoad, scene: "second") == nil && bootstrap.phases.problems == [])
        #expect(bootstrap.registered == registered && bootstrap.configurationParts == parts && person.shown == shown)
        bootstrap.phases.sceneDidDisconnect("second")
        #expect(try await bootstrap.connectScene("second", by: second, deadline: .after(patience)))
        #expect(bootstrap.phases.problems == [])
    }

    // MARK: Over the main screen

    @Test(
        "B13: who starts an app that can be tried first is a guest, and sees the onboarding over the main screen, until it is dismissed"
    )
    func onboarding() async throws {
        let harness = BootstrapHarness(onboarding: .dismissable)
        for number in 1...2 {
            let person = AgreeablePerson()
            let report = try await launch(try harness.bootstrap(harness.plan()), harness, person)
            #expect(report.outcome == .completed, "launch \(number): \(report.remarks)")
            #expect(person.shown.drop { $0 != "main" } == (number == 1 ? ["main", "onboarding"] : ["main"]), "launch \(number)")
            #expect(!person.shown.contains("login"), "launch \(number)")
            #expect(person.content?.account.isAnonymous == true)
        }
        try await harness.leaveSession()
        let person = AgreeablePerson()
        #expect(try await launch(try harness.bootstrap(harness.plan()), harness, person).outcome == .completed)
        #expect(person.shown.last == "main")
    }

    @Test("B12: a module that sets something while it is made is too late for this launch, and the report says so")
    func lateSetting() async throws {
        let harness = BootstrapHarness()
        var plan = harness.plan()
        plan.modules = [
            BootstrapModule("shop") { [directory = harness.directory] _ in
                try Settings(directory.settings).set(7, for: SettingKey("pages", default: 3), by: "shop")
                return "shop"
            }
        ]
        let report = try await launch(try harness.bootstrap(plan), harness, AgreeablePerson())
        #expect(
            report["main-app"]?.notes == [
                "setting pages was written by shop after the launch was configured, so it takes effect in the next launch; write it before"
            ]
        )
    }
}
