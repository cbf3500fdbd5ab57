import Foundation
import Sequencer

/// Carries out a ``BootstrapPlan``: what a launch by the scenario ``Scenario/bootstrap`` makes, and what outlives it.
///
/// One is made per process, and kept as long as the app runs: its observers stop when it goes, and with it the environment and the report of the
/// launch, which keep it too. The service and its client are made here, which sends nothing; the process phase makes the rest.
///
/// | phase | operations |
/// |---|---|
/// | process | `check-resources`, `register`, `prepare-…` for each module, `configure`, `sdk-…` for each SDK, `end-process-phase` |
/// | scene | `connect-scene`, `splash`, `module-…` for each module, `start-coordinator`, `fetch-config`, `first-screen`, … `main-app` |
///
/// Every method can be called from any thread.
public final class Bootstrap: Sendable {
    struct State {
        var activations: [String: Bool] = [:]
        var prepared: Set<String> = []
        var made: [(name: String, value: any Sendable)] = []
        var firstScreen: ReadinessGate?
        var restore: RestoreDecision?
        var observers: [Task<Void, Never>] = []
    }

    /// What is carried out.
    public let plan: BootstrapPlan
    /// The app's service, over the plan's endpoints, and through its debug proxy where that is used.
    public let service: AppService
    /// Where the app finds its client, once the launch has made the configuration.
    public let clients = APIClientProvider()
    /// What has been registered.
    public let registry: ServiceRegistry
    /// The phases of the launch, which it reports itself.
    public let phases = LaunchPhases()
    let app: AppInfo
    let directory: StateDirectory
    let settings: Settings
    let configurationTrace = SequenceTrace<ConfigurationPart>()
    let coordinatorTrace = SequenceTrace<CoordinatorPart>()
    let state = Locked(State())

    /// What carries out `plan`.
    ///
    /// - Parameters:
    ///   - directory: keeps the session, settings and what earlier launches have come to.
    ///   - http: sends the requests.
    ///   - now: the time of day, which tokens' expiry is compared with.
    /// - Throws: ``RegistryError`` when the plan is not valid.
    public init(
        _ plan: BootstrapPlan,
        app: AppInfo,
        directory: StateDirectory,
        http: any HTTPSending,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(RegistryError) {
        try plan.validate()
        self.plan = plan
        self.app = app
        self.directory = directory
        settings = Settings(directory.settings)
        registry = ServiceRegistry(rules: RegistrationRule.bootstrap) { SetUpThread.isCurrent }
        service = AppService(
            // A valid plan has both.
            at: plan.endpoints.rest ?? plan.endpoints.graphQL,
            graphQL: plan.endpoints.graphQL,
            http: plan.transport(over: http),
            directory: directory,
            app: app,
            deviceID: settings.deviceIdentifier,
            now: now
        )
    }

    deinit { stopObserving() }

    /// What was made of the configuration, in order.
    public var configurationParts: [BootstrapTraceEntry] { configurationTrace.entries }

    /// What the coordinator has started, in order.
    public var coordinatorParts: [BootstrapTraceEntry] { coordinatorTrace.entries }

    /// Whether the configuration was made in this launch.
    var hasConfiguration: Bool { registry.optional(.configuration) != nil }

    /// The configuration.
    ///
    /// - Throws: ``ServiceAccessError`` before it was made, naming who asked and what has to run first.
    public func configuration(for accessor: String = #function) throws(ServiceAccessError) -> BootstrapConfiguration {
        try registry.value(.configuration, for: accessor)
    }

    /// What was made of an active module; nil when it was not active, or could not be made.
    public func module<Value: Sendable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        state.withLock { $0.made.first { $0.name == name }?.value } as? Value
    }

    /// What the first screen waits for, once the coordinator has started.
    public var firstScreenGate: ReadinessGate? { state.withLock { $0.firstScreen } }

    /// Tells every observer to cancel.
    public func stopObserving() {
        let observers = state.withLock { state in
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer.cancel() }
    }

    /// Throws what a registration has shown to be wrong.
    func require(_ problems: [RegistryProblem]) throws(RegistryError) {
        if !problems.isEmpty { throw RegistryError(problems: problems) }
    }
}
