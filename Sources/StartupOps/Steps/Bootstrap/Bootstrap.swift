import Foundation
import Sequencer
import StartupNetworking

/// Carries out a ``BootstrapPlan``: what a launch by the scenario ``Scenario/bootstrap`` makes, and what outlives it.
///
/// Make one object per process, and keep it as long as the app runs: its observers stop when it is released. The
/// environment and the report of the launch keep it too. The service and its client are made here, which sends
/// nothing; the process phase makes the rest.
///
/// | phase | operations |
/// |---|---|
/// | process | `check-resources`, `register`, `prepare-…` for each module, `configure`, `sdk-…` for each SDK, `end-process-phase` |
/// | beside them | `sdk-…-ready` for each SDK that restores a session, which nothing waits for unless the app says so |
/// | scene | `connect-scene`, `splash`, `module-…` for each module, `start-coordinator`, `fetch-config`, `fetch-flags`, `first-screen`, … `main-app` |
///
/// Every method can be called from any thread.
public final class Bootstrap: Sendable {
    /// What is made part by part.
    enum Whole: String { case configuration, coordinator }

    struct State {
        var registered: [String] = []
        /// The problems that have ended a step of set-up.
        var problems: [String] = []
        /// The steps of the app's own that do not wait for the registrations, in a sentence each.
        var earlySteps: [String] = []
        /// The parts of the configuration and of the coordinator that were made, in order.
        var parts: [Whole: [String]] = [:]
        var configuration: BootstrapConfiguration?
        var activations: [String: Bool] = [:]
        var prepared: Set<String> = []
        var made: [(name: String, value: any Sendable)] = []
        /// Whether the app was asked for the scene of the launch.
        var awaitsScene = false
        var firstScreen: ReadinessGate?
        /// The configuration that was fetched last.
        var fetched: LoadedConfiguration?
        var restore: RestoreDecision?
        var mailbox: EntryPointMailbox?
        /// The kind of onboarding that somebody was received by, unless the app has set it; and the latest that came.
        var chosenOnboarding: OnboardingType?
        var configuredOnboarding: OnboardingType?
        /// What might have said another kind, and did not come in time.
        var unheardOf: [String] = []
        /// How many images the app could not decode.
        var undecodableImages = 0
        var stage: Stage?
        var observers: [Task<Void, Never>] = []
    }

    /// The plan.
    let plan: BootstrapPlan
    /// The app's service, over the plan's endpoints, and through its debug proxy where that is used.
    package let service: AppService
    /// The phases of the launch, as the app tells them: those of the scene by a ``ScenePresenter``, those of the
    /// process here. If nobody has told that the app has finished launching, the end of the process phase counts as
    /// that.
    public let phases = LaunchPhases(waitsForSetUp: true)
    let app: AppInfo
    let directory: StateDirectory
    let settings: Settings
    let configurationLine = EventBroadcaster<AppConfiguration?>(replaying: .some(nil))
    let state = Locked(State())

    /// An object that carries out `plan`.
    ///
    /// - Parameters:
    ///   - directory: keeps the session, settings and results of earlier launches.
    ///   - http: sends the requests.
    ///   - dataSource: says in place of the plan's `guestOperations` which operations need a token; one that is a
    ///     `TokenSource` gives the tokens, too. It is held weakly: an app that releases it continues as `APIDataSource`
    ///     says.
    ///   - now: the time of day, which tokens' expiry is compared with.
    /// - Throws: ``RegistryError`` when the plan is not valid.
    public init(
        _ plan: BootstrapPlan,
        app: AppInfo,
        directory: StateDirectory,
        http: any HTTPSending,
        dataSource: (any APIDataSource)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(RegistryError) {
        try plan.validate()
        self.plan = plan
        self.app = app
        self.directory = directory
        settings = Settings(directory.settings)
        service = AppService(
            at: plan.endpoints,
            http: plan.transport(over: http),
            directory: directory,
            app: app,
            deviceID: settings.deviceIdentifier,
            headerPrefix: plan.headerPrefix,
            guestOperations: plan.guestOperations,
            dataSource: dataSource,
            now: now
        )
    }

    deinit {
        for observer in state.withLock({ $0.observers }) { observer.cancel() }
    }

    /// The names of the parts of the configuration that were made, in order. A step's notes say how.
    public var configurationParts: [String] { state.withLock { $0.parts[.configuration] ?? [] } }

    /// The names of the parts of the coordinator that were started, in order: those of the plan, `restore check`,
    /// `anonymous check`, `first-screen check`, `delegates`, `observers`, and `configuration`, which is then fetched. A
    /// step's notes say how.
    public var coordinatorParts: [String] { state.withLock { $0.parts[.coordinator] ?? [] } }

    /// The names of the registrations so far, in order.
    public var registered: [String] { state.withLock { $0.registered } }

    /// Whether the configuration was made in this launch.
    var hasConfiguration: Bool { state.withLock { $0.configuration != nil } }

    /// Tells the plan's crash loggers each event of a launch in one line, `610 ms: login succeeded`: an observer for
    /// its options.
    ///
    /// ```swift
    /// options.observers.append(bootstrap.crashLog)
    /// ```
    public var crashLog: @Sendable (LaunchEvent) -> Void {
        // Not `self`: options that hold this must not keep the bootstrap alive.
        let tell = plan.tellCrashLoggers
        return { event in tell("\(event)") }
    }

    /// The configuration.
    ///
    /// - Throws: an error before it was made, naming the accessor and the registrations that have to come first.
    public func configuration(for accessor: String = #function) throws -> BootstrapConfiguration {
        let (configuration, registered) = state.withLock { ($0.configuration, $0.registered) }
        if let configuration { return configuration }
        let missing = RegistrationRule.missing(in: registered).map(\.name).joined(separator: ", then ")
        let problem = "\(printable(accessor, limit: 120)) asked for the configuration before it was made; what has to run first: \(missing)"
        throw RegistryError(problems: [problem])
    }

    /// The app's configuration: the one that decided the first screen, and from then on each newer one that was
    /// fetched. A newer one counts from the next launch; an app that watches can go by it at once. Every call gives a
    /// sequence of its own, which begins with the latest.
    public var appConfigurations: AsyncStream<AppConfiguration> { configurationLine.stream { $0 } }

    /// Fetches the configuration again, such as when the app comes back to the front.
    ///
    /// - Throws: a `NetworkError`. Observers get a new configuration even if it cannot be stored.
    public func refreshConfiguration(by deadline: Deadline) async throws {
        let region = directory.launchState().chosenRegion.value ?? app.region
        let fetched = LoadedConfiguration(try await service.configuration(for: region, by: deadline), from: .remote)
        // Not kept, it is fetched again in the next launch.
        try? ConfigurationStore(directory.state).beginTrial(of: fetched.configuration)
        take(fetched, FlagStore(directory.cache).latest)
    }

    /// The value that an active module was made into; nil when it was not active, or could not be made.
    public func module<Value: Sendable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        state.withLock { $0.made.first { $0.name == name }?.value } as? Value
    }

    /// The gate in front of the first screen, once the coordinator has started.
    public var firstScreenGate: ReadinessGate? { state.withLock { $0.firstScreen } }

    /// Watches something as long as this object is kept; detached, for it may take long, and belongs to no step.
    func observe(_ body: @escaping @Sendable () async -> Void) {
        let task = Task.detached { await body() }
        state.withLock { $0.observers.append(task) }
    }

    /// The app could not decode an image: one of the causes of empty images is then among the ``findings``. Call it
    /// where the app loads its images.
    public func imageCouldNotBeDecoded() { state.withLock { $0.undecodableImages += 1 } }

    /// Notes a registration; of several of one name, the first.
    func didRegister(_ name: String) { state.withLock { if !$0.registered.contains(name) { $0.registered.append(name) } } }

    /// Notes that a part was made: in its order, in the report of the launch, and to the crash loggers.
    func made(_ part: String, of whole: Whole, _ result: String, _ launch: StepContext) {
        state.withLock { $0.parts[whole, default: []].append(part) }
        let line = "\(whole), \(part): \(result)"
        launch.note(line)
        plan.tellCrashLoggers(line)
    }

    /// Throws problems, and keeps them for ``findings``.
    func require(_ problems: [String]) throws(RegistryError) {
        if problems.isEmpty { return }
        // Kept before they are thrown: the report of support needs them.
        state.withLock { $0.problems += problems }
        throw RegistryError(problems: problems)
    }

    /// The environment of this launch: its operations talk to the plan's service.
    ///
    /// - Parameters:
    ///   - connector: connects devices on the local network; nil for an app that has none.
    ///   - journal: the journal of this launch. Open it in the directory of the bootstrap, before the bootstrap is
    ///       made.
    ///   - bundled: the configuration that the app is delivered with.
    public func environment(
        presenters: StartupPresenters,
        connector: (any DeviceConnector)? = nil,
        journal: LaunchJournal? = nil,
        bundled: AppConfiguration = .bundled,
        splashMinimum: Duration = .milliseconds(400)
    ) -> StartupEnvironment {
        var environment = StartupEnvironment(
            app: app,
            services: StartupServices(
                updates: service,
                configurations: service,
                accounts: service,
                entitlements: service,
                speakers: ServiceSpeakers(client: service.client, connector: connector ?? NoDevices())
            ),
            presenters: presenters,
            directory: directory,
            journal: journal,
            bundled: bundled,
            splashMinimum: splashMinimum
        )
        environment.bootstrap = self
        // Until the configuration is made.
        (directory.settings as? SettingsStore)?.freeze(false)
        state.withLock { [stage = environment.stage] in $0.stage = stage }
        return environment
    }

    /// The causes of a wrong start, each after the symptom that the user sees: "the app stays on its splash:
    /// first-screen is waiting for …". Empty when nothing is known to be wrong.
    ///
    /// Ask when a launch has ended, or while one does not end, and write it where support finds it. A plan that is
    /// wrong makes no `Bootstrap`: its problems are in the ``RegistryError``. Steps that have failed for other reasons
    /// are in the launch's report.
    public var findings: [String] {
        let state = state.withLock { $0 }
        var found = state.problems.map { "set-up is missing or misordered: \($0)" }
        found += plan.idleConstraints.map { "a registration may come too early: \($0)" }
        found += state.earlySteps.map { "a step may start too early: \($0)" }
        // Under an update, which has taken the screen, the first screen does not come any more.
        let gates = state.stage?.isTakenOverBy == nil ? [state.awaitsScene ? phases.sceneGate : nil, state.firstScreen] : []
        for gate in gates.compactMap(\.self) where !gate.isOpen { found.append("the app stays on its splash: \(gate.diagnosis)") }
        // A user who asked for it needs no explanation.
        if let logout = service.tokens.lastLogout, ![.requested, .unwanted].contains(logout) {
            found.append("the person is logged out: the session was ended because \(logout.description)\(Self.remedy(for: logout))")
        }
        let pushes = state.mailbox?.untakenPushes ?? 0
        if pushes > 0 {
            found.append(
                "a push notification leads nowhere: \(pushes == 1 ? "it is" : "\(pushes) are") kept for the app, to be taken after the main screen: "
                    + "give the presenters an entryPoint, or call deliver(to:) of the mailbox"
            )
        }
        if state.undecodableImages > 0 {
            let cause =
                state.registered.contains("image-codec")
                ? "the image-codec that is registered does not know their kind"
                : "image-codec was not registered; register one before the coordinator starts"
            found.append("images stay empty: \(state.undecodableImages) could not be decoded: \(cause)")
        }
        if let chosen = state.chosenOnboarding, let configured = state.configuredOnboarding, chosen != configured {
            found.append(
                "the onboarding is not the one that was configured: \(chosen) counted in this launch, \(configured) is configured: it came "
                    + "after the choice, and counts from the next launch; an app with one kind of onboarding sets that in its settings, too"
            )
        } else if let chosen = state.chosenOnboarding, !state.unheardOf.isEmpty {
            let absent = state.unheardOf.joined(separator: " and ")
            found.append("the onboarding may not be the one that is configured: \(chosen) counted, and \(absent) did not come in time")
        }
        return found
    }

    private static func remedy(for logout: LogoutReason) -> String {
        switch logout {
        case .firstLaunch: "; to keep it and offer the account, set the plan's enablesRestoreAccount"
        case .guestHasToLogIn: "; to keep guests, set the onboarding to dismissable or none"
        case .expired: "; have the service give a refresh token, and the person log in again"
        case .rejected: "; it does not take the refresh token any more: have the person log in again"
        default: ""
        }
    }
}

/// The client and everything around it, made once in the heavy part of a start. Modules and SDKs are made with it.
public struct BootstrapConfiguration: Sendable {
    let plan: BootstrapPlan
    /// The app, its version and the region of the device.
    public let app: AppInfo
    /// The app's service: its accounts, its entitlements and the current user.
    public let service: AppService
    /// The session that was found; nil when nobody is logged in, or when it could not be read.
    public let session: StoredSession?
    /// Identifies this installation.
    public let deviceIdentifier: String
    /// Whether no launch had completed before this one.
    public let isFirstLaunch: Bool

    /// The flags that the app was built with.
    public var build: BuildFlags { plan.build }
    /// The client of the service, for REST and GraphQL.
    public var client: APIClient { service.client }
}
