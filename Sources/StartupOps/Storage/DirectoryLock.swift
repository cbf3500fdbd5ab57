import Dispatch
import Foundation
import Sequencer

/// Lets one thread of one process at a time into a directory.
///
/// The kernel drops the lock of a process that ends, however it ends. A thread that is in already may enter again. The
/// main thread never waits: it gets in at once, or an error.
final class DirectoryLock: Sendable {
    private static let name = ".lock"

    private let file: LockFile
    private let patience: LockPatience
    /// Threads of this process that use this lock queue up here; only the first looks at the file.
    private let turn = DispatchSemaphore(value: 1)
    /// The thread that is in, as `currentThreadIdentity()` says. A `pthread_t` is a pointer on some systems, and those
    /// are not Sendable.
    private let holder = Locked<UInt?>(nil)

    init(_ directory: PosixDirectory, _ patience: LockPatience) {
        file = LockFile(directory: directory, name: Self.name)
        self.patience = patience
    }

    static func isLockFile(_ name: String) -> Bool { name == Self.name }

    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = currentThreadIdentity()
        // This thread is inside already: `flock` by another descriptor would lock it out.
        if holder.withLock({ $0 == thread }) { return try body() }

        let isMain = MainThreadCheck.isCurrent
        // The main thread never waits (S21).
        let share = isMain ? .zero : patience.share(for: file.path)
        let deadline = Deadline.after(share)
        func giveUp(_ who: String) -> StorageError {
            // The main thread has not waited, so it uses up nobody's patience.
            let waited = isMain ? nil : patience.waited(share, for: file.path)
            let what = waited.map { "for more than \(durationText($0))" } ?? "and the main thread does not wait for it"
            let cure = who.hasPrefix("process") ? "try again when it is done, or end it if it hangs" : "try again"
            return StorageError(.inputOutput, file.path, "\(who) kept the store locked \(what); \(cure)", systemError: ETIMEDOUT)
        }
        let nanoseconds = Int(clamping: (deadline.remaining ?? .seconds(366 * 86_400)).nanoseconds)
        guard turn.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
            // The thread before this one may be waiting for another process.
            throw giveUp(file.holder.flatMap { $0 == getpid() ? nil : "process \($0)" } ?? "another thread")
        }
        defer { turn.signal() }
        guard let lock = try locked(by: deadline) else { throw giveUp(file.holder.map { "process \($0)" } ?? "another process") }
        patience.gotIn(file.path)
        holder.withLock { $0 = thread }
        defer { holder.withLock { $0 = nil } }
        return try withExtendedLifetime(lock, body)
    }

    private func locked(by deadline: Deadline) throws(StorageError) -> HeldLock? {
        // The kernel has no lock that gives up after a while, so look again, ever less often.
        var pause: UInt32 = 500
        while true {
            if let lock = try file.lock() { return lock }
            if deadline.isOver { return nil }
            usleep(pause)
            // 20 ms at most, so that a lock that becomes free is taken soon.
            pause = min(pause * 2, 20_000)
        }
    }
}

/// A file that at most one process has locked. The kernel drops the lock of a process that ends, however it ends.
///
/// The process that gets the lock writes its number into the file, so that others can name it.
package struct LockFile: Sendable {
    private let directory: PosixDirectory
    private let name: String

    package init(directory: PosixDirectory, name: String) {
        self.directory = directory
        self.name = name
    }

    var path: String { directory.path(name) }

    /// Locks the file, which is created where it is missing; nil when another holder has it locked. Never waits.
    package func lock() throws(StorageError) -> HeldLock? {
        // Somebody may remove the file between opening and locking it: then others lock another one, and it has to be
        // opened again.
        for _ in 0..<10 {
            let file = try open()
            // By the kernel's lock, not by the file's existence: that would stay after a kill (S12).
            guard try file.lockIfFree() else { return nil }
            guard let current = try PosixFile.status(of: path), current.isSameFile(as: try file.status()) else { continue }
            // Without it the holder is not named.
            try? file.replaceContents(Array("\(getpid())\n".utf8))
            return HeldLock(file)
        }
        return nil
    }

    /// The process that has the lock; nil when it is free or the process is not known.
    package var holder: Int32? {
        guard let file = try? PosixFile(path, O_RDONLY), file.isLocked else { return nil }
        return Self.holder((try? file.contents(limit: 100)) ?? Data())
    }

    static func holder(_ contents: Data) -> Int32? {
        let first = String(decoding: contents, as: UTF8.self).split(whereSeparator: \.isWhitespace).first
        return first.flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    private func open() throws(StorageError) -> PosixFile {
        do throws(StorageError) {
            return try PosixFile(path, O_RDWR | O_CREAT, permissions: 0o600)
        } catch  where error.systemError == ENOENT {
            // The directory is gone, as caches may be at any time.
            _ = try directory.prepare()
            return try PosixFile(path, O_RDWR | O_CREAT, permissions: 0o600)
        }
    }
}

/// A lock that is held until the last reference to it is gone.
package final class HeldLock: Sendable {
    private let file: PosixFile

    init(_ file: consuming PosixFile) { self.file = file }

    // Nothing is left of a turn that is over: the next holder may be seen before it has written its own.
    deinit {
        try? file.replaceContents([])
        file.unlock()
    }
}

/// How long the stores of one folder wait for their locks, all of them together.
///
/// A process that keeps a lock for ever keeps others waiting once, not at each access: a lock that was waited for in
/// vain is not waited for again until it was free once. The other locks of the folder still are, for a tenth of the
/// time if nothing is left of it: their holders may need a moment only.
final class LockPatience: Sendable {
    /// The waiting time of a folder's stores in all, unless said otherwise: less than any step of a launch has.
    static let usual = Duration.milliseconds(500)

    private let limit: Duration
    /// The time waited in vain, by the path of the lock.
    private let spent = Locked<[String: Duration]>([:])

    init(_ limit: Duration = LockPatience.usual) { self.limit = max(limit, .zero) }

    /// How long to wait for a lock now.
    func share(for path: String) -> Duration {
        spent.withLock { $0[path] == nil ? max(limit - $0.values.reduce(.zero, +), limit / 10) : .zero }
    }

    /// Notes that a lock was waited for in vain, and returns the longest time that a thread has waited for it.
    func waited(_ share: Duration, for path: String) -> Duration {
        spent.withLock { spent in
            spent[path] = max(share, spent[path] ?? .zero)
            return spent[path] ?? share
        }
    }

    func gotIn(_ path: String) { spent.withLock { $0[path] = nil } }
}
