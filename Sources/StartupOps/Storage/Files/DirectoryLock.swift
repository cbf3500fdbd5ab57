import Dispatch
import Foundation
import Sequencer

/// Lets one thread of one process at a time into a directory.
///
/// The kernel drops the lock of a process that ends, however it ends. A thread that is in already may enter again.
final class DirectoryLock: Sendable {
    private static let name = ".lock"

    private let directory: PosixDirectory
    private let timeout: Duration
    /// Threads of this process that use this lock queue up here; only the first looks at the file.
    private let turn = DispatchSemaphore(value: 1)
    private let holder = Locked<pthread_t?>(nil)

    init(_ directory: PosixDirectory, timeout: Duration) {
        self.directory = directory
        self.timeout = timeout
    }

    static func isLockFile(_ name: String) -> Bool { name == Self.name }

    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = pthread_self()
        if holder.withLock({ $0.map { pthread_equal($0, thread) != 0 } ?? false }) { return try body() }

        let deadline = Deadline.after(timeout)
        let nanoseconds = Int(clamping: (deadline.remaining ?? .seconds(366 * 86_400)).nanoseconds)
        guard turn.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { throw timedOut("another thread") }
        defer { turn.signal() }
        let file = try lockedFile(by: deadline)
        holder.withLock { $0 = thread }
        defer { holder.withLock { $0 = nil } }
        return try withExtendedLifetime(file, body)
    }

    private func lockedFile(by deadline: Deadline) throws(StorageError) -> OpenFile {
        // The kernel has no lock that gives up after a while, so look again, ever less often.
        var pause: UInt32 = 500
        while true {
            let file = try open()
            let isLocked = try file.lockIfFree()
            if isLocked {
                // Somebody may have removed the file in between: then others lock another one.
                let current = try PosixFile.status(of: file.path)
                if try current?.isSameFile(as: file.status()) == true { return OpenFile(file) }
            }
            if deadline.isOver { throw timedOut("another process") }
            if !isLocked {
                usleep(pause)
                pause = min(pause * 2, 20_000)
            }
        }
    }

    private func open() throws(StorageError) -> PosixFile {
        let path = directory.path(Self.name)
        do throws(StorageError) {
            return try PosixFile(path, O_RDWR | O_CREAT, permissions: 0o600)
        } catch  where error.systemError == ENOENT {
            // The directory is gone, as caches may be at any time.
            _ = try directory.prepare()
            return try PosixFile(path, O_RDWR | O_CREAT, permissions: 0o600)
        }
    }

    private func timedOut(_ who: String) -> StorageError {
        StorageError(
            .inputOutput,
            directory.path(Self.name),
            "\(who) kept the store locked for more than \(durationText(timeout)); try again",
            systemError: ETIMEDOUT
        )
    }
}

/// A box, so that a closure can keep a file open.
private final class OpenFile {
    let file: PosixFile

    init(_ file: consuming PosixFile) { self.file = file }
}
