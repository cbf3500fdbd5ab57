import Sequencer

extension BootstrapOperations {
    /// The real operations, which carry out a plan.
    init(_ bootstrap: Bootstrap, _ environment: StartupEnvironment) {
        self.init(
            checkResources: { try bootstrap.checkResources($0) },
            register: { try bootstrap.register($0) },
            configure: { try await bootstrap.configure(environment, $0) },
            endProcessPhase: { try bootstrap.endProcessPhase($0) },
            connectScene: { try await bootstrap.connectScene($0) },
            startCoordinator: { try await bootstrap.startCoordinator(environment, $0) },
            willFetchConfiguration: { try bootstrap.willFetchConfiguration($0) },
            chooseFirstScreen: { try await bootstrap.chooseFirstScreen($0, environment, $1) },
            offersRestore: { bootstrap.offersRestore },
            installObservers: { try bootstrap.installObservers($0) }
        )
        let plan = bootstrap.plan
        preparations = plan.modules.map { module in
            BootstrapStep(
                module: module,
                bootstrap,
                StartupStep("prepare-\(module.name)", "Prepare \(module.name)", isOnMain: true, expected: .milliseconds(10)),
                after: module.dependencies.map { "prepare-\($0.predecessor)" }
            ) { _ in try await bootstrap.prepare(module) }
        }
        modules = plan.modules.map { module in
            BootstrapStep(
                module: module,
                bootstrap,
                StartupStep("module-\(module.name)", "Make \(module.name)", isOnMain: true, expected: .milliseconds(20)),
                after: module.dependencies.map { "module-\($0.predecessor)" }
            ) { _ in try await bootstrap.make(module) }
        }
        thirdParties = plan.thirdParties.map { sdk in
            BootstrapStep(
                step: StartupStep("sdk-\(sdk.name)", "Start \(sdk.name)", isOnMain: true, expected: .milliseconds(30)),
                options: [
                    .onFailure(sdk.isRequired ? .required : .continue), .timeout(sdk.timeout),
                    .when { plan.build.isSuperset(of: sdk.flags) },
                ],
                dependencies: []
            ) { launch in try await sdk.start(try bootstrap.configuration(for: launch.operation)) }
        }
        guard let authenticator = plan.authenticator else { return }
        let accounts = environment.services.accounts
        authenticate = BootstrapStep(
            step: StartupStep("authenticate", "Log in with another account", isOnMain: true, expected: .milliseconds(300)),
            options: [
                .interactive, .onFailure(.continue),
                .when {
                    if case .absent = accounts.storedSession() { return true }
                    return false
                },
            ],
            dependencies: []
        ) { launch in try await bootstrap.authenticate(authenticator, launch) }
    }
}

extension BootstrapStep {
    /// An operation of a module: it runs when the module is active, and fails the launch only when there is none without it.
    fileprivate init(
        module: BootstrapModule,
        _ bootstrap: Bootstrap,
        _ step: StartupStep,
        after dependencies: [String],
        body: @escaping @MainActor @Sendable (Launch) async throws -> Void
    ) {
        self.init(
            step: step,
            options: [.onFailure(module.isRequired ? .required : .continue), .when { bootstrap.isActive(module) }],
            dependencies: dependencies,
            body: body
        )
    }
}
