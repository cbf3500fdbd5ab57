import Foundation

/// An open file, closed at the end of its life: the only place, with `PosixDirectory`, in which stores make system
/// calls.
///
/// Foundation's own writing gives secrets to others for a moment (files are created 0644, or with `.atomic` stay so)
/// and leaves copies behind when the process is killed.
package struct PosixFile: ~Copyable {
    package let path: String
    private let descriptor: Int32

    deinit { close(descriptor) }

    /// Opens a file, but no symbolic link. Children do not inherit it.
    ///
    /// Opening never waits, not even for somebody to write to a FIFO.
    package init(_ path: String, _ flags: Int32, permissions: mode_t = 0) throws(StorageError) {
        // The system would cut the path at the zero byte, and open another file.
        if path.utf8.contains(0) { throw .zeroByte(in: path) }
        var descriptor: Int32
        // O_NOFOLLOW and O_NONBLOCK: neither a link nor a pipe in its place can lead elsewhere, or hold the process
        // (S9).
        repeat { descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, permissions) } while descriptor < 0 && errno == EINTR
        if descriptor < 0 { throw StorageError("opening it", path) }
        self.path = path
        self.descriptor = descriptor
    }

    /// The properties of the file at `path`, of a symbolic link itself; nil when the path is free.
    package static func status(of path: String, followingLinks: Bool = false) throws(StorageError) -> stat? {
        var info = stat()
        // lstat: the link itself is looked at, since opening does not follow it.
        if (followingLinks ? stat(path, &info) : lstat(path, &info)) == 0 { return info }
        if errno == ENOENT { return nil }
        throw StorageError("looking at it", path)
    }

    package func status() throws(StorageError) -> stat {
        var info = stat()
        if fstat(descriptor, &info) != 0 { throw StorageError("looking at it", path) }
        return info
    }

    func setPermissions(_ permissions: mode_t) throws(StorageError) {
        if fchmod(descriptor, permissions) != 0 { throw StorageError("changing its mode", path) }
    }

    /// Everything in the file, but no more than `limit` bytes.
    package func contents(limit: Int) throws(StorageError) -> Data {
        // The size may grow while it is read: no more than this is taken.
        let capacity = min(max(Int(try status().st_size), 0), limit)
        var data = Data(count: capacity)
        var count = 0
        while count < capacity {
            let offset = count
            let result = data.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + offset }, capacity - offset) }
            if result == 0 { break }
            if result > 0 { count += result } else if errno != EINTR { throw StorageError("reading it", path) }
        }
        return data.prefix(count)
    }

    /// Writes all of `bytes` where the last write ended.
    ///
    /// Writing past the limit of the process (`ulimit -f`) ends it by SIGXFSZ. To ignore or block that signal would
    /// change its meaning for the whole app; as files here are written from their beginning, it is enough to look at
    /// the limit first.
    ///
    /// - Parameter size: the bytes of the file; raised by the bytes that were written, also when it throws.
    /// - Throws: also when only some of them could be written.
    package func append(_ bytes: [UInt8], after size: inout Int) throws(StorageError) {
        let call = "writing \(bytes.count) bytes"
        if let limit = Self.sizeLimit, UInt64(size + bytes.count) > limit { throw StorageError(call, path, errno: EFBIG) }
        var count = 0
        while count < bytes.count {
            let result = bytes[count...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if result < 0, errno != EINTR { throw StorageError(call, path) }
            count += max(result, 0)
            size += max(result, 0)
        }
    }

    /// Replaces the content of a file that was opened for reading and writing by a few `bytes`; on an error nothing is
    /// left of the old content.
    func replaceContents(_ bytes: [UInt8]) throws(StorageError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw StorageError("writing to it", path) }
        var size = 0
        try append(bytes, after: &size)
    }

    private static var sizeLimit: UInt64? {
        var limit = rlimit()
        #if canImport(Glibc)
            let result = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            let result = getrlimit(RLIMIT_FSIZE, &limit)
        #endif
        return result == 0 ? UInt64(limit.rlim_cur) : nil
    }

    /// Waits until the file, or the directory's entries, are on the disk, before everything that is written later.
    func synchronize() throws(StorageError) {
        #if canImport(Darwin)
            // There, fsync does not keep the disk from reordering. A barrier does, and costs less than flushing the
            // disk's whole cache.
            if fcntl(descriptor, F_BARRIERFSYNC) == 0 { return }
        #endif
        // EINVAL: file systems that cannot do this for directories.
        if fsync(descriptor) != 0, errno != EINVAL { throw StorageError("getting it onto the disk", path) }
    }

    /// Whether somebody, also in this process, has the file locked.
    ///
    /// The lock is tried as one that can be shared: any number may look at the same time.
    package var isLocked: Bool {
        if !lock(LOCK_SH) { return errno == EWOULDBLOCK }
        unlock()
        return false
    }

    /// Lets go of the lock. Closing the file does so only when a child process that is being started meanwhile, on
    /// another thread, has closed its copy of the descriptor.
    func unlock() { flock(descriptor, LOCK_UN) }

    /// Locks the file against other processes that lock it, until it is closed, or its process ends. False when it is
    /// locked already.
    func lockIfFree() throws(StorageError) -> Bool {
        if lock(LOCK_EX) { return true }
        if errno == EWOULDBLOCK { return false }
        throw StorageError("locking it", path)
    }

    private func lock(_ kind: Int32) -> Bool {
        var result: Int32
        repeat { result = flock(descriptor, kind | LOCK_NB) } while result != 0 && errno == EINTR
        return result == 0
    }
}

/// The properties of a file that stores look at.
extension stat {
    package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var permissions: mode_t { st_mode & 0o7777 }

    func isSameFile(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }

    /// Throws unless it is this user's: another user could change it at any time.
    func checkOwner(_ path: String, _ remedy: String) throws(StorageError) {
        if st_uid == geteuid() { return }
        throw .notTrusted(path, "it belongs to user \(st_uid), expected user \(geteuid()); \(remedy)")
    }
}

extension StorageError {
    /// The file at `path` cannot be trusted, and is not used.
    static func notTrusted(_ path: String, _ reason: String) -> StorageError { .init(.accessDenied, path, reason, systemError: EPERM) }

    /// The system would take the path for another one, which ends there.
    static func zeroByte(in path: String) -> StorageError {
        StorageError(.invalidPlace, path, "the path holds a zero byte", systemError: EINVAL)
    }

    /// The error of a system call that failed on `path`. Make it before anything else can change `errno`.
    init(_ call: String, _ path: String, errno number: Int32 = errno) {
        let code: Code =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            case EPERM: Self.notPermitted
            case EACCES, EROFS: .accessDenied
            case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST, ENXIO: .invalidPlace
            default: .inputOutput
            }
        let text = String(cString: strerror(number))
        self.init(code, path, "\(call) failed: \(text) (errno \(number))\(Self.advice(number))", systemError: number)
    }

    /// On phones this is what protected files answer before the first unlock.
    private static var notPermitted: Code {
        #if canImport(Darwin)
            .locked
        #else
            .accessDenied
        #endif
    }

    private static func advice(_ number: Int32) -> String {
        switch number {
        case ENOSPC, EDQUOT: "; make room, what was stored before is unchanged"
        case EFBIG: "; raise the limit of file sizes, what was stored before is unchanged"
        case EROFS: "; choose a place that can be written to"
        case ELOOP: "; a symbolic link is not followed here, put the file itself in its place"
        default: ""
        }
    }
}
