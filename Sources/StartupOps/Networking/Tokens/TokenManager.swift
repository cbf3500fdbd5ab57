import Foundation

/// Keeps a user's session and gives out its access token, refreshed when that is needed: one manager for all transports of a client.
///
/// However many callers need a token that has expired, it is refreshed once, and all get the new one. Each waits no longer than its own
/// deadline, and can be cancelled without the others noticing. A refresh that fails for a reason of the moment (network, status 5xx, time) fails who waits
/// for it and keeps the session; only a ``SessionRejected`` ends it, once. What a refresh brings after a logout or a switch of users is dropped.
///
/// When a token expires is what it says itself (`exp` of a ``JSONWebToken``). A stored token that does not say is refreshed before its first
/// use. A token that has just been issued is trusted, also when it looks expired (then the device's clock is wrong): for as long as the service said
/// ("expires_in"), or until the service turns it down.
///
/// ```swift
/// let tokens = TokenManager(store: SessionStore(keychain)) { session, deadline in
///     try await endpoint.refresh(session, deadline: deadline)
/// }
/// let token = try await tokens.token(for: .required, deadline: launch.deadline)
/// ```
public final class TokenManager: Sendable {
    /// Gets a new token for a session; nil when there is no way to.
    ///
    /// It throws ``SessionRejected`` when the service has ended the session. Called from a task of its own, never more than once for a token unless it
    /// was hung; what it gives after its deadline is dropped.
    public typealias Refresh = @Sendable (Session, Deadline) async throws -> Session?

    private let storage: TokenStorage

    /// A manager of the session that is kept in `store`.
    ///
    /// - Parameters:
    ///   - store: where the session is kept; read at the first use.
    ///   - now: the time of day, which tokens' expiry is compared with.
    ///   - refresh: gets a new token.
    public init(
        store: SessionStore,
        policy: TokenPolicy = TokenPolicy(),
        now: @escaping @Sendable () -> Date = { Date() },
        refresh: @escaping Refresh
    ) {
        storage = TokenStorage(store: store, policy: policy, now: now, refresh: refresh)
    }

    /// What happens to the session from now on: each time it is asked for, a stream of its own.
    public var events: AsyncStream<TokenEvent> { storage.events }

    /// The session, as it is now. Unavailable is no logout: ask again later.
    public var session: StoredAnswer<Session> { storage.session }

    /// Whether somebody is known to be logged in, a guest with an anonymous session included.
    public var isLoggedIn: Bool { session.value != nil }

    /// The token that could be sent now; nil when there is none or when it has expired.
    public var accessToken: AccessToken? { storage.usableToken }

    /// Whether a token belongs to the session of now, be it its latest token or an earlier one.
    public func isCurrent(_ token: AccessToken) -> Bool { storage.isCurrent(token) }

    /// A session has been opened, in place of the one that was open.
    public func begin(_ session: Session) { storage.begin(session) }

    /// Ends the session and clears all that is stored of it.
    public func end(_ reason: LogoutReason) { storage.end(reason) }

    /// How many callers wait for a refresh: for tests, to know that all have arrived.
    var waiterCount: Int { storage.waiterCount }

    /// A token to send.
    ///
    /// - Parameters:
    ///   - requirement: `.optional` gives nil, at once, where there is no token that can be used.
    ///   - rejected: the token that the service has just turned down, to get a better one; waits for a refresh unless there has been one since.
    ///   - deadline: how long to wait for a refresh.
    /// - Throws: ``NetworkError`` with the code `missingAccessToken`, `sessionUnavailable`, `refreshTokenFailed` (with the cause underneath), `timedOut` or
    ///   `cancelled` (also when the session became another one meanwhile).
    public func token(
        for requirement: TokenRequirement,
        replacing rejected: AccessToken? = nil,
        deadline: Deadline
    ) async throws(NetworkError) -> AccessToken? {
        try await storage.token(for: requirement, replacing: rejected, deadline: deadline)
    }
}

extension TokenManager: CustomReflectable {
    /// Nothing of the session.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
