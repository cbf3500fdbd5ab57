import Foundation
import Sequencer

/// A client of a service that is reached through REST and through GraphQL: one session, one cache, one type of error
/// for both.
///
/// Requests get the headers of their transport and, as their operation requires, the session's token: refreshed when it
/// has expired, once for all requests that need it. A request whose token the service turns down is sent once more,
/// with a new token. A token that is known to have expired is never sent (one that the service has just given only
/// looks so, by a wrong clock), and an answer that arrives after the session has become another one is discarded.
///
/// Every request takes a deadline, which covers all of it: the refresh, the request and its repetition.
///
/// ```swift
/// let client = APIClient(environment, client: info, http: http, cache: cache, tokens: tokens)
/// let countries = try await client.get("v1/countries", as: [Country].self, deadline: launch.deadline)
/// let speakers = try await client.query(.speakers, as: [Speaker].self, deadline: launch.deadline)
/// ```
public final class APIClient: Sendable, Opaque {
    // Opaque: requests and answers hold secrets.

    /// Where the service is.
    package let environment: APIEnvironment
    /// The client's description of itself.
    let info: ClientInfo
    let http: any HTTPSending
    let cache: ResponseCache
    let cachePolicy: CachePolicy
    let now: @Sendable () -> Date
    private let chosenLanguage = Locked<String?>(nil)
    let tokens: TokenManager
    /// nil where a data source says which operations need a token.
    private let guestOperations: Set<String>?
    private let currentDataSource: @Sendable () -> (any APIDataSource)?

    /// A client for the addresses of `environment`.
    ///
    /// - Parameters:
    ///   - tokens: the session. All operations need one but `guestOperations`, which continue without.
    ///   - dataSource: says in place of `guestOperations` which operations need a token; held weakly, see
    ///       ``APIDataSource``.
    ///   - cachePolicy: how requests use the cache that do not say.
    ///   - now: the time of day, which the expiry of tokens given for one request is compared with.
    public init(
        _ environment: APIEnvironment,
        client: ClientInfo,
        http: any HTTPSending,
        cache: ResponseCache,
        tokens: TokenManager,
        guestOperations: Set<String> = [],
        dataSource: (any APIDataSource)? = nil,
        cachePolicy: CachePolicy = .fetchIgnoringCache,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.environment = environment
        info = client
        self.http = http
        self.cache = cache
        self.cachePolicy = cachePolicy
        self.now = now
        self.tokens = tokens
        self.guestOperations = dataSource == nil ? guestOperations : nil
        // Weak: the data source is the app's, and often owns the client.
        currentDataSource = { [weak dataSource] in dataSource }
    }

    /// The app's own word on its operations; nil without one, or when that object is gone.
    var dataSource: (any APIDataSource)? { currentDataSource() }

    /// Whether an operation needs a token; nil when nobody can say so, as the data source is gone.
    func requiresToken(_ operation: String) -> Bool? {
        guestOperations.map { !$0.contains(operation) } ?? dataSource?.requiresToken(operation: operation)
    }

    /// Whether the data source is gone: then every request is a guest's.
    var hasLostDataSource: Bool { guestOperations == nil && dataSource == nil }

    /// The language of operations that do not say which: the one that was chosen since, or else the one that the client
    /// was made with.
    package var language: String {
        get { chosenLanguage.withLock { $0 } ?? info.language }
        set { chosenLanguage.withLock { $0 = newValue } }
    }

    /// Says in which language to answer; nothing where that is the service's default.
    func languageHeader(_ options: RequestOptions) -> HTTPHeaders {
        let language = options.language ?? language
        // A tag of a language is ASCII (RFC 5646, section 2.1); other bytes each server would read in its own way.
        return language.isEmpty || !language.utf8.allSatisfy { $0 < 0x80 } ? [:] : ["Accept-Language": language]
    }

    /// Ends the session and removes all that is kept of it: tokens, cached answers and their entity tags.
    ///
    /// Give the cache to the session's store too (`SessionStore(keychain) { cache.removeAll() }`), so that clearing is
    /// completed at the next launch when it is interrupted, and happens as well when the service ends the session.
    package func clearAppCache(because reason: LogoutReason = .requested) {
        // Tokens first: a request that is under way finds its session over, and stores nothing after this.
        tokens.end(reason)
        cache.removeAll()
    }
}

/// An app's answers about its own operations: which need a token, and what else REST requests say about the user.
///
/// It is held weakly, so the app keeps it. When it is gone, requests that say themselves that they need no token
/// continue as a guest's, also where a user is logged in; all others fail (`missingAccessToken`), and nothing of them
/// is sent.
///
/// ```swift
/// final class Operations: APIDataSource {
///     func requiresToken(operation: String) -> Bool { operation != "GET v1/news" }
/// }
/// ```
public protocol APIDataSource: AnyObject, Sendable {
    /// The headers of REST requests about the user, besides the user's identifier. They do not replace those of the
    /// client.
    var userInfoHeaders: HTTPHeaders { get }
    /// Whether an operation needs a token: a GraphQL operation by its name, a REST request as "GET v1/profile".
    ///
    /// It is asked for each request that does not say itself, those of a launch included (`AppService` names them), on
    /// any thread.
    func requiresToken(operation: String) -> Bool
}

/// A data source that has the user's tokens, too: an app that gets them elsewhere, and keeps them itself, gives an
/// object of this kind as its data source. Then nothing is asked of the service's `oauth/token`, and no session is
/// stored here.
///
/// A session that a request of this source returns is its ``session`` from then on. Every call comes from any thread.
public protocol TokenSource: APIDataSource {
    /// The session as it is now, absent where nobody is logged in. Asked before each use of a token, and not to wait.
    var session: StoredAnswer<Session> { get }
    /// Gets new tokens for a session of this source; nil when that is not possible. The same as in ``TokenManager``.
    func refresh(_ session: Session, by deadline: Deadline) async throws -> Session?
    /// Opens a session with what the user has typed. Throws ``SessionRejected`` when it is wrong.
    func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Session
    /// Opens a guest's session.
    func logInAnonymously(by deadline: Deadline) async throws -> Session
    /// Forgets the session: somebody has logged out, or the service has ended it.
    func endSession()
}

extension APIDataSource {
    /// Nothing.
    public var userInfoHeaders: HTTPHeaders { [:] }
}
