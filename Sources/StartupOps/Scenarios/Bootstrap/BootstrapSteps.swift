import Sequencer

extension StartupStep where Work == @Sendable (StepContext) async throws -> Void {
    /// The search for the files that the app needs.
    public static var checkResources: Self {
        Self("check-resources", "Look for the files the app needs", expected: .milliseconds(5), simulated: ()) { environment, _ in
            return { try environment.plannedBootstrap.checkResources($0) }
        }
    }
}

extension StartupStep where Work == ScreenWork {
    /// The app's registrations.
    public static var register: Self {
        bootstrap("register", "Make the app's registrations", .milliseconds(20)) { bootstrap, _, step in try bootstrap.register(step) }
    }

    /// The configuration of the app's parts.
    public static var configure: Self {
        bootstrap("configure", "Make the configuration", .milliseconds(150)) { try await $0.configure($1, $2) }
    }

    /// The end of the process phase.
    public static var endProcessPhase: Self {
        bootstrap("end-process-phase", "End the process phase", .milliseconds(10)) { bootstrap, _, _ in try bootstrap.endProcessPhase() }
    }

    /// The beginning of the scene phase.
    public static var connectScene: Self {
        bootstrap("connect-scene", "Connect the scene", .milliseconds(30)) { try await $0.connectScene($1.presenters.scene, $2) }
    }

    /// The coordinator.
    public static var startCoordinator: Self {
        bootstrap("start-coordinator", "Start the coordinator", .milliseconds(40)) { try await $0.startCoordinator($1, $2) }
    }

    /// The observers, which watch from then on.
    public static var installObservers: Self {
        bootstrap("install-observers", "Install the observers", .milliseconds(10)) { bootstrap, _, step in
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
        Self(id, title, expected: expected) { environment, _ in
            return { step in try await work(try environment.plannedBootstrap, environment, step) }
        }
    }
}

extension StartupStep where Work == @MainActor @Sendable (StepContext, LoadedConfiguration) async throws -> Void {
    /// The decision on the first screen.
    public static var firstScreen: Self {
        Self("first-screen", "Decide on the first screen", expected: .milliseconds(10)) { environment, _ in
            return { step, configuration in
                try await environment.plannedBootstrap.chooseFirstScreen(configuration, environment, step)
            }
        }
    }
}

/// A step of one app's plan, and the steps that it waits for beside the phase it is in.
struct PlannedStep: Sendable {
    let step: StartupStep<ScreenWork>
    var dependencies: [String] = []
}

extension Bootstrap {
    /// Prepares the modules: a step for each.
    var preparations: [PlannedStep] { moduleSteps("prepare", "Prepare", .milliseconds(10)) { try await $0.prepare($1) } }

    /// Makes the modules: a step for each.
    var moduleSteps: [PlannedStep] { moduleSteps("module", "Make", .milliseconds(20)) { try await $0.make($1) } }

    /// A module's step runs when the module is active, and fails the launch only when the module is required.
    private func moduleSteps(
        _ prefix: String,
        _ verb: String,
        _ expected: Duration,
        work: @escaping @MainActor @Sendable (Bootstrap, BootstrapModule) async throws -> Void
    ) -> [PlannedStep] {
        plan.modules.map { module in
            let step = StartupStep<ScreenWork>(
                "\(prefix)-\(module.name)",
                "\(verb) \(module.name)",
                expected: expected,
                options: .onFailure(module.isRequired ? .required : .continue),
                .timeout(module.timeout),
                .when { self.isActive(module) }
            ) { _, _ in
                return { _ in try await work(self, module) }
            }
            return PlannedStep(step: step, dependencies: module.dependencies.map { "\(prefix)-\($0.predecessor)" })
        }
    }

    /// Starts the SDKs of other parties: a step for each that is not in the prologue.
    var sdkSteps: [PlannedStep] {
        plan.thirdParties.filter { $0.prologue == nil }.map { sdk in
            let step = StartupStep<ScreenWork>(
                "sdk-\(sdk.name)",
                "Start \(sdk.name)",
                expected: .milliseconds(30),
                options: .onFailure(sdk.isRequired ? .required : .continue),
                .timeout(sdk.timeout),
                belongs(sdk)
            ) { _, _ in
                return { step in try await sdk.start(try self.configuration(for: step.operation)) }
            }
            return PlannedStep(step: step)
        }
    }

    /// Waits for an SDK that restores an earlier session, after the step that initialises it; nil for any other SDK.
    func restoreStep(of sdk: ThirdPartySDK) -> StartupStep<@Sendable (StepContext) async throws -> Void>? {
        sdk.lifecycle.map { lifecycle in
            StartupStep(
                "sdk-\(sdk.name)-ready",
                "Restore the session of \(sdk.name)",
                expected: .milliseconds(200),
                options: .onFailure(.continue),
                .timeout(lifecycle.timeoutUntilReady),
                belongs(sdk),
                simulated: ()
            ) { _, _ in
                return { try await lifecycle.waitUntilReady(in: $0) }
            }
        }
    }

    /// Skips the step of an SDK that belongs to other builds.
    func belongs(_ sdk: ThirdPartySDK) -> StepOption { .when { [plan] in plan.build.isSuperset(of: sdk.flags) } }

    /// Logs in with the plan's authenticator, where nobody is logged in; nil when the plan has none.
    func authentication(_ accounts: any AccountService) -> PlannedStep? {
        plan.authenticator.map { authenticator in
            let step = StartupStep<ScreenWork>(
                "authenticate",
                "Log in with another account",
                expected: .milliseconds(300),
                options: .interactive,
                .onFailure(.continue),
                // A session that cannot be read now is still somebody's.
                .when { accounts.storedSession() == .absent }
            ) { _, memory in
                return { step in
                    if try await self.authenticate(authenticator, step) { memory.state.withLock { $0.hasLoggedIn = true } }
                }
            }
            return PlannedStep(step: step)
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
    /// The gate in front of the first screen of a white-label app.
    var firstScreenGate: ReadinessGate { get throws { try plannedValue(firstScreen) } }

    fileprivate var plannedBootstrap: Bootstrap { get throws { try plannedValue(bootstrap) } }

    private func plannedValue<Value>(_ value: Value?) throws(MissingPlanError) -> Value {
        guard let value else { throw MissingPlanError() }
        return value
    }
}
