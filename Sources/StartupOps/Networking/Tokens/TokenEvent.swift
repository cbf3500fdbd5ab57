/// What has happened to the session.
public enum TokenEvent: Sendable, Hashable {
    /// There is a new token: after a login, a switch of users or a refresh.
    case sessionChanged(userID: String?)
    /// The session has ended; said once for each.
    case loggedOut(LogoutReason)
    /// What is in memory could not be stored, and would be lost if the app ended now. It is tried again at the next use of the session.
    case notStored(StorageError)
}

/// Why a session ended.
public struct LogoutReason: Sendable, Hashable, CustomStringConvertible {
    /// The reason, in a few words.
    public let description: String

    /// A reason of the app's own.
    public init(_ description: String) { self.description = description }

    /// The person asked for it.
    public static let requested = LogoutReason("requested")
    /// The service no longer accepts the refresh token.
    public static let rejected = LogoutReason("the service has ended the session")
    /// The app was pointed at another service, or at another account of it.
    public static let reconfigured = LogoutReason("reconfigured")
    /// The app was launched for the first time, and what was stored is an earlier installation's.
    public static let firstLaunch = LogoutReason("first launch")
}

/// What a refresh throws when the service has turned down the refresh token itself ("invalid_grant"): the session is over.
///
/// Whatever else a refresh throws is taken for a failure of the moment, and the session is kept.
public struct SessionRejected: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the service said, in a few words, without secrets.
    public let description: String

    /// A rejection.
    public init(_ description: String) { self.description = description }
}
