import Foundation

extension FileStore {
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
