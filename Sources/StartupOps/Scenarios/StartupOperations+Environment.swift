import Sequencer

extension StartupOperations {
    /// The real operations, over the services, the stores and the presenters of `environment`.
    public init(_ environment: StartupEnvironment) {
        let (services, presenters, stage) = (environment.services, environment.presenters, environment.stage)
        let (state, configurations) = (environment.state, environment.configurations)
        let isFirst = state.isFirstLaunch
        let settings = environment.settings

        let splash = SplashOperation(
            presenter: presenters.splash,
            minimum: environment.splashMinimum,
            stage: stage,
            lifecycle: environment.lifecycle
        )
        let update = ForceUpdateOperation(
            service: services.updates,
            state: state,
            version: environment.app.version,
            presenter: presenters.update,
            stage: stage,
            willTakeOver: { [mailbox = environment.mailbox] _ in mailbox.stop(because: "an update is required") },
            lateDecision: environment.lateUpdateDecision
        )
        let configuration = FetchConfigurationOperation(
            service: services.configurations,
            store: configurations,
            state: state,
            device: environment.app.region,
            presenter: presenters.region,
            stage: stage
        )
        let restoresAccounts = configurations.lastKnown.configuration.restoreAccount ?? environment.restoresAccounts
        let onboarding = OnboardingDecision()
        let logIn: @Sendable (LoadedConfiguration?, Launch) async throws -> Account = {
            [bootstrap = environment.bootstrap] loaded, launch in
            let operation = LoginOperation(
                accounts: services.accounts,
                presenter: presenters.login,
                stage: stage,
                // What the scenario was chosen by, where that does not wait for the configuration: see ``StartupEnvironment/context(isRunning:)``.
                onboarding: configurations.lastKnown.configuration.onboarding ?? settings[.onboarding],
                // What an earlier installation has left is ended when a configuration is made: a session of after that is this launch's own.
                keepsStoredSession: !isFirst || restoresAccounts || bootstrap?.hasConfiguration == true,
                didDecideEarly: { onboarding.onboarding = $0 }
            )
            return try await operation.run(loaded?.configuration, in: launch)
        }
        let tutorial = TutorialOperation(
            state: state,
            configurations: configurations,
            version: environment.app.version,
            presenter: presenters.tutorial,
            stage: stage
        )
        let devices = environment.devices
        let speaker = ConnectSpeakerOperation(
            connector: services.speakers,
            state: state,
            presenter: presenters.speaker,
            stage: stage,
            didConnect: { devices.add($0) }
        )
        let entryPoints = EntryPointOperation(mailbox: environment.mailbox, presenter: presenters.entryPoint, stage: stage)
        let restore = RestoreAccountOperation(accounts: services.accounts, presenter: presenters.login, stage: stage)
        let entitlements = EntitlementsOperation(service: services.entitlements, store: environment.cache)
        let mailbox = environment.mailbox
        let main = MainAppOperation(
            presenter: presenters.main,
            stage: stage,
            state: state,
            configurations: configurations,
            mailbox: mailbox,
            problems: environment.storageProblems,
            countsAsLaunch: { [journal = environment.journal] in (journal?.recovery.level ?? .normal) == .normal },
            earlyOnboarding: { onboarding.onboarding },
            didLaunch: environment.didLaunch
        )
        let always = settings[.presentsSubscriptionOnEveryStart]

        self.init(
            splash: { try await splash.run(in: $0) },
            forceUpdate: { try await update.run(in: $0) },
            fetchConfiguration: { try await configuration.run(in: $0) },
            fallbackConfiguration: { configuration.fallback($0, $1) },
            logIn: logIn,
            tutorial: { try await tutorial.run($0?.configuration, in: $1) },
            connectSpeaker: { try await speaker.run($0?.configuration, in: $1) },
            presentPushInformation: { try await entryPoints.presentPush(in: $0) },
            followLink: { try await entryPoints.deliver(in: $0) },
            performShortcut: { try await entryPoints.deliver(in: $0) },
            restoreAccount: { try await restore.run(in: $0) },
            fetchEntitlements: { try await entitlements.run(in: $0) },
            paywall: { known, launch in
                // Whose entitlements are not known is not asked to buy what may have been bought.
                guard let presenter = presenters.main, known?.isSubscribed == false else { return }
                try await stage.ask(in: launch) { await presenter.showPaywall() }
            },
            onboarding: { launch in
                guard let presenter = presenters.main else { return }
                try await stage.ask(in: launch) { await presenter.showOnboarding() }
            },
            becomeActive: { launch in
                guard let presenter = presenters.main else { return }
                try await stage.present(by: launch.operation) { await presenter.becameActive() }
            },
            mainApp: { try await main.run($0, in: $1) },
            offersSubscription: always || settings[.presentsSubscriptionAfterLogin],
            bootstrap: environment.bootstrap.map { BootstrapOperations($0, environment) } ?? .unplanned
        )
    }
}
