import Foundation
import Sequencer
import StartupStorage

/// Answers in a store, within limits. Unreadable ones are set aside.
///
/// The index is written before an entry and after a removal, so that after a crash it may list entries that are missing, and misses none.
final class BoundedResponses: Sendable {
    private static let indexKey = StoreKey("index")

    private let store: any DataStore
    private let limits: ResponseCache.Limits
    /// The answers that have been read since the index was last written, in this order.
    private let used = Locked<[String]>([])

    init(_ store: any DataStore, _ limits: ResponseCache.Limits) {
        self.store = store
        self.limits = limits
    }

    /// The answer; nil for a miss. Throws when the store cannot tell.
    func response(for key: CacheKey) throws(StorageError) -> HTTPResponse? {
        let name = key.name
        switch store.value(CachedResponse.self, for: Self.storeKey(name)) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .value(let entry):
            // Another key with the same name is a miss; storing an answer replaces it.
            guard let response = entry.response(for: key) else { return nil }
            used.withLock { names in
                // Reading alone must not fill the memory.
                if names.count >= 1024 { names.removeFirst(512) }
                names.append(name)
            }
            return response
        }
    }

    /// Stores an answer and makes room for it; false when it is larger than all the room there is.
    func store(_ response: HTTPResponse, for key: CacheKey) throws -> Bool {
        let data = try JSONEncoder().encode(CachedResponse(response, for: key))
        guard data.count <= limits.maximumSize, limits.maximumCount > 0 else {
            // An older answer under this key would otherwise come back as if it were the latest.
            try remove(key)
            return false
        }
        let name = key.name
        // Two processes may share the folder of caches, and the index is read, changed and written.
        try store.withExclusiveAccess {
            var index = try index()
            index.touch(
                used.withLock { names in
                    defer { names = [] }
                    return names
                }
            )
            index.insert(name, size: data.count)
            // Before the entry: an entry that the index does not know would never be removed.
            try store.save(index, for: Self.indexKey)
            try store.write(data, for: Self.storeKey(name))
            // After writing, so that the newest one counts.
            let surplus = index.surplus(maximumCount: limits.maximumCount, maximumSize: limits.maximumSize)
            if surplus.isEmpty { return }
            // Entries first, the index last: a crash in between leaves an index that knows too much.
            for name in surplus {
                try store.remove(Self.storeKey(name))
                index.remove(name)
            }
            try store.save(index, for: Self.indexKey)
        }
        return true
    }

    /// Removes an answer, so that an older one does not come back.
    func remove(_ key: CacheKey) throws(StorageError) {
        try store.remove(Self.storeKey(key.name))
    }

    func removeAll() throws(StorageError) {
        // Names of answers that are gone would bring them to the end of the order.
        used.withLock { $0 = [] }
        try store.removeAll()
    }

    private func index() throws(StorageError) -> CacheIndex {
        switch store.read(Self.indexKey) {
        case .unavailable(let error): throw error
        case .absent: return CacheIndex()
        case .value(let data):
            if let index = try? JSONDecoder().decode(CacheIndex.self, from: data), index.isSound { return index }
            // Without an index nothing would ever be removed, so everything goes.
            try? store.setAside(Self.indexKey, because: "it is no index of a cache")
            try store.removeAll()
            return CacheIndex()
        }
    }

    private static func storeKey(_ name: String) -> StoreKey { StoreKey("response-\(name)") }
}

/// The entries of a cache, and the surplus to remove: decides, and does nothing.
struct CacheIndex: Codable, Sendable, Equatable {
    struct Entry: Codable, Sendable, Equatable {
        var name: String
        var size: Int
    }

    /// The entries, the one that was not used for longest first.
    private(set) var entries: [Entry] = []

    /// Whether no entry takes less than no room: an index that was read may hold anything.
    var isSound: Bool { entries.allSatisfy { $0.size >= 0 } }

    /// These have been used, in this order.
    mutating func touch(_ names: [String]) {
        for name in names {
            guard let index = entries.firstIndex(where: { $0.name == name }) else { continue }
            entries.append(entries.remove(at: index))
        }
    }

    /// Adds an entry, or gives it another size, as the one that was used last.
    mutating func insert(_ name: String, size: Int) {
        entries.removeAll { $0.name == name }
        entries.append(Entry(name: name, size: size))
    }

    /// Removes an entry.
    mutating func remove(_ name: String) {
        entries.removeAll { $0.name == name }
    }

    /// The entries to remove so that the rest keeps within the limits; they are still in the index.
    func surplus(maximumCount: Int, maximumSize: Int) -> [String] {
        var (count, room) = (0, maximumSize)
        // The newest stay. Room is subtracted, as a sum of sizes that were read could be too large for a number.
        let kept = entries.reversed().prefix { entry in
            guard count < maximumCount, entry.size <= room else { return false }
            count += 1
            room -= entry.size
            return true
        }
        return entries.dropLast(kept.count).map(\.name)
    }
}

/// An answer as it is stored: with the whole key it was stored under, as the names of entries are too short to tell all keys apart.
struct CachedResponse: Codable, Sendable {
    private var method: String
    private var url: String
    private var requestBody: Data?
    private var scope: String
    private var status: Int
    /// Name, value, name, value.
    private var headers: [String]
    private var body: Data

    init(_ response: HTTPResponse, for key: CacheKey) {
        method = key.method.rawValue
        url = key.url.absoluteString
        requestBody = key.body
        scope = key.scope
        status = response.status
        // Headers for one connection, or for one browser, are not kept.
        let dropped: Set = ["set-cookie", "set-cookie2", "connection", "keep-alive", "proxy-authenticate", "transfer-encoding", "upgrade"]
        headers = response.headers.filter { !dropped.contains($0.name.lowercased()) }.flatMap { [$0.name, $0.value] }
        body = response.body
    }

    /// The answer; nil when this is the answer to something else.
    func response(for key: CacheKey) -> HTTPResponse? {
        guard method == key.method.rawValue, url == key.url.absoluteString, requestBody == key.body, scope == key.scope else { return nil }
        var fields = HTTPHeaders()
        for index in stride(from: 0, to: headers.count - 1, by: 2) { fields[headers[index]] = headers[index + 1] }
        return HTTPResponse(status: status, headers: fields, body: body)
    }
}

extension CacheKey {
    /// A short name for an entry, which others may have too.
    var name: String {
        var hash = FNV1a()
        hash.add(part: method.rawValue.utf8)
        hash.add(part: url.absoluteString.utf8)
        hash.add(part: scope.utf8)
        if let body { hash.add(part: body) }
        return FNV1a.digits(hash.value)
    }
}
