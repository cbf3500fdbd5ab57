/// What is known when the app starts: all that decides which scenario a launch follows.
public struct LaunchContext: Sendable, Hashable {
    /// What started the app.
    public enum Origin: Sendable, Hashable, CaseIterable {
        /// The person, by its icon.
        case icon
        /// A push notification that the person opened.
        case push
        /// A link.
        case link
        /// A shortcut of the app's icon.
        case shortcut
    }

    /// Whether the app has never completed a launch on this device before.
    public var isFirstLaunch: Bool
    /// Whether a session can be opened without asking the person.
    public var hasCredentials: Bool
    /// Whether there is a speaker to connect to without asking the person.
    public var knowsSpeaker: Bool
    /// What started the app.
    public var origin: Origin
    /// How someone who is not logged in is received.
    public var onboarding: OnboardingType
    /// Whether an account that survived a reinstallation is offered again, rather than logged out.
    public var restoresAccounts: Bool
    /// Whether the app runs already, and is only brought back to the front.
    public var isRunning: Bool

    /// The context of a launch; unless said otherwise, of one by its icon with everything known.
    public init(
        isFirstLaunch: Bool = false,
        hasCredentials: Bool = true,
        knowsSpeaker: Bool = true,
        origin: Origin = .icon,
        onboarding: OnboardingType = .regular,
        restoresAccounts: Bool = false,
        isRunning: Bool = false
    ) {
        self.isFirstLaunch = isFirstLaunch
        self.hasCredentials = hasCredentials
        self.knowsSpeaker = knowsSpeaker
        self.origin = origin
        self.onboarding = onboarding
        self.restoresAccounts = restoresAccounts
        self.isRunning = isRunning
    }

    /// The context in which nothing is known.
    public static let firstLaunch = LaunchContext(isFirstLaunch: true, hasCredentials: false, knowsSpeaker: false)
}
