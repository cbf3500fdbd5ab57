import Sequencer

extension StartupStep where Work == @Sendable (StepContext) async throws -> Void {
    /// The search for the files that the app needs.
    public static var checkResources: Self {
        Self("check-resources", "Look for the files the app needs", expected: .milliseconds(5), simulating: ()) {
            try $0.plannedBootstrap.checkResources($1)
        }
    }
}

extension StartupStep where Work == ScreenWork {
    /// The app's registrations.
    public static var register: Self {
        Self("register", "Make the app's registrations", expected: .milliseconds(20)) { try $0.plannedBootstrap.register($1) }
    }

    /// The configuration of the app's parts.
    public static var configure: Self {
        Self("configure", "Make the configuration", expected: .milliseconds(150)) { try await $0.plannedBootstrap.configure($0, $1) }
    }

    /// The end of the process phase.
    public static var endProcessPhase: Self {
        Self("end-process-phase", "End the process phase", expected: .milliseconds(10)) { try $0.plannedBootstrap.endProcessPhase($1) }
    }

    /// The beginning of the scene phase.
    public static var connectScene: Self {
        Self("connect-scene", "Connect the scene", expected: .milliseconds(30)) {
            try await $0.plannedBootstrap.connectScene($0.presenters.scene, $1)
        }
    }

    /// The coordinator.
    public static var startCoordinator: Self {
        Self("start-coordinator", "Start the coordinator", expected: .milliseconds(40)) {
            try await $0.plannedBootstrap.startCoordinator($0, $1)
        }
    }

    /// The observers, which watch from then on.
    public static var installObservers: Self {
        Self("install-observers", "Install the observers", expected: .milliseconds(10)) { try $0.plannedBootstrap.installObservers($1) }
    }
}

extension StartupStep where Work == @MainActor @Sendable (StepContext, LoadedConfiguration) async throws -> Void {
    /// The decision on the first screen.
    public static var firstScreen: Self {
        Self("first-screen", "Decide on the first screen", expected: .milliseconds(10)) {
            try await $0.plannedBootstrap.chooseFirstScreen($2, $0, $1)
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
