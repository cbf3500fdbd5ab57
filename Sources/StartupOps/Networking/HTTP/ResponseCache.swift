import Foundation
import Sequencer
import StartupStorage

/// Keeps answers in a store, within limits: of too many, those go first that were not used for longest.
///
/// It never fails. An answer that cannot be written is kept in memory, within the same limits, until the end of the process; an answer that makes no
/// sense is put out of the way. The whole key is stored with each answer, so an answer never stands for another request, nor for another user. Keys
/// hold the body of a request: do not cache requests with passwords in them.
///
/// ```swift
/// let cache = ResponseCache(store: caches) { problem in log("the cache keeps answers in memory only: \(problem)") }
/// ```
public final class ResponseCache: ResponseCaching {
    /// How much is kept.
    struct Limits {
        /// How many answers.
        var maximumCount = 200
        /// In bytes, as stored; bodies take a third more than they have.
        var maximumSize = 10 << 20
    }

    private struct State {
        var isStoreGivenUp = false
        var didReport = false
    }

    private let stored: BoundedResponses
    private let inMemory: BoundedResponses
    private let state = Locked(State())
    private let onProblem: (@Sendable (StorageError) -> Void)?

    /// A cache over `store`, which is its own: `removeAll()` empties all of it.
    ///
    /// - Parameter onProblem: told, once, that the store does not work and the cache goes on in memory; on the thread that used the cache.
    public convenience init(store: any DataStore, onProblem: (@Sendable (StorageError) -> Void)? = nil) {
        self.init(store: store, limits: Limits(), onProblem: onProblem)
    }

    init(store: any DataStore, limits: Limits, onProblem: (@Sendable (StorageError) -> Void)? = nil) {
        stored = BoundedResponses(store, limits)
        inMemory = BoundedResponses(MemoryStore(), limits)
        self.onProblem = onProblem
    }

    /// The answer kept under a key; nil for a miss.
    package func response(for key: CacheKey) -> HTTPResponse? {
        // An answer that could not be written is newer than the stored one.
        if let response = try? inMemory.response(for: key) { return response }
        if isStoreGivenUp { return nil }
        do {
            return try stored.response(for: key)
        } catch {
            report(error)
            return nil
        }
    }

    /// Keeps an answer in place of an older one, and makes room for it.
    package func store(_ response: HTTPResponse, for key: CacheKey) {
        do {
            if isStoreGivenUp { throw StorageError(.inputOutput, "cache", "the store was given up") }
            _ = try stored.store(response, for: key)
            // The stored one is the newer now.
            try inMemory.remove(key)
        } catch {
            report(error)
            _ = try? inMemory.store(response, for: key)
        }
    }

    /// Removes every answer. If the store cannot do that, it is not read again: the answers of one user must not show up for the next.
    public func removeAll() {
        // First the memory, which cannot fail.
        try? inMemory.removeAll()
        do {
            try stored.removeAll()
        } catch {
            state.withLock { $0.isStoreGivenUp = true }
            report(error)
        }
    }

    private var isStoreGivenUp: Bool { state.withLock { $0.isStoreGivenUp } }

    private func report(_ error: any Error) {
        let isFirst = state.withLock { state in
            defer { state.didReport = true }
            return !state.didReport
        }
        if isFirst { onProblem?(error as? StorageError ?? StorageError(.inputOutput, "cache", "it could not be written")) }
    }
}

/// How a fetch uses the cache. Every fetched answer is written to it, but for those that say `no-store`, vary by everything (`Vary: *`),
/// or quote a token or a password that the process knows.
public enum CachePolicy: Sendable, Hashable, CaseIterable {
    /// Fetches; the cache is used only for revalidating.
    case fetchIgnoringCache
    /// Gives the cached answer, on a hit, then fetches and gives that too.
    case returnCacheDataAndFetch
    /// Gives the cached answer; fetches only on a miss.
    case returnCacheDataElseFetch
    /// Gives the cached answer, and fails on a miss. Nothing is sent, not even to refresh a token.
    case returnCacheDataDontFetch
}

/// The key of a kept answer: its request, and its owner.
package struct CacheKey: Sendable, Hashable {
    /// The method of the request.
    package let method: HTTPMethod
    /// Where it was sent, with its query.
    package let url: URL
    /// The request's body: two GraphQL queries differ in nothing else.
    package let body: Data?
    /// The owner, such as a user's identifier; answers never cross from one to another.
    package let scope: String

    /// The key of the answer to `request`.
    package init(_ request: HTTPRequest, scope: String) {
        method = request.method
        url = request.url
        body = request.body
        self.scope = scope
    }
}

extension CacheKey: SecretHolding {
    /// Method, host and path of the request; never its query and its body.
    package var description: String { HTTPRequest(method, url).description }
}

/// Keeps answers. It never fails: an answer that cannot be stored is dropped.
package protocol ResponseCaching: Sendable {
    /// The answer that is kept under `key`; nil for a miss.
    func response(for key: CacheKey) -> HTTPResponse?
    /// Keeps an answer, in the place of the one before.
    func store(_ response: HTTPResponse, for key: CacheKey)
    /// Drops all answers.
    func removeAll()
}

extension HTTPResponse {
    /// Whether a cache may keep it (RFC 9111, section 3).
    var isStorable: Bool { status == 200 && !headers.forbidStoring && headers["Vary"]?.contains("*") != true }

    /// Whether a "not modified" is about that answer (RFC 9111, section 4.3.4).
    func confirms(_ cached: HTTPResponse) -> Bool {
        // Without two tags to compare it is about the answer that was asked about (RFC 9111, section 4.3.4).
        guard let tag = headers["ETag"], let other = cached.headers["ETag"] else { return true }
        // For this, a weak tag is as good as a strong one.
        return tag.trimmingPrefix("W/") == other.trimmingPrefix("W/")
    }

    /// The same answer, with the headers of a newer one that confirms it (RFC 9111, section 3.2).
    func updated(by newer: HTTPResponse) -> HTTPResponse {
        var response = self
        // A 304 has no body: its fields about one say nothing of the body that is kept.
        let aboutTheBody: Set = ["content-length", "content-encoding", "content-type", "content-range", "transfer-encoding"]
        for (name, value) in newer.headers where !aboutTheBody.contains(name.lowercased()) { response.headers[name] = value }
        return response
    }
}

extension HTTPHeaders {
    fileprivate var forbidStoring: Bool {
        // Directives are written in either case: RFC 9111, section 5.2.
        let directives = (self["Cache-Control"] ?? "").lowercased().split(separator: ",")
        return directives.contains { $0.trimmingCharacters(in: .whitespaces) == "no-store" }
    }
}
