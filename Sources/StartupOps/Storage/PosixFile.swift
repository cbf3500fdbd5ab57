import Foundation

/// An open file, closed at the end of its life: the only place, with `PosixDirectory`, in which stores make system calls.
///
/// Foundation's own writing gives secrets to others for a moment (files are created 0644, or with `.atomic` stay so) and leaves copies behind
/// when the process is killed.
package struct PosixFile: ~Copyable {
    /// The properties of a file that stores look at.
    package struct Status: Equatable {
        let device: UInt64
        let inode: UInt64
        let type: mode_t
        let permissions: mode_t
        package let owner: uid_t
        package let size: Int
        let links: Int

        package var isRegularFile: Bool { type == S_IFREG }
        var isDirectory: Bool { type == S_IFDIR }

        /// `a FIFO`, for messages.
        var typeName: String {
            switch type {
            case S_IFREG: "a file"
            case S_IFDIR: "a directory"
            case S_IFLNK: "a symbolic link"
            case S_IFIFO: "a FIFO"
            case S_IFSOCK: "a socket"
            case S_IFCHR, S_IFBLK: "a device"
            default: "something else"
            }
        }

        fileprivate init(_ info: stat) {
            device = UInt64(truncatingIfNeeded: info.st_dev)
            inode = UInt64(truncatingIfNeeded: info.st_ino)
            type = info.st_mode & S_IFMT
            permissions = info.st_mode & 0o7777
            owner = info.st_uid
            size = Int(info.st_size)
            links = Int(truncatingIfNeeded: info.st_nlink)
        }

        func isSameFile(as other: Status) -> Bool { device == other.device && inode == other.inode }
    }

    package let path: String
    private let descriptor: Int32

    deinit { close(descriptor) }

    /// Opens a file, but no symbolic link. Children do not inherit it.
    ///
    /// Opening never waits, not even for somebody to write to a FIFO.
    package init(_ path: String, _ flags: Int32, permissions: mode_t = 0) throws(StorageError) {
        // The system would cut the path at the zero byte, and open another file.
        if path.utf8.contains(0) { throw StorageError(.invalidPlace, path, "the path holds a zero byte", systemError: EINVAL) }
        var descriptor: Int32
        // O_NOFOLLOW and O_NONBLOCK: neither a link nor a pipe in its place can lead elsewhere, or hold the process (S9).
        repeat { descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, permissions) } while descriptor < 0 && errno == EINTR
        if descriptor < 0 { throw StorageError("opening it", path) }
        self.path = path
        self.descriptor = descriptor
    }

    /// The properties of the file at `path`, of a symbolic link itself; nil when the path is free.
    package static func status(of path: String, followingLinks: Bool = false) throws(StorageError) -> Status? {
        var info = stat()
        // lstat: the link itself is looked at, since opening does not follow it.
        if (followingLinks ? stat(path, &info) : lstat(path, &info)) == 0 { return Status(info) }
        if errno == ENOENT { return nil }
        throw StorageError("looking at it", path)
    }

    package func status() throws(StorageError) -> Status {
        var info = stat()
        if fstat(descriptor, &info) != 0 { throw StorageError("looking at it", path) }
        return Status(info)
    }

    func setPermissions(_ permissions: mode_t) throws(StorageError) {
        if fchmod(descriptor, permissions) != 0 { throw StorageError("changing its mode", path) }
    }

    /// Everything in the file, but no more than `limit` bytes.
    package func contents(limit: Int) throws(StorageError) -> Data {
        // The size may grow while it is read: no more than this is taken.
        let capacity = min(max(try status().size, 0), limit)
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

    /// Writes all of `data`, with the file's size limit checked before.
    ///
    /// Writing past the limit of the process (`ulimit -f`) ends it by SIGXFSZ. To ignore or block that signal would change its meaning for the
    /// whole app; as a file here is always written from its beginning, it is enough to look at the limit first.
    func writeAll(_ data: Data) throws(StorageError) {
        if let limit = Self.sizeLimit, UInt64(data.count) > limit { throw StorageError("writing \(data.count) bytes", path, errno: EFBIG) }
        var count = 0
        while count < data.count {
            let offset = count
            let result = data.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
            if result >= 0 { count += result } else if errno != EINTR { throw StorageError("writing \(data.count) bytes", path) }
        }
    }

    /// Writes all of `bytes` where the last write ended.
    ///
    /// - Parameter size: the bytes of the file; raised by the bytes that were written, also when it throws.
    /// - Throws: also when only some of them could be written.
    package func append(_ bytes: [UInt8], after size: inout Int) throws(StorageError) {
        if let limit = Self.sizeLimit, UInt64(size + bytes.count) > limit { throw StorageError("writing to it", path, errno: EFBIG) }
        var count = 0
        while count < bytes.count {
            let result = bytes[count...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if result < 0, errno != EINTR { throw StorageError("writing to it", path) }
            count += max(result, 0)
            size += max(result, 0)
        }
    }

    /// Replaces the content of a file that was opened for reading and writing by a few `bytes`; on an error nothing is left of the old content.
    func replaceContents(_ bytes: [UInt8]) throws(StorageError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw StorageError("writing to it", path) }
        try writeAll(Data(bytes))
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
            // There, fsync does not keep the disk from reordering. A barrier does, and costs less than flushing the disk's whole cache.
            if fcntl(descriptor, F_BARRIERFSYNC) == 0 { return }
        #endif
        // EINVAL: file systems that cannot do this for directories.
        if fsync(descriptor) != 0, errno != EINVAL { throw StorageError("getting it onto the disk", path) }
    }

    /// Whether somebody, also in this process, has the file locked.
    ///
    /// The lock is tried as one that can be shared: any number may look at the same time.
    package var isLocked: Bool {
        var result: Int32
        repeat { result = flock(descriptor, LOCK_SH | LOCK_NB) } while result != 0 && errno == EINTR
        if result == 0 {
            // Closing would release it too, but the file may stay open for long.
            flock(descriptor, LOCK_UN)
            return false
        }
        return errno == EWOULDBLOCK
    }

    /// Locks the file against other processes that lock it, until it is closed, or its process ends. False when it is locked already.
    func lockIfFree() throws(StorageError) -> Bool {
        var result: Int32
        repeat { result = flock(descriptor, LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
        if result == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw StorageError("locking it", path)
    }
}

extension StorageError {
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

/// The process that has a file locked by `flock`, as the kernel says; nil where it does not say, as on Apple platforms and in some containers.
func lockingProcess(of file: PosixFile.Status) -> Int32? {
    #if os(Linux)
        // FileManager gives nothing for files of /proc, whose size is 0.
        guard let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return nil }
        return lockingProcess(of: file, in: locks)
    #else
        return nil
    #endif
}

/// The process that a text such as that of `/proc/locks` names: `1: FLOCK  ADVISORY  WRITE 11500 fe:00:16237146 0 EOF`. Lines with an arrow are of those who wait.
func lockingProcess(of file: PosixFile.Status, in locks: String) -> Int32? {
    // As the macros `major` and `minor` take a device's number apart, which Swift does not see.
    let major = (file.device >> 8 & 0xFFF) | (file.device >> 32 & ~0xFFF)
    let minor = (file.device & 0xFF) | (file.device >> 12 & ~0xFF)
    for line in locks.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count >= 6, words[1] == "FLOCK", let process = Int32(words[4]), process > 0 else { continue }
        // The kernel writes the device in hexadecimal and the inode in decimal.
        let place = words[5].split(separator: ":")
        guard place.count == 3, UInt64(place[0], radix: 16) == major, UInt64(place[1], radix: 16) == minor, UInt64(place[2]) == file.inode
        else { continue }
        return process
    }
    return nil
}
