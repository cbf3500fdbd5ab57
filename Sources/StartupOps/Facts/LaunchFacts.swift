import Sequencer

/// The facts that are known when the app starts: they decide the launch.
///
/// ```swift
/// var facts = environment.facts()
/// facts.speaker = .declined
/// let graph = environment.graph(Scenario(for: facts))
/// ```
///
/// An app adds facts by types that conform to ``LaunchFact``.
public struct LaunchFacts: Sendable, Hashable {
    /// The cause of the launch.
    public enum Origin: Sendable, Hashable, CaseIterable {
        /// The user, by its icon.
        case icon
        /// A push notification that the user opened.
        case push
        /// A link.
        case link
        /// A shortcut of the app's icon.
        case shortcut
    }

    /// The states of the user's account, as known when the app starts.
    public enum AccountState: Sendable, Hashable, CaseIterable {
        /// No session.
        case none
        /// There is a guest's session.
        case guest
        /// A session can be opened without asking the user.
        case known
        /// A session was found that an earlier installation of the app has left: the user is asked whether to use it.
        case found
    }

    /// The states of the user's speaker, as known when the app starts.
    public enum SpeakerState: Sendable, Hashable, CaseIterable {
        /// Nothing: the user is asked.
        case none
        /// There is one to connect to without asking the user.
        case known
        /// The user has chosen none, and is not asked again: see ``LaunchState/forgetSpeaker()``.
        case declined
    }

    /// Whether the country and the language are known.
    public var isRegionKnown: Bool
    /// The state of the user's account.
    public var account: AccountState
    /// Whether the user has seen the tutorial of this version of the app.
    public var hasSeenTutorial: Bool
    /// The state of the user's speaker.
    public var speaker: SpeakerState
    /// The cause of the launch.
    public var origin: Origin
    /// How a user without a login is received.
    public var onboarding: OnboardingType
    /// Whether the app runs already, and is only brought back to the front.
    public var isRunning: Bool
    /// Whether the system has started or woken the app where nobody sees it, for a background task or a silent push:
    /// nobody can be asked. Only the app knows, so no environment finds it out. Where it is true, ``isRunning`` does
    /// not count, nor do the facts that are about screens.
    public var isInBackground: Bool
    private var own: [ObjectIdentifier: OwnFact] = [:]

    /// Facts; unless said otherwise, those of a launch by the app's icon with everything known.
    public init(
        isRegionKnown: Bool = true,
        account: AccountState = .known,
        hasSeenTutorial: Bool = true,
        speaker: SpeakerState = .known,
        origin: Origin = .icon,
        onboarding: OnboardingType = .regular,
        isRunning: Bool = false,
        isInBackground: Bool = false
    ) {
        self.isRegionKnown = isRegionKnown
        self.account = account
        self.hasSeenTutorial = hasSeenTutorial
        self.speaker = speaker
        self.origin = origin
        self.onboarding = onboarding
        self.isRunning = isRunning
        self.isInBackground = isInBackground
    }

    /// The facts of a first launch: nothing is known.
    package static let firstLaunch = LaunchFacts(isRegionKnown: false, account: .none, hasSeenTutorial: false, speaker: .none)

    /// A fact of the app's own, by its type; ``LaunchFact/unknown`` unless it was set.
    public subscript<Fact: LaunchFact>(fact: Fact.Type) -> Fact {
        get { own[ObjectIdentifier(fact)]?.fact as? Fact ?? .unknown }
        // Unknown and never set are the same facts, and compare as such.
        set { own[ObjectIdentifier(fact)] = newValue == .unknown ? nil : OwnFact(fact: newValue) }
    }

    /// Whether logging in may have to ask the user: the session is missing, or may not be used as it is.
    ///
    /// Before a configuration is known, the fetched one may require the question.
    var mayAskToLogIn: Bool {
        switch account {
        case .none: onboarding == .regular || !isRegionKnown
        case .guest: onboarding == .regular
        case .known: false
        case .found: true
        }
    }

    /// The facts that a report says of a launch: `start.type` is `cold`, `prewarmed`, `warm` or `background`, and
    /// `start.origin` is `icon`, `push`, `link` or `shortcut`.
    ///
    /// ```swift
    /// let facts = environment.facts()
    /// var options = LaunchOptions()
    /// options.attributes = facts.attributes.merging(["os.version": version]) { $1 }
    /// ```
    public var attributes: [String: String] { attributes(ofPrewarmed: isPrewarmed) }

    func attributes(ofPrewarmed wasPrewarmed: Bool) -> [String: String] {
        let type = isInBackground ? "background" : isRunning ? "warm" : wasPrewarmed ? "prewarmed" : "cold"
        return ["start.type": type, "start.origin": "\(origin)"]
    }
}

/// A fact of an app's own.
///
/// ```swift
/// enum Subscription: LaunchFact { case unknown, active, expired }
///
/// facts[Subscription.self] = .expired
/// ```
public protocol LaunchFact: Sendable, Hashable {
    /// The value as long as nobody has set one.
    static var unknown: Self { get }
}

/// A fact of any type, which can be compared.
private struct OwnFact: Sendable, Hashable {
    let fact: any LaunchFact

    static func == (left: OwnFact, right: OwnFact) -> Bool { AnyHashable(left.fact) == AnyHashable(right.fact) }

    func hash(into hasher: inout Hasher) { AnyHashable(fact).hash(into: &hasher) }
}
