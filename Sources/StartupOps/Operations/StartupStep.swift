/// A step of the built-in scenarios: what it is called, where it runs and how long it usually takes.
public struct StartupStep: Sendable, Hashable, CustomStringConvertible {
    /// The identifier, in graphs, reports and on the command line.
    public let id: String
    /// What it does, for people.
    public let title: String
    /// Whether it touches the screen, and so runs on the main thread.
    public let isOnMain: Bool
    /// How long it is expected to take.
    public let expected: Duration

    /// The identifier.
    public var description: String { id }

    /// The splash, for its minimum time.
    public static let splash = StartupStep("splash", "Show the splash", isOnMain: true, expected: .milliseconds(400))
    /// Whether this version may still be used.
    public static let forceUpdate = StartupStep("force-update", "Check for a required update", expected: .milliseconds(300))
    /// The app's configuration.
    public static let fetchConfig = StartupStep("fetch-config", "Fetch the configuration", expected: .milliseconds(450))
    /// A session.
    public static let login = StartupStep("login", "Log in", expected: .milliseconds(600))
    /// The tutorial, when there is something new to show.
    public static let tutorial = StartupStep("tutorial", "Show the tutorial", isOnMain: true, expected: .milliseconds(250))
    /// The speaker.
    public static let connectSpeaker = StartupStep("connect-speaker", "Connect the speaker", expected: .milliseconds(700))
    /// The account that was found on the device, offered again.
    public static let restoreAccount = StartupStep(
        "restore-account",
        "Offer the account found on this device",
        isOnMain: true,
        expected: .milliseconds(150)
    )
    /// What the person is entitled to.
    public static let entitlements = StartupStep("entitlements", "Fetch the entitlements", expected: .milliseconds(200))
    /// The offer of a subscription.
    public static let paywall = StartupStep("paywall", "Offer a subscription", isOnMain: true, expected: .milliseconds(150))
    /// The onboarding, over the main screen.
    public static let onboarding = StartupStep("onboarding", "Show the onboarding", isOnMain: true, expected: .milliseconds(250))
    /// What a push notification is about.
    public static let presentPushInformation = StartupStep(
        "present-push-information",
        "Present the push information",
        isOnMain: true,
        expected: .milliseconds(250)
    )
    /// Where a link leads.
    public static let deeplink = StartupStep("deeplink", "Follow the link", isOnMain: true, expected: .milliseconds(80))
    /// What a shortcut is for.
    public static let shortcut = StartupStep("shortcut", "Perform the shortcut", isOnMain: true, expected: .milliseconds(80))
    /// Whatever else started the app.
    public static let entryPoints = StartupStep("entry-points", "Deliver what started the app", isOnMain: true, expected: .milliseconds(80))
    /// The app, brought back to the front.
    public static let becomeActive = StartupStep("become-active", "Bring the app back", isOnMain: true, expected: .milliseconds(50))
    /// The main screen.
    public static let mainApp = StartupStep("main-app", "Present the main screen", isOnMain: true, expected: .milliseconds(100))

    init(_ id: String, _ title: String, isOnMain: Bool = false, expected: Duration) {
        self.id = id
        self.title = title
        self.isOnMain = isOnMain
        self.expected = expected
    }
}
