import Sequencer
import StartupNetworking

extension Bootstrap {
    /// The scene of the launch.
    static let scene = "main"

    /// Has the app connect its scene, once the process phase has ended, and waits until the scene can be seen. An app
    /// without one shows nothing.
    ///
    /// - Throws: an error that names the unmet conditions when the app does not say that the scene is visible.
    @MainActor
    func connectScene(_ presenter: (any ScenePresenter)?, _ launch: StepContext) async throws {
        try await phases.processGate.wait(for: launch.requestTime, in: launch)
        guard let presenter else { return }
        // Once, also where the app has connected it by itself.
        if phases.takeScenePart(Self.scene) {
            state.withLock { $0.awaitsScene = true }
            await connectScene(by: presenter, launch)
        }
        try await phases.sceneGate.wait(for: launch.requestTime, in: launch)
    }

    /// Returns when the scene can be seen, or the presenter has nothing more to tell.
    @MainActor
    private func connectScene(by presenter: any ScenePresenter, _ launch: StepContext) async {
        let (seen, end) = AsyncStream.makeStream(of: Never.self)
        // Not a part of the step: a presenter may stay as long as its scene, and must not hold up the launch.
        let connecting = Task { [phases] in
            await presenter.connectScene { phase in
                if let problem = phases.mark(phase, scene: Self.scene) { launch.note(problem) }
            }
            end.finish()
        }
        phases.sceneGate.whenOpen { end.finish() }
        await withTaskCancellationHandler {
            for await _ in seen {}
        } onCancel: {
            connecting.cancel()
        }
    }

    /// Connects one more scene of the app, beside or after the launch. A scene gets its own part only: nothing of the
    /// process is set up again, and the first screen is not decided again.
    ///
    /// ```swift
    /// if try await bootstrap.connectScene(session.persistentIdentifier, by: window, deadline: .after(.seconds(3))) { window.showMain() }
    /// ```
    ///
    /// - Parameters:
    ///   - id: the scene's identifier: not `main`, which is the scene of the launch.
    ///   - presenter: tells the phases of the scene; problems with them are in the ``LaunchPhases/problems`` of
    ///       ``phases``.
    /// - Returns: false for a scene that has been connected before, and has not been told to have disconnected since:
    ///     nothing was done.
    /// - Throws: an error that names the unmet conditions when the process phase has not ended by the deadline;
    ///     `CancellationError` when the task is cancelled.
    @MainActor
    public func connectScene(_ id: String, by presenter: any ScenePresenter, deadline: Deadline) async throws -> Bool {
        try await phases.processGate.wait(by: deadline)
        guard phases.takeScenePart(id) else { return false }
        await presenter.connectScene { [phases] phase in _ = phases.mark(phase, scene: id) }
        return true
    }

    /// Makes a module, which `isActive(_:)` and was prepared.
    @MainActor
    func make(_ module: BootstrapModule) async throws {
        let configuration = try configuration(for: "module \(module.name)")
        // The module's step waits for the preparation, which may have failed alone.
        guard state.withLock({ $0.prepared.contains(module.name) }) else {
            throw RegistryError(problems: ["\(module.name) must come after its preparation, which has failed: it cannot be made"])
        }
        let value = try await module.make(configuration)
        state.withLock { $0.made.append((module.name, value)) }
    }

    /// Starts the coordinator, part by part, once.
    @MainActor
    func startCoordinator(_ environment: StartupEnvironment, _ launch: StepContext) async throws {
        let configuration = try configuration(for: launch.operation)
        let accounts = environment.services.accounts
        if let owner = environment.stage.isTakenOverBy { throw PresentationRefused(operation: launch.operation, takenOverBy: owner) }
        if !plan.modules.isEmpty { didRegister("modules") }
        didRegister("coordinator")
        func started(_ part: String, _ result: String) { made(part, of: .coordinator, result, launch) }
        for part in plan.coordinators {
            try make(part)
            started(part.name, "started")
        }
        started("restore check", "\(restoreDecision(configuration, environment, nil))")
        // The app's own counts over all. Then that of the configuration that this launch goes by, which no launch need
        // have completed with.
        let known = environment.onboardingOfApp ?? environment.flags.latest.onboarding
        let onboarding = known ?? environment.onboarding(environment.keptConfiguration?.configuration)
        let mayStay = onboarding != .regular || accounts.storedSession().value?.isAnonymous != true
        if !mayStay {
            didChoose(onboarding, environment)
            await accounts.logOut(because: LogoutReason.guestHasToLogIn.description)
        }
        started("anonymous check", "\(mayStay ? "" : "the guest's session was ended: ")onboarding is \(onboarding)")
        let gate = try environment.firstScreenGate
        state.withLock { $0.firstScreen = gate }
        let session = accounts.storedSession()
        // Met also by a session that cannot be read: nobody finds out more in this launch.
        gate.meet(.userKnown, by: Self.user(session))
        let waits = configuration.isFirstLaunch && environment.settings[.waitsForRemoteConfigurationOnFirstLaunch]
        gate.bypassInitialFlags(unlessWaiting: waits, isLoggedIn: session.value != nil)
        started("first-screen check", gate.diagnosis)
        for delegate in plan.delegates { try make(delegate) }
        started("delegates", plan.delegates.isEmpty ? "none" : plan.delegates.map(\.name).joined(separator: ", "))
        observeLogouts(environment.mailbox, accounts)
        started("observers", "what waits for an account is told when that is logged out")
    }

    /// As long as the app lives, also after the launch: what is for an account is handed to nobody else.
    private func observeLogouts(_ mailbox: EntryPointMailbox, _ accounts: any AccountService) {
        let changes = service.tokens.events
        observe {
            for await change in changes {
                // By the session of now: a login may have followed the logout that is heard of.
                if case .loggedOut = change, accounts.storedSession() == .absent { mailbox.setSession(.guest) }
            }
        }
    }

    /// The coordinator's last part: from here on the service is asked for the configuration.
    func fetchesConfiguration(_ launch: StepContext) {
        // A fetch may be tried again.
        let isFirst = state.withLock { $0.parts[.coordinator]?.last != "configuration" }
        if isFirst { made("configuration", of: .coordinator, "the service is asked for it", launch) }
    }

    /// Notes how a user without a login is received. A launch's first choice counts: a configuration that came after it
    /// came too late. It cannot be too late where the app's own kind is used, since then no configuration counts.
    func didChoose(_ onboarding: OnboardingType, _ environment: StartupEnvironment) {
        if environment.onboardingOfApp == nil { state.withLock { $0.chosenOnboarding = $0.chosenOnboarding ?? onboarding } }
    }

    /// Notes a kind of onboarding that came too late for this launch.
    func onboardingCameLate(_ onboarding: OnboardingType) { state.withLock { $0.configuredOnboarding = onboarding } }

    /// Notes what did not come in time, if that is why it did not come.
    ///
    /// - Parameter error: nil when it was cut off.
    func didNotCome(_ what: String, _ error: (any Error)?) {
        let isSlow = error == nil || error is CancellationError || (error as? NetworkError)?.code == .timedOut
        if isSlow { state.withLock { $0.unheardOf.append(what) } }
    }

    /// Takes a configuration that was fetched in this launch, which may go by another.
    func didFetch(_ fetched: LoadedConfiguration, insteadOf kept: LoadedConfiguration?, _ flags: FeatureFlags, _ launch: StepContext) {
        if let kept, kept.configuration != fetched.configuration {
            launch.note("the launch went by the configuration that was kept: this one counts from the next launch")
            if let late = fetched.configuration.onboarding, late != kept.configuration.onboarding {
                launch.note("it asks for \(late.rawValue) onboarding")
            }
        }
        take(fetched, flags)
    }

    /// Tells who watches of a configuration that was fetched, once the first screen was decided.
    func take(_ fetched: LoadedConfiguration, _ flags: FeatureFlags) {
        state.withLock { state in
            // Before the line: a watcher must not see a configuration that is not here yet.
            state.fetched = fetched
            // Noted in here, so that the later one is told later.
            let configuration = fetched.with(flags).configuration
            if let configured = configuration.onboarding { state.configuredOnboarding = configured }
            if state.restore != nil, configurationLine.latest != configuration { configurationLine.note(configuration) }
        }
    }

    static func user(_ session: StoredAnswer<StoredSession>) -> String {
        switch session {
        case .value(let session): session.isAnonymous ? "a guest's session" : "the session"
        case .absent: "the absence of a session"
        case .unavailable: "a session that cannot be read now"
        }
    }

    /// Decides on the first screen, when nothing is waited for any more. From then on the launch goes by the feature
    /// flags that are there.
    ///
    /// - Throws: `GateClosedError` naming the conditions that are not met.
    @MainActor
    func chooseFirstScreen(_ loaded: LoadedConfiguration, _ environment: StartupEnvironment, _ launch: StepContext) async throws {
        let configuration = try configuration(for: launch.operation)
        let gate = try environment.firstScreenGate
        // The graph has this step wait for the steps that meet these. If one of them has failed, for instance, nobody
        // meets its condition any more.
        for condition in gate.bypassUnmet([.splashVideoDone, .splashControllerEnded, .configurationPresent]) {
            launch.note("\(condition) was not waited for: its step has ended without it")
        }
        try await pass(gate, environment.flags, launch)
        // Flags that are fetched from here on count from the next launch.
        let flags = environment.flags.use()
        let decision = restoreDecision(configuration, environment, loaded)
        state.withLock { state in
            state.restore = decision
            configurationLine.note(loaded.with(flags).configuration)
            // Nobody has been told of a configuration that came before this decision.
            let latest = state.fetched ?? loaded
            if latest.configuration != loaded.configuration { configurationLine.note(latest.with(flags).configuration) }
            if let configured = latest.with(flags).configuration.onboarding { state.configuredOnboarding = configured }
        }
        launch.note(decision.description)
    }

    /// Whether an account is offered, as far as is known now.
    private func restoreDecision(
        _ configuration: BootstrapConfiguration,
        _ environment: StartupEnvironment,
        _ loaded: LoadedConfiguration?
    ) -> RestoreDecision {
        RestoreDecision(
            isFirstLaunch: configuration.isFirstLaunch,
            isLoggedIn: environment.services.accounts.storedSession().value != nil,
            hasRestoreConfiguration: environment.restoresAccounts(loaded?.configuration)
        )
    }

    private func pass(_ gate: ReadinessGate, _ flags: FlagStore, _ launch: StepContext) async throws {
        do {
            try await gate.wait(for: launch.requestTime, in: launch)
        } catch let error as GateClosedError where error.unmet.allSatisfy({ $0.condition.name == .initialFlagsRefreshed }) {
            // The timeout of their step limits the wait, since its end meets the gate. A step that the app has removed
            // never ends.
            if flags.isBeingFetched { return try await gate.wait(for: .seconds(86_400), in: launch) }
            gate.bypass(.initialFlagsRefreshed, because: "no step fetches them")
            launch.note("\(ConditionName.initialFlagsRefreshed) was not waited for: no step fetches the flags")
        }
    }

    /// Whether an account is offered, as was decided with the first screen.
    var offersRestore: Bool { state.withLock { $0.restore }?.isOffered ?? false }

    /// Lets the user log in with the plan's authenticator, where nobody is logged in.
    ///
    /// - Returns: whether the user did.
    @MainActor
    func authenticate(_ authenticator: any AuthenticationProvider, _ launch: StepContext) async throws -> Bool {
        let configuration = try configuration(for: launch.operation)
        guard let session = try await authenticator.authenticate(configuration, in: launch) else {
            launch.note("the person did not want to: the login form asks")
            return false
        }
        service.tokens.begin(session)
        return true
    }

    /// Starts the observers, which run as long as this object is kept.
    @MainActor
    func installObservers(_ launch: StepContext) throws {
        let configuration = try configuration(for: launch.operation)
        didRegister("observers")
        for observer in plan.observers { observe { await observer.observe(configuration) } }
        launch.note("watching: \(plan.observers.isEmpty ? "nothing" : plan.observers.map(\.name).joined(separator: ", "))")
    }
}

/// Whether the account that was found on the device is offered to the user.
struct RestoreDecision: Sendable, Hashable, CustomStringConvertible {
    /// Whether no launch has completed before.
    let isFirstLaunch: Bool
    /// Whether there is a session that can be opened.
    let isLoggedIn: Bool
    /// Whether the app, as it is configured, restores accounts.
    let hasRestoreConfiguration: Bool

    /// Only when all three are so.
    var isOffered: Bool { isFirstLaunch && isLoggedIn && hasRestoreConfiguration }

    /// The decision and its reason.
    var description: String {
        let conditions = [
            (isFirstLaunch, "it is not the first launch"), (isLoggedIn, "nobody is logged in"),
            (hasRestoreConfiguration, "the app does not restore accounts"),
        ]
        let reasons = conditions.filter { !$0.0 }.map(\.1).joined(separator: ", ")
        return isOffered ? "the account found on this device is offered" : "no account is offered: \(reasons)"
    }
}
