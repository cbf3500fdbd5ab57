import Foundation
import Sequencer

/// A store that forgets everything at the end of the process: for tests, and where nothing can be written.
public final class MemoryStore: SecureStore {
    private let values = Locked<[StoreKey: Data]>([:])
    private let access = NSRecursiveLock()

    /// An empty store.
    public init() {}

    /// The value or ``StoredAnswer/absent``, never anything else.
    public func read(_ key: StoreKey) -> StoredAnswer<Data> {
        values.withLock { $0[key] }.map { .value($0) } ?? .absent
    }

    /// Keeps a value until the end of the process.
    public func write(_ data: Data, for key: StoreKey) { values.withLock { $0[key] = data } }

    /// Forgets a value.
    public func remove(_ key: StoreKey) { values.withLock { $0[key] = nil } }

    /// Forgets every value.
    public func removeAll() { values.withLock { $0 = [:] } }

    /// Forgets a value: there is nowhere to look at it.
    public func setAside(_ key: StoreKey, because reason: String) { remove(key) }

    /// Keeps other threads out; other processes have a store of their own.
    public func withExclusiveAccess<Result>(_ body: () throws -> Result) rethrows -> Result {
        access.lock()
        defer { access.unlock() }
        return try body()
    }
}
