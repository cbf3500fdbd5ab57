/// Whether an operation can go on without a token.
public enum TokenRequirement: Sendable, Hashable {
    /// It cannot: without a token nothing is sent.
    case required
    /// It goes on as a guest's where there is no token that can be used.
    case optional
}

/// A token to send, with whose it is: both belong to one moment of one session, whatever has happened to it since.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible {
    /// The token itself.
    public let value: Secret
    /// Whose it is.
    public let userID: String?
    /// Which session it belongs to: logging in, logging out and switching users make another one.
    let generation: UInt64
    /// Which of the session's tokens it is.
    let revision: UInt64

    /// Nothing of the token.
    public var description: String { "<token>" }
}
