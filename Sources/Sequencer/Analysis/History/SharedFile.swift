import Foundation
import Sequencer

/// A small file that several processes read and replace: readers find the old content or the new one, writers take turns.
///
/// Writers lock the file itself, so that no second file lies beside it. As a new version takes its place by renaming, a lock counts only if the
/// locked file is still the one at the path. The kernel drops the lock of a process that ends, however it ends. A symbolic link stays one.
package struct SharedFile: Sendable {
    /// The failure, in words for the end of a sentence.
    package struct Problem: Error {
        package let reason: String
        /// The system's code; `ETIMEDOUT` when the file stayed locked.
        package let systemError: Int32

        init(_ action: String, _ code: Int32 = errno) {
            reason = "\(action) failed: \(String(cString: strerror(code)))"
            systemError = code
        }

        init(reason: String, _ code: Int32) {
            self.reason = reason
            systemError = code
        }
    }

    private let givenPath: String

    package init(path: String) {
        givenPath = path
    }

    /// Where the file is, links resolved.
    private var path: String {
        guard let resolved = realpath(givenPath, nil) else { return givenPath }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The file's content; nil without a file.
    ///
    /// - Throws: a ``Problem``, also when there are more bytes than `limit`.
    package func contents(limit: Int) throws -> Data? {
        let descriptor = try openFile(path, O_RDONLY)
        guard let descriptor else { return nil }
        defer { close(descriptor) }
        let size = Int(try status(descriptor).st_size)
        if size > limit { throw Problem(reason: "it has \(size) bytes; the most is \(limit)", EFBIG) }
        var data = Data(count: max(size, 0))
        var count = 0
        while count < data.count {
            let offset = count
            let result = data.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
            // Somebody who does not replace it may have cut it short meanwhile.
            if result == 0 { break }
            if result > 0 { count += result } else if errno != EINTR { throw Problem("reading it") }
        }
        return data.prefix(count)
    }

    /// Runs `body` while no other thread or process is in here. A missing file is made, empty.
    ///
    /// It waits for others on the calling thread.
    ///
    /// - Throws: what `body` throws, or a ``Problem``, also when the file is still locked after `timeout`.
    package func withLock<Result>(timeout: Duration, _ body: () throws -> Result) throws -> Result {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: timeout)
        // The kernel has no lock that gives up after a while, so look again, ever less often.
        var pause: UInt32 = 200
        while true {
            if let descriptor = try lockedIfFree() {
                defer { close(descriptor) }
                return try body()
            }
            if clock.now >= deadline {
                throw Problem(reason: "somebody else kept it locked for more than \(durationText(timeout)); try again", ETIMEDOUT)
            }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
    }

    /// Replaces the content as a whole, and waits until it is on the disk. Only for the one who holds the lock, and once, as the last thing
    /// in there: the lock is on the file that is replaced.
    package func replace(with contents: Data) throws {
        let path = path
        let temporary = Self.sibling(path, "tmp")
        // A killed process has left it behind: nobody else is writing now.
        unlink(temporary)
        // Not through a link that somebody has put there. Others may read it, as far as the process lets them: it holds no secret.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw Problem("creating \(temporary)") }
        do {
            defer { close(descriptor) }
            // The same users can read it as before.
            var old = stat()
            if stat(path, &old) == 0, fchmod(descriptor, old.st_mode & 0o777) != 0 { throw Problem("changing the mode of \(temporary)") }
            try write(contents, to: descriptor)
            // Before the name: a power cut must not leave an empty file there (P12).
            if fsync(descriptor) != 0 { throw Problem("getting it onto the disk") }
            if rename(temporary, path) != 0 { throw Problem("renaming \(temporary)") }
        } catch {
            unlink(temporary)
            throw error
        }
        synchronizeDirectory(of: path)
    }

    /// Keeps the present content beside the file, as `FILE.corrupt`, in place of an earlier copy. Call it with the lock held.
    ///
    /// - Returns: the name of the copy.
    package func keepCorrupt() throws -> String {
        let path = path
        let copy = path + ".corrupt"
        unlink(copy)
        // A second name, not a new one: the lock counts as long as the file is at its path.
        if link(path, copy) != 0 { throw Problem("keeping it as \(copy)") }
        return copy
    }

    // MARK: System calls

    /// A file, hidden, in the same directory.
    private static func sibling(_ path: String, _ ending: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return ".\(path).\(ending)" }
        return "\(path[...slash]).\(path[path.index(after: slash)...]).\(ending)"
    }

    /// Opens a regular file that children do not inherit, without ever waiting; nil when it is missing.
    private func openFile(_ path: String, _ flags: Int32) throws -> Int32? {
        // The system would cut the path at its zero byte, and open another file.
        if path.utf8.contains(0) { throw Problem(reason: "the path holds a zero byte", EINVAL) }
        var descriptor: Int32
        // Not blocking: a named pipe would wait for its other end.
        repeat { descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o666) } while descriptor < 0 && errno == EINTR
        if descriptor < 0 {
            if errno == ENOENT, flags & O_CREAT == 0 { return nil }
            throw Problem("opening it")
        }
        do {
            if try status(descriptor).st_mode & S_IFMT == S_IFREG { return descriptor }
            throw Problem(reason: "it is no regular file", EINVAL)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private func status(_ descriptor: Int32) throws -> stat {
        var status = stat()
        if fstat(descriptor, &status) != 0 { throw Problem("looking at it") }
        return status
    }

    /// Opens and locks the file; nil when it is locked already, or is not the one at the path any more.
    private func lockedIfFree() throws -> Int32? {
        guard let descriptor = try openFile(path, O_RDWR | O_CREAT) else { return nil }
        var isLocked = false
        defer { if !isLocked { close(descriptor) } }
        var result: Int32
        // Not `fcntl`, whose locks are those of the whole process, and end when any descriptor of the file is closed.
        repeat { result = flock(descriptor, LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
        if result != 0 {
            if errno == EWOULDBLOCK { return nil }
            throw Problem("locking it")
        }
        var current = stat()
        guard stat(path, &current) == 0 else { return nil }
        let locked = try status(descriptor)
        // It may have been replaced after it was opened: then the lock is on a file that nobody reads any more.
        isLocked = locked.st_dev == current.st_dev && locked.st_ino == current.st_ino
        return isLocked ? descriptor : nil
    }

    private func write(_ data: Data, to descriptor: Int32) throws {
        var count = 0
        while count < data.count {
            let offset = count
            let result = data.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
            if result >= 0 { count += result } else if errno != EINTR { throw Problem("writing \(data.count) bytes") }
        }
    }

    /// Otherwise a power cut could bring back the old version. File systems that cannot do this for directories do it by themselves.
    private func synchronizeDirectory(of path: String) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
