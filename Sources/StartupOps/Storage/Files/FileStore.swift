import Foundation

/// Keeps values in the files of a directory, one for each key, so that they outlive crashes, kills and power cuts.
///
/// A value is replaced as a whole: written to a temporary file that only the owner can read, brought onto the disk, and renamed. What cannot be
/// trusted when it is read (cut short, a bit flipped, written by another format) is moved aside as `KEY.corrupt-N`, counts as absent, and is told
/// to `onProblem`; so is what had to be repaired, such as a file that others could read. A file that is a symbolic link, a directory, a FIFO or
/// somebody else's is not read: the answer is then ``StoredAnswer/unavailable(_:)``, until a value is written in its place.
///
/// ```swift
/// let store = try FileStore(directory: folder) { problem in print("warning:", problem) }
/// try store.save(["de", "en"], for: "languages")
/// ```
///
/// Every method can be called from any thread and may wait for the disk. Several stores, in this process and others, can use one directory.
public final class FileStore: DataStore {
    /// The largest value that is kept unless said otherwise: 16 MB.
    public static let defaultMaximumSize = 16 << 20

    let directory: PosixDirectory
    let secrecy: Secrecy
    let maximumSize: Int
    let problems: ProblemReporter
    private let lock: DirectoryLock

    /// How a store treats what others may have read.
    enum Secrecy {
        /// Repaired, and reported.
        case ordinary
        /// Refused.
        case secret
    }

    /// Opens the store in `directory`, which is created where it is missing, and cleans up what killed processes have left.
    ///
    /// - Parameters:
    ///   - directory: a directory for this store alone; nobody else keeps the right to write to it.
    ///   - maximumSize: the largest value in bytes; a file that is larger is no value of this store.
    ///   - lockTimeout: how long ``withExclusiveAccess(_:)`` waits for its turn before it throws.
    ///   - onProblem: is told, on the thread that noticed it, what was corrupt, repaired or refused: each thing once.
    /// - Throws: when values cannot be kept there. The error names the path and the system's error number.
    public convenience init(
        directory: URL,
        maximumSize: Int = FileStore.defaultMaximumSize,
        lockTimeout: Duration = .seconds(2),
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        try self.init(PosixDirectory(directory), .ordinary, maximumSize, lockTimeout, onProblem)
    }

    init(
        _ directory: PosixDirectory,
        _ secrecy: Secrecy,
        _ maximumSize: Int,
        _ lockTimeout: Duration,
        _ onProblem: @escaping @Sendable (StorageError) -> Void
    ) throws(StorageError) {
        self.directory = directory
        self.secrecy = secrecy
        self.maximumSize = min(max(0, maximumSize), Int(UInt32.max))
        problems = ProblemReporter(onProblem)
        lock = DirectoryLock(directory, timeout: max(lockTimeout, .zero))
        for repair in try directory.prepare() { problems.report(repair) }
        if let ancestor = directory.openAncestor() {
            if secrecy == .secret { throw ancestor }
            problems.report(ancestor)
        }
        directory.sweep()
    }

    /// The value stored under `key`; what cannot be trusted is moved aside, and counts as absent.
    public func read(_ key: StoreKey) -> StoredAnswer<Data> {
        let name = StoreFileName(key)
        let status: PosixFile.Status
        let decoded: DecodedFile
        do throws(StorageError) {
            guard let file = try open(name) else { return .absent }
            status = try file.status()
            decoded = try decode(file, name, status)
        } catch {
            problems.report(error)
            return .unavailable(error)
        }
        switch decoded {
        case .success(let value): return .value(value)
        case .failure(let corruption):
            try? moveAside(name, because: corruption.reason, onlyIf: status)
            return .absent
        }
    }

    /// Replaces the value stored under `key`, and waits until it is on the disk.
    ///
    /// - Throws: when it could not be stored, as on a full disk; what was stored before is then unchanged.
    public func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        let name = StoreFileName(key)
        guard data.count <= maximumSize else {
            throw StorageError(
                .noSpace,
                directory.path(name.description),
                "\(data.count) bytes are more than the \(maximumSize) allowed here"
            )
        }
        let contents = StoredFile.encode(data, for: name)
        do throws(StorageError) {
            try directory.replace(name.description, with: contents)
        } catch  where error.systemError == ENOENT {
            // The directory is gone, as caches may be at any time.
            for repair in try directory.prepare() { problems.report(repair) }
            try directory.replace(name.description, with: contents)
        }
    }

    /// Removes a value, and what was moved aside from its place: who removes something does not want it to be left anywhere.
    public func remove(_ key: StoreKey) throws(StorageError) {
        let name = StoreFileName(key)
        try remove([name.description] + asideNames(of: name).map(\.name))
    }

    /// Removes all values, and all that was moved aside.
    public func removeAll() throws(StorageError) {
        try remove(directory.names().filter { !DirectoryLock.isLockFile($0) && !$0.hasPrefix(PosixDirectory.temporaryPrefix) })
        directory.sweep()
    }

    private func remove(_ names: [String]) throws(StorageError) {
        var problem: StorageError?
        var removed = false
        // One that cannot be removed is no reason to keep the others.
        for name in names {
            do throws(StorageError) {
                if try directory.remove(name) { removed = true }
            } catch {
                problem = problem ?? error
            }
        }
        if removed { try directory.synchronize() }
        if let problem { throw problem }
    }

    /// Renames the file of a value that makes no sense to `KEY.corrupt-N`; the newest three are kept.
    public func setAside(_ key: StoreKey, because reason: String) throws(StorageError) {
        try moveAside(StoreFileName(key), because: reason)
    }

    /// Runs `body` while no other thread and no other process is in here. The thread that is in here may enter again.
    ///
    /// Reading and writing alone need no exclusive access, and do not wait for it.
    ///
    /// - Throws: what `body` throws, or ``StorageError`` when the store is still locked by somebody else after the timeout.
    public func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        try lock.withLock(body)
    }
}
