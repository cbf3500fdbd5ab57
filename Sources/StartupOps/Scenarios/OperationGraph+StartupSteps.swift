import Sequencer

/// The steps of the built-in scenarios, each with what is always true of it: scenarios add what is true of them.
extension OperationGraph {
    @discardableResult
    mutating func addMainStep(
        _ step: StartupStep,
        _ options: [StepOption] = [],
        after dependencies: [String] = [],
        _ body: @escaping @MainActor @Sendable (Launch) async throws -> Void
    ) -> Step<Void> {
        add(step.id, .all([step.options] + options), after: dependencies, on: .main) { launch in try await body(launch) }
    }

    /// Adds a step for what comes when the main screen is visible: whatever becomes of it, the launch was one.
    mutating func addAfterMain(
        _ step: StartupStep,
        _ options: StepOption...,
        body: @escaping @MainActor @Sendable (Launch) async throws -> Void
    ) {
        addMainStep(step, [.onFailure(.continue)] + options, after: [StartupStep.mainApp.id], body)
    }

    mutating func addSplash(_ operations: StartupOperations) -> Step<Void> {
        // A splash that never ends is no reason not to start.
        addMainStep(.splash, [.timeout(.seconds(5)), .onFailure(.continue)]) { launch in try await operations.splash(launch) }
    }

    /// It waits for nothing, and when it finds that an update is required, the update screen takes over. When it fails, or does not answer in
    /// a second, the launch goes on.
    mutating func addForceUpdate(_ operations: StartupOperations) -> Step<Void> {
        let step = StartupStep.forceUpdate
        return add(step.id, step.options, .timeout(.seconds(1)), .onFailure(.continue)) { launch in
            try await operations.forceUpdate(launch)
        }
    }

    mutating func addConfiguration(
        _ operations: StartupOperations,
        _ options: StepOption...,
        after dependencies: String...
    ) -> Step<LoadedConfiguration> {
        let step = StartupStep.fetchConfig
        return add(
            step.id,
            .all([step.options] + options),
            after: dependencies,
            fallback: .compute { launch, error in operations.fallbackConfiguration(launch, error) }
        ) { launch in try await operations.fetchConfiguration(launch) }
    }

    mutating func addLogin(
        _ operations: StartupOperations,
        _ options: StepOption...,
        using configuration: Step<LoadedConfiguration>? = nil,
        after dependencies: String...
    ) -> Step<Account> {
        let step = StartupStep.login
        // In safe mode: whoever is logged in stays so, but this launch does not look.
        let options = StepOption.all([step.options, .substitute(Account.guest)] + options)
        guard let configuration else {
            return add(step.id, options, after: dependencies) { launch in try await operations.logIn(nil, launch) }
        }
        return add(step.id, options, using: configuration, after: dependencies) { launch, configuration in
            try await operations.logIn(configuration, launch)
        }
    }

    mutating func addTutorial(
        _ operations: StartupOperations,
        _ options: StepOption...,
        using configuration: Step<LoadedConfiguration>? = nil,
        after dependencies: String...
    ) -> Step<Void> {
        let step = StartupStep.tutorial
        let options = StepOption.all([step.options, .onFailure(.continue)] + options)
        guard let configuration else {
            return add(step.id, options, after: dependencies, on: .main) { launch in try await operations.tutorial(nil, launch) }
        }
        return add(step.id, options, using: configuration, after: dependencies, on: .main) { launch, configuration in
            try await operations.tutorial(configuration, launch)
        }
    }

    mutating func addSpeaker(
        _ operations: StartupOperations,
        _ options: StepOption...,
        using configuration: Step<LoadedConfiguration>? = nil,
        after dependencies: String...
    ) -> Step<Speaker?> {
        let step = StartupStep.connectSpeaker
        let options = StepOption.all([step.options, .substitute(Speaker?.none)] + options)
        guard let configuration else {
            return add(step.id, options, after: dependencies) { launch in try await operations.connectSpeaker(nil, launch) }
        }
        return add(step.id, options, using: configuration, after: dependencies) { launch, configuration in
            try await operations.connectSpeaker(configuration, launch)
        }
    }

    /// Adds the main screen, and before it the offer of a subscription, where the app makes one.
    ///
    /// - Parameters:
    ///   - speaker: nil where the scenario connects none.
    ///   - onboarding: the kind that the scenario was chosen by; nil where it was not.
    mutating func addMain(
        _ operations: StartupOperations,
        _ configuration: Step<LoadedConfiguration>,
        _ account: Step<Account>,
        _ speaker: Step<Speaker?>?,
        chosenBy onboarding: OnboardingType? = nil,
        after dependencies: String...
    ) {
        var dependencies = dependencies
        if operations.offersSubscription { dependencies.append(addPaywall(operations, after: account).id) }
        let step = StartupStep.mainApp
        guard let speaker else {
            add(step.id, step.options, .milestone, using: configuration, account, after: dependencies, on: .main) {
                launch,
                configuration,
                account in
                try await operations.mainApp(MainContent(configuration: configuration, account: account, speaker: nil), launch)
            }
            return
        }
        add(step.id, step.options, .milestone, using: configuration, account, speaker.optional, after: dependencies, on: .main) {
            launch,
            configuration,
            account,
            speaker in
            if let onboarding { launch.noteLateOnboarding(onboarding, configuration) }
            try await operations.mainApp(
                MainContent(configuration: configuration, account: account, speaker: speaker ?? nil),
                launch
            )
        }
    }

    private mutating func addPaywall(_ operations: StartupOperations, after account: Step<Account>) -> Step<Void> {
        let check = StartupStep.entitlements
        let entitlements = add(check.id, check.options, .timeout(.seconds(1)), .onFailure(.continue), after: account) { launch in
            try await operations.fetchEntitlements(launch)
        }
        let step = StartupStep.paywall
        return add(step.id, step.options, .onFailure(.continue), using: entitlements.optional, on: .main) { launch, entitlements in
            try await operations.paywall(entitlements, launch)
        }
    }
}

extension StartupStep {
    /// What is said about the step in every scenario.
    fileprivate var options: StepOption { .all([.title(title), .expected(expected)]) }
}
