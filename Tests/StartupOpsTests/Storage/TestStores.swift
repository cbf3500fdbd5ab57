import Foundation
import Sequencer

@testable import StartupStorage

/// Collects what a store reports.
final class Problems: Sendable {
    private let list = Locked<[StorageError]>([])

    var all: [StorageError] { list.withLock { $0 } }

    func add(_ problem: StorageError) { list.withLock { $0.append(problem) } }
}

extension FileStore {
    /// A store that waits for locks as long as this.
    convenience init(
        directory: URL,
        lockTimeout: Duration,
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        try self.init(directory: directory, patience: LockPatience(lockTimeout), onProblem: onProblem)
    }

    /// A store of secrets.
    static func secrets(in directory: URL, onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }) throws(StorageError)
        -> FileStore
    {
        try FileStore(directory: directory, isSecret: true, onProblem: onProblem)
    }
}

/// A store in memory that does not do what a test says.
final class FaultyStore: StoreOver, SecureStore {
    struct Faults: Sendable {
        var reads: StorageError?
        /// Nothing is found, though it is there.
        var looksEmpty = false
        var writes: StorageError?
        /// So many removals are done, and no more.
        var removals: Int?
        /// Of writes and removals alike.
        var changes: StorageError?
        var lock: StorageError?
        /// The calls after which it can be read again.
        var heals: Set<String> = []
    }

    static let error = StorageError(.locked, "store", "it is locked until the device is unlocked")

    let content = MemoryStore()
    let calls = Locked<[String]>([])
    private let faults: Locked<Faults>

    init(isLocked: Bool = false) {
        faults = Locked(isLocked ? Faults(reads: FaultyStore.error, changes: FaultyStore.error) : Faults())
    }

    func fail(_ change: (inout Faults) -> Void) { faults.withLock { change(&$0) } }

    private func note(_ call: String) throws(StorageError) {
        calls.withLock { $0.append(call) }
        let error = faults.withLock { faults in
            if faults.heals.contains(call) { faults.reads = nil }
            return faults.changes
        }
        if let error { throw error }
    }

    private func noteRemoval(_ call: String) throws(StorageError) {
        try note(call)
        let isOver = faults.withLock { faults in
            guard let left = faults.removals else { return false }
            faults.removals = left - 1
            return left <= 0
        }
        if isOver { throw StorageError(.inputOutput, "store", "interrupted") }
    }

    func read(_ key: StoreKey) -> StoredAnswer<Data> {
        let faults = faults.withLock { $0 }
        if let error = faults.reads { return .unavailable(error) }
        return faults.looksEmpty ? .absent : content.read(key)
    }

    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        try note("write \(key)")
        if let error = faults.withLock({ $0.writes }) { throw error }
        content.write(data, for: key)
    }

    func remove(_ key: StoreKey) throws(StorageError) {
        try noteRemoval("remove")
        content.remove(key)
    }

    func removeAll() throws(StorageError) {
        try noteRemoval("removeAll")
        content.removeAll()
    }

    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) {
        try note("setAside")
        content.setAside(key, because: reason)
    }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        if let error = faults.withLock({ $0.lock }) { throw error }
        return try content.withExclusiveAccess(body)
    }
}

/// A store that is never cleared: the process is killed when it tries.
struct DeadlyStore: StoreOver {
    let content = MemoryStore()

    func remove(_ key: StoreKey) { killThisProcess() }
    func removeAll() { killThisProcess() }
}
