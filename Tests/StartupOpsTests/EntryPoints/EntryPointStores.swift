import Foundation
import Sequencer
import StartupStorage

@testable import StartupOps

/// A store of files in a temporary folder, which processes can share: just enough of one for the mailbox.
///
/// The folder belongs to whoever has made it with `temporary()`, and is removed with `delete()`.
struct EntryPointFolderStore: DataStore {
    let path: String

    static func temporary() throws -> EntryPointFolderStore {
        let path = FileManager.default.temporaryDirectory.path + "/entry-points-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return EntryPointFolderStore(path: path)
    }

    func delete() { try? FileManager.default.removeItem(atPath: path) }

    func read(_ key: StoreKey) -> StoredAnswer<Data> {
        FileManager.default.contents(atPath: "\(path)/\(key)").map { .value($0) } ?? .absent
    }

    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        let temporary = "\(path)/\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: temporary, contents: data), rename(temporary, "\(path)/\(key)") == 0 else {
            throw StorageError(.inputOutput, path, "it cannot be written", systemError: errno)
        }
    }

    func remove(_ key: StoreKey) { unlink("\(path)/\(key)") }

    func removeAll() {}

    func setAside(_ key: StoreKey, because reason: String) { rename("\(path)/\(key)", "\(path)/\(key).corrupt") }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open("\(path)/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(.inputOutput, path, "it cannot be locked", systemError: errno) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 { guard errno == EINTR else { break } }
        return try body()
    }
}

/// A store in memory that can be made to fail.
final class EntryPointFailingStore: DataStore {
    struct Failures: Sendable {
        var reads = false
        var writes = false
        var locking = false
    }

    private let store = MemoryStore()
    let failures = Locked(Failures())

    private static let error = StorageError(.locked, "entry-points", "the device was not unlocked yet")

    func read(_ key: StoreKey) -> StoredAnswer<Data> { failures.withLock { $0.reads } ? .unavailable(Self.error) : store.read(key) }

    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        if failures.withLock({ $0.writes }) { throw Self.error }
        store.write(data, for: key)
    }

    func remove(_ key: StoreKey) { store.remove(key) }
    func removeAll() { store.removeAll() }
    func setAside(_ key: StoreKey, because reason: String) { store.setAside(key, because: reason) }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        if failures.withLock({ $0.locking }) { throw Self.error }
        return try store.withExclusiveAccess(body)
    }
}

/// Collects what a mailbox tells, and what it hands over.
final class EntryPointLog: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: some CustomStringConvertible) {
        let line = line.description
        lines.withLock { $0.append(line) }
    }
}
