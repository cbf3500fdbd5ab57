import Foundation
import Sequencer

/// A small file that several processes read and replace: readers find the old content or the new one, writers take
/// turns.
///
/// Writers lock the file itself, so that no second file lies beside it. As a new version takes its place by renaming, a
/// lock counts only if the locked file is still the one at the path. The kernel drops the lock of a process that ends,
/// however it ends. A symbolic link stays one.
struct SharedFile: Sendable {
    private let givenPath: String

    init(path: String) { givenPath = path }

    /// Where the file is, links resolved.
    private var path: String {
        guard let resolved = realpath(givenPath, nil) else { return givenPath }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The file's content; nil without a file.
    ///
    /// - Throws: a ``HistoryError``, also when there are more bytes than `limit`.
    func contents(limit: Int) throws -> Data? {
        guard let file = try open(O_RDONLY) else { return nil }
        let size = Int(try status(of: file).st_size)
        if size > limit { throw HistoryError(.unreadable, "it has \(size) bytes; the most is \(limit)") }
        return try file.readToEnd() ?? Data()
    }

    /// Runs `body` while no other thread or process is in here. A missing file is made, empty.
    ///
    /// It waits for others on the calling thread.
    ///
    /// - Throws: what `body` throws, or a ``HistoryError``, also when the file is still locked after `timeout`.
    func withLock<Result>(timeout: Duration, _ body: () throws -> Result) throws -> Result {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        // The kernel has no lock that gives up after a while, so look again, ever less often.
        var pause: UInt32 = 200
        while true {
            if let file = try lockedIfFree() { return try withExtendedLifetime(file, body) }
            if ContinuousClock.now >= deadline {
                throw HistoryError(.locked, "somebody else kept it locked for more than \(durationText(timeout)); try again")
            }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
    }

    /// Replaces the content as a whole, and waits until it is on the disk. Only for the one who holds the lock, and
    /// once, as the last thing in there: the lock is on the file that is replaced.
    func replace(with contents: Data) throws {
        let url = URL(fileURLWithPath: path), folder = url.deletingLastPathComponent().path
        let temporary = "\(folder)/.\(url.lastPathComponent).tmp"
        // A killed process has left it behind: nobody else is writing now.
        unlink(temporary)
        do {
            // Not through a link that somebody has put there. Others may read it, as far as the process lets them: it
            // holds no secret.
            let descriptor = Foundation.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            let file = FileHandle(fileDescriptor: try Self.done("creating \(temporary)", descriptor), closeOnDealloc: true)
            // The same users can read it as before.
            var old = stat()
            if stat(url.path, &old) == 0 { try Self.done("changing the mode of \(temporary)", fchmod(descriptor, old.st_mode & 0o777)) }
            try file.write(contentsOf: contents)
            // Before the name: a power cut must not leave an empty file there (P12).
            try Self.done("getting it onto the disk", fsync(descriptor))
            try Self.done("renaming \(temporary)", rename(temporary, url.path))
        } catch {
            unlink(temporary)
            throw error
        }
        // Otherwise a power cut could bring back the old version. File systems that cannot do this for directories do
        // it by themselves.
        let directory = Foundation.open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// Keeps the present content beside the file, as `FILE.corrupt`, in place of an earlier copy. Call it with the lock
    /// held.
    ///
    /// - Returns: the name of the copy.
    func keepCorrupt() throws -> String {
        let path = path, copy = path + ".corrupt"
        unlink(copy)
        // A second name, not a new one: the lock counts as long as the file is at its path.
        try Self.done("keeping it as \(copy)", link(path, copy))
        return copy
    }

    // MARK: System calls

    /// The result of a call of the system; one that is negative is a failure.
    @discardableResult
    private static func done(_ action: String, _ result: Int32) throws -> Int32 {
        if result < 0 { throw HistoryError(.unreadable, "\(action) failed: \(String(cString: strerror(errno)))") }
        return result
    }

    /// Opens a regular file that children do not inherit, without ever waiting; nil when it is missing.
    private func open(_ flags: Int32) throws -> FileHandle? {
        // The system would cut the path at its zero byte, and open another file.
        if givenPath.utf8.contains(0) { throw HistoryError(.unreadable, "the path holds a zero byte") }
        // Not blocking: a named pipe would wait for its other end.
        let descriptor = Foundation.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o666)
        if descriptor < 0, errno == ENOENT, flags & O_CREAT == 0 { return nil }
        let file = FileHandle(fileDescriptor: try Self.done("opening it", descriptor), closeOnDealloc: true)
        if try status(of: file).st_mode & S_IFMT == S_IFREG { return file }
        throw HistoryError(.unreadable, "it is no regular file")
    }

    private func status(of file: FileHandle) throws -> stat {
        var status = stat()
        try Self.done("looking at it", fstat(file.fileDescriptor, &status))
        return status
    }

    /// Opens and locks the file; nil when it is locked already, or is not the one at the path any more.
    private func lockedIfFree() throws -> FileHandle? {
        guard let file = try open(O_RDWR | O_CREAT) else { return nil }
        // Not `fcntl`, whose locks are those of the whole process, and end when any descriptor of the file is closed.
        let result = flock(file.fileDescriptor, LOCK_EX | LOCK_NB)
        if result != 0, errno == EWOULDBLOCK || errno == EINTR { return nil }
        try Self.done("locking it", result)
        var current = stat()
        guard stat(path, &current) == 0 else { return nil }
        // It may have been replaced after it was opened: then the lock is on a file that nobody reads any more.
        let locked = try status(of: file)
        return locked.st_dev == current.st_dev && locked.st_ino == current.st_ino ? file : nil
    }
}
