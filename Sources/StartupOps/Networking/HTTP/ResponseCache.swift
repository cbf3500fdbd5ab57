import Foundation
import Sequencer

/// Keeps answers in a store, within limits: of too many, the oldest go.
///
/// It never fails. A store that cannot be read or written is replaced by the process's memory; an answer that makes no
/// sense is put out of the way. The whole key is stored with each answer, so an answer never stands for another
/// request, nor for another user. Keys hold the body of a request: do not cache requests with passwords in them.
///
/// ```swift
/// let cache = ResponseCache(store: caches)
/// ```
public final class ResponseCache: Sendable {
    /// How much is kept.
    struct Limits {
        /// How many answers.
        var maximumCount = 200
        /// In bytes, as stored; bodies take a third more than they have.
        var maximumSize = 10 << 20
    }

    private static let indexKey = StoreKey("index")
    private let store: Locked<any DataStore>
    private let limits: Limits

    /// A cache over `store`, which is its own: `removeAll()` empties all of it.
    public convenience init(store: any DataStore) { self.init(store: store, limits: Limits()) }

    init(store: any DataStore, limits: Limits) {
        self.store = Locked(store)
        self.limits = limits
    }

    /// The answer kept under a key; nil for a miss.
    func response(for key: CacheKey) -> HTTPResponse? {
        do {
            // Another key with the same name is a miss; storing an answer replaces it.
            return try store.withLock { $0 }.value(CachedResponse.self, for: key.storeKey).get()?.response(for: key)
        } catch {
            giveUp()
            return nil
        }
    }

    /// Keeps an answer in place of an older one, and makes room for it.
    func store(_ response: HTTPResponse, for key: CacheKey) {
        do {
            try keep(response, for: key)
        } catch {
            giveUp()
            try? keep(response, for: key)
        }
    }

    /// Removes every answer. If the store cannot do that, it is not read again: the answers of one user must not show
    /// up for the next.
    public func removeAll() {
        do {
            try store.withLock { $0 }.removeAll()
        } catch {
            giveUp()
        }
    }

    private func giveUp() {
        store.withLock { if !($0 is MemoryStore) { $0 = MemoryStore() } }
    }

    /// The index is written before an entry and after a removal, so that after a crash it may list entries that are
    /// missing, and misses none.
    private func keep(_ response: HTTPResponse, for key: CacheKey) throws {
        let store = store.withLock { $0 }
        let data = try JSONEncoder().encode(CachedResponse(response, for: key))
        guard data.count <= limits.maximumSize else {
            // An older answer under this key would otherwise come back as if it were the latest.
            return try store.remove(key.storeKey)
        }
        // Two processes may share the folder of caches, and the index is read, changed and written.
        try store.withExclusiveAccess {
            var index = try index(of: store)
            index.insert(key.storeKey.description, size: data.count)
            try store.save(index, for: Self.indexKey)
            try store.write(data, for: key.storeKey)
            let surplus = index.removeSurplus(limits)
            if surplus.isEmpty { return }
            for name in surplus { try store.remove(StoreKey(name)) }
            try store.save(index, for: Self.indexKey)
        }
    }

    private func index(of store: any DataStore) throws(StorageError) -> CacheIndex {
        let answer = store.value(for: Self.indexKey, expecting: "index of a cache", \CacheIndex.isSound)
        if let index = try answer.get() { return index }
        // Without an index nothing would ever be removed, so everything goes.
        try store.removeAll()
        return CacheIndex()
    }
}

/// The entries of a cache, the oldest first.
private struct CacheIndex: Codable, Sendable {
    struct Entry: Codable {
        let name: String
        let size: Int
    }

    private var entries: [Entry] = []

    /// Whether no entry takes less than no room: an index that was read may hold anything.
    var isSound: Bool { entries.allSatisfy { $0.size >= 0 } }

    mutating func insert(_ name: String, size: Int) {
        entries.removeAll { $0.name == name }
        entries.append(Entry(name: name, size: size))
    }

    /// Removes the oldest entries, so that the rest keeps within the limits; returns their names.
    mutating func removeSurplus(_ limits: ResponseCache.Limits) -> [String] {
        var room = limits.maximumSize
        // Room is subtracted, as a sum of sizes that were read could be too large for a number.
        let kept = entries.reversed().prefix(limits.maximumCount).prefix { entry in
            guard entry.size <= room else { return false }
            room -= entry.size
            return true
        }
        defer { entries = Array(entries.suffix(kept.count)) }
        return entries.dropLast(kept.count).map(\.name)
    }
}

/// An answer as it is stored: with the whole key it was stored under, as the names of entries are too short to tell all
/// keys apart.
private struct CachedResponse: Codable, Sendable {
    private let key: CacheKey
    private let status: Int
    /// Name, value, name, value.
    private let headers: [String]
    private let body: Data

    init(_ response: HTTPResponse, for key: CacheKey) {
        // Headers for one connection, or for one browser, are not kept.
        let dropped: Set = ["set-cookie", "set-cookie2", "connection", "keep-alive", "proxy-authenticate", "transfer-encoding", "upgrade"]
        headers = response.headers.filter { !dropped.contains($0.name.lowercased()) }.flatMap { [$0.name, $0.value] }
        (self.key, status, body) = (key, response.status, response.body)
    }

    /// The answer; nil when this is the answer to something else.
    func response(for key: CacheKey) -> HTTPResponse? {
        guard key == self.key else { return nil }
        var fields = HTTPHeaders()
        for index in stride(from: 0, to: headers.count - 1, by: 2) { fields[headers[index]] = headers[index + 1] }
        return HTTPResponse(status: status, headers: fields, body: body)
    }
}

/// How a fetch uses the cache. Every fetched answer is written to it, but for those that say `no-store`, vary by
/// everything (`Vary: *`), or quote a token or a password that the process knows.
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
struct CacheKey: Sendable, Hashable, Codable, SecretHolding {
    private let method: String
    /// Where it was sent, with its query.
    private let url: String
    /// The request's body: two GraphQL queries differ in nothing else.
    private let body: Data?
    /// The owner, such as a user's identifier; answers never cross from one to another.
    private let scope: String

    /// The key of the answer to `request`.
    init(_ request: HTTPRequest, scope: String) {
        (method, url, body) = (request.method.rawValue, request.url.absoluteString, request.body)
        // An answer in one language is not an answer in another.
        self.scope = request.headers["Accept-Language"].map { "\($0) \(scope)" } ?? scope
    }

    /// A short name for an entry, which others may have too: the whole key is within.
    var storeKey: StoreKey {
        let parts = [method, url, scope].map { Data($0.utf8) } + [body].compactMap(\.self)
        return StoreKey("response-\(hexadecimal(fnv1a(parts.flatMap { $0 + [0xFF] })))")
    }

    /// Nothing of its query and its body.
    var description: String { "<\(storeKey)>" }
}

extension HTTPResponse {
    /// Whether a cache may keep it (RFC 9111, section 3).
    var isStorable: Bool {
        // Directives are written in either case: RFC 9111, section 5.2.
        let directives = (headers["Cache-Control"] ?? "").lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return status == 200 && !directives.contains("no-store") && headers["Vary"]?.contains("*") != true
    }

    /// Whether a "not modified" is about that answer (RFC 9111, section 4.3.4).
    func confirms(_ cached: HTTPResponse) -> Bool {
        // Without two tags to compare it is about the answer that was asked about (RFC 9111, section 4.3.4).
        guard let tag = headers["ETag"], let other = cached.headers["ETag"] else { return true }
        // For this, a weak tag is as good as a strong one.
        return tag.trimmingPrefix("W/") == other.trimmingPrefix("W/")
    }
}
