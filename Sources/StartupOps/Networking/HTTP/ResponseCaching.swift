import Foundation

/// What to do with the cache when something is fetched. Whatever is fetched is written to it.
public enum CachePolicy: Sendable, Hashable, CaseIterable {
    /// Fetches; what is in the cache is not used, but for revalidating it.
    case fetchIgnoringCache
    /// Gives what is in the cache, when there is something, then fetches and gives that too.
    case returnCacheDataAndFetch
    /// Gives what is in the cache; fetches only when there is nothing.
    case returnCacheDataElseFetch
    /// Gives what is in the cache, and fails when there is nothing. Nothing is sent, not even to refresh a token.
    case returnCacheDataDontFetch
}

/// What an answer is kept under: the request it answers, and whose answer it is.
public struct CacheKey: Sendable, Hashable {
    /// The method of the request.
    public let method: HTTPMethod
    /// Where it was sent, with its query.
    public let url: URL
    /// What it carried: two GraphQL queries differ in nothing else.
    public let body: Data?
    /// Whose answer it is, such as a user's identifier; answers never cross from one to another.
    public let scope: String

    /// The key of the answer to `request`.
    public init(_ request: HTTPRequest, scope: String) {
        method = request.method
        url = request.url
        body = request.body
        self.scope = scope
    }
}

/// Keeps answers. It never fails: what cannot be kept is not kept.
public protocol ResponseCaching: Sendable {
    /// The answer that is kept under `key`; nil when there is none.
    func response(for key: CacheKey) -> HTTPResponse?
    /// Keeps an answer, in the place of the one before.
    func store(_ response: HTTPResponse, for key: CacheKey)
    /// Drops all answers.
    func removeAll()
}
