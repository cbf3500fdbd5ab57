import Sequencer

extension StartupStep where Work == @Sendable (StepContext) async throws -> Void {
    /// The search for the files that the app needs.
    public static var checkResources: Self {
        Self(
            "check-resources",
            "Look for the files the app needs",
            expected: .milliseconds(5),
            simulated: { simulated in
                return { try await simulated.pass($0) }
            },
            work: { environment, _ in
                return { try environment.plannedBootstrap().checkResources($0) }
            }
        )
    }
}

extension StartupStep where Work == ScreenWork {
    /// The app's registrations.
    public static var register: Self {
        bootstrap("register", "Make the app's registrations", .milliseconds(20)) { bootstrap, environment, step in
            try bootstrap.register(step)
        }
    }

    /// The configuration of the app's parts.
    public static var configure: Self {
        bootstrap("configure", "Make the configuration", .milliseconds(150)) { bootstrap, environment, step in
            try await bootstrap.configure(environment, step)
        }
    }

    /// The end of the process phase.
    public static var endProcessPhase: Self {
        bootstrap("end-process-phase", "End the process phase", .milliseconds(10)) { bootstrap, environment, step in
            try bootstrap.endProcessPhase(step)
        }
    }

    /// The beginning of the scene phase.
    public static var connectScene: Self {
        bootstrap("connect-scene", "Connect the scene", .milliseconds(30)) { bootstrap, environment, step in
            try await bootstrap.connectScene(environment.presenters.scene, step)
        }
    }

    /// The coordinator.
    public static var startCoordinator: Self {
        bootstrap("start-coordinator", "Start the coordinator", .milliseconds(40)) { bootstrap, environment, step in
            try await bootstrap.startCoordinator(environment, step)
        }
    }

    /// The observers, which watch from then on.
    public static var installObservers: Self {
        bootstrap("install-observers", "Install the observers", .milliseconds(10)) { bootstrap, environment, step in
            try bootstrap.installObservers(step)
        }
    }

    /// A step that every white-label app has.
    private static func bootstrap(
        _ id: String,
        _ title: String,
        _ expected: Duration,
        work: @escaping @MainActor @Sendable (Bootstrap, StartupEnvironment, StepContext) async throws -> Void
    ) -> Self {
        Self(
            id,
            title,
            isOnMain: true,
            expected: expected,
            simulated: { $0.screenWork },
            work: { environment, _ in
                return { step in try await work(try environment.plannedBootstrap(), environment, step) }
            }
        )
    }

    /// A step that some apps have and others have not.
    fileprivate static func planned(
        _ id: String,
        _ title: String,
        expected: Duration,
        options: StepOption,
        work: @escaping @MainActor @Sendable (StepContext, LaunchMemory) async throws -> Void
    ) -> Self {
        Self(
            id,
            title,
            isOnMain: true,
            expected: expected,
            options: options,
            simulated: { $0.screenWork },
            work: { _, memory in
                return { step in try await work(step, memory) }
            }
        )
    }
}

extension StartupStep where Work == @MainActor @Sendable (StepContext, LoadedConfiguration) async throws -> Void {
    /// The decision on the first screen.
    public static var firstScreen: Self {
        Self(
            "first-screen",
            "Decide on the first screen",
            isOnMain: true,
            expected: .milliseconds(10),
            simulated: { simulated in
                return { step, _ in try await simulated.pass(step) }
            },
            work: { environment, _ in
                return { step, configuration in
                    try await environment.plannedBootstrap().chooseFirstScreen(configuration, environment, step)
                }
            }
        )
    }
}

/// A step of one app's plan, and the steps that it waits for beside the phase it is in.
struct PlannedStep: Sendable {
    let step: StartupStep<ScreenWork>
    var dependencies: [String] = []
}

/// A step that waits for what an SDK restores, and the step that initialises that SDK.
struct RestoreStep: Sendable {
    let step: StartupStep<@Sendable (StepContext) async throws -> Void>
    let predecessor: String
}

extension Bootstrap {
    /// Prepares the modules: a step for each.
    var preparations: [PlannedStep] {
        moduleSteps("prepare", "Prepare", .milliseconds(10)) { bootstrap, module in try await bootstrap.prepare(module) }
    }

    /// Makes the modules: a step for each.
    var moduleSteps: [PlannedStep] {
        moduleSteps("module", "Make", .milliseconds(20)) { bootstrap, module in try await bootstrap.make(module) }
    }

    /// A module's step runs when the module is active, and fails the launch only when the module is required.
    private func moduleSteps(
        _ prefix: String,
        _ verb: String,
        _ expected: Duration,
        work: @escaping @MainActor @Sendable (Bootstrap, BootstrapModule) async throws -> Void
    ) -> [PlannedStep] {
        plan.modules.map { module in
            PlannedStep(
                step: .planned(
                    "\(prefix)-\(module.name)",
                    "\(verb) \(module.name)",
                    expected: expected,
                    options: .all([
                        .onFailure(module.isRequired ? .required : .continue), .timeout(module.timeout), .when { self.isActive(module) },
                    ])
                ) { _, _ in try await work(self, module) },
                dependencies: module.dependencies.map { "\(prefix)-\($0.predecessor)" }
            )
        }
    }

    /// Starts the SDKs of other parties: a step for each that is not in the prologue.
    var sdkSteps: [PlannedStep] {
        plan.thirdParties.filter { $0.prologue == nil }.map { [plan] sdk in
            PlannedStep(
                step: .planned(
                    "sdk-\(sdk.name)",
                    "Start \(sdk.name)",
                    expected: .milliseconds(30),
                    options: .all([
                        .onFailure(sdk.isRequired ? .required : .continue), .timeout(sdk.timeout),
                        .when { plan.build.isSuperset(of: sdk.flags) },
                    ])
                ) { step, _ in try await sdk.start(try self.configuration(for: step.operation)) }
            )
        }
    }

    /// Waits for the SDKs that restore an earlier session: a step for each, after the one that initialises it.
    var restoreSteps: [RestoreStep] {
        plan.thirdParties.compactMap { [plan] sdk -> RestoreStep? in
            guard let lifecycle = sdk.lifecycle else { return nil }
            let step = StartupStep<@Sendable (StepContext) async throws -> Void>(
                "sdk-\(sdk.name)-ready",
                "Restore the session of \(sdk.name)",
                expected: .milliseconds(200),
                options: .onFailure(.continue),
                .timeout(lifecycle.timeoutUntilReady),
                .when { plan.build.isSuperset(of: sdk.flags) },
                simulated: { simulated in
                    return { try await simulated.pass($0) }
                },
                work: { _, _ in
                    return { try await lifecycle.waitUntilReady(in: $0) }
                }
            )
            return RestoreStep(step: step, predecessor: "sdk-\(sdk.name)")
        }
    }

    /// Logs in with the plan's authenticator, where nobody is logged in; nil when the plan has none.
    func authentication(_ accounts: any AccountService) -> PlannedStep? {
        plan.authenticator.map { authenticator in
            PlannedStep(
                step: .planned(
                    "authenticate",
                    "Log in with another account",
                    expected: .milliseconds(300),
                    options: .all([
                        .interactive, .onFailure(.continue),
                        .when {
                            // A session that cannot be read now is still somebody's.
                            if case .absent = accounts.storedSession() { return true }
                            return false
                        },
                    ])
                ) { step, memory in
                    if try await self.authenticate(authenticator, step) { memory.hasLoggedIn.withLock { $0 = true } }
                }
            )
        }
    }
}

/// The scenario was run without a plan.
struct MissingPlanError: DescribedError, Sendable, Hashable {
    /// One sentence.
    var description: String {
        "the scenario \(Scenario.bootstrap) carries out a plan, and there is none: make a Bootstrap, and take the environment from it"
    }
}

extension StartupEnvironment {
    /// Carries out the plan of a white-label app; nil for an app without one.
    package var bootstrap: Bootstrap? {
        get { self[Bootstrap.self] }
        set {
            self[Bootstrap.self] = newValue
            let splash = presenters.splash != nil
            firstScreen = newValue.map { _ in .firstScreen(showsSplashVideo: settings[.showsSplashVideo], hasSplashController: splash) }
            restoresAccountsByPlan = newValue?.plan.enablesRestoreAccount
            hasEndedEarlierSession = { newValue?.hasConfiguration == true }
        }
    }

    /// The gate in front of the first screen of a white-label app.
    var firstScreenGate: ReadinessGate {
        get throws(MissingPlanError) {
            guard let firstScreen else { throw MissingPlanError() }
            return firstScreen
        }
    }

    fileprivate func plannedBootstrap() throws(MissingPlanError) -> Bootstrap {
        guard let bootstrap else { throw MissingPlanError() }
        return bootstrap
    }
}
