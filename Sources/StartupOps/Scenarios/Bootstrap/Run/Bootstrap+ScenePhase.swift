import Sequencer

extension Bootstrap {
    /// The scene of the launch.
    static let scene = "main"

    /// Connects the scene, once the process phase has ended.
    @MainActor
    func connectScene(_ launch: Launch) async throws {
        try await phases.processGate.wait(by: launch.requestDeadline)
        _ = phases.takeScenePart(Self.scene)
        for phase in [LaunchPhase.sceneSession, .window, .willConnect, .keyAndVisible] {
            if let problem = phases.mark(phase, scene: Self.scene) { launch.note(problem.description) }
        }
    }

    /// Makes a module, which ``isActive(_:)`` and was prepared.
    @MainActor
    func make(_ module: BootstrapModule) async throws {
        let configuration = try configuration(for: "module \(module.name)")
        guard state.withLock({ $0.prepared.contains(module.name) }) else {
            throw RegistryError(
                problems: [
                    RegistryProblem(
                        code: .misordered,
                        registration: module.name,
                        other: "module-setup",
                        description: "\(module.name) must come after its preparation, which has failed: it cannot be made"
                    )
                ]
            )
        }
        let value = try await module.make(configuration)
        state.withLock { $0.made.append((module.name, value)) }
    }

    /// Starts the coordinator, part by part, once. Its last part is the app's configuration: ``willFetchConfiguration(_:)``.
    @MainActor
    func startCoordinator(_ environment: StartupEnvironment, _ launch: Launch) async throws {
        let configuration = try configuration(for: launch.operation)
        let trace = coordinatorTrace
        let accounts = environment.services.accounts
        try await trace.make(.journeyManager, in: launch) {
            if let owner = environment.stage.isTakenOverBy { throw PresentationRefused(operation: launch.operation, takenOverBy: owner) }
            try require(registry.mark("coordinator"))
            return "the screen is free"
        }
        try await trace.make(.staticCoordinators, in: launch) {
            let names = state.withLock { $0.made.map(\.name) }
            return names.isEmpty ? "none" : names.joined(separator: ", ")
        }
        try await trace.make(.restoreCheck, in: launch) {
            let isPossible = configuration.isFirstLaunch && accounts.storedSession().value != nil
            return isPossible ? "an account may be offered: the app's configuration decides" : "there is no account to offer"
        }
        let onboarding = environment.configurations.lastKnown.configuration.onboarding ?? environment.settings[.onboarding]
        try await trace.make(.anonymousCheck, in: launch) {
            guard onboarding == .regular, accounts.storedSession().value?.isAnonymous == true else { return "onboarding is \(onboarding)" }
            await accounts.logOut(because: "a guest has to log in")
            return "the guest's session was ended: onboarding is \(onboarding)"
        }
        let gate = makeFirstScreenGate(environment, configuration)
        try await trace.make(.firstScreenCheck, in: launch) { gate.diagnosis }
        try await trace.make(.delegates, in: launch) {
            for delegate in plan.delegates { try make(delegate) }
            return plan.delegates.isEmpty ? "none" : plan.delegates.map(\.name).joined(separator: ", ")
        }
        try await trace.make(.observers, in: launch) {
            guard environment.settings[.showsSplashVideo] else { return "none is needed" }
            gate.endSplashVideoInBackground(environment.lifecycle)
            return "the splash video ends in the background"
        }
    }

    /// Notes that the app's configuration is asked for now: the end of starting the coordinator.
    func willFetchConfiguration(_ launch: Launch) throws {
        try coordinatorTrace.make(.appConfiguration, in: launch, note: "asked for")
        try coordinatorTrace.end()
    }

    private func makeFirstScreenGate(_ environment: StartupEnvironment, _ configuration: BootstrapConfiguration) -> ReadinessGate {
        let settings = environment.settings
        let gate = ReadinessGate.firstScreen(
            FirstScreenOptions(
                showsSplashVideo: settings[.showsSplashVideo],
                hasSplashController: environment.presenters.splash != nil,
                waitsForInitialFlags: configuration.isFirstLaunch && settings[.waitsForRemoteConfigurationOnFirstLaunch],
                isLoggedIn: configuration.session != nil
            )
        )
        state.withLock { $0.firstScreen = gate }
        return gate
    }

    /// Decides on the first screen, when nothing is waited for any more.
    ///
    /// - Throws: ``GateClosedError`` naming what is still waited for.
    @MainActor
    func chooseFirstScreen(_ loaded: LoadedConfiguration, _ environment: StartupEnvironment, _ launch: Launch) async throws {
        let configuration = try configuration(for: launch.operation)
        if let gate = firstScreenGate {
            // Both have ended before this operation: a splash that failed or was cut off is no reason not to start.
            gate.meet(.splashVideoDone, by: StartupStep.splash.id)
            gate.meet(.splashControllerEnded, by: StartupStep.splash.id)
            gate.meet(.initialFlagsRefreshed, by: "\(loaded.source.rawValue) configuration")
            gate.meet(.configurationPresent, by: "\(loaded.source.rawValue) configuration")
            try await gate.wait(by: launch.requestDeadline)
        }
        phases.mark(.viewDidLoad, scene: Self.scene)
        let decision = RestoreDecision(
            isFirstLaunch: configuration.isFirstLaunch,
            isLoggedIn: environment.services.accounts.storedSession().value != nil,
            hasRestoreConfiguration: loaded.configuration.restoreAccount ?? plan.enablesRestoreAccount
        )
        state.withLock { $0.restore = decision }
        launch.note(decision.description)
    }

    /// Whether an account is offered, as was decided with the first screen.
    var offersRestore: Bool { state.withLock { $0.restore }?.isOffered ?? false }

    /// Lets the person log in with the plan's authenticator, where nobody is logged in.
    @MainActor
    func authenticate(_ authenticator: any AuthenticationProvider, _ launch: Launch) async throws {
        let configuration = try configuration(for: launch.operation)
        let session = try await launch.waitForPerson {
            try await authenticator.authenticate(configuration, by: launch.requestDeadline)
        }
        guard let session else { return launch.note("the person did not want to: the login form asks") }
        service.tokens.begin(session)
    }

    /// Starts what watches from now on, as long as this object is kept.
    @MainActor
    func installObservers(_ launch: Launch) throws {
        let configuration = try configuration(for: launch.operation)
        try require(registry.mark("observers"))
        for observer in plan.observers {
            let task = Task.detached { await observer.observe(configuration) }
            state.withLock { $0.observers.append(task) }
        }
        launch.note("watching: \(plan.observers.isEmpty ? "nothing" : plan.observers.map(\.name).joined(separator: ", "))")
    }
}
