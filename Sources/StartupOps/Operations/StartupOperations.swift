import Sequencer

/// What the steps of the built-in scenarios do: scenarios say when, this says what.
///
/// Each member is one step. An app replaces what one of them does in one line:
///
/// ```swift
/// var operations = StartupOperations(services)
/// operations.tutorial = { _, _ in await tour.present() }
/// let report = try await Sequencer(Scenario.regular.graph(operations)).run()
/// ```
///
/// Members that touch the screen are called on the main actor, all others off the main thread.
public struct StartupOperations: Sendable {
    /// Shows the splash, and returns when it may go.
    public var splash: @MainActor @Sendable (Launch) async throws -> Void
    /// Checks whether this version may still be used, and aborts the launch when it may not.
    public var forceUpdate: @Sendable (Launch) async throws -> Void
    /// Fetches the configuration.
    public var fetchConfiguration: @Sendable (Launch) async throws -> LoadedConfiguration
    /// What takes the place of a configuration that could not be fetched.
    public var fallbackConfiguration: @Sendable (Launch, (any Error)?) -> LoadedConfiguration
    /// Opens a session; the configuration is nil where the scenario does not wait for it.
    public var logIn: @Sendable (LoadedConfiguration?, Launch) async throws -> Account
    /// Shows the tutorial, when there is something new in it.
    public var tutorial: @MainActor @Sendable (LoadedConfiguration?, Launch) async throws -> Void
    /// Connects the speaker; nil when the person goes on without one.
    public var connectSpeaker: @Sendable (LoadedConfiguration?, Launch) async throws -> Speaker?
    /// Shows what a push notification is about.
    public var presentPushInformation: @MainActor @Sendable (Launch) async throws -> Void
    /// Goes where the link leads that started the app.
    public var followLink: @MainActor @Sendable (Launch) async throws -> Void
    /// Does what the shortcut is for that started the app.
    public var performShortcut: @MainActor @Sendable (Launch) async throws -> Void
    /// Offers the account that was found on the device.
    public var restoreAccount: @MainActor @Sendable (Launch) async throws -> Void
    /// Fetches what the person is entitled to.
    public var fetchEntitlements: @Sendable (Launch) async throws -> Entitlements
    /// Offers a subscription to who has none; the entitlements are nil when they are not known.
    public var paywall: @MainActor @Sendable (Entitlements?, Launch) async throws -> Void
    /// Shows the onboarding, over the main screen.
    public var onboarding: @MainActor @Sendable (Launch) async throws -> Void
    /// Brings a running app back to the front.
    public var becomeActive: @MainActor @Sendable (Launch) async throws -> Void
    /// Shows the main screen.
    public var mainApp: @MainActor @Sendable (MainContent, Launch) async throws -> Void
    /// Whether scenarios offer a subscription before the main screen.
    public var offersSubscription: Bool
    /// What only the scenario of a white-label app has.
    public var bootstrap = BootstrapOperations.unplanned
}

/// What the main screen is made of.
public struct MainContent: Sendable, Hashable {
    /// What the app is configured with, and where that came from.
    public let configuration: LoadedConfiguration
    /// Who uses the app; a guest's account when nobody has logged in.
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

/// What a person is entitled to, such as a subscription.
public struct Entitlements: Sendable, Hashable, Codable {
    /// Their names, such as `premium`.
    public let entitlements: Set<String>

    /// Entitlements, by their names.
    public init(_ entitlements: Set<String> = []) { self.entitlements = entitlements }

    /// Whether there is a subscription.
    public var isSubscribed: Bool { !entitlements.isEmpty }
}
