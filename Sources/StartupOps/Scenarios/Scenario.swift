import Sequencer

/// A way to start the app: a name, and the graph behind it. The built-in ones follow from ``LaunchFacts``.
///
/// ```swift
/// let scenario = Scenario(for: environment.facts())
/// let report = try await environment.graph(scenario).run(budget: .seconds(3)).report
/// ```
///
/// A scenario's graph is an ordinary `OperationGraph`: an app adds, replaces or removes steps of it in one line each.
public struct Scenario: NamedValue, Sendable {
    /// The name: the graph's, and the one the command line knows. Histories and statistics go by it.
    public let name: String
    /// When it is followed, in one sentence.
    public let summary: String
    private let build: @Sendable (inout OperationGraph, StartupSteps) -> Void

    /// A scenario of the app's own.
    ///
    /// ```swift
    /// let kiosk = Scenario("kiosk", "A device in a shop: nobody logs in.") { graph, steps in
    ///     let splash = graph.add(.splash, of: steps)
    ///     graph.add("main-app", .milestone, after: splash, on: .main) { await kiosk.show() }
    /// }
    /// ```
    ///
    /// - Parameter build: adds the steps to an empty graph. It is called for each launch.
    public init(_ name: String, _ summary: String, build: @escaping @Sendable (inout OperationGraph, StartupSteps) -> Void) {
        self.name = name
        self.summary = summary
        self.build = build
    }

    /// The built-in scenario that follows from facts: a pure function.
    ///
    /// Facts decide for each step whether it is there, and whether it may have to ask the user. Steps that may ask,
    /// or present something, come one after the other: the splash, country and language, the account that was found,
    /// login, the tutorial or the push, the speaker. All others are as parallel as the values that they read allow.
    ///
    /// | facts | step |
    /// |---|---|
    /// | the country or the language is not known | `fetch-config` may ask, so it comes after the splash |
    /// | an account was found | `restore-account` offers it |
    /// | no account; or a guest's, where the app asks for an account | `login` asks; it waits for the configuration, which may say otherwise |
    /// | the tutorial of this version was not seen | `tutorial` presents it |
    /// | a push started the app; country and language are known, and an account or a guest's session that needs no question | `present-push-information` is in the tutorial's place |
    /// | a push started the app, and one of these is missing | the steps are those without a push; its content is kept, and comes after the main screen: ``StartupEnvironment/graph(_:steps:)`` adds `entry-points` |
    /// | no speaker | `connect-speaker` asks; where the user has declined, the step is not there |
    /// | a link or a shortcut started the app | `deeplink` or `shortcut` follows the main screen |
    /// | no account, a guest's, or one that the user may turn down, in an app that can be tried | `onboarding` is over the main screen |
    /// | the app runs already | there is only the update check, and the app is told |
    /// | nobody sees the app | `silent-push`, `fetch-config` where country and language are known, `restore-session` and `entitlements` where there is a session; nothing else, and no milestone |
    ///
    /// Where the configuration of the launch alone says that the app can be tried, the onboarding comes with the next
    /// launch.
    ///
    /// The name is that of the built-in scenario with the most similar facts: `first-launch` where neither account,
    /// tutorial nor speaker is known; `restore-account`; one of the three for guests without an account; otherwise that
    /// of the entry point that started the app.
    public init(for facts: LaunchFacts) {
        let named = Self.named(by: facts)
        self.init(named.name, named.summary, following: facts)
    }

    private init(_ name: String, _ summary: String, following facts: LaunchFacts) {
        self.init(name, summary) { graph, steps in graph.add(facts, of: steps) }
    }

    /// The scenario's graph, with the work of `steps`.
    ///
    /// With the steps of an environment, a version that the last known update policy rules out never reaches the
    /// milestone: the update takes over before the milestone's work starts. A step that the app puts in the milestone's
    /// place later (`replace(_:with:)`) is not checked.
    ///
    /// A launch with such steps is refused while another launch that leads to the main screen runs over the same state
    /// in this process, and when one has completed, unless `LaunchOptions.admission` says otherwise: the error, a
    /// `GraphError` of the code `alreadyRunning` or `alreadyLaunched`, names that one. A launch that brings the app
    /// back, or that nobody sees, may run beside it.
    public func graph(_ steps: StartupSteps) -> OperationGraph {
        var graph = OperationGraph(name)
        build(&graph, steps)
        // After the app's own steps: the milestone may be one of those.
        steps.complete(&graph)
        return graph
    }

    /// All built-in scenarios that end in something to see: ``background``, which needs neither a screen nor a
    /// milestone, is not among them.
    public static let all: [Scenario] = [
        .firstLaunch, .regular, .push, .deeplink, .shortcut, .guest, .guestDismissable, .guestNone, .restoreAccount, .warmResume,
        .bootstrap,
    ]

    /// All built-in scenarios, with the one that nobody sees.
    package static let builtIn = all + [.background]

    /// The built-in scenario of that name; nil for an unknown name.
    package static func named(_ name: String) -> Scenario? {
        builtIn.first { $0.name == name }
    }

    private static func named(by facts: LaunchFacts) -> Scenario {
        if facts.isInBackground { return .background }
        if facts.isRunning { return .warmResume }
        if facts.account == .found { return .restoreAccount }
        if facts.account == .none {
            if !facts.hasSeenTutorial, facts.speaker == .none { return .firstLaunch }
            return switch facts.onboarding {
            case .regular: .guest
            case .dismissable: .guestDismissable
            case .none: .guestNone
            }
        }
        return switch facts.origin {
        case .icon: .regular
        case .push: .push
        case .link: .deeplink
        case .shortcut: .shortcut
        }
    }

    // MARK: The names that facts have

    /// Nothing is known: each step that may ask comes after the one before it.
    public static let firstLaunch = Scenario(
        "first-launch",
        "Nothing is known yet: every step may have to ask the person.",
        following: .firstLaunch
    )

    /// Everything is known: five steps start at once, and the tutorial, which has nothing new to show, follows the
    /// splash.
    public static let regular = Scenario("regular", "Everything is known: five steps start at once.", following: LaunchFacts())

    /// As ``regular``, with the content of the push in the tutorial's place: the app appears when the user has
    /// dismissed it.
    static let push = Scenario(
        "push",
        "A push notification started the app: its content comes before the main screen.",
        following: LaunchFacts(origin: .push)
    )

    /// As ``regular``, with the link followed once the main screen is visible, never after a fixed delay.
    static let deeplink = Scenario(
        "deeplink",
        "A link started the app: it is followed once the main screen is visible.",
        following: LaunchFacts(origin: .link)
    )

    /// As ``regular``, with the shortcut performed once the main screen is visible.
    static let shortcut = Scenario(
        "shortcut",
        "A shortcut started the app: it is performed once the main screen is visible.",
        following: LaunchFacts(origin: .shortcut)
    )

    /// A user without a login, in an app that asks for an account: the login form comes after splash and configuration.
    static let guest = Scenario(
        "guest",
        "Nobody is logged in, and the app asks for an account.",
        following: LaunchFacts(account: .none)
    )

    /// A user without a login, in an app that can be tried first: the onboarding lies over the main screen, and can be
    /// dismissed.
    package static let guestDismissable = Scenario(
        "guest-dismissable",
        "Nobody is logged in, and the app can be tried: the onboarding comes over the main screen.",
        following: LaunchFacts(account: .none, onboarding: .dismissable)
    )

    /// A user without a login, in an app that does not mind.
    package static let guestNone = Scenario(
        "guest-none",
        "Nobody is logged in, and nobody is asked to.",
        following: LaunchFacts(account: .none, onboarding: OnboardingType.none)
    )

    /// The first launch of an app whose account survived a reinstallation: it is offered again, when both the
    /// configuration and the splash are there, and used or logged out as the user says.
    package static let restoreAccount = Scenario(
        "restore-account",
        "First launch, with an account found on the device: it is offered.",
        following: LaunchFacts(isRegionKnown: false, account: .found, hasSeenTutorial: false, speaker: .none)
    )

    /// The app runs, and comes back to the front: the version is checked again, and the app is told. The launch is not
    /// run again.
    package static let warmResume = Scenario(
        "warm-resume",
        "The app runs already: the version is checked again.",
        following: LaunchFacts(isRunning: true)
    )

    /// The system has started the app for a background task or a silent push. No step presents or asks anything, even
    /// with a presenter; each fails alone. It has no milestone: the budget is for all of it. Start it with a budget and
    /// a deadline below the time that the system gives, and cancel it when that is over: see <doc:Scenarios>.
    public static let background = Scenario(
        "background",
        "Nobody sees the app: it takes silent pushes, and fetches what the next launch needs.",
        following: LaunchFacts(isInBackground: true)
    )
}
