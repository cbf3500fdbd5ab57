import Foundation
import Sequencer
import StartupStorage

/// A client of a service that is reached through REST and through GraphQL: one session, one cache, one type of error for both.
///
/// Requests get the headers of their transport and, as their operation requires, the session's token: refreshed when it has expired, once for all
/// requests that need it. A request whose token the service turns down is sent once more, with a new token. A token that is known to have expired is
/// never sent, and an answer that arrives after the session has become another one is discarded.
///
/// Every request takes a deadline, which covers all of it: the refresh, the request and its repetition.
///
/// ```swift
/// let client = APIClient(environment, client: info, http: http, cache: cache, tokens: tokens)
/// let countries = try await client.get("v1/countries", as: [Country].self, deadline: launch.deadline)
/// let speakers = try await client.query(.speakers, as: [Speaker].self, deadline: launch.deadline)
/// ```
public final class APIClient: Sendable {
    /// Where the service is.
    package let environment: APIEnvironment
    /// The client's description of itself.
    package let info: ClientInfo
    let http: any HTTPSending
    let cache: any ResponseCaching
    let cachePolicy: CachePolicy
    let now: @Sendable () -> Date
    let ignoredErrors: @Sendable (NetworkError) -> Void
    private let chosenLanguage = Locked<String?>(nil)
    private let weakDataSource: Locked<WeakDataSource>
    /// The data source that nobody else keeps.
    private let ownDataSource: SessionDataSource?

    private struct WeakDataSource: Sendable {
        weak var value: (any APIDataSource)?
    }

    /// A client for the addresses of `environment`.
    ///
    /// - Parameters:
    ///   - tokens: the session. All operations need one but `guestOperations`, which go on without.
    ///   - cachePolicy: how requests use the cache that do not say.
    ///   - now: the time of day, which the expiry of tokens given for one request is compared with.
    public convenience init(
        _ environment: APIEnvironment,
        client: ClientInfo,
        http: any HTTPSending,
        cache: ResponseCache,
        tokens: TokenManager,
        guestOperations: Set<String> = [],
        cachePolicy: CachePolicy = .fetchIgnoringCache,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let source = SessionDataSource(tokens: tokens, guestOperations: guestOperations)
        self.init(
            environment,
            client: client,
            http: http,
            cache: cache,
            dataSource: source,
            own: source,
            cachePolicy: cachePolicy,
            now: now
        )
    }

    /// - Parameters:
    ///   - dataSource: knows the session; held weakly.
    ///   - own: the same, where only the client keeps it.
    ///   - ignoredErrors: told what went wrong with operations that were fired and forgotten; called on any thread.
    package init(
        _ environment: APIEnvironment,
        client: ClientInfo,
        http: any HTTPSending,
        cache: any ResponseCaching,
        dataSource: any APIDataSource,
        own: SessionDataSource? = nil,
        cachePolicy: CachePolicy = .fetchIgnoringCache,
        now: @escaping @Sendable () -> Date = { Date() },
        ignoredErrors: @escaping @Sendable (NetworkError) -> Void = { _ in }
    ) {
        self.environment = environment
        info = client
        self.http = http
        self.cache = cache
        self.cachePolicy = cachePolicy
        self.now = now
        self.ignoredErrors = ignoredErrors
        weakDataSource = Locked(WeakDataSource(value: dataSource))
        ownDataSource = own
    }

    /// The session and what the app says about it; nil when it is gone.
    package var dataSource: (any APIDataSource)? { weakDataSource.withLock { $0.value } }

    /// The language of operations that do not say which: the one that was chosen since, or else the one that the client was made with.
    package var language: String {
        get { chosenLanguage.withLock { $0 } ?? info.language }
        set { chosenLanguage.withLock { $0 = newValue } }
    }

    /// Ends the session and removes all that is kept of it: tokens, cached answers and their entity tags.
    ///
    /// Give the cache to the session's store too (`SessionStore(keychain) { cache.removeAll() }`), so that clearing is completed at the next launch
    /// when it is interrupted, and happens as well when the service ends the session.
    package func clearAppCache(because reason: LogoutReason = .requested) {
        dataSource?.tokens.end(reason)
        cache.removeAll()
    }
}

extension APIClient: CustomReflectable {
    /// The address of the service and the facts about the client; no requests and answers, which hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["environment": environment, "info": info]) }
}

/// Answers the client's questions to the app: the session, and which operations need one. The client holds it weakly.
///
/// When it is gone, requests that say themselves that they need no token go on as a guest's; all others fail with `missingAccessToken`.
package protocol APIDataSource: AnyObject, Sendable {
    /// The session and its tokens: whether somebody is logged in, the access token, and how it is refreshed.
    var tokens: TokenManager { get }
    /// The headers of REST requests about the user, besides the user's identifier.
    var userInfoHeaders: HTTPHeaders { get }
    /// Whether an operation needs a token: a GraphQL operation by its name, a REST request as "GET v1/profile" unless it was given a name.
    func requiresToken(operation: String) -> Bool
}

extension APIDataSource {
    /// Nothing.
    package var userInfoHeaders: HTTPHeaders { [:] }
    /// Whether somebody is logged in.
    package var isLoggedIn: Bool { tokens.isLoggedIn }
    /// The token that could be sent now.
    package var accessToken: AccessToken? { tokens.accessToken }
    /// A token in place of one that the service has turned down: refreshed once for all who ask.
    package func refreshToken(replacing rejected: AccessToken, deadline: Deadline) async throws(NetworkError) -> AccessToken? {
        try await tokens.token(for: .required, replacing: rejected, deadline: deadline)
    }
}

/// A data source for which all operations need a token but those that are named.
package final class SessionDataSource: APIDataSource {
    /// The session and its tokens.
    package let tokens: TokenManager
    /// The headers of REST requests for the user.
    package let userInfoHeaders: HTTPHeaders
    private let guestOperations: Set<String>

    /// A source whose tokens are those of `tokens`.
    ///
    /// - Parameter guestOperations: the operations that go on without a token when it is missing.
    package init(tokens: TokenManager, guestOperations: Set<String> = [], userInfoHeaders: HTTPHeaders = [:]) {
        self.tokens = tokens
        self.guestOperations = guestOperations
        self.userInfoHeaders = userInfoHeaders
    }

    /// Whether it is not among those that go on without.
    package func requiresToken(operation: String) -> Bool { !guestOperations.contains(operation) }
}

/// Where an app keeps its client: created once, while the app starts, and used from everywhere after.
///
/// ```swift
/// let clients = APIClientProvider()
/// try clients.create { try APIClient(APIEnvironment(graphQL: text), ...) }
/// let countries = try await clients.client.get("v1/countries", as: [Country].self, deadline: deadline)
/// ```
package final class APIClientProvider: Sendable {
    private enum State {
        case empty
        case creating
        case ready(APIClient)
    }

    private let state = Locked(State.empty)

    /// Nothing yet.
    package init() {}

    /// The client.
    ///
    /// - Throws: ``APIConfigurationError`` when it has not been created.
    package var client: APIClient {
        get throws(APIConfigurationError) {
            if case .ready(let client) = state.withLock({ $0 }) { return client }
            throw APIConfigurationError(field: "client", "it was used before it was created; call create(_:) first, while the app starts")
        }
    }

    /// Creates the client. When `make` throws it is not created, and may be tried again.
    ///
    /// - Throws: ``APIConfigurationError`` when it is created already; every error of `make`.
    package func create(_ make: () throws -> APIClient) throws {
        try state.withLock { state throws(APIConfigurationError) in
            guard case .empty = state else {
                throw APIConfigurationError(field: "client", "it was created already; there is one for the whole life of the app")
            }
            state = .creating
        }
        do {
            let client = try make()
            state.withLock { $0 = .ready(client) }
        } catch {
            state.withLock { $0 = .empty }
            throw error
        }
    }
}
