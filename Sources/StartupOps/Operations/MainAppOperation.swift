import Sequencer

/// Shows the app.
@MainActor
public protocol MainPresenter: Sendable {
    /// The main screen; returns when it is visible.
    func showMain(_ content: MainContent) async
    /// The onboarding, over the main screen; returns when the person has dismissed it.
    func showOnboarding() async
    /// The offer of a subscription; returns when the person has answered it.
    func showPaywall() async
    /// The app is back at the front.
    func becameActive() async
}

/// Shows the main screen, and records that the launch has got there: the configuration that was on trial is one to fall back on from now
/// on, and the next launch is not the first any more.
public struct MainAppOperation: Sendable {
    private let presenter: (any MainPresenter)?
    private let stage: Stage
    private let state: LaunchState
    private let configurations: ConfigurationStore
    private let mailbox: EntryPointMailbox
    private let problems: [StorageError]
    private let countsAsLaunch: @Sendable () -> Bool
    private let earlyOnboarding: @Sendable () -> OnboardingType?
    private let didLaunch: @Sendable () -> Void

    /// An operation that shows the main screen by `presenter`.
    ///
    /// - Parameters:
    ///   - presenter: nil when nothing can be shown: the operation then only records.
    ///   - mailbox: delivers what started the app once the main screen is visible.
    ///   - problems: what could not be kept on the disk, and is in memory instead; the report says so.
    ///   - countsAsLaunch: whether the next launch is not the first any more: one in safe mode may have left out what a first launch is for.
    ///   - earlyOnboarding: which kind of onboarding the launch went by before it had its configuration; nil when it did not have to.
    ///   - didLaunch: called once, when the main screen is visible for the first time.
    public init(
        presenter: (any MainPresenter)?,
        stage: Stage,
        state: LaunchState,
        configurations: ConfigurationStore,
        mailbox: EntryPointMailbox,
        problems: [StorageError] = [],
        countsAsLaunch: @escaping @Sendable () -> Bool = { true },
        earlyOnboarding: @escaping @Sendable () -> OnboardingType? = { nil },
        didLaunch: @escaping @Sendable () -> Void = {}
    ) {
        self.problems = problems
        self.countsAsLaunch = countsAsLaunch
        self.earlyOnboarding = earlyOnboarding
        self.didLaunch = didLaunch
        self.presenter = presenter
        self.stage = stage
        self.state = state
        self.configurations = configurations
        self.mailbox = mailbox
    }

    /// Shows the main screen.
    @MainActor
    public func run(_ content: MainContent, in launch: Launch) async throws {
        try await stage.present(by: launch.operation) { await presenter?.showMain(content) }
        // Each on its own: one that cannot be stored must not make every further launch the first.
        record("start", launch) { try state.countAppStart(isLoggedIn: true, isAnonymous: content.account.isAnonymous) }
        record("configuration", launch) { try configurations.confirmTrial() }
        if countsAsLaunch() { record("launch", launch) { try state.recordCompletedLaunch() } }
        for problem in problems { launch.note("kept in memory, and only until the app ends: \(problem)") }
        if let decided = earlyOnboarding() { launch.noteLateOnboarding(decided, content.configuration) }
        mailbox.setSession(content.account.isAnonymous ? .guest : .loggedIn)
        if mailbox.mainScreenDidAppear() { didLaunch() }
    }

    private func record(_ what: String, _ launch: Launch, _ body: () throws -> Void) {
        do { try body() } catch { launch.note("the \(what) could not be recorded: \(error)") }
    }
}
