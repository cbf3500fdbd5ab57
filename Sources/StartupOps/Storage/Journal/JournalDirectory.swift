import Foundation

/// The journals of past launches: a file for each, named by its number, so that none is ever rewritten.
///
/// A process keeps its launch's file locked as long as it lives, and the kernel takes the lock away when it ends, however it ends: that is how
/// others know a launch that goes on from one that died. A file gets its name when its first line is in it and it is locked.
struct JournalDirectory: Sendable {
    /// The most of a file that is read: a launch of thousands of operations.
    static let largestFile = 4 << 20
    private static let ending = ".jsonl"

    let directory: PosixDirectory

    /// A file of the directory.
    private struct Entry {
        let name: String
        let number: Int
    }

    // MARK: Reading

    /// The launches, the newest first; each is read when it is looked at.
    var launches: some Sequence<JournaledLaunch> { entries.lazy.compactMap(read) }

    private var entries: [Entry] {
        let entries = directory.names().compactMap { name -> Entry? in
            guard name.hasSuffix(Self.ending), let number = Int(name.prefix { $0 != "-" }), number >= 0, number < .max else { return nil }
            return Entry(name: name, number: number)
        }
        return entries.sorted { ($0.number, $0.name) > ($1.number, $1.name) }
    }

    /// Nil for one that is gone by now, or that is no file of this user.
    private func read(_ entry: Entry) -> JournaledLaunch? {
        guard let file = try? PosixFile(directory.path(entry.name), O_RDONLY), let status = try? file.status(), status.isRegularFile,
            status.owner == geteuid()
        else { return nil }
        // In this order: a launch that ends in between is read to its end.
        let isRunning = file.isLocked
        let contents = (try? file.contents(limit: Self.largestFile)) ?? Data()
        return JournaledLaunch(number: entry.number, contents, isRunning: isRunning)
    }

    // MARK: Writing

    /// Starts the file of a new launch with its first line, and removes those of old ones.
    ///
    /// - Parameters:
    ///   - launches: how many files are kept.
    ///   - size: how many bytes they may have together.
    func begin(_ line: JournalLine, keeping launches: Int, size: Int) throws(StorageError) -> JournalFile {
        _ = try directory.prepare()
        let old = entries
        let file = try directory.makeTemporary()
        let bytes = line.bytes
        let number = (old.first?.number ?? 0) + 1
        // Two launches at once may have the same number, and still are two.
        let digits = String(number)
        let padding = String(repeating: "0", count: max(6 - digits.count, 0))
        let name = "\(padding)\(digits)-\(String(UInt64.random(in: .min ... .max), radix: 36))\(Self.ending)"
        let temporary = String(file.path.dropFirst(directory.path.count + 1))
        do throws(StorageError) {
            try file.append(bytes, after: 0)
            try directory.move(temporary, to: name)
        } catch {
            unlink(file.path)
            throw error
        }
        removeOld(old, keeping: launches - 1, size: size)
        return JournalFile(file, path: directory.path(name), number: number, size: bytes.count)
    }

    private func removeOld(_ entries: [Entry], keeping count: Int, size: Int) {
        var total = 0
        for (index, entry) in entries.enumerated() {
            let path = directory.path(entry.name)
            total += (try? PosixFile.status(of: path))??.size ?? 0
            // However large the newest are, what they say is needed.
            guard index >= count || (index >= 10 && total > size) else { continue }
            // Of a launch that goes on, the process holds the file.
            guard let file = try? PosixFile(path, O_RDONLY), !file.isLocked else { continue }
            unlink(path)
        }
        directory.sweep()
    }
}
