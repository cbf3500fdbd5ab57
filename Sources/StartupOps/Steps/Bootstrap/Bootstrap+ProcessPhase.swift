import Sequencer
import StartupNetworking

extension Bootstrap {
    /// Looks for the files that the app needs. Of those that are missing, the first that is required fails the launch.
    func checkResources(_ launch: StepContext) throws {
        let problems = plan.resources.compactMap { resource in resource.problem().map { (resource.isRequired, $0) } }
        for (_, problem) in problems { launch.note(problem) }
        if let (_, problem) = problems.first(where: { $0.0 }) { try require([problem]) }
    }

    /// Makes the registrations of the plan, in its order.
    @MainActor
    func register(_ launch: StepContext) throws {
        guard phases.takeProcessPart() else {
            throw RegistryError(problems: ["the process phase has been run before: make one Bootstrap per launch of the process"])
        }
        let own = [StartupStep.forceUpdate.id, StartupStep.checkResources.id]
        let early = launch.withoutSuccessors.filter { !own.contains($0) }.map { step in
            let problem = "\(printable(step)) does not wait for \(launch.operation), and may come before the platform"
            return "\(problem): add it after: \"\(launch.operation)\""
        }
        state.withLock { $0.earlySteps = early }
        for step in early { launch.note(step) }
        for registration in plan.registrations { try make(registration) }
        launch.note("registered \(registered.joined(separator: ", "))")
    }

    /// An action that fails has not been registered.
    @MainActor
    func make(_ registration: BootstrapRegistration) throws {
        try registration.action?()
        didRegister(registration.name)
    }

    /// Whether a module is used in this launch. It is asked once, so that a module that was prepared is made.
    func isActive(_ module: BootstrapModule) -> Bool {
        if let known = state.withLock({ $0.activations[module.name] }) { return known }
        // Outside the lock: it is the app's code. Two may ask at once: the first answer stays.
        let answer = module.isActive()
        return state.withLock { state in
            state.activations[module.name] = state.activations[module.name] ?? answer
            return state.activations[module.name] ?? answer
        }
    }

    /// Prepares a module, which `isActive(_:)`.
    @MainActor
    func prepare(_ module: BootstrapModule) async throws {
        try await module.prepare()
        // Only now: a module whose preparation failed is not made.
        state.withLock { _ = $0.prepared.insert(module.name) }
    }

    /// Takes the settings of now in place of those of the environment, until the configuration is made.
    func renewSettings(of environment: StartupEnvironment) {
        if hasConfiguration { return }
        environment.settings.renew(from: Settings(directory.settings))
        (directory.settings as? SettingsStore)?.freeze(false)
    }

    /// Says that the modules are set up, when none of the active ones works with one that is not.
    @MainActor
    func endModuleSetUp() throws {
        let problems = plan.modules.filter(isActive).flatMap { module in
            module.dependencies.compactMap { dependency -> String? in
                // A module that is missing in the plan was found when the plan was checked.
                guard let other = plan.modules.first(where: { $0.name == dependency.predecessor }), !isActive(other) else { return nil }
                return "\(other.name) is not active, and \(module.name) needs it: \(dependency.reason)"
            }
        }
        let missing = RegistrationRule.missing(in: registered).map(\.name).filter { $0 != "configuration" }
        try require(problems + missing.map { "\($0) has to be registered before the configuration is made" })
        didRegister("module-setup")
    }

    /// Ends the phase: from now on there can be scenes.
    @MainActor
    func endProcessPhase(_ launch: StepContext) throws {
        // Or the scenes would find out one by one.
        _ = try configuration(for: launch.operation)
        if !plan.thirdParties.isEmpty { didRegister("third-party") }
        phases.endProcessPhase()
    }

    /// Makes the configuration, part by part, once.
    ///
    /// - Throws: ``RegistryError`` when a module is missing that another one works with, when it comes too early, or
    ///     when it was made before.
    @MainActor
    func configure(_ environment: StartupEnvironment, _ launch: StepContext) async throws {
        try endModuleSetUp()
        func made(_ part: String, _ result: String) { self.made(part, of: .configuration, result, launch) }
        if hasConfiguration {
            throw RegistryError(problems: ["the configuration was made already; there is one for the whole life of the app"])
        }
        // With one of these its steps are in the graph.
        let canOffer = environment.offersPaywall || plan.hasOwnRegistrations
        environment.settings.renew(from: Settings(directory.settings))
        if environment.offersPaywall, !canOffer {
            let lateness = "the offer of a subscription was set after the launch's graph was made"
            let remedy = "so it takes effect in the next launch; set it before, or in a registration"
            (directory.settings as? SettingsStore)?.addLateWrite("\(lateness), \(remedy)")
        }
        if environment.settings[.showsSplashVideo] { environment.firstScreen?.set(.splashVideoDone, to: false) }
        made("network", network)
        state.withLock { $0.mailbox = environment.mailbox }
        // From before the session is read, so that no change is missed.
        let changes = service.tokens.events
        let found = environment.services.accounts.storedSession()
        made("user service", "it begins with \(Self.user(found))")
        // Before the session may be ended: who listens to the tokens has to hear of that.
        service.user.follow(service.tokens)
        made("token listener", "a new token refreshes the user")
        let firstLaunch = environment.state.firstLaunch
        let whyKept = reasonToKeep(found, firstLaunch, environment)
        if whyKept == nil { await environment.services.accounts.logOut(because: LogoutReason.firstLaunch.description) }
        made("first-launch session", whyKept ?? "logged out because first launch")
        let session = environment.services.accounts.storedSession().value
        // Afterwards: they are not to be taken for those of a session that has ended.
        environment.mailbox.setSession(session.map { $0.isAnonymous ? .guest : .loggedIn($0.accountID) } ?? .guest)
        let waiting = environment.mailbox.waiting().count
        made("notifications", waiting == 0 ? "nothing waits" : "\(waiting) for the main screen")
        let device = settings.deviceIdentifier
        made("device", "\(app.platform), in \(app.region.country)")
        for tracker in plan.analytics { tracker.identify(user: session?.userID) }
        made("current user", session.map { $0.isAnonymous ? "a guest" : "logged in" } ?? "nobody")
        // Before anything is counted: a crash meanwhile has to be reported.
        for logger in plan.crashLoggers { logger.identify(user: session?.userID, device: device) }
        follow(changes, from: session?.userID, on: device)
        made("crash loggers", "\(plan.crashLoggers.count) told whose crashes they report")
        made("app starts", countStart(session, environment.state))
        let isKept = (try? settings.keepDeviceIdentifier()) != nil
        made("vendor identifier", isKept ? "kept in the settings" : "not kept: the settings cannot be written")
        let configuration = BootstrapConfiguration(
            plan: plan,
            app: app,
            service: service,
            session: session,
            deviceIdentifier: device,
            isFirstLaunch: firstLaunch == .first
        )
        state.withLock { $0.configuration = configuration }
        didRegister("configuration")
        for delegate in plan.moduleDelegates { try make(delegate) }
    }

    /// Tells trackers and crash loggers each time that the session is another user's.
    private func follow(_ changes: AsyncStream<TokenEvent>, from user: String?, on device: String) {
        let (trackers, loggers) = (plan.analytics, plan.crashLoggers)
        if trackers.isEmpty, loggers.isEmpty { return }
        observe {
            var known = user
            for await change in changes {
                let now: String?
                switch change {
                case .sessionChanged(let userID): now = userID
                case .loggedOut: now = nil
                case .notStored: continue
                }
                // A token that was refreshed is still the same user's.
                if areSame(now, known) { continue }
                known = now
                for tracker in trackers { tracker.identify(user: now) }
                for logger in loggers { logger.identify(user: now, device: device) }
            }
        }
    }

    private var network: String {
        let graphQL = plan.endpoints.graphQL.host() ?? ""
        let rest = plan.endpoints.rest.map { "REST at \($0.host() ?? "")" } ?? "no REST"
        let proxy = plan.usesDebugProxy ? ", through the debug proxy" : ""
        return "GraphQL at \(graphQL), \(rest), \(plan.build)\(proxy)"
    }

    /// On some systems, secrets survive a reinstallation: unless accounts are restored, the first launch ends what an
    /// earlier one has left.
    ///
    /// - Returns: nil when the session has to be ended.
    private func reasonToKeep(
        _ session: StoredAnswer<StoredSession>,
        _ launch: FirstLaunch,
        _ environment: StartupEnvironment
    ) -> String? {
        switch launch {
        case .first: break
        case .later: return "not the first launch: the session was left alone"
        case .unknown(let reason): return "whether it is the first launch cannot be told: the session was left alone (\(reason))"
        }
        switch session {
        case .absent: return "the first launch, and there is no session"
        case .unavailable: return "the session cannot be read now, and was left alone"
        case .value(let session) where session.isOfThisInstallation:
            return "no launch has completed yet, and one of them has opened the session: kept"
        case .value: break
        }
        return environment.enablesRestoreAccount ? "kept on the first launch, to be restored" : nil
    }

    private func countStart(_ session: StoredSession?, _ state: LaunchState) -> String {
        do {
            let isCounted = try state.countAppStart(isLoggedIn: session != nil, isAnonymous: session?.isAnonymous ?? true)
            return isCounted ? "this is start \(state.appStarts)" : "not counted: only who is logged in counts"
        } catch {
            return "could not be counted: \(error)"
        }
    }
}
