import Sequencer

extension Scenario {
    /// A white-label app: what the process needs is set up in its order, then the scene is connected and the coordinator started.
    ///
    /// The scene phase begins when all of the process phase has ended. What the app's ``BootstrapPlan`` does not have is not in the graph; a module
    /// that is not active, and an SDK that belongs to other builds, is skipped. The update check waits for neither phase.
    public static let bootstrap = Scenario("bootstrap", "A white-label app: first the process is set up, then the scene.") {
        graph,
        operations in
        let bootstrap = operations.bootstrap
        let update = graph.addForceUpdate(operations)

        let scene = graph.addProcessPhase(bootstrap)
        let splash = graph.addSplash(operations)
        graph.addDependency(scene, to: splash)
        let coordinator = graph.addCoordinator(bootstrap, after: scene)

        let configuration = graph.addConfiguration(operations.fetching(bootstrap), .timeout(.seconds(1)), after: coordinator.id)
        let step = StartupStep.firstScreen
        graph.add(step.id, step.bootstrapOptions, using: configuration, after: splash, on: .main) { launch, configuration in
            try await bootstrap.chooseFirstScreen(configuration, launch)
        }
        let restore = graph.addMainStep(
            .restoreAccount,
            [.interactive, .onFailure(.continue), .when(bootstrap.offersRestore)],
            after: [step.id]
        ) { launch in try await operations.restoreAccount(launch) }
        let tutorial = graph.addTutorial(operations, .interactive, using: configuration, after: restore.id)
        var last = tutorial
        if let authenticate = bootstrap.authenticate { last = graph.add(authenticate, after: [tutorial.id]) }
        let account = graph.addLogin(operations, .interactive, using: configuration, after: last.id)
        graph.addMain(operations, configuration, account, nil, after: update.id)
        graph.addAfterMain(.installObservers) { launch in try await bootstrap.installObservers(launch) }
    }
}

extension OperationGraph {
    /// - Returns: the step that connects the scene.
    fileprivate mutating func addProcessPhase(_ bootstrap: BootstrapOperations) -> Step<Void> {
        let resources = StartupStep.checkResources
        let checked = add(resources.id, resources.bootstrapOptions) { launch in try await bootstrap.checkResources(launch) }
        let registered = addMainStep(.register, after: [checked.id], bootstrap.register)
        let prepared = bootstrap.preparations.map { add($0, after: [registered.id]) }
        let configured = addMainStep(.configure, after: [registered.id] + prepared.map(\.id), bootstrap.configure)
        let started = bootstrap.thirdParties.map { add($0, after: [configured.id]) }
        let ended = addMainStep(.endProcessPhase, after: [configured.id] + started.map(\.id), bootstrap.endProcessPhase)
        return addMainStep(.connectScene, after: [ended.id], bootstrap.connectScene)
    }

    fileprivate mutating func addCoordinator(_ bootstrap: BootstrapOperations, after scene: Step<Void>) -> Step<Void> {
        let modules = bootstrap.modules.map { add($0, after: [scene.id]) }
        return addMainStep(.startCoordinator, after: [scene.id] + modules.map(\.id), bootstrap.startCoordinator)
    }

    @discardableResult
    fileprivate mutating func add(_ step: BootstrapStep, after dependencies: [String]) -> Step<Void> {
        addMainStep(step.step, step.options, after: step.dependencies + dependencies, step.body)
    }
}

extension StartupOperations {
    /// The same operations; the one that fetches the configuration tells the coordinator.
    fileprivate func fetching(_ bootstrap: BootstrapOperations) -> StartupOperations {
        var operations = self
        operations.fetchConfiguration = { launch in
            try bootstrap.willFetchConfiguration(launch)
            return try await fetchConfiguration(launch)
        }
        return operations
    }
}

extension StartupStep {
    fileprivate var bootstrapOptions: StepOption { .all([.title(title), .expected(expected)]) }
}
