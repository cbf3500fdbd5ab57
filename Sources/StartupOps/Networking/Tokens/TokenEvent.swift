import Foundation
import Sequencer

/// How tokens are refreshed.
struct TokenPolicy: Sendable, Hashable {
    /// How long before it expires a token is refreshed ahead, in seconds. Requests continue with the old one meanwhile.
    var leeway: TimeInterval = 60
    /// How long one refresh may take in all. Callers leave at their own deadlines, and the refresh continues: the
    /// service may have replaced the refresh token already, and then its answer is the only place where the new one is.
    var refreshLimit = Duration.seconds(20)
    /// How long a refresh is waited for, once a caller has run out of time, before the next caller begins another one.
    var patience = Duration.seconds(2)
}

/// Whether an operation can continue without a token.
public enum TokenRequirement: Sendable, Hashable {
    /// It cannot: without a token nothing is sent.
    case required
    /// Without a usable token, it continues as a guest's.
    case optional
}

/// A token to send, with its owner: both belong to one moment of one session, also after later changes.
package struct AccessToken: Sendable, Hashable, CustomStringConvertible {
    /// The token itself.
    let value: Secret
    /// The owner.
    let userID: String?
    /// Which session it belongs to: logging in, logging out and switching users make another one.
    let generation: UInt64
    /// Which of the session's tokens it is.
    let revision: UInt64

    /// Nothing of the token.
    package var description: String { "<token>" }
}

/// A change of the session.
public enum TokenEvent: Sendable, Hashable {
    /// There is a new token: after a login, a switch of users or a refresh.
    case sessionChanged(userID: String?)
    /// The session has ended; said once for each.
    case loggedOut(LogoutReason)
    /// The latest change of the session, a new one or its end, could not be stored, and would be forgotten if the app
    /// ended now. Storing is tried again at the next use.
    case notStored(StorageError)

    /// To the byte in the identifier.
    public static func == (one: TokenEvent, other: TokenEvent) -> Bool {
        switch (one, other) {
        case (.sessionChanged(let user), .sessionChanged(let otherUser)): areSame(user, otherUser)
        case (.loggedOut(let reason), .loggedOut(let otherReason)): reason == otherReason
        case (.notStored(let error), .notStored(let otherError)): error == otherError
        default: false
        }
    }
}

/// Why a session ended.
public struct LogoutReason: NamedValue, Sendable, Hashable {
    /// The reason, in a few words.
    package let name: String

    /// A reason of the app's own, in a few words.
    public init(_ name: String) { self.name = name }

    /// To the byte.
    public static func == (one: LogoutReason, other: LogoutReason) -> Bool { areSame(one.name, other.name) }

    /// The person asked for it.
    public static let requested = LogoutReason("requested")
    /// The service no longer accepts the refresh token.
    public static let rejected = LogoutReason("the service has ended the session")
    /// The user was offered the account that was found on the device, and did not want it.
    package static let unwanted = LogoutReason("the person did not want the account back")
    /// Its access token has expired, or the service has refused it, and no refresh token exists.
    public static let expired = LogoutReason("the session has expired, and there is no refresh token")
    /// The app was launched for the first time, and the stored session is an earlier installation's.
    package static let firstLaunch = LogoutReason("first launch")
    /// The session is a guest's, and the app asks for an account.
    package static let guestHasToLogIn = LogoutReason("a guest has to log in")
}

/// Thrown by a refresh when the service has turned down the refresh token itself: the session is over.
///
/// Every other error is taken for a failure of the moment, and the session is kept.
public struct SessionRejected: DescribedError, Sendable, Hashable {
    /// The service's answer, in a few words, without secrets.
    public let description: String

    /// A rejection.
    public init(_ description: String) { self.description = description }
}
