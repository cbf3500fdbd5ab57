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
    }

    /// Whether the app was never started on this device before.
    public var isFirstLaunch: Bool
    /// The version of the app in which the person last saw the tutorial; nil when never.
    public var tutorialVersionSeen: String?
    /// Whether a session can be opened without asking the person.
    public var hasCredentials: Bool
    /// Whether there is a speaker to connect to without asking the person.
    public var knowsSpeaker: Bool
    /// What started the app.
    public var origin: Origin

    /// The context of a launch; unless said otherwise, of one by its icon with everything known.
    public init(
        isFirstLaunch: Bool = false,
        tutorialVersionSeen: String? = nil,
        hasCredentials: Bool = true,
        knowsSpeaker: Bool = true,
        origin: Origin = .icon
    ) {
        self.isFirstLaunch = isFirstLaunch
        self.tutorialVersionSeen = tutorialVersionSeen
        self.hasCredentials = hasCredentials
        self.knowsSpeaker = knowsSpeaker
        self.origin = origin
    }

    /// The context in which nothing is known.
    public static let firstLaunch = LaunchContext(isFirstLaunch: true, hasCredentials: false, knowsSpeaker: false)
}
