import Foundation
import StartupOps
import StartupStorage

/// A secure store that behaves as a phone's does: as long as the device is locked, nobody can tell what is in it.
///
/// It keeps its values in memory, so that the example leaves nothing behind. An app has `StateDirectory.secure`.
nonisolated final class Keychain: SecureStore {
    private let values = StateDirectory.inMemory().secure
    private let access = NSLock()
    // Unsafe: guarded by `access`.
    private nonisolated(unsafe) var isLocked = false

    func lock() { access.withLock { isLocked = true } }
    func unlock() { access.withLock { isLocked = false } }

    private var error: StorageError? {
        guard access.withLock({ isLocked }) else { return nil }
        return StorageError(.locked, "keychain", "the device has not been unlocked since it was switched on")
    }

    func read(_ key: StoreKey) -> StoredAnswer<Data> { error.map { .unavailable($0) } ?? values.read(key) }

    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        if let error { throw error }
        try values.write(data, for: key)
    }

    func remove(_ key: StoreKey) throws(StorageError) {
        if let error { throw error }
        try values.remove(key)
    }

    func removeAll() throws(StorageError) {
        if let error { throw error }
        try values.removeAll()
    }

    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) {
        if let error { throw error }
        try values.setAside(key, because: reason)
    }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        if let error { throw error }
        return try values.withExclusiveAccess(body)
    }
}
