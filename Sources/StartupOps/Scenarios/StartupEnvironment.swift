import Foundation
import Sequencer

/// Everything that the real operations of a launch work with: one value, made once when the app starts.
///
/// ```swift
/// let environment = StartupEnvironment(app: app, services: services, presenters: presenters, directory: .openDefault())
/// let scenario = Scenario.choose(for: environment.context())
/// let report = try await Sequencer(scenario.graph(StartupOperations(environment))).run()
/// ```
public struct StartupEnvironment: Sendable {
    /// What the app knows of itself.
    public var app: AppInfo
    /// What the operations talk to.
    public var services: StartupServices
    /// What the operations show themselves with.
    public var presenters: StartupPresenters
    /// What the app was set to, before it was configured.
    public var settings: SettingsSnapshot
    /// What earlier launches have come to.
    public let state: LaunchState
    /// The configurations of earlier launches.
    public let configurations: ConfigurationStore
    /// What is known of entitlements, and other things that can be fetched again.
    public let cache: any DataStore
    /// What started the app, until it has been delivered.
    public let mailbox: EntryPointMailbox
    /// The screen.
    public let stage: Stage
    /// What the system does with the app meanwhile.
    public let lifecycle: AppLifecycle
    /// What this launch writes down as it goes; nil for one that writes nothing down.
    public let journal: LaunchJournal?
    /// What could not be kept on the disk, and is in memory for this launch.
    public let storageProblems: [StorageError]
    /// What is connected.
    public let devices: ConnectedDevices
    /// How long the splash is visible at least.
    public var splashMinimum: Duration
    /// What carries out the plan of a white-label app; nil for an app without one.
    public var bootstrap: Bootstrap?
    /// Called once, when the main screen is visible for the first time.
    public var didLaunch: @Sendable () -> Void = {}
    /// Told of an update decision that came when the launch was over.
    public var lateUpdateDecision: @Sendable (UpdateDecision) -> Void = { _ in }

    /// An environment over a state directory.
    ///
    /// - Parameter journal: of this launch, opened in the same directory before anything else was.
    public init(
        app: AppInfo,
        services: StartupServices,
        presenters: StartupPresenters,
        directory: StateDirectory,
        journal: LaunchJournal? = nil,
        bundled: AppConfiguration = .bundled,
        splashMinimum: Duration = .milliseconds(400)
    ) {
        self.app = app
        self.services = services
        self.presenters = presenters
        self.splashMinimum = splashMinimum
        state = directory.launchState()
        storageProblems = directory.problems
        settings = Settings(directory.settings).freeze(state)
        configurations = ConfigurationStore(directory.state, bundled: bundled)
        cache = directory.cache
        mailbox = EntryPointMailbox(directory.secure)
        self.journal = journal
        stage = Stage { journal?.questionAsked(by: $0, isAnswered: $1) }
        lifecycle = AppLifecycle()
        devices = ConnectedDevices()
    }

    /// Whether an account that survived a reinstallation is offered again, unless a configuration says otherwise.
    var restoresAccounts: Bool { bootstrap?.plan.enablesRestoreAccount ?? settings[.enablesRestoreAccount] }

    /// What is known before the launch: all that decides which scenario it follows.
    ///
    /// A session that cannot be read now counts as one: nobody is logged out because a device is locked.
    public func context(isRunning: Bool = false) -> LaunchContext {
        let known = configurations.lastKnown.configuration
        let session: Bool
        switch services.accounts.storedSession() {
        case .value, .unavailable: session = true
        case .absent: session = false
        }
        return LaunchContext(
            isFirstLaunch: state.isFirstLaunch,
            hasCredentials: session,
            knowsSpeaker: state.lastSpeaker != .absent,
            origin: mailbox.origin,
            onboarding: known.onboarding ?? settings[.onboarding],
            restoresAccounts: known.restoreAccount ?? restoresAccounts,
            isRunning: isRunning
        )
    }
}
