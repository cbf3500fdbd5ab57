/// Whether the account that was found on the device is offered to the person.
public struct RestoreDecision: Sendable, Hashable, CustomStringConvertible {
    /// Whether no launch has completed before.
    public let isFirstLaunch: Bool
    /// Whether there is a session that can be opened.
    public let isLoggedIn: Bool
    /// Whether the app, as it is configured, restores accounts.
    public let hasRestoreConfiguration: Bool

    /// A decision.
    public init(isFirstLaunch: Bool, isLoggedIn: Bool, hasRestoreConfiguration: Bool) {
        self.isFirstLaunch = isFirstLaunch
        self.isLoggedIn = isLoggedIn
        self.hasRestoreConfiguration = hasRestoreConfiguration
    }

    /// Only when all three are so.
    public var isOffered: Bool { isFirstLaunch && isLoggedIn && hasRestoreConfiguration }

    /// What was decided, and why.
    public var description: String {
        if isOffered { return "the account found on this device is offered" }
        var reasons: [String] = []
        if !isFirstLaunch { reasons.append("it is not the first launch") }
        if !isLoggedIn { reasons.append("nobody is logged in") }
        if !hasRestoreConfiguration { reasons.append("the app does not restore accounts") }
        return "no account is offered: " + reasons.joined(separator: ", ")
    }
}
