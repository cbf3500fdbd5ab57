import Sequencer

extension Bootstrap {
    /// Makes the configuration, part by part, once.
    ///
    /// - Throws: ``RegistryError`` when it was made before, when a module is missing that another one works with, or when it comes too early.
    @MainActor
    func configure(_ environment: StartupEnvironment, _ launch: Launch) async throws {
        try endModuleSetUp(launch)
        let trace = configurationTrace
        try await trace.make(.network, in: launch) {
            try clients.create { service.client }
            return network
        }
        let user = CurrentUser(client: try clients.client)
        try await trace.make(.userService, in: launch) { "asks v1/profile who the user is" }
        try await trace.make(.tokenListener, in: launch) {
            user.follow(service.tokens)
            return "a new token refreshes the user"
        }
        let isFirst = environment.state.isFirstLaunch
        try await trace.make(.firstLaunchSession, in: launch) {
            await handleFirstLaunch(isFirst, environment.services.accounts)
        }
        let session = environment.services.accounts.storedSession().value
        try await trace.make(.notifications, in: launch) {
            environment.mailbox.setSession(session.map { $0.isAnonymous ? .guest : .loggedIn } ?? .guest)
            let waiting = environment.mailbox.waiting().count
            return waiting == 0 ? "nothing waits" : "\(waiting) for the main screen"
        }
        let device = settings.deviceIdentifier
        try await trace.make(.device, in: launch) { "\(app.platform), version \(app.version)" }
        try await trace.make(.currentUser, in: launch) { session.map { $0.isAnonymous ? "a guest" : "logged in" } ?? "nobody" }
        try await trace.make(.crashLoggers, in: launch) {
            for logger in plan.crashLoggers { logger.identify(user: session?.userID, device: device) }
            return "\(plan.crashLoggers.count) told whose crashes they report"
        }
        try await trace.make(.appStarts, in: launch) { countStart(session, environment.state) }
        try await trace.make(.vendorIdentifier, in: launch) {
            // Read again: what is kept there is what the next launch will find.
            Settings(directory.settings).deviceIdentifier == device ? "kept in the settings" : "not kept: the settings cannot be written"
        }
        try trace.end()

        let configuration = BootstrapConfiguration(
            endpoints: plan.endpoints,
            build: plan.build,
            client: try clients.client,
            tokens: service.tokens,
            user: user,
            session: session,
            deviceIdentifier: device,
            isFirstLaunch: isFirst,
            enablesRestoreAccount: plan.enablesRestoreAccount,
            authenticator: plan.authenticator
        )
        try require(registry.register(configuration, for: .configuration))
    }

    private var network: String {
        let hosts = [plan.endpoints.graphQL, plan.endpoints.rest].map { $0?.host() ?? "" }
        let proxy = plan.usesDebugProxy ? ", through the debug proxy" : ""
        return "GraphQL at \(hosts[0]), REST at \(hosts[1]), \(plan.build)\(proxy)"
    }

    /// On some systems, secrets survive a reinstallation: unless accounts are restored, the first launch ends what an earlier one has left.
    private func handleFirstLaunch(_ isFirst: Bool, _ accounts: any AccountService) async -> String {
        guard isFirst else { return "not the first launch: the session was left alone" }
        switch accounts.storedSession() {
        case .absent: return "the first launch, and there is no session"
        case .unavailable: return "the session cannot be read now, and was left alone"
        case .value: break
        }
        if plan.enablesRestoreAccount { return "kept on the first launch, to be restored" }
        await accounts.logOut(because: LogoutReason.firstLaunch.description)
        return "logged out because first launch"
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
