import Foundation
import Sequencer

/// Keeps values in the files of a directory, one for each key, so that they outlive crashes, kills and power cuts.
///
/// A value is replaced as a whole: written to a temporary file that only the owner can read, brought onto the disk, and
/// renamed. A file that cannot be trusted (cut short, a bit flipped, in another format) is moved aside as
/// `KEY.corrupt-N` and counts as absent. `onProblem` is told of it, and of repairs, such as of a file that others could
/// read. A file in a newer format is read if its value can be found, and left alone otherwise. A file that is a
/// symbolic link, a directory, a FIFO or somebody else's is not read: the answer is then
/// ``StoredAnswer/unavailable(_:)``, until a value is written in its place.
///
/// ```swift
/// let store = try FileStore(directory: folder) { problem in print("warning:", problem) }
/// try store.save(["de", "en"], for: "languages")
/// ```
///
/// Every method can be called from any thread and may wait for the disk. Several stores, in this process and others,
/// can use one directory.
final class FileStore: SecureStore {
    let directory: PosixDirectory
    /// Whether a file that others may have read is refused, as its secret may be known: the answer is
    /// ``StoredAnswer/unavailable(_:)`` until a new one is stored in its place, as after the next login, or until a
    /// user, sure that nobody has read it, takes the access away (`chmod 600`). A directory that anybody could replace
    /// with another one, because everybody can write to one above it, is not used at all. The files are not encrypted.
    /// Other files are repaired, and that is reported.
    let isSecret: Bool
    let maximumSize: Int
    private let onProblem: @Sendable (StorageError) -> Void
    private let reported = Locked<Set<StorageError>>([])
    private let lock: DirectoryLock

    /// Opens the store in `directory`, which is created where it is missing, and cleans up what killed processes have
    /// left.
    ///
    /// - Parameters:
    ///   - directory: a directory for this store alone; nobody else keeps the right to write to it.
    ///   - maximumSize: the largest value in bytes, 16 MB unless said otherwise; a larger file is not read.
    ///   - patience: how long ``withExclusiveAccess(_:)`` waits for its turn before it throws; after a wait in vain it
    ///     does not wait again until it has got in once. The main thread never waits.
    ///   - onProblem: is told, on the thread that noticed it, about corrupt, repaired and refused files: about each
    ///       once.
    /// - Throws: when values cannot be kept there, or would not be safe. The error names the path and the system's
    ///     error number.
    init(
        directory: URL,
        isSecret: Bool = false,
        maximumSize: Int = 16 << 20,
        patience: LockPatience = LockPatience(),
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        self.directory = try PosixDirectory(directory)
        self.isSecret = isSecret
        self.maximumSize = min(max(0, maximumSize), Int(UInt32.max))
        self.onProblem = onProblem
        lock = DirectoryLock(self.directory, patience)
        for repair in try self.directory.prepare() { report(repair) }
        // The directory itself may be safe, and still be replaced as a whole by somebody with rights above it.
        if let ancestor = self.directory.openAncestor() {
            if isSecret { throw ancestor }
            report(ancestor)
        }
        // Once at the opening: processes that were killed leave their temporary files (S7).
        self.directory.sweep()
    }

    /// The value stored under `key`; a file that cannot be trusted is moved aside and counts as absent.
    func read(_ key: StoreKey) -> StoredAnswer<Data> {
        let name = StoreFileName(key)
        do throws(StorageError) {
            guard let file = try open(name) else { return .absent }
            let status = try file.status()
            let limit = maximumSize + StoredFile.maximumHeaderLength
            // Not read when it is too large: a file without end must not fill the memory.
            let contents = status.st_size > limit ? nil : try file.contents(limit: limit)
            do throws(StoredFile.Corruption) {
                if let contents { return .value(try StoredFile.decode(contents, for: name)) }
                throw StoredFile.Corruption(reason: "it has \(status.st_size) bytes, more than the \(maximumSize) allowed here")
            } catch {
                // A newer version of the app may come back: its value is not damage (S5).
                if let version = error.newerVersion {
                    let reason = "it was written by a newer version of the app, in format \(version), and was left alone; update the app"
                    throw StorageError(.newerFormat, directory.path(name.description), reason)
                }
                // `onlyIf`: the file that was read, and not one that was written since.
                try? moveAside(name, because: error.reason, onlyIf: status)
                return .absent
            }
        } catch {
            report(error)
            return .unavailable(error)
        }
    }

    /// Replaces the value stored under `key`, and waits until it is on the disk.
    ///
    /// - Throws: when it could not be stored, as on a full disk; the old value is then unchanged.
    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        let name = StoreFileName(key)
        guard data.count <= maximumSize else {
            let reason = "\(data.count) bytes are more than the \(maximumSize) allowed here"
            throw StorageError(.noSpace, directory.path(name.description), reason)
        }
        let contents = StoredFile.encode(data, for: name)
        do throws(StorageError) {
            try directory.replace(name.description, with: contents)
        } catch  where error.systemError == ENOENT {
            // The directory is gone, as caches may be at any time.
            for repair in try directory.prepare() { report(repair) }
            try directory.replace(name.description, with: contents)
        }
    }

    /// Removes a value, with all unreadable ones that were moved aside from its place.
    func remove(_ key: StoreKey) throws(StorageError) {
        let name = StoreFileName(key)
        try remove([name.description] + asideNames(of: name).map(\.name))
    }

    /// Removes all values, and all that was moved aside.
    func removeAll() throws(StorageError) {
        // The lock file stays: another process may hold it. Temporary files may be in use by a writer.
        try remove(directory.names().filter { !DirectoryLock.isLockFile($0) && !$0.hasPrefix(PosixDirectory.temporaryPrefix) })
        directory.sweep()
    }

    private func remove(_ names: [String]) throws(StorageError) {
        var problem: StorageError?
        var removed = false
        // Continue after a file that cannot be removed: the others must still go.
        for name in names {
            do throws(StorageError) {
                if try directory.remove(name) { removed = true }
            } catch {
                problem = problem ?? error
            }
        }
        // Once for all of them.
        if removed { try directory.synchronize() }
        if let problem { throw problem }
    }

    /// Renames the file of a value that makes no sense to `KEY.corrupt-N`; the newest three are kept.
    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) {
        try moveAside(StoreFileName(key), because: reason)
    }

    /// Whether a value of `key` was moved aside, or ought to have been and could not be.
    func hasSetAside(_ key: StoreKey) -> Bool {
        let name = StoreFileName(key)
        if !asideNames(of: name).isEmpty { return true }
        return (try? PosixFile.status(of: directory.path(name.description))) ?? nil != nil && read(key) == .absent
    }

    /// Runs `body` while no other thread and no other process is in here. The thread that is in here may enter again.
    ///
    /// Reading and writing alone need no exclusive access, and do not wait for it. The main thread gets in at once or
    /// not at all: call this from another one where it matters.
    ///
    /// - Throws: what `body` throws, or ``StorageError`` when the store is still locked by somebody else after the
    ///   timeout; it names the process, and `onProblem` is told too.
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        var hasEntered = false
        do {
            return try lock.withLock {
                hasEntered = true
                return try body()
            }
        } catch let error as StorageError where !hasEntered {
            report(error)
            throw error
        }
    }

    /// Tells of a problem on this thread, unless it was told before.
    func report(_ problem: StorageError) {
        // Looked up and noted in one step: of two threads one tells it. Nothing here may grow for ever.
        let isNew = reported.withLock { $0.count < 1000 && $0.insert(problem).inserted }
        if isNew { onProblem(problem) }
    }

    /// How many of the files moved aside from one place are kept: enough to look at, and no way to fill a disk.
    private static let keptAside = 3

    /// Opens a value's file, when there is one that can be trusted not to be a trap.
    func open(_ name: StoreFileName) throws(StorageError) -> PosixFile? {
        let path = directory.path(name.description)
        let file: PosixFile
        do throws(StorageError) {
            file = try PosixFile(path, O_RDONLY)
        } catch  where error.systemError == ENOENT {
            return nil
        }
        let status = try file.status()
        // Of the open file: the path may lead to another one by now.
        guard status.isRegularFile else { throw StorageError(.invalidPlace, path, "it is not a file; remove it", systemError: EINVAL) }
        try status.checkOwner(path, "remove it")
        if status.permissions & 0o077 != 0 { try answer(tooOpen: status.permissions, file) }
        return file
    }

    private func answer(tooOpen permissions: mode_t, _ file: borrowing PosixFile) throws(StorageError) {
        let finding = "its mode was \(octal(permissions)), expected 0600"
        // A repair would hide that somebody may have read it (S9).
        if isSecret {
            let remedy = "store a new one, or run chmod 600 when nobody has"
            throw .notTrusted(file.path, "\(finding): others may have read the secret, so it is not used; \(remedy)")
        }
        try file.setPermissions(0o600)
        report(StorageError(.accessDenied, file.path, "\(finding); others can no longer read it"))
    }

    /// Renames a value's file to the next free `KEY.corrupt-N`.
    ///
    /// - Parameter found: the file that was found to be corrupt; another one, written in the meantime, is left alone.
    func moveAside(_ name: StoreFileName, because reason: String, onlyIf found: stat? = nil) throws(StorageError) {
        let path = directory.path(name.description)
        if let found {
            // Another process may have written a good one meanwhile.
            guard let current = try PosixFile.status(of: path), current.isSameFile(as: found) else { return }
        }
        let aside = asideNames(of: name)
        // Always a new number: an earlier file must not be overwritten.
        let newName = "\(name).corrupt-\((aside.map(\.number).max() ?? 0) + 1)"
        do throws(StorageError) {
            guard try directory.move(name.description, to: newName) else { return }
            // As for every change of names: a power cut could bring the damaged file back.
            try directory.synchronize()
        } catch {
            let problem = "\(reason); it could not be moved aside, \(error.reason)"
            report(StorageError(.corrupt, path, problem, systemError: error.systemError))
            throw error
        }
        report(StorageError(.corrupt, path, "\(reason); it was moved to \(newName) and counts as absent"))
        // The oldest go, and an error in that is of no consequence.
        for old in aside.sorted(by: { $0.number > $1.number }).dropFirst(Self.keptAside - 1) { _ = try? directory.remove(old.name) }
    }

    /// The files that were moved aside from a key's place.
    func asideNames(of name: StoreFileName) -> [(name: String, number: Int)] {
        let prefix = "\(name).corrupt-"
        return directory.names().compactMap { other in
            // The largest number plus one would trap.
            guard other.hasPrefix(prefix), let number = Int(other.dropFirst(prefix.count)), number < .max else { return nil }
            return (other, number)
        }
    }
}
