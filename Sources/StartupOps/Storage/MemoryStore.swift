import Foundation
import Sequencer

/// A store that forgets everything at the end of the process: for tests, and where nothing can be written.
public final class MemoryStore: SecureStore {
    private let values = Locked<[StoreKey: Data]>([:])
    private let access = NSRecursiveLock()

    public init() {}

    public func read(_ key: StoreKey) -> StoredAnswer<Data> {
        values.withLock { $0[key] }.map { .value($0) } ?? .absent
    }

    public func write(_ data: Data, for key: StoreKey) { values.withLock { $0[key] = data } }

    public func remove(_ key: StoreKey) { values.withLock { $0[key] = nil } }

    public func removeAll() { values.withLock { $0 = [:] } }

    public func setAside(_ key: StoreKey, because reason: String) { remove(key) }

    public func withExclusiveAccess<Result>(_ body: () throws -> Result) rethrows -> Result {
        access.lock()
        defer { access.unlock() }
        return try body()
    }
}
