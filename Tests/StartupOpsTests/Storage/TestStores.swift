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

/// A store as it is before a device's first unlock: it can neither be read nor changed, and remembers who tried to change it.
final class LockableStore: SecureStore {
    private struct State {
        var isLocked = true
        var attempts: [String] = []
    }

    private let state = Locked(State())
    let content = MemoryStore()

    var attemptsToChange: [String] { state.withLock { $0.attempts } }

    func unlock() { state.withLock { $0.isLocked = false } }

    private var error: StorageError? {
        state.withLock { $0.isLocked } ? StorageError(.locked, "store", "it is locked until the device is unlocked") : nil
    }

    private func check(_ attempt: String) throws(StorageError) {
        guard let error else { return }
        state.withLock { $0.attempts.append(attempt) }
        throw error
    }

    func read(_ key: StoreKey) -> StoredAnswer<Data> { error.map { .unavailable($0) } ?? content.read(key) }

    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        try check("write \(key)")
        content.write(data, for: key)
    }

    func remove(_ key: StoreKey) throws(StorageError) {
        try check("remove \(key)")
        content.remove(key)
    }

    func removeAll() throws(StorageError) {
        try check("removeAll")
        content.removeAll()
    }

    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) {
        try check("setAside \(key)")
        content.setAside(key, because: reason)
    }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try content.withExclusiveAccess(body) }
}

/// A store that is never cleared: the process is killed when it tries.
struct DeadlyStore: StoreOver {
    let content = MemoryStore()

    func remove(_ key: StoreKey) { killThisProcess() }
    func removeAll() { killThisProcess() }
}
