import Foundation
import Sequencer

/// A store that forgets its changes at the end of the process; it may still show the values that earlier processes have written.
package protocol ForgetfulStore: DataStore {
    /// Why nothing can be written to the disk.
    var problem: StorageError { get }
}

/// The values of a folder that can be read and not written to. Changes are kept in memory, until the end of the process.
final class ReadThroughStore: SecureStore, ForgetfulStore {
    private struct Changes {
        var values: [StoreKey: StoredAnswer<Data>] = [:]
        var setAside: Set<StoreKey> = []
        var areAllRemoved = false

        func has(_ key: StoreKey) -> Bool { areAllRemoved || values[key] != nil }
    }

    private let folder: any DataStore
    let problem: StorageError
    private let changes = Locked(Changes())
    private let access = NSRecursiveLock()

    /// Opens a view of `folder`.
    ///
    /// - Parameter problem: why nothing can be written there.
    init(_ folder: any DataStore, because problem: StorageError) {
        self.folder = folder
        self.problem = problem
    }

    /// The value that was written in this process, or else the folder's.
    func read(_ key: StoreKey) -> StoredAnswer<Data> {
        // A copy: the folder is read without the lock, for that may wait for a disk.
        let changes = changes.withLock { $0 }
        if let value = changes.values[key] { return value }
        return changes.areAllRemoved ? .absent : folder.read(key)
    }

    /// Keeps a value until the end of the process.
    func write(_ data: Data, for key: StoreKey) { changes.withLock { $0.values[key] = StoredAnswer.value(data) } }

    /// Forgets a value until the end of the process.
    ///
    /// - Throws: the first time, if the folder has a value, because the next process will find it again.
    func remove(_ key: StoreKey) throws(StorageError) {
        let isChanged = changes.withLock { changes in
            // Changed also when it throws: in this process the value is gone.
            defer {
                changes.values[key] = StoredAnswer<Data>.absent
                changes.setAside.remove(key)
            }
            return changes.has(key)
        }
        // Said once: in the next process it will be there again (S30).
        if !isChanged, folder.read(key) != .absent { throw problem }
    }

    /// Forgets every value until the end of the process.
    ///
    /// - Throws: the reason why the folder still has its values, which the next process finds again; once.
    func removeAll() throws(StorageError) {
        let areRemoved = changes.withLock { changes in
            defer { changes = Changes(areAllRemoved: true) }
            return changes.areAllRemoved
        }
        if !areRemoved { throw problem }
    }

    /// Forgets an unreadable value, which stays where it is.
    func setAside(_ key: StoreKey, because reason: String) {
        changes.withLock { changes in
            changes.values[key] = StoredAnswer<Data>.absent
            changes.setAside.insert(key)
        }
    }

    /// Whether an unreadable value was forgotten, or moved aside in the folder.
    func hasSetAside(_ key: StoreKey) -> Bool {
        let changes = changes.withLock { $0 }
        return changes.setAside.contains(key) || !changes.has(key) && folder.hasSetAside(key)
    }

    /// Keeps other threads out; other processes have changes of their own.
    func withExclusiveAccess<Result>(_ body: () throws -> Result) rethrows -> Result {
        access.lock()
        defer { access.unlock() }
        return try body()
    }
}
