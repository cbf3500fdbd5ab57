import Sequencer

/// Shows the app.
@MainActor
public protocol MainPresenter: Sendable {
    /// The main screen; returns when it is visible, and its tab bar and navigation can be used: what started the app is
    /// delivered then.
    func showMain(_ content: MainContent) async
    /// The onboarding, over the main screen; returns when the user has dismissed it. Guests of an app whose
    /// onboarding is ``OnboardingType/dismissable`` are shown it, until they have dismissed it once. When it throws,
    /// they have left without that, and see it again.
    func showOnboarding() async throws
    /// The offer of a subscription; returns when the user has answered it.
    func showPaywall() async
    /// The app is back at the front.
    func becameActive() async
}

/// Shows the main screen, and records that the launch has got there: the configuration that was on trial is one to fall
/// back on from now on, and the next launch is not the first any more.
struct MainAppOperation: Sendable {
    let environment: StartupEnvironment

    /// Shows the main screen on the main thread, then records the launch off it: that waits for the disk, and for other
    /// processes.
    func run(_ content: MainContent, in step: StepContext) async throws {
        let (state, mailbox, account) = (environment.state, environment.mailbox, content.account)
        // Asked before the launch is recorded: from then on, its own configuration is the last known one.
        let early = environment.memory.state.withLock { $0.earlyOnboarding }
        let onboarding = early ?? environment.onboarding(content.configuration.configuration)
        let presenter = environment.presenters.main
        try await environment.stage.present(by: step.operation, stays: true) { await presenter?.showMain(content) }
        // Each on its own: one that cannot be stored must not make every further launch the first.
        step.attempt(orNote: "the start could not be recorded") {
            try state.countAppStart(isLoggedIn: true, isAnonymous: account.isAnonymous)
        }
        // Somebody was logged in: a guest who comes later is received as new.
        if !account.isAnonymous { step.attempt(orNote: "the login could not be recorded") { try state.forgetDismissedOnboarding() } }
        step.attempt(orNote: "the configuration could not be recorded") { try environment.configurations.confirm(content.configuration) }
        // After safe mode the next launch is still the first: this one may have left out what a first launch is for.
        if environment.journal?.recovery.isSafeMode != true {
            step.attempt(orNote: "the launch could not be recorded") { try state.recordCompletedLaunch() }
        }
        for problem in environment.storageProblems { step.note("kept in memory, and only until the app ends: \(problem)") }
        for late in environment.lateSettings { step.note(late) }
        if let early { step.noteLateOnboarding(early, content.configuration) }
        // Before the others are told: those that expire now belong into this report.
        mailbox.dropExpired()
        for sentence in mailbox.takeLosses() { step.note(sentence) }
        // Before it opens: an entry point that needs a login may go out at once.
        mailbox.setSession(of: account)
        mailbox.mainScreenDidAppear()
        // After the screen is there: the onboarding comes over it.
        environment.memory.state.withLock { $0.isOnboardingDue = onboarding == .dismissable && account.isAnonymous }
    }
}

/// The content of the main screen.
public struct MainContent: Sendable, Hashable {
    /// The app's configuration, and its source.
    public let configuration: LoadedConfiguration
    /// The user's account; a guest's when nobody has logged in.
    public let account: Account
    /// Nil when none is connected.
    public let speaker: Speaker?

    /// The content of a main screen.
    public init(configuration: LoadedConfiguration, account: Account, speaker: Speaker?) {
        self.configuration = configuration
        self.account = account
        self.speaker = speaker
    }
}

extension StartupStep where Work == @MainActor @Sendable (StepContext, MainContent) async throws -> Void {
    /// The main screen.
    public static var mainApp: Self {
        Self("main-app", "Present the main screen", expected: .milliseconds(100), options: .milestone) { environment, step, content in
            // Also in a graph that no scenario has made.
            try await ForceUpdateOperation(environment: environment).enforceKnownPolicy(in: step)
            try await MainAppOperation(environment: environment).run(content, in: step)
        }
    }
}

extension StartupStep where Work == ScreenWork {
    /// The milestone of an app that runs already, and comes back to the front. The app is told.
    public static var becomeActive: Self {
        Self("become-active", "Bring the app back", expected: .milliseconds(50)) { environment, step in
            try await ForceUpdateOperation(environment: environment).enforceKnownPolicy(in: step)
            guard let presenter = environment.presenters.main else { return }
            try await environment.stage.present(by: step.operation) { await presenter.becameActive() }
        }
    }
}

extension OperationGraph {
    /// Adds the main screen, and before it the offer of a subscription, where the app makes one.
    ///
    /// - Parameters:
    ///   - speaker: nil where the scenario connects none.
    ///   - onboarding: the kind that the scenario was chosen by; nil where it was not.
    mutating func addMain(
        of steps: StartupSteps,
        _ configuration: Step<LoadedConfiguration>,
        _ account: Step<Account>,
        _ speaker: Step<Speaker?>?,
        chosenBy onboarding: OnboardingType? = nil,
        after dependencies: [String]
    ) {
        var dependencies = dependencies
        if steps.offersSubscription { dependencies.append(addPaywall(of: steps, after: account).id) }
        let step = StartupStep.mainApp
        let work = steps[step]
        let options = steps.options(of: step)
        let show: @MainActor @Sendable (StepContext, MainContent) async throws -> Void = { context, content in
            if let onboarding { context.noteLateOnboarding(onboarding, content.configuration) }
            try await work(context, content)
        }
        guard let speaker else {
            add(step.id, options, using: .context, configuration, account, after: dependencies, on: .main) {
                try await show($0, MainContent(configuration: $1, account: $2, speaker: nil))
            }
            return
        }
        let chosen = speaker.optional
        add(step.id, options, using: .context, configuration, account, chosen, after: dependencies, on: .main) {
            // The value is optional twice: the step may have failed, and the user may want none.
            try await show($0, MainContent(configuration: $1, account: $2, speaker: $3 ?? nil))
        }
    }
}

extension StepContext {
    /// Notes that the configuration of this launch came too late: somebody was already received with another kind of
    /// onboarding than it says.
    ///
    /// Only an answer of the server can be late: every other source was known before the launch.
    fileprivate func noteLateOnboarding(_ decided: OnboardingType, _ loaded: LoadedConfiguration) {
        guard loaded.source == .remote, let fetched = loaded.configuration.onboarding, fetched != decided else { return }
        note(
            "the launch was decided with \(decided.rawValue) onboarding, before the configuration came that says \(fetched.rawValue): "
                + "\(fetched.rawValue) counts from the next launch"
        )
    }
}
