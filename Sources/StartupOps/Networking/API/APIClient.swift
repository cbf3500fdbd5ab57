import Foundation
import Sequencer

/// A client of a service that is reached through REST and through GraphQL: one session, one cache, one type of error for both.
///
/// Requests get the headers of their transport and, as their operation requires, the session's token: refreshed when it has expired, once for all
/// requests that need it. A request whose token the service turns down is sent once more, with a new token. A token that is known to have expired is
/// never sent, and an answer that arrives after the session has become another one is discarded.
///
/// Every request takes a deadline, which covers all of it: the refresh, the request and its repetition.
///
/// ```swift
/// let client = APIClient(environment, client: info, http: http, cache: cache, dataSource: session)
/// let countries = try await client.get("v1/countries", as: [Country].self, deadline: launch.deadline)
/// let speakers = try await client.query(.speakers, as: [Speaker].self, deadline: launch.deadline)
/// ```
public final class APIClient: Sendable {
    /// Where the service is.
    public let environment: APIEnvironment
    /// What is said about this client.
    public let info: ClientInfo
    let http: any HTTPSending
    let cache: any ResponseCaching
    let cachePolicy: CachePolicy
    let now: @Sendable () -> Date
    let ignoredErrors: @Sendable (NetworkError) -> Void
    private let weakDataSource: Locked<WeakDataSource>

    private struct WeakDataSource: Sendable {
        weak var value: (any APIDataSource)?
    }

    /// A client for the addresses of `environment`.
    ///
    /// - Parameters:
    ///   - dataSource: knows the session; held weakly.
    ///   - cachePolicy: how requests use the cache that do not say.
    ///   - now: the time of day, which the expiry of tokens given for one request is compared with.
    ///   - ignoredErrors: told what went wrong with operations that were fired and forgotten; called on any thread.
    public init(
        _ environment: APIEnvironment,
        client: ClientInfo,
        http: any HTTPSending,
        cache: any ResponseCaching,
        dataSource: any APIDataSource,
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
    }

    /// The session and what the app says about it; nil when it is gone.
    public var dataSource: (any APIDataSource)? { weakDataSource.withLock { $0.value } }

    /// Ends the session and removes all that is kept of it: tokens, cached answers and their entity tags.
    ///
    /// Give the cache to the session's store too (`SessionStore(keychain) { cache.removeAll() }`), so that clearing is completed at the next launch
    /// when it is interrupted, and happens as well when the service ends the session.
    public func clearAppCache(because reason: LogoutReason = .requested) {
        dataSource?.tokens.end(reason)
        cache.removeAll()
    }
}

extension APIClient: CustomReflectable {
    /// Where the service is, and what is said about the client; not what was sent and answered, which holds secrets.
    public var customMirror: Mirror { Mirror(self, children: ["environment": environment, "info": info]) }
}
