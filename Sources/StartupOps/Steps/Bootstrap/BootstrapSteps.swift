import Sequencer

extension StartupStep where Work == @Sendable (StepContext) async throws -> Void {
    /// The search for the files that the app needs.
    public static var checkResources: Self {
        Self("check-resources", "Look for the files the app needs", expected: .milliseconds(5), simulated: { $0.work(giving: ()) }) {
            environment in
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
        bootstrap("end-process-phase", "End the process phase", .milliseconds(10)) { bootstrap, _, step in
            try bootstrap.endProcessPhase(step)
        }
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
        Self(id, title, expected: expected, simulated: { $0.screenWork }) { environment in
            return { step in try await work(try environment.plannedBootstrap, environment, step) }
        }
    }
}

extension StartupStep where Work == @MainActor @Sendable (StepContext, LoadedConfiguration) async throws -> Void {
    /// The decision on the first screen.
    public static var firstScreen: Self {
        Self("first-screen", "Decide on the first screen", expected: .milliseconds(10), simulated: { $0.work() }) { environment in
            return { step, configuration in
                try await environment.plannedBootstrap.chooseFirstScreen(configuration, environment, step)
            }
        }
    }
}

extension StartupEnvironment {
    /// The gate in front of the first screen of a white-label app.
    var firstScreenGate: ReadinessGate { get throws { try plannedValue(firstScreen) } }

    fileprivate var plannedBootstrap: Bootstrap { get throws { try plannedValue(bootstrap) } }

    private func plannedValue<Value>(_ value: Value?) throws(RegistryError) -> Value {
        if let value { return value }
        let problem = "the scenario bootstrap carries out a plan, and there is none"
        throw RegistryError(problems: [problem + ": make a Bootstrap, and take the environment from it"])
    }
}
