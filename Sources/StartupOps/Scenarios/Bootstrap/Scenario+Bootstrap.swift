import Sequencer

extension Scenario {
    /// A white-label app: first what the process needs is set up in its order, then the scene is connected and the coordinator started.
    ///
    /// The scene phase begins when all of the process phase has ended. A part that the app's ``BootstrapPlan`` does not have is not in the graph; a module
    /// that is not active, and an SDK that belongs to other builds, is skipped. The update check waits for neither phase. Where an earlier launch has kept
    /// a configuration, the app starts with that, and the one that is fetched meanwhile counts from the next launch.
    public static let bootstrap = Scenario("bootstrap", "A white-label app: first the process is set up, then the scene.") { graph, steps in
        let environment = steps.environment
        let bootstrap = environment?.bootstrap
        let kept = environment?.keptConfiguration
        let steps = steps.carryingOut(bootstrap, kept)
        if let environment, let bootstrap { graph.addPrologue(of: bootstrap, in: environment) }
        // After nothing: an outdated app must not wait for its own set-up.
        let update = graph.add(.forceUpdate, of: steps)

        let checked = graph.add(.checkResources, of: steps)
        let registered = graph.add(.register, of: steps, after: checked.id)
        let prepared = graph.add(bootstrap?.preparations, of: steps, after: [registered.id])
        let configured = graph.add(.configure, of: steps, [], after: [registered.id] + prepared)
        let started = graph.add(bootstrap?.sdkSteps, of: steps, after: [configured.id])
        for sdk in bootstrap?.plan.thirdParties ?? [] {
            if let restore = bootstrap?.restoreStep(of: sdk) { graph.add(restore, of: steps, after: "sdk-\(sdk.name)") }
        }
        let ended = graph.add(.endProcessPhase, of: steps, [], after: [configured.id] + started)
        let scene = graph.add(.connectScene, of: steps, after: ended.id)

        let splash = graph.add(.splash, of: steps, after: scene.id)
        let modules = graph.add(bootstrap?.moduleSteps, of: steps, after: [scene.id])
        let coordinator = graph.add(.startCoordinator, of: steps, [], after: [scene.id] + modules)

        let fetched = graph.addConfiguration(of: steps, .timeout(.seconds(1)), after: coordinator.id)
        var configuration = fetched
        // With a kept configuration the fetched one is for the next launch, and nobody waits for it.
        if kept != nil {
            let cached = StartupStep.cachedConfig
            configuration = graph.add(cached, of: steps, after: coordinator.id)
        }
        graph.addFlags(of: steps, .timeout(.seconds(1)), after: coordinator.id)
        let first = StartupStep.firstScreen
        let work = steps[first]
        graph.add(first.id, steps.options(of: first), using: configuration, after: splash, on: .main) { step, configuration in
            try await work(step, configuration)
        }
        let restore = graph.add(.restoreAccount, of: steps, .when { bootstrap?.offersRestore ?? true }, after: first.id)
        let tutorial = graph.add(.tutorial, of: steps, .interactive, using: configuration, after: restore.id)
        let authentication = environment.flatMap { environment in bootstrap?.authentication(environment.services.accounts) }
        let authenticated = graph.add(authentication.map { [$0] }, of: steps, after: [tutorial.id])
        let account = graph.add(.login, of: steps, .interactive, using: configuration, after: authenticated.first ?? tutorial.id)
        graph.addMain(of: steps, configuration, account, nil, after: [update.id])
        graph.addAfterMain(.onboarding, of: steps, .interactive)
        graph.addAfterMain(.installObservers, of: steps)
    }
}

extension OperationGraph {
    /// Adds the SDKs that come before everything.
    fileprivate mutating func addPrologue(of bootstrap: Bootstrap, in environment: StartupEnvironment) {
        let sdks = bootstrap.plan.thirdParties.compactMap { sdk in sdk.prologue.map { (sdk, $0) } }
        // Facts are read from the disk: only for those who get them.
        if sdks.isEmpty { return }
        let facts = environment.facts()
        for (sdk, start) in sdks {
            addPrologue(
                "sdk-\(sdk.name)",
                .title("Start \(sdk.name)"),
                .expected(.milliseconds(30)),
                .onFailure(sdk.isRequired ? .required : .continue),
                .timeout(sdk.timeout),
                bootstrap.belongs(sdk)
            ) {
                try start(facts)
            }
        }
    }

    /// Adds the steps of an app's plan; each waits for `dependencies` and its own.
    ///
    /// - Returns: their identifiers.
    fileprivate mutating func add(_ planned: [PlannedStep]?, of steps: StartupSteps, after dependencies: [String]) -> [String] {
        (planned ?? []).map { add($0.step, of: steps, [], after: $0.dependencies + dependencies).id }
    }
}

extension StartupSteps {
    /// The same steps with two changes. The fetch of the configuration tells the coordinator that it begins, and the app of the result. The steps after the first
    /// screen use the feature flags that decided it.
    ///
    /// - Parameter kept: the configuration that the launch goes by; nil where it waits for the one that is fetched.
    fileprivate func carryingOut(_ bootstrap: Bootstrap?, _ kept: LoadedConfiguration?) -> StartupSteps {
        guard let bootstrap, let flags = environment?.flags else { return self }
        var steps = self
        // Taken before they are replaced, or each would call itself.
        let (fetch, logIn, showMain) = (steps[.fetchConfig], steps[.login], steps[.mainApp])
        steps[.fetchConfig] = { step in
            bootstrap.willFetchConfiguration(step)
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
