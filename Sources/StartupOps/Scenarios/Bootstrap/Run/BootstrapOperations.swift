import Sequencer

/// What the operations of ``Scenario/bootstrap`` do that no other scenario has.
public struct BootstrapOperations: Sendable {
    /// Looks for the files that the app needs.
    public var checkResources: @Sendable (Launch) async throws -> Void
    /// Makes the registrations.
    public var register: @MainActor @Sendable (Launch) async throws -> Void
    /// Makes the configuration.
    public var configure: @MainActor @Sendable (Launch) async throws -> Void
    /// Ends the process phase.
    public var endProcessPhase: @MainActor @Sendable (Launch) async throws -> Void
    /// Connects the scene.
    public var connectScene: @MainActor @Sendable (Launch) async throws -> Void
    /// Starts the coordinator.
    public var startCoordinator: @MainActor @Sendable (Launch) async throws -> Void
    /// Told that the app's configuration is about to be fetched.
    public var willFetchConfiguration: @Sendable (Launch) throws -> Void
    /// Decides on the first screen.
    public var chooseFirstScreen: @MainActor @Sendable (LoadedConfiguration, Launch) async throws -> Void
    /// Whether an account is offered that was found on the device.
    public var offersRestore: @Sendable () throws -> Bool
    /// Starts what watches from the first main screen on.
    public var installObservers: @MainActor @Sendable (Launch) async throws -> Void
    /// Prepares the modules: one operation each.
    public var preparations: [BootstrapStep] = []
    /// Starts other parties' SDKs: one operation each.
    public var thirdParties: [BootstrapStep] = []
    /// Makes the modules: one operation each.
    public var modules: [BootstrapStep] = []
    /// Another way to log in; nil when there is none.
    public var authenticate: BootstrapStep?
}

/// An operation that some apps have and others have not. It runs on the main thread.
public struct BootstrapStep: Sendable {
    let step: StartupStep
    let options: [StepOption]
    let dependencies: [String]
    let body: @MainActor @Sendable (Launch) async throws -> Void
}

/// The scenario was run without a plan.
public struct MissingPlanError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence.
    public var description: String {
        "the scenario \(Scenario.bootstrap) carries out a plan, and there is none: make a Bootstrap, and take the environment from it"
    }
}

extension BootstrapOperations {
    /// The operations of an environment without a plan: the first fails, and says so.
    static let unplanned = BootstrapOperations(
        checkResources: { _ in throw MissingPlanError() },
        register: { _ in throw MissingPlanError() },
        configure: { _ in throw MissingPlanError() },
        endProcessPhase: { _ in throw MissingPlanError() },
        connectScene: { _ in throw MissingPlanError() },
        startCoordinator: { _ in throw MissingPlanError() },
        willFetchConfiguration: { _ in throw MissingPlanError() },
        chooseFirstScreen: { _, _ in throw MissingPlanError() },
        offersRestore: { throw MissingPlanError() },
        installObservers: { _ in throw MissingPlanError() }
    )

    /// Operations that take their time and do nothing else.
    static func simulated(_ wait: @escaping @Sendable (StartupStep, Launch) async throws -> Void) -> BootstrapOperations {
        BootstrapOperations(
            checkResources: { try await wait(.checkResources, $0) },
            register: { try await wait(.register, $0) },
            configure: { try await wait(.configure, $0) },
            endProcessPhase: { try await wait(.endProcessPhase, $0) },
            connectScene: { try await wait(.connectScene, $0) },
            startCoordinator: { try await wait(.startCoordinator, $0) },
            willFetchConfiguration: { _ in },
            chooseFirstScreen: { try await wait(.firstScreen, $1) },
            offersRestore: { true },
            installObservers: { try await wait(.installObservers, $0) }
        )
    }
}
