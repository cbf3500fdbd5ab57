import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// The onboarding over the main screen: who sees it, and how often.
@Suite("The onboarding that can be dismissed", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OnboardingStepTests {
    private let device: SampleDevice

    init() throws { device = try SampleDevice() }

    private func content(_ onboarding: OnboardingType?, isGuest: Bool) -> MainContent {
        MainContent(
            configuration: LoadedConfiguration(
                AppConfiguration(version: "7", country: "DE", language: "de", onboarding: onboarding),
                from: .remote
            ),
            account: Account(id: "7", name: "Person", isAnonymous: isGuest),
            speaker: nil
        )
    }

    /// The screens of a launch of the last steps alone.
    ///
    /// - Parameter prepare: what the app was like before.
    private func shown(
        _ content: MainContent,
        logsIn: Bool = false,
        prepare: (StartupEnvironment) throws -> Void = { _ in }
    ) async throws -> [String] {
        let person = AgreeablePerson()
        let environment = device.environment(StartupPresenters(all: person))
        try prepare(environment)
        let steps = StartupSteps(environment)
        let (logIn, showMain, onboard) = (steps[.login], steps[.mainApp], steps[.onboarding])
        var graph = OperationGraph("last")
        let login = graph.add("login") { launch in if logsIn { _ = try await logIn(launch, nil) } }
        let main = graph.add("main-app", after: login, on: .main) { launch in try await showMain(launch, content) }
        graph.add("onboarding", .interactive, after: main, on: .main) { launch in try await onboard(launch) }
        let report = try await device.run(graph)
        #expect(report.outcome == .completed, "\(report.remarks)")
        return person.shown
    }

    private func make(_ environment: StartupEnvironment, lastKnow onboarding: OnboardingType) throws {
        try environment.configurations.know("6", onboarding: onboarding)
    }

    @Test("B10, B13: the kind that the app has set counts; where it has set none, that of the configuration, and then the one known before")
    func precedence() async throws {
        #expect(try await shown(content(nil, isGuest: true)) == ["main"])
        #expect(try await shown(content(nil, isGuest: true)) { try make($0, lastKnow: .none) } == ["main"])
        #expect(try await shown(content(nil, isGuest: true)) { try make($0, lastKnow: .dismissable) } == ["main", "onboarding"])
        try device.directory().launchState().forgetDismissedOnboarding()
        try Settings(device.directory().settings).set(.none, for: .onboarding)
        #expect(try await shown(content(.dismissable, isGuest: true)) == ["main"])
        try Settings(device.directory().settings).set(.dismissable, for: .onboarding)
        #expect(try await shown(content(.regular, isGuest: true)) { try make($0, lastKnow: .none) } == ["main", "onboarding"])
    }

    @Test("B13, B66: a launch goes by the kind that the app has set, though the service asks for an account, and reports no change of it")
    func setByApp() async throws {
        try Settings(device.directory().settings).set(.dismissable, for: .onboarding)
        let launch = try await device.launch { environment in
            try environment.state.recordChosenRegion(Region(country: "DE", language: "de"))
            try environment.state.recordTutorialSeen(version: SemanticVersion(1))
            try environment.state.recordDeclinedSpeaker()
        }
        #expect(launch.scenario == "guest-dismissable" && launch.shown == ["splash", "main", "onboarding"])
        #expect(launch.content?.account.isAnonymous == true && launch.content?.configuration.source == .remote)
        #expect(launch.report["main-app"]?.notes == [], "\(launch.report.remarks)")
    }

    @Test("B13: who has dismissed it does not see it again, until somebody was logged in or the person was forgotten")
    func dismissed() async throws {
        let guest = content(.dismissable, isGuest: true)
        #expect(try await shown(guest) == ["main", "onboarding"])
        for _ in 0..<2 { #expect(try await shown(guest) == ["main"]) }
        #expect(try await shown(content(.dismissable, isGuest: false)) == ["main"])
        #expect(try await shown(guest) == ["main", "onboarding"])
        #expect(try await shown(guest) == ["main"])
        try device.directory().launchState().forgetPerson()
        #expect(try await shown(guest) == ["main", "onboarding"])
    }

    // MARK: The memory of it

    /// The operation alone, over `store`.
    private func run(_ presenter: any MainPresenter, in store: any DataStore) async throws -> OperationReport {
        let operation = OnboardingOperation(presenter: presenter, state: LaunchState(store))
        return try await runAlone("onboarding", .interactive, .saysWhenItAsks) { step in try await operation.run(in: step) }.report
    }

    @Test("B13: the report says that it was dismissed before")
    func noted() async throws {
        let (store, person) = (MemoryStore(), AgreeablePerson())
        #expect(try await run(person, in: store).notes == [])
        let again = try await run(person, in: store)
        #expect(again.outcome == .succeeded && again.notes == ["the onboarding was not shown: it was dismissed in an earlier launch"])
        #expect(person.shown == ["onboarding"])
    }

    @Test("B13: a launch that is cancelled while it shows has not been answered by the person, who sees it again")
    @MainActor func interrupted() async throws {
        let (store, person, box) = (MemoryStore(), AgreeablePerson(), LaunchBox())
        let operation = OnboardingOperation(presenter: person, state: LaunchState(store))
        person.onOnboarding = { try? await box.launch().cancel() }
        var graph = OperationGraph("interrupted")
        graph.add("onboarding", .interactive, .saysWhenItAsks) { step in try await operation.run(in: step) }
        let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)))
        #expect(try await box.run(graph, options: options).report.outcome == .cancelled)
        #expect(person.shown == ["onboarding"] && LaunchState(store).dismissedOnboarding == .absent)
        person.onOnboarding = {}
        #expect(try await run(person, in: store).outcome == .succeeded)
        #expect(person.shown == ["onboarding", "onboarding"] && LaunchState(store).dismissedOnboarding == .value(true))
    }

    @Test("B13: that it was dismissed, and cannot be stored, is noted, and it is shown again; nobody is shown what may have been dismissed")
    func stored() async throws {
        let (store, person) = (FailingSecureStore(), AgreeablePerson())
        store.fail { $0.writes = FailingSecureStore.error }
        for _ in 0..<2 {
            let report = try await run(person, in: store)
            #expect(report.outcome == .succeeded && report.notes.count == 1)
            #expect(report.notes.first?.hasPrefix("that the onboarding was dismissed could not be recorded, so it will be shown ") == true)
        }
        #expect(person.shown == ["onboarding", "onboarding"])
        store.fail { $0.reads = FailingSecureStore.error }
        let locked = try await run(person, in: store)
        #expect(locked.outcome == .succeeded && person.shown.count == 2)
        #expect(locked.notes.first?.hasPrefix("whether the onboarding was dismissed cannot be told now, so it was not shown: ") == true)
    }

    @Test("B13, B66: a guest with a stored session sees it, by the kind that was known before the configuration, which came too late")
    func storedSession() async throws {
        let first = try await device.launch(.firstLaunch, AgreeablePerson(login: .continueAsGuest))
        #expect(first.content?.account.isAnonymous == true && !first.shown.contains("onboarding"))
        // The login decides by what is known, and does not wait: an answer that says otherwise counts from the next launch.
        let late = try await shown(content(OnboardingType.none, isGuest: true), logsIn: true) { try make($0, lastKnow: .dismissable) }
        #expect(late == ["main", "onboarding"])
        let early = try await shown(content(.dismissable, isGuest: true), logsIn: true) { try make($0, lastKnow: .none) }
        #expect(early == ["main"])
    }

    @Test("an app without a main screen, and a launch that has not shown it, have nothing to show it over")
    func nothing() async throws {
        let steps = StartupSteps(device.environment(StartupPresenters()))
        let onboard = steps[.onboarding]
        var graph = OperationGraph("last")
        graph.add("onboarding", on: .main) { launch in try await onboard(launch) }
        #expect(try await device.run(graph)["onboarding"]?.outcome == .succeeded)
    }
}
