import Foundation
import Sequencer
import StartupStorage

/// Everything that the real steps of a launch work with: one value, made once when the app starts.
///
/// ```swift
/// let environment = StartupEnvironment(app: app, services: services, presenters: presenters, directory: .openDefault())
/// let scenario = Scenario(for: environment.facts())
/// let report = try await environment.graph(scenario).run(budget: .seconds(3)).report
/// ```
public struct StartupEnvironment: Sendable {
    /// The running app.
    public var app: AppInfo
    /// The services that the steps ask.
    public var services: StartupServices {
        didSet { accounts.withLock { $0 = services.accounts } }
    }
    /// The accounts of ``services``, for the mailbox.
    private let accounts: Locked<any AccountService>
    /// The screens of the steps.
    public var presenters: StartupPresenters
    /// The app's settings, as they were before it was configured: when this was made, or in the step
    /// ``StartupStep/configure`` of a launch by a plan.
    var settings: SettingsSnapshot
    /// Where everything is kept.
    let directory: StateDirectory
    /// The results of earlier launches.
    public internal(set) var state: LaunchState
    /// The configurations of earlier launches.
    var configurations: ConfigurationStore
    /// The feature flags.
    let flags: FlagStore
    /// The gate in front of the first screen, which the steps it waits for meet; nil where nothing waits at one.
    var firstScreen: ReadinessGate?
    /// Carries out the plan of a white-label app; nil for an app without one.
    package var bootstrap: Bootstrap? {
        didSet {
            let (showsVideo, hasSplash) = (settings[.showsSplashVideo], presenters.splash != nil)
            firstScreen = bootstrap.map { _ in .firstScreen(showsSplashVideo: showsVideo, hasSplashController: hasSplash) }
        }
    }
    /// The push, the link or the shortcut that started the app, until it has been delivered.
    public internal(set) var mailbox: EntryPointMailbox
    /// The screen, which the launch, steps that are asked for and the app's own screens share.
    public internal(set) var stage: Stage
    /// The turn to log in, which a launch and steps that are asked for share: two at once would each ask, and the
    /// session that was opened last would count.
    let loginTurn = Turn()
    /// Whether a user has logged in since the app started, as a guest or by an account.
    let hasLoggedIn = Locked(false)
    /// Values that the steps of one launch pass to each other.
    var memory = LaunchMemory()
    /// The date, for maintenance that ends at one.
    var now: @Sendable () -> Date = { Date() }
    /// The system's events, as the app tells them.
    public internal(set) var lifecycle = AppLifecycle()
    /// The journal of this launch; nil for a launch that writes none.
    let journal: LaunchJournal?
    /// The devices that are connected.
    public internal(set) var devices = ConnectedDevices()
    /// How long the splash is visible at least.
    var splashMinimum: Duration
    /// How long a launch waits for the update check at most, unless its budget leaves less: 2 seconds. Half a second no
    /// budget takes. The check continues after that.
    public var updateAllowance = Self.defaultUpdateAllowance
    /// The update check that continues though no launch waits for it any more.
    package let lateUpdateCheck = LateUpdateCheck()
    /// Called with an update decision that came when the main screen was there, so that the launch has completed,
    /// whether or not something ran on, or when the launch had failed. The update screen takes over at the same time.
    public var lateUpdateDecision: @Sendable (UpdateDecision) -> Void = { _ in }
    /// Told why an update policy could not be kept for the next launch; the report says so too, unless the policy came
    /// when the launch was over.
    package var updatePolicyProblem: @Sendable (any Error) -> Void = { _ in }

    static let defaultUpdateAllowance = Duration.seconds(2)

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
        // Before anything is read that a launch in safe mode goes without.
        journal?.recover()
        self.app = app
        self.services = services
        let accounts = Locked(services.accounts)
        self.accounts = accounts
        self.presenters = presenters
        self.splashMinimum = splashMinimum
        let state = directory.launchState()
        self.state = state
        self.directory = directory
        // Frozen here: settings that are written later count in the next launch (L15).
        settings = Settings(directory.settings).freeze()
        configurations = ConfigurationStore(directory.state, bundled: bundled)
        flags = FlagStore(directory.cache)
        mailbox = EntryPointMailbox(
            directory.secure,
            storedAccount: {
                // Of the services at that time: an app may replace them before the launch.
                guard let session = accounts.withLock({ $0 }).storedSession().value else { return nil }
                // The session of an earlier installation does not identify the user.
                return Self.isLeftBehind(session, state) ? nil : session.accountID
            }
        )
        self.journal = journal
        stage = Stage()
        // On the main thread, which waits for no store.
        stage.takenOver.whenSettled(.atOnce) { [mailbox] in if case .success = $0 { mailbox.stopDelivering() } }
    }

    /// Why stores are in memory for this launch, and not on the disk.
    public var storageProblems: [StorageError] { directory.problems }
    /// Answers that can be fetched again, such as the entitlements.
    var cache: any DataStore { directory.cache }
    /// The settings that came too late for this launch, each in one sentence; asked at its end, when all late ones are
    /// known.
    var lateSettings: [String] { (directory.settings as? SettingsStore)?.lateWrites ?? [] }

    /// Whether a launch offers a subscription before the main screen.
    var offersPaywall: Bool { settings[.presentsSubscriptionOnEveryStart] || settings[.presentsSubscriptionAfterLogin] }

    /// How a user without a login is received: as set by the app, or else by `configuration`, or else as known before
    /// there was a configuration.
    func onboarding(_ configuration: AppConfiguration? = nil) -> OnboardingType {
        // The app's own setting wins over every configuration.
        onboardingOfApp ?? configuration?.onboarding ?? configurations.lastKnown.configuration.onboarding ?? settings[.onboarding]
    }

    /// The kind that the app has set, which no configuration and no flag changes; nil where it has set none.
    var onboardingOfApp: OnboardingType? { settings.valueIfSet(of: .onboarding) }

    /// The configuration that a launch can go by before it has fetched one; nil without one for the chosen country and
    /// language.
    var keptConfiguration: LoadedConfiguration? { state.chosenRegion.value.flatMap { configurations.kept(for: $0) } }

    /// Whether the app is set to restore accounts, by its plan or by its settings.
    var enablesRestoreAccount: Bool {
        bootstrap?.plan.enablesRestoreAccount == true || settings[.enablesRestoreAccount]
    }

    /// Whether an account that survived a reinstallation is offered again: as the configuration says, where it does.
    func restoresAccounts(_ known: AppConfiguration?) -> Bool { known?.restoreAccount ?? enablesRestoreAccount }

    /// The facts that are known before the launch: see ``Scenario/init(for:)``.
    ///
    /// A value that cannot be read now counts as known: the user is not asked again because the device is locked.
    ///
    /// - Parameter isRunning: whether the app runs already, and is only brought back to the front.
    public func facts(isRunning: Bool = false) -> LaunchFacts {
        let known = configurations.lastKnown.configuration
        let session = services.accounts.storedSession()
        return LaunchFacts(
            // Unavailable is not absent: a locked device must not ask the user again.
            isRegionKnown: state.chosenRegion != .absent,
            account: account(session, known),
            hasSeenTutorial: presenters.tutorial == nil || hasSeenTutorial,
            speaker: speaker,
            origin: mailbox.origin(for: session.value?.accountID),
            onboarding: onboarding(),
            isRunning: isRunning
        )
    }

    private func account(_ session: StoredAnswer<StoredSession>, _ known: AppConfiguration) -> LaunchFacts.AccountState {
        switch session {
        case .absent: return .none
        // Locked is not logged out: nobody is asked to log in because of it.
        case .unavailable: return .known
        case .value(let session):
            // Only the user can tell whether the session of an earlier installation is theirs; if they are not asked,
            // it is ended.
            if Self.isLeftBehind(session, state) { return restoresAccounts(known) ? .found : .none }
            return session.isAnonymous ? .guest : .known
        }
    }

    /// Whether an earlier installation has left this session.
    private static func isLeftBehind(_ session: StoredSession, _ state: LaunchState) -> Bool {
        state.firstLaunch == .first && !session.isOfThisInstallation
    }

    var hasSeenTutorial: Bool {
        switch state.tutorialVersionSeen {
        case .absent: false
        case .value(let seen): seen >= app.version
        case .unavailable: true
        }
    }

    private var speaker: LaunchFacts.SpeakerState {
        if state.lastSpeaker != .absent { return .known }
        return state.hasDeclinedSpeaker ? .declined : .none
    }
}

/// The services that the steps of a launch ask.
public struct StartupServices: Sendable {
    /// Says which versions may run.
    var updates: any UpdatePolicyService
    /// Says which countries there are, and how the app is configured in one.
    var configurations: any ConfigurationService
    /// Opens and ends sessions.
    public var accounts: any AccountService
    /// Says what the user is entitled to.
    var entitlements: any EntitlementService
    /// Finds speakers and connects to them.
    var speakers: any DeviceConnector

    /// These services.
    public init(
        updates: any UpdatePolicyService,
        configurations: any ConfigurationService,
        accounts: any AccountService,
        entitlements: any EntitlementService,
        speakers: any DeviceConnector
    ) {
        self.updates = updates
        self.configurations = configurations
        self.accounts = accounts
        self.entitlements = entitlements
        self.speakers = speakers
    }
}

/// The presenters of an app; nil where it has no such screen.
///
/// A step that needs the user and finds no presenter fails; it never hangs.
public struct StartupPresenters: Sendable {
    /// Shows the splash.
    public var splash: (any SplashPresenter)?
    /// Shows what the version policy asks for.
    public var update: (any UpdatePresenter)?
    /// Lets the user choose a country and a language.
    public var region: (any RegionPresenter)?
    /// Logs the user in.
    public var login: (any LoginPresenter)?
    /// Shows the tutorial.
    public var tutorial: (any TutorialPresenter)?
    /// Lets the user choose a speaker.
    public var speaker: (any SpeakerPresenter)?
    /// Shows what started the app: a push, a link or a shortcut.
    public var entryPoint: (any EntryPointPresenter)?
    /// Shows the main screen.
    public var main: (any MainPresenter)?
    /// Connects the app's scene.
    public var scene: (any ScenePresenter)?

    /// No presenters.
    public init() {}

    /// Uses a single object that presents everything, and connects the scene where it can.
    public init(
        all presenter: some SplashPresenter & UpdatePresenter & RegionPresenter & LoginPresenter & TutorialPresenter & SpeakerPresenter
            & EntryPointPresenter & MainPresenter
    ) {
        splash = presenter
        update = presenter
        region = presenter
        login = presenter
        tutorial = presenter
        speaker = presenter
        entryPoint = presenter
        main = presenter
        scene = presenter as? any ScenePresenter
    }
}
