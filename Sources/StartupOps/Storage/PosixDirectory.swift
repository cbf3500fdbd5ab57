import Foundation

/// A directory of files, each replaced as a whole: the system calls for that, and the rules that a directory has to
/// obey.
package struct PosixDirectory: Sendable {
    /// Temporary files begin with this; no file name of a key does.
    static let temporaryPrefix = ".tmp-"

    package let path: String

    package init(path: String) { self.path = path }

    /// The directory at `url`, which need not exist, but has to be the URL of a file.
    init(_ url: URL) throws(StorageError) {
        guard url.isFileURL else {
            throw StorageError(.invalidPlace, url.path, "it is no file URL, expected one made from a path", systemError: EINVAL)
        }
        path = url.path
    }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    // MARK: Preparing

    /// Creates the directory where it is missing, for the owner only, and checks it. Returns its repairs.
    package func prepare() throws(StorageError) -> [StorageError] {
        if path.utf8.contains(0) { throw .zeroByte(in: path) }
        try Self.create(path)
        // Following links: the user may have put the folder elsewhere on purpose.
        guard let status = try PosixFile.status(of: path, followingLinks: true) else {
            throw StorageError("looking at it", path, errno: ENOENT)
        }
        guard status.isDirectory else { throw StorageError("opening it as a directory", path, errno: ENOTDIR) }
        try status.checkOwner(path, "choose another place")
        // The sticky bit means that the folder is shared on purpose: it must not be closed to others.
        if status.permissions & S_ISVTX != 0 {
            // For example /tmp, which a root user would otherwise take away from all others.
            let finding = "it is shared by several users (mode \(octal(status.permissions)))"
            throw StorageError(.invalidPlace, path, "\(finding); choose a directory in it", systemError: EPERM)
        }
        var repaired: [StorageError] = []
        // Others may list the names: most tools create directories so, and it does no harm.
        if status.permissions & 0o022 != 0 {
            if chmod(path, 0o700) != 0 { throw StorageError("changing its mode", path) }
            let finding = "its mode was \(octal(status.permissions)), so others could write to it"
            repaired.append(StorageError(.accessDenied, path, "\(finding); it is 0700 now"))
        }
        // Tried last, by the rights of the process: a repair above may have given them.
        if access(path, R_OK | W_OK | X_OK) != 0 { throw StorageError("writing to it", path) }
        return repaired
    }

    /// Creates a directory where it is missing, and those above it first.
    private static func create(_ path: String) throws(StorageError) {
        if try PosixFile.status(of: path, followingLinks: true) != nil { return }
        let parent = parent(of: path)
        // The root, or a relative path's own folder: there is nothing above.
        if parent != path { try create(parent) }
        // Another process may have been faster.
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw StorageError("creating it", path) }
        // Otherwise a power cut could take the directory with all that was stored in it.
        try? PosixDirectory(path: parent).synchronize()
    }

    /// A directory above that everybody can write to, so that anybody could replace this one; nil if all are safe.
    func openAncestor() -> StorageError? {
        // The directories on the way to where the data really are.
        guard var next = resolvedPath else { return nil }
        while next != "/" {
            next = Self.parent(of: next)
            // With the sticky bit, as on /tmp, only owners can rename their files.
            if let status = try? PosixFile.status(of: next), status.permissions & (S_IWOTH | S_ISVTX) == S_IWOTH {
                let finding = "everybody can write to it (mode \(octal(status.permissions)))"
                return .notTrusted(next, "\(finding), so anybody can replace \(path); take that away: chmod o-w")
            }
        }
        return nil
    }

    /// The path with its symbolic links resolved; nil where there is nothing.
    var resolvedPath: String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func parent(of path: String) -> String {
        let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        return parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(parent)
    }

    // MARK: Files

    /// The names in the directory; none when it cannot be read.
    package func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    /// Replaces a file's content as a whole, and waits until it is on the disk.
    ///
    /// A reader finds the old content or the new one at every moment, in a file that only its owner can read.
    func replace(_ name: String, with contents: Data) throws(StorageError) {
        let temporary = try makeTemporary()
        do throws(StorageError) {
            // All of it on the disk before the rename: otherwise a power cut could leave the new name with nothing in
            // it (P12).
            var size = 0
            try temporary.append(Array(contents), after: &size)
            try temporary.synchronize()
            // Atomic on POSIX: a reader finds the old file or the new one.
            try renameFile(temporary.path, to: path(name))
        } catch {
            unlink(temporary.path)
            throw StorageError(error.code, path(name), error.reason, systemError: error.systemError)
        }
        // After the rename: without this a power cut could bring the old name back.
        try synchronize()
    }

    /// A new file under a unique name, locked while it is open: the lock tells others that it is in use.
    package func makeTemporary() throws(StorageError) -> PosixFile {
        for _ in 0..<100 {
            // The process's number helps a user who looks; chance makes it unique.
            let name = "\(Self.temporaryPrefix)\(getpid())-\(String(UInt64.random(in: .min ... .max), radix: 36))"
            let file: PosixFile
            do throws(StorageError) {
                file = try PosixFile(path(name), O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
            } catch  where error.systemError == EEXIST {
                continue
            }
            // Another process may sweep between creating and locking. Where files cannot be locked, nobody sweeps.
            let isLocked = (try? file.lockIfFree()) ?? true
            // A link count of 0 means that a sweep was faster.
            let status = try file.status()
            if isLocked, status.st_nlink > 0 {
                // A umask may have taken away too much.
                if status.permissions & 0o600 != 0o600 { try file.setPermissions(0o600) }
                return file
            }
        }
        throw StorageError("creating a temporary file", path, errno: EEXIST)
    }

    /// Removes the temporary files of processes that were killed.
    package func sweep() {
        for name in names() where name.hasPrefix(Self.temporaryPrefix) {
            // Locked means in use. A file that cannot be opened or locked is left alone.
            guard let file = try? PosixFile(path(name), O_RDONLY), (try? file.lockIfFree()) == true else { continue }
            unlink(file.path)
        }
    }

    /// Removes a file. A missing file is not an error; returns whether there was one.
    @discardableResult
    func remove(_ name: String) throws(StorageError) -> Bool {
        if unlink(path(name)) == 0 { return true }
        // Somebody else has removed it.
        if errno == ENOENT { return false }
        throw StorageError("removing it", path(name))
    }

    /// Renames a file, in place of the one that has the new name. Returns whether there was a file to rename.
    @discardableResult
    package func move(_ name: String, to newName: String) throws(StorageError) -> Bool {
        do throws(StorageError) {
            try renameFile(path(name), to: path(newName))
            return true
        } catch  where error.systemError == ENOENT {
            return false
        }
    }

    private func renameFile(_ path: String, to newPath: String) throws(StorageError) {
        if rename(path, newPath) != 0 { throw StorageError("renaming it to \(newPath)", path) }
    }

    /// Waits until the names in the directory are on the disk.
    func synchronize() throws(StorageError) {
        // Opened as the place it is, which may be a symbolic link.
        try PosixFile("\(path)/.", O_RDONLY | O_DIRECTORY).synchronize()
    }
}

/// `0644`.
func octal(_ permissions: mode_t) -> String { String(format: "%04o", UInt32(permissions)) }
