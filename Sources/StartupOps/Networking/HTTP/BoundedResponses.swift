import Foundation
import Sequencer

/// Answers in a store, within limits. What is stored there and makes no sense is put out of the way.
///
/// The index is written before an entry and after a removal, so that after a crash it may list entries that are missing, and misses none.
final class BoundedResponses: Sendable {
    private static let indexKey = StoreKey("index")

    private let store: any DataStore
    private let limits: ResponseCache.Limits
    /// What has been read since the index was last written, in this order.
    private let used = Locked<[String]>([])

    init(_ store: any DataStore, _ limits: ResponseCache.Limits) {
        self.store = store
        self.limits = limits
    }

    /// The answer; nil when there is none. Throws when the store cannot tell.
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
            try remove(key)
            return false
        }
        let name = key.name
        try store.withExclusiveAccess {
            var index = try index()
            index.touch(
                used.withLock { names in
                    defer { names = [] }
                    return names
                }
            )
            index.insert(name, size: data.count)
            try store.save(index, for: Self.indexKey)
            try store.write(data, for: Self.storeKey(name))
            let surplus = index.surplus(maximumCount: limits.maximumCount, maximumSize: limits.maximumSize)
            if surplus.isEmpty { return }
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
        used.withLock { $0 = [] }
        try store.removeAll()
    }

    private func index() throws(StorageError) -> CacheIndex {
        switch store.read(Self.indexKey) {
        case .unavailable(let error): throw error
        case .absent: return CacheIndex()
        case .value(let data):
            if let index = try? JSONDecoder().decode(CacheIndex.self, from: data) { return index }
            // Without an index nothing would ever be removed, so everything goes.
            try? store.setAside(Self.indexKey, because: "it is no index of a cache")
            try store.removeAll()
            return CacheIndex()
        }
    }

    private static func storeKey(_ name: String) -> StoreKey { StoreKey("response-\(name)") }
}
