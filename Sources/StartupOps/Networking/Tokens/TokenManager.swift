import Foundation
import Sequencer
import StartupStorage

/// Keeps a user's session and gives out its access token, refreshed when that is needed: one manager for all transports of a client.
///
/// However many callers need a token that has expired, it is refreshed once, and all get the new one. Each waits no longer than its own
/// deadline, and can be cancelled without the others noticing. A refresh that fails for a reason of the moment (network, status 5xx, time) fails who waits
/// for it and keeps the session; only a ``SessionRejected`` ends it, once. The result of a refresh is dropped after a logout or a switch of users.
///
/// A token's own claim (`exp` of a `JSONWebToken`) says when it expires. A stored token without one is refreshed before its first
/// use. A token that has just been issued is trusted, also when it looks expired (then the device's clock is wrong): for as long as the service said
/// ("expires_in"), or until the service turns it down.
///
/// ```swift
/// let tokens = TokenManager(store: SessionStore(keychain)) { session, deadline in
///     try await endpoint.refresh(session, deadline: deadline)
/// }
/// let client = APIClient(environment, client: info, http: http, cache: cache, tokens: tokens)
/// ```
public final class TokenManager: Sendable {
    /// Gets a new token for a session.
    package typealias Refresh = @Sendable (Session, Deadline) async throws -> Session?

    private let storage: TokenStorage

    /// A manager of the session that is kept in `store`.
    ///
    /// - Parameters:
    ///   - store: where the session is kept; read at the first use.
    ///   - now: the time of day, which tokens' expiry is compared with.
    ///   - refresh: gets a new token for a session; nil when that is not possible. It throws ``SessionRejected`` when the service has ended the session.
    ///     Called from a task of its own, never more than once for a token unless it was hung; a result after its deadline is dropped.
    public convenience init(
        store: SessionStore,
        now: @escaping @Sendable () -> Date = { Date() },
        refresh: @escaping @Sendable (Session, Deadline) async throws -> Session?
    ) {
        self.init(store: store, policy: TokenPolicy(), now: now, refresh: refresh)
    }

    package init(
        store: SessionStore,
        policy: TokenPolicy,
        now: @escaping @Sendable () -> Date = { Date() },
        refresh: @escaping Refresh
    ) {
        storage = TokenStorage(store: store, policy: policy, now: now, refresh: refresh)
    }

    /// The events of the session from now on: each time it is asked for, a stream of its own.
    public var events: AsyncStream<TokenEvent> { storage.events }

    /// The session, as it is now. Unavailable does not mean logged out: ask again later.
    public var session: StoredAnswer<Session> { storage.session }

    /// Whether somebody is known to be logged in, a guest with an anonymous session included.
    package var isLoggedIn: Bool { session.value != nil }

    /// Why the last session was ended in this process; nil when none was, or when somebody who is not a guest has logged in since.
    package var lastLogout: LogoutReason? { storage.lastLogout }

    /// The token that could be sent now; nil when it is missing or has expired.
    package var accessToken: AccessToken? { storage.usableToken }

    /// Whether a token belongs to the session of now, be it its latest token or an earlier one.
    package func isCurrent(_ token: AccessToken) -> Bool { storage.isCurrent(token) }

    /// A session has been opened, in place of the one that was open.
    public func begin(_ session: Session) { storage.begin(session) }

    /// Keeps the session that is open, and goes on to refresh it where that is under way; nil without one.
    package func keepSession() -> KeptSession? { storage.keep() }

    /// Ends the session and clears all that is stored of it.
    public func end(_ reason: LogoutReason) { storage.end(reason) }

    /// How many callers wait for a refresh: for tests, to know that all have arrived.
    var waiterCount: Int { storage.waiterCount }

    /// A token to send.
    ///
    /// - Parameters:
    ///   - requirement: `.optional` gives nil, at once, without a usable token.
    ///   - rejected: the token that the service has just turned down, to get a better one; waits for a refresh unless there has been one since.
    ///   - deadline: how long to wait for a refresh.
    /// - Throws: ``NetworkError`` with the code `missingAccessToken`, `sessionUnavailable`, `refreshTokenFailed` (with the cause underneath), `timedOut` or
    ///   `cancelled` (also when the session became another one meanwhile).
    package func token(
        for requirement: TokenRequirement,
        replacing rejected: AccessToken? = nil,
        deadline: Deadline
    ) async throws(NetworkError) -> AccessToken? {
        try await storage.grant(for: requirement, replacing: rejected, deadline: deadline).token
    }

    /// A token to send, and whether it is new: ``token(for:replacing:deadline:)`` for who has to know.
    func grant(for requirement: TokenRequirement, deadline: Deadline) async throws(NetworkError) -> TokenGrant {
        try await storage.grant(for: requirement, replacing: nil, deadline: deadline)
    }
}

extension TokenManager: Opaque {}

/// How tokens are refreshed.
package struct TokenPolicy: Sendable, Hashable {
    /// How long before it expires a token is refreshed ahead, in seconds. Requests go on with the old one meanwhile.
    package var leeway: TimeInterval
    /// How long one refresh may take in all. Callers leave at their own deadlines, and the refresh goes on: the service may have replaced the
    /// refresh token already, and then its answer is the only place where the new one is.
    package var refreshLimit: Duration
    /// How long a refresh is waited for, once a caller has run out of time, before the next caller begins another one.
    package var patience: Duration

    /// A policy; unless said otherwise, the one that suits most services.
    package init(leeway: TimeInterval = 60, refreshLimit: Duration = .seconds(20), patience: Duration = .seconds(2)) {
        self.leeway = leeway
        self.refreshLimit = refreshLimit
        self.patience = patience
    }
}

/// Whether an operation can go on without a token.
public enum TokenRequirement: Sendable, Hashable {
    /// It cannot: without a token nothing is sent.
    case required
    /// Without a usable token, it goes on as a guest's.
    case optional
}

/// The answer to a request for a token.
struct TokenGrant: Sendable {
    /// nil where the token was optional, and is missing or has expired.
    let token: AccessToken?
    /// Whether it was refreshed while they waited: to refresh it again would bring another one like it.
    let isNew: Bool
}

/// A token to send, with its owner: both belong to one moment of one session, also after later changes.
package struct AccessToken: Sendable, Hashable, CustomStringConvertible {
    /// The token itself.
    package let value: Secret
    /// The owner.
    package let userID: String?
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
    /// The latest change of the session, a new one or its end, could not be stored, and would be forgotten if the app ended now. Storing is tried again at the next use.
    case notStored(StorageError)
}

/// Why a session ended.
public struct LogoutReason: NamedValue, Sendable, Hashable {
    /// The reason, in a few words.
    package let name: String

    /// A reason of the app's own, in a few words.
    public init(_ name: String) { self.name = name }

    /// The person asked for it.
    public static let requested = LogoutReason("requested")
    /// The service no longer accepts the refresh token.
    public static let rejected = LogoutReason("the service has ended the session")
    /// The app was pointed at another service, or at another account of it.
    package static let reconfigured = LogoutReason("reconfigured")
    /// The app was launched for the first time, and the stored session is an earlier installation's.
    package static let firstLaunch = LogoutReason("first launch")
    /// The session is a guest's, and the app asks for an account.
    package static let guestHasToLogIn = LogoutReason("a guest has to log in")
}

/// Thrown by a refresh when the service has turned down the refresh token itself ("invalid_grant"): the session is over.
///
/// Every other error is taken for a failure of the moment, and the session is kept.
public struct SessionRejected: DescribedError, Sendable, Hashable {
    /// The service's answer, in a few words, without secrets.
    public let description: String

    /// A rejection.
    public init(_ description: String) { self.description = description }
}
