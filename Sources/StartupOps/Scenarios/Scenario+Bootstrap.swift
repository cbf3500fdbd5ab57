import Sequencer

extension Scenario {
    /// A white-label app: first what the process needs is set up in its order, then the scene is connected and the
    /// coordinator started.
    ///
    /// The scene phase begins when all of the process phase has ended. A part that the app's ``BootstrapPlan`` does not
    /// have is not in the graph; a module that is not active, and an SDK that belongs to other builds, is skipped. The
    /// update check waits for neither phase. Where an earlier launch has kept a configuration, the app starts with
    /// that, and the one that is fetched meanwhile counts from the next launch.
    public static let bootstrap = Scenario("bootstrap", "A white-label app: first the process is set up, then the scene.") { graph, steps in
        let environment = steps.environment
        let bootstrap = environment?.bootstrap
        let kept = environment?.keptConfiguration
        let steps = steps.carryingOut(bootstrap, kept)
        // After nothing: an outdated app must not wait for its own set-up.
        let update = graph.add(.forceUpdate, of: steps)

        let checked = graph.add(.checkResources, of: steps)
        let registered = graph.add(.register, of: steps, after: checked.id)
        let prepared = graph.addModules(of: bootstrap, "prepare", "Prepare", expected: .milliseconds(10), after: registered.id) {
            try await $0.prepare($1)
        }
        let configured = graph.add(.configure, of: steps, [], after: [registered.id] + prepared)
        let started = graph.addSDKs(of: bootstrap, after: configured.id)
        let ended = graph.add(.endProcessPhase, of: steps, [], after: [configured.id] + started)
        let scene = graph.add(.connectScene, of: steps, after: ended.id)

        let splash = graph.add(.splash, of: steps, after: scene.id)
        let modules = graph.addModules(of: bootstrap, "module", "Make", expected: .milliseconds(20), after: scene.id) {
            try await $0.make($1)
        }
        let coordinator = graph.add(.startCoordinator, of: steps, [], after: [scene.id] + modules)

        let fetched = graph.addConfiguration(of: steps, mayAsk: kept == nil, after: [coordinator.id])
        var configuration = fetched
        // With a kept configuration the fetched one is for the next launch, and nobody waits for it.
        if kept != nil {
            let cached = StartupStep.cachedConfig
            configuration = graph.add(cached, of: steps, after: coordinator.id)
        }
        graph.addFlags(of: steps, .timeout(.seconds(1)), after: coordinator.id)
        let first = StartupStep.firstScreen
        let work = steps[first]
        graph.add(first.id, steps.options(of: first), using: .context, configuration, after: splash, on: .main) { step, configuration in
            try await work(step, configuration)
        }
        let restore = graph.add(.restoreAccount, of: steps, .when { bootstrap?.offersRestore ?? true }, after: first.id)
        let tutorial = graph.add(.tutorial, of: steps, .interactive, using: configuration, after: restore.id)
        let asked = graph.addAuthentication(of: bootstrap, in: environment, after: tutorial.id)
        let account = graph.add(.login, of: steps, .interactive, using: configuration, after: asked)
        graph.addMain(of: steps, configuration, account, nil, after: [update.id])
        graph.addAfterMain(.onboarding, of: steps, .interactive)
        graph.addAfterMain(.installObservers, of: steps)
    }
}

/// The steps of the parts of an app's plan: each is in the graph exactly when its part is in the plan.
extension OperationGraph {
    /// Adds a step on the screen for each of the modules, which does `work` when the module is active, and fails the
    /// launch only when the module is required.
    ///
    /// - Returns: their identifiers.
    fileprivate mutating func addModules(
        of bootstrap: Bootstrap?,
        _ prefix: String,
        _ verb: String,
        expected: Duration,
        after phase: String,
        work: @escaping @MainActor @Sendable (Bootstrap, BootstrapModule) async throws -> Void
    ) -> [String] {
        guard let bootstrap else { return [] }
        return bootstrap.plan.modules.map { module in
            addPart(
                "\(prefix)-\(module.name)",
                "\(verb) \(module.name)",
                expected: expected,
                .onFailure(module.isRequired ? .required : .continue),
                .timeout(module.timeout),
                .when { bootstrap.isActive(module) },
                after: module.dependencies.map { "\(prefix)-\($0.predecessor)" } + [phase]
            ) { step in
                if !module.isRequired { step.keepBudget() }
                try await work(bootstrap, module)
            }
        }
    }

    /// Adds a step for each SDK, and one that restores the session of each that has a life
    /// cycle.
    ///
    /// - Returns: the identifiers of the steps that start SDKs: nothing waits for the sessions.
    fileprivate mutating func addSDKs(of bootstrap: Bootstrap?, after phase: String) -> [String] {
        guard let bootstrap else { return [] }
        let started = bootstrap.plan.thirdParties.map { sdk in
            let before = [phase] + sdk.predecessors.map { "sdk-\($0)" }
            return addPart("sdk-\(sdk.name)", "Start \(sdk.name)", expected: .milliseconds(30), bootstrap.options(of: sdk), after: before) {
                if !sdk.isRequired { $0.keepBudget() }
                try await sdk.start(try bootstrap.configuration(for: $0.operation))
            }
        }
        for sdk in bootstrap.plan.thirdParties {
            guard let lifecycle = sdk.lifecycle else { continue }
            let part = StepOption.part("Restore the session of \(sdk.name)", expected: .milliseconds(200))
            let options = StepOption.all([part, .onFailure(.continue), .timeout(lifecycle.timeoutUntilReady), bootstrap.belongs(sdk)])
            add("sdk-\(sdk.name)-ready", options, after: ["sdk-\(sdk.name)"]) {
                // Where something waits for it.
                $0.keepBudget()
                try await lifecycle.waitUntilReady(in: $0)
            }
        }
        return started
    }

    /// Adds the login with the plan's authenticator, where nobody is logged in; nothing where the plan has none.
    ///
    /// - Returns: the identifier of the step that a login form waits for.
    fileprivate mutating func addAuthentication(of bootstrap: Bootstrap?, in environment: StartupEnvironment?, after last: String) -> String
    {
        guard let environment, let bootstrap, let authenticator = bootstrap.plan.authenticator else { return last }
        let (accounts, memory) = (environment.services.accounts, environment.memory)
        return addPart(
            "authenticate",
            "Log in with another account",
            expected: .milliseconds(300),
            .interactive,
            .onFailure(.continue),
            // A session that cannot be read now is still somebody's.
            .when { accounts.storedSession() == .absent },
            after: [last]
        ) { if try await bootstrap.authenticate(authenticator, $0) { memory.state.withLock { $0.hasLoggedIn = true } } }
    }

    private mutating func addPart(
        _ id: String,
        _ title: String,
        expected: Duration,
        _ options: StepOption...,
        after dependencies: [String],
        work: @escaping ScreenWork
    ) -> String {
        add(id, .all([.part(title, expected: expected)] + options), after: dependencies, on: .main) { try await work($0) }.id
    }
}

extension StepOption {
    /// The options that a step of a plan's part always has.
    fileprivate static func part(_ title: String, expected: Duration) -> StepOption {
        .all([.title(title), .expected(expected), .saysWhenItAsks, .suspends(true)])
    }
}

extension Bootstrap {
    /// Skips the step of an SDK that belongs to other builds.
    fileprivate func belongs(_ sdk: ThirdPartySDK) -> StepOption { .when { [plan] in plan.build.isSuperset(of: sdk.flags) } }

    /// The options of the step that starts an SDK.
    fileprivate func options(of sdk: ThirdPartySDK) -> StepOption {
        .all([.onFailure(sdk.isRequired ? .required : .continue), .timeout(sdk.timeout), belongs(sdk)])
    }
}

extension StartupSteps {
    /// The same steps with two changes. The fetch of the configuration tells the app of the result. The steps after the
    /// first screen use the feature flags that decided it.
    ///
    /// - Parameter kept: the configuration that the launch goes by; nil where it waits for the one that is fetched.
    fileprivate func carryingOut(_ bootstrap: Bootstrap?, _ kept: LoadedConfiguration?) -> StartupSteps {
        guard let bootstrap, let flags = environment?.flags else { return self }
        var steps = self
        // Taken before they are replaced, or each would call itself.
        let (fetch, logIn, showMain) = (steps[.fetchConfig], steps[.login], steps[.mainApp])
        steps[.fetchConfig] = { step in
            bootstrap.fetchesConfiguration(step)
            let fetched = try await fetch(step)
            bootstrap.didFetch(fetched, insteadOf: kept, flags.latest, step)
            return fetched
        }
        steps[.login] = { step, loaded in try await logIn(step, loaded?.with(flags.use())) }
        steps[.mainApp] = { step, content in
            let configuration = content.configuration.with(flags.use())
            try await showMain(step, MainContent(configuration: configuration, account: content.account, speaker: content.speaker))
        }
        return steps
    }
}
