import Foundation

/// Keeps secrets in files that only their owner can read: where there is no keychain, as on Linux.
///
/// It works as ``FileStore`` does, and refuses where that repairs. A file that others could read (mode 0644, say) may have been read, so its
/// secret is not used: the answer is ``StoredAnswer/unavailable(_:)`` until a new one is stored in its place, as after the next login, or until
/// the person who knows that nobody has read it takes the access away (`chmod 600`). A directory that anybody could replace with another one,
/// because everybody can write to one above it, is not used at all.
///
/// What is stored is not encrypted: whoever can act as the user, and root, can read it.
public final class SecureFileStore: SecureStore {
    private let files: FileStore

    /// Opens the store in `directory`, which is created where it is missing.
    ///
    /// - Parameters:
    ///   - directory: a directory for this store alone; nobody else keeps the right to write to it.
    ///   - lockTimeout: how long ``withExclusiveAccess(_:)`` waits for its turn before it throws.
    ///   - onProblem: is told what was corrupt, repaired or refused: each thing once. No report shows a secret.
    /// - Throws: when secrets cannot be kept there, or would not be safe.
    public init(
        directory: URL,
        lockTimeout: Duration = .seconds(2),
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        files = try FileStore(PosixDirectory(directory), .secret, FileStore.defaultMaximumSize, lockTimeout, onProblem)
    }

    /// The secret stored under `key`; unavailable where others may have read it.
    public func read(_ key: StoreKey) -> StoredAnswer<Data> { files.read(key) }

    /// Replaces the value stored under `key`.
    public func write(_ data: Data, for key: StoreKey) throws(StorageError) { try files.write(data, for: key) }

    /// Removes the value stored under `key`; that there is none is no error.
    public func remove(_ key: StoreKey) throws(StorageError) { try files.remove(key) }

    /// Removes all values.
    public func removeAll() throws(StorageError) { try files.removeAll() }

    /// Moves a value that makes no sense aside, where a person can look at it.
    public func setAside(_ key: StoreKey, because reason: String) throws(StorageError) { try files.setAside(key, because: reason) }

    /// Runs `body` while nobody else is in here.
    public func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try files.withExclusiveAccess(body) }
}
