import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

@Suite("The cache of answers", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ResponseCacheTests {
    private func key(_ path: String, _ method: HTTPMethod = .get, body: String? = nil, scope: String = "") -> CacheKey {
        let url = URL(string: "https://example.com/\(path)") ?? URL(fileURLWithPath: "/")
        return CacheKey(HTTPRequest(method, url, body: body.map { Data($0.utf8) }), scope: scope)
    }

    private func answer(_ body: String) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["ETag": "\"\(body)\"", "Content-Type": "application/json"], body: Data(body.utf8))
    }

    @Test("an answer comes back as it was, also to the next launch; cookies are not kept")
    func roundTrip() {
        let store = MemoryStore()
        var response = answer("ä\u{0}\u{ff}")
        ResponseCache(store: store).store(response, for: key("a"))
        #expect(ResponseCache(store: store).response(for: key("a")) == response)
        response.headers["Set-Cookie"] = "secret"
        let cache = ResponseCache(store: store)
        cache.store(response, for: key("b"))
        #expect(cache.response(for: key("b"))?.headers["Set-Cookie"] == nil)
        cache.removeAll()
        #expect(cache.response(for: key("a")) == nil)
        #expect(ResponseCache(store: store).response(for: key("b")) == nil)
    }

    @Test("an answer stands for one method, address, body and user only")
    func keys() {
        let cache = ResponseCache(store: MemoryStore())
        let keys = [
            key("a"), key("b"), key("a?x=1"), key("a", .post), key("a", .post, body: ""), key("a", .post, body: "{1}"),
            key("a", .post, body: "{2}"),
            key("a", scope: "1"), key("a", scope: "2"), key("a1"), key("a", scope: "a1"),
        ]
        for (index, key) in keys.enumerated() { cache.store(answer("\(index)"), for: key) }
        #expect(keys.map { cache.response(for: $0).map { String(decoding: $0.body, as: UTF8.self) } } == keys.indices.map { "\($0)" })
    }

    @Test("an entry under another key's name is a miss, never an answer")
    func collision() throws {
        let store = MemoryStore()
        let cache = ResponseCache(store: store)
        let (mine, other) = (key("mine"), key("other"))
        cache.store(answer("other"), for: other)
        // As if both had the same short name.
        let entry = try #require(store.read(other.storeKey).value)
        store.write(entry, for: mine.storeKey)
        #expect(cache.response(for: mine) == nil)
        cache.store(answer("mine"), for: mine)
        #expect(cache.response(for: mine) == answer("mine"))
        #expect(cache.response(for: other) == answer("other"))
    }

    @Test("names are short, and as good as unique")
    func names() {
        #expect(key("").storeKey == key("").storeKey)
        #expect(Set((0..<5000).map { key("\($0)").storeKey }).count == 5000)
    }

    @Test("too many answers: the oldest go, from the store too")
    func count() {
        let store = MemoryStore()
        let cache = ResponseCache(store: store, limits: ResponseCache.Limits(maximumCount: 3))
        for name in ["a", "b", "c"] { cache.store(answer(name), for: key(name)) }
        cache.store(answer("d"), for: key("d"))
        #expect(["a", "b", "c", "d"].filter { cache.response(for: key($0)) != nil } == ["b", "c", "d"])
        #expect(store.read(key("a").storeKey) == .absent)
        // The next launch goes on with the same order.
        let next = ResponseCache(store: store, limits: ResponseCache.Limits(maximumCount: 3))
        next.store(answer("e"), for: key("e"))
        #expect(["b", "c", "d", "e"].filter { next.response(for: key($0)) != nil }.count == 3)
    }

    @Test("too much in bytes: older ones go; what is larger than everything is not kept, and its old answer goes")
    func size() {
        let cache = ResponseCache(store: MemoryStore(), limits: ResponseCache.Limits(maximumCount: 100, maximumSize: 4000))
        let large = HTTPResponse(status: 200, body: Data(count: 1500))
        for name in ["a", "b", "c"] { cache.store(large, for: key(name)) }
        #expect(["a", "b", "c"].filter { cache.response(for: key($0)) != nil } == ["c"])
        cache.store(HTTPResponse(status: 200, body: Data(count: 10_000)), for: key("c"))
        #expect(cache.response(for: key("c")) == nil)
    }

    @Test("an entry that makes no sense is dropped; an index that makes none takes everything with it")
    func corrupt() {
        for garbage in ["", "\u{0}", "{", "[]", "{\"method\":1}", String(repeating: "x", count: 100_000)] {
            let store = MemoryStore()
            let cache = ResponseCache(store: store)
            cache.store(answer("a"), for: key("a"))
            let name = key("a").storeKey
            store.write(Data(garbage.utf8), for: name)
            #expect(cache.response(for: key("a")) == nil)
            #expect(store.read(name) == .absent)
            cache.store(answer("b"), for: key("a"))
            #expect(cache.response(for: key("a")) == answer("b"))
            store.write(Data(garbage.utf8), for: "index")
            cache.store(answer("c"), for: key("c"))
            #expect(store.read(name) == .absent)
            #expect(cache.response(for: key("c")) == answer("c"))
        }
    }

    @Test(
        "an index whose sizes are too large for a number, or below zero, does not end in a trap; only the newest stays",
        arguments: [[Int.max, Int.max, -Int.max], [Int.min, Int.min], [Int](repeating: .max, count: 5), [0, -1]]
    )
    func extremes(of sizes: [Int]) {
        let store = MemoryStore()
        let names = sizes.indices.map { "old\($0)" }
        let entries = zip(names, sizes).map { "{\"name\":\"response-\($0)\",\"size\":\($1)}" }
        store.write(Data("{\"entries\":[\(entries.joined(separator: ","))]}".utf8), for: "index")
        for name in names { store.write(Data(), for: StoreKey("response-\(name)")) }
        let cache = ResponseCache(store: store, limits: ResponseCache.Limits(maximumCount: 2))
        cache.store(answer("a"), for: key("a"))
        #expect(cache.response(for: key("a")) == answer("a"))
        let left = names.filter { store.read(StoreKey("response-\($0)")) != .absent }
        #expect(left.isEmpty)
    }

    @Test("C45: a store that cannot be opened, or is full, is replaced by memory")
    func fallback() throws {
        for fault in [FaultyStore.Faults(isUnavailable: true), FaultyStore.Faults(refusesWrites: true)] {
            let store = FaultyStore()
            store.faults.withLock { $0 = fault }
            let cache = ResponseCache(store: store, limits: ResponseCache.Limits(maximumCount: 2))
            for name in ["a", "b", "c"] { cache.store(answer(name), for: key(name)) }
            #expect(["a", "b", "c"].map { cache.response(for: key($0)) } == [nil, answer("b"), answer("c")])
            // The next launch uses the store again, when it works.
            store.faults.withLock { $0 = FaultyStore.Faults() }
            let next = ResponseCache(store: store)
            next.store(answer("new"), for: key("c"))
            #expect(ResponseCache(store: store).response(for: key("c")) == answer("new"))
        }
    }

    @Test("C45: an answer that could not be written hides the older one that could")
    func newer() {
        let store = FaultyStore()
        let cache = ResponseCache(store: store)
        cache.store(answer("old"), for: key("a"))
        store.faults.withLock { $0.refusesWrites = true }
        cache.store(answer("new"), for: key("a"))
        #expect(cache.response(for: key("a")) == answer("new"))
    }

    @Test("C45: answers that cannot be removed are not given out any more")
    func removal() {
        let store = FaultyStore()
        let cache = ResponseCache(store: store)
        cache.store(answer("secret"), for: key("a"))
        store.faults.withLock { $0.refusesRemovals = true }
        cache.removeAll()
        #expect(cache.response(for: key("a")) == nil)
        cache.store(answer("next"), for: key("a"))
        #expect(cache.response(for: key("a")) == answer("next"))
    }

    @Test("after a crash between any two steps, nothing is in the store that the index does not know")
    func order() throws {
        let store = FaultyStore()
        let cache = ResponseCache(store: store, limits: ResponseCache.Limits(maximumCount: 2))
        for name in ["a", "b", "c"] { cache.store(answer(name), for: key(name)) }
        let name = key("c").storeKey
        let writes = store.writes.withLock { $0 }
        // The index with the newcomer, the newcomer, and the index without the one that had to go.
        #expect(writes.suffix(3) == ["index", name, "index"])
    }

    @Test("many threads at once")
    func threads() {
        let cache = ResponseCache(store: MemoryStore(), limits: ResponseCache.Limits(maximumCount: 10))
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            cache.store(answer("\(index % 20)"), for: key("\(index % 20)"))
            if let found = cache.response(for: key("\(index % 7)")) { #expect(found == answer("\(index % 7)")) }
            if index % 50 == 0 { cache.removeAll() }
        }
        cache.store(answer("last"), for: key("last"))
        #expect(cache.response(for: key("last")) == answer("last"))
    }
}

/// A store that works until it is told not to.
private final class FaultyStore: DataStore {
    struct Faults: Sendable {
        var isUnavailable = false
        var refusesWrites = false
        var refusesRemovals = false
    }

    let values = MemoryStore()
    let faults = Locked(Faults())
    let writes = Locked<[StoreKey]>([])

    private let error = StorageError(.noSpace, "/caches", "there is no room left")

    func read(_ key: StoreKey) -> StoredAnswer<Data> { faults.withLock { $0.isUnavailable } ? .unavailable(error) : values.read(key) }

    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        if faults.withLock({ $0.isUnavailable || $0.refusesWrites }) { throw error }
        writes.withLock { $0.append(key) }
        values.write(data, for: key)
    }

    func remove(_ key: StoreKey) throws(StorageError) {
        if faults.withLock({ $0.isUnavailable || $0.refusesRemovals }) { throw error }
        values.remove(key)
    }

    func removeAll() throws(StorageError) {
        if faults.withLock({ $0.isUnavailable || $0.refusesRemovals }) { throw error }
        values.removeAll()
    }

    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) { try remove(key) }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try values.withExclusiveAccess(body) }
}
