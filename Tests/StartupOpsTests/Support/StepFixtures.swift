import Foundation
import SequencerTesting
import StartupSamples
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Answers nothing: for a step that asks others.
struct NoService: UpdatePolicyService, ConfigurationService, EntitlementService, AccountService, DeviceConnector {
    private struct Silent: Error {}

    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy { throw Silent() }
    func countries(by deadline: Deadline) async throws -> [Country] { throw Silent() }
    func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration { throw Silent() }
    func entitlements(by deadline: Deadline) async throws -> Entitlements { throw Silent() }
    func storedSession() -> StoredAnswer<StoredSession> { .absent }
    func restore(by deadline: Deadline) async throws -> Account { throw Silent() }
    func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account { throw Silent() }
    func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account { throw Silent() }
    func logInAnonymously(by deadline: Deadline) async throws -> Account { throw Silent() }
    func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account { throw Silent() }
    func logOut(because reason: String) async {}

    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        throw DeviceError(.unreachable, "none", "silent")
    }
    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] { [] }
}

extension ValidatedGraph {
    var identifiers: [String] { graph.identifiers }
}

extension StartupEnvironment {
    /// An environment in memory, for one step alone: `change` gives it what the step works with.
    static func alone(
        _ app: AppInfo = AppInfo(version: SemanticVersion(1)),
        directory: StateDirectory = .inMemory(),
        bundled: AppConfiguration = .bundled,
        _ change: (inout StartupEnvironment) -> Void = { _ in }
    ) -> StartupEnvironment {
        let none = NoService()
        var environment = StartupEnvironment(
            app: app,
            services: StartupServices(none, speakers: none),
            presenters: StartupPresenters(),
            directory: directory,
            bundled: bundled
        )
        change(&environment)
        return environment
    }
}

extension StartupServices {
    /// One service for all but the speakers.
    init(
        _ service: some UpdatePolicyService & ConfigurationService & AccountService & EntitlementService,
        speakers: any DeviceConnector
    ) {
        self.init(updates: service, configurations: service, accounts: service, entitlements: service, speakers: speakers)
    }

    /// An app's service, and the speakers that it knows, on the network.
    init(_ service: AppService) {
        self.init(service, speakers: ServiceSpeakers(client: service.client, connector: TCPSpeakerConnector()))
    }
}

extension StateDirectory {
    /// Folders in memory; `cache` is the one of answers that can be fetched again.
    static func over(cache: any DataStore, problems: [StorageError] = []) -> StateDirectory {
        StateDirectory(
            location: nil,
            settings: SettingsStore(MemoryStore()),
            state: MemoryStore(),
            cache: cache,
            secure: MemoryStore(),
            problems: problems,
            stateProblem: nil
        )
    }
}

// Each step alone, with what it works with.

extension ConnectSpeakerOperation {
    init(connector: any DeviceConnector, state: LaunchState, presenter: (any SpeakerPresenter)?, devices: ConnectedDevices) {
        self.init(
            environment: .alone {
                $0.services.speakers = connector
                $0.state = state
                $0.presenters.speaker = presenter
                $0.devices = devices
            }
        )
    }
}

extension EntitlementsOperation {
    /// The answers are for `account`, who is logged in.
    init(service: any EntitlementService, cache: any DataStore, of account: String?) {
        struct Accounts: AccountsOver {
            let id: String?
            let real: any AccountService = NoService()

            func storedSession() -> StoredAnswer<StoredSession> { .value(StoredSession(userID: id, isAnonymous: false)) }
        }
        self.init(
            environment: .alone(directory: .over(cache: cache)) {
                $0.services.entitlements = service
                $0.services.accounts = Accounts(id: account)
            }
        )
    }
}

extension EntryPointOperation {
    init(mailbox: EntryPointMailbox, presenter: (any EntryPointPresenter)?, stage: Stage) {
        self.init(
            environment: .alone {
                $0.mailbox = mailbox
                $0.presenters.entryPoint = presenter
                $0.stage = stage
            }
        )
    }
}

extension FetchConfigurationOperation {
    init(
        service: any ConfigurationService,
        store: ConfigurationStore,
        state: LaunchState,
        device: Region,
        presenter: (any RegionPresenter)?
    ) {
        self.init(
            environment: .alone(AppInfo(version: SemanticVersion(1), region: device)) {
                $0.services.configurations = service
                $0.configurations = store
                $0.state = state
                $0.presenters.region = presenter
            }
        )
    }
}

extension ForceUpdateOperation {
    init(
        service: any UpdatePolicyService,
        state: LaunchState = LaunchState(MemoryStore()),
        version: SemanticVersion,
        presenter: (any UpdatePresenter)? = nil,
        stage: Stage = Stage(),
        _ change: (inout StartupEnvironment) -> Void = { _ in }
    ) {
        self.init(
            environment: .alone(AppInfo(version: version)) {
                $0.services.updates = service
                $0.state = state
                $0.presenters.update = presenter
                $0.stage = stage
                change(&$0)
            }
        )
    }
}

extension LoginOperation {
    init(accounts: any AccountService, presenter: (any LoginPresenter)?, onboarding: OnboardingType) {
        var bundled = AppConfiguration.bundled
        bundled.onboarding = onboarding
        let environment = StartupEnvironment.alone(bundled: bundled) {
            $0.services.accounts = accounts
            $0.presenters.login = presenter
        }
        self.init(environment: environment, keepsStoredSession: true)
    }
}

extension RestoreAccountOperation {
    init(accounts: any AccountService, presenter: (any LoginPresenter)?, memory: LaunchMemory = LaunchMemory()) {
        let environment = StartupEnvironment.alone {
            $0.services.accounts = accounts
            $0.presenters.login = presenter
            $0.memory = memory
        }
        self.init(environment: environment)
    }
}

extension MainAppOperation {
    init(
        presenter: (any MainPresenter)?,
        stage: Stage = Stage(),
        store: any DataStore,
        mailbox: EntryPointMailbox = EntryPointMailbox(MemoryStore()),
        directory: StateDirectory = .inMemory(),
        earlyOnboarding: OnboardingType? = nil
    ) {
        let environment = StartupEnvironment.alone(directory: directory) {
            $0.presenters.main = presenter
            $0.stage = stage
            $0.state = LaunchState(store)
            $0.configurations = ConfigurationStore(store)
            $0.mailbox = mailbox
        }
        environment.memory.state.withLock { $0.earlyOnboarding = earlyOnboarding }
        self.init(environment: environment)
    }
}

extension OnboardingOperation {
    init(presenter: any MainPresenter, state: LaunchState) {
        self.init(
            environment: .alone {
                $0.presenters.main = presenter
                $0.state = state
            }
        )
    }
}

extension SplashOperation {
    init(
        presenter: (any SplashPresenter)?,
        minimum: Duration,
        lifecycle: AppLifecycle,
        showsVideo: Bool = false,
        gate: ReadinessGate? = nil
    ) throws {
        let directory = StateDirectory.inMemory()
        if showsVideo { try Settings(directory.settings).set(true, for: .showsSplashVideo) }
        self.init(
            environment: .alone(directory: directory) {
                $0.presenters.splash = presenter
                $0.splashMinimum = minimum
                $0.lifecycle = lifecycle
                $0.firstScreen = gate
            }
        )
    }
}

extension TutorialOperation {
    init(state: LaunchState, bundled: AppConfiguration, version: SemanticVersion, presenter: (any TutorialPresenter)?) {
        self.init(
            environment: .alone(AppInfo(version: version), bundled: bundled) {
                $0.state = state
                $0.presenters.tutorial = presenter
            }
        )
    }
}

extension ConfigurationStore {
    /// As a launch does that has completed with the configuration on trial.
    func confirmTrial() throws {
        if let onTrial { try confirm(LoadedConfiguration(onTrial, from: .cached)) }
    }

    /// As a launch leaves it that has completed with a configuration of Germany's.
    func know(_ version: String, onboarding: OnboardingType) throws {
        try beginTrial(of: AppConfiguration(version: version, country: "DE", language: "de", onboarding: onboarding))
        try confirmTrial()
    }
}

/// Runs one operation as a launch of its own, in virtual time, and gives what became of it and what it produced.
func runAlone<Value: Sendable>(
    _ id: String = "operation",
    _ options: StepOption...,
    body: @escaping @Sendable (StepContext) async throws -> Value,
    fallback: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
) async throws -> (report: OperationReport, value: Value?) {
    var graph = OperationGraph("alone")
    let step = graph.add(id, .all(options), fallback: nil, body: { try await body($0) }, fallback: fallback)
    let virtual = LaunchOptions(clock: VirtualClock(patience: .seconds(300)))
    let launch = try await graph.run(budget: .seconds(3), options: virtual)
    return (try #require(launch.report[id]), try? launch[step])
}

/// A request that found no server.
let unreachable = NetworkError(.unreachable, request: "GET example.invalid/v1", "connection refused")
