import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// What needs limits of a whole process happens in processes of their own.
@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FileStoreFullDiskTests {
    #if os(Linux)
        /// Whether this process may have mounts of its own, as root may in most containers.
        private static let canMount = isRoot && exitCode(of: "/usr/bin/unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt") == 0

        @Test(
            "fault S2: A full disk keeps the old value, leaves no temporary file and says what to do",
            .enabled(if: canMount, "needs the right to mount a small file system")
        )
        func fullDisk() async throws {
            let folder = try TemporaryFolder()
            let path = folder.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                // Mounts of this thread alone, gone with the process. Swift's import of the C library lacks this function and its constant.
                let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: (@convention(c) (Int32) -> Int32).self)
                try #require(unshare(0x0002_0000) == 0)
                try #require(mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0)
                try #require(mount("none", path, "tmpfs", 0, "size=1m") == 0)
                let directory = URL(fileURLWithPath: path).appendingPathComponent("store")
                let store = try FileStore(directory: directory)
                let old = Data(repeating: 1, count: 400_000)
                try store.write(old, for: "key")

                let error = #expect(throws: StorageError.self) { try store.write(Data(repeating: 2, count: 800_000), for: "key") }
                #expect(error?.code == .noSpace && error?.systemError == ENOSPC)
                #expect(error?.subject == directory.appendingPathComponent("key").path)
                #expect(error?.reason.contains("make room, what was stored before is unchanged") == true)
                #expect(names(in: directory) == ["key"])
                #expect(store.read("key") == .value(old))

                // What fits is still stored, and a logout still possible.
                let state = LaunchState(store)
                try state.recordTutorialSeen(version: SemanticVersion(1, 4))
                try store.removeAll()
                #expect(names(in: directory) == [])
            }
        }
    #endif

    @Test("fault S3: A limit on file sizes is an error as a full disk is, and no death by signal")
    func sizeLimit() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let directory = URL(fileURLWithPath: path).appendingPathComponent("store")
            let store = try FileStore(directory: directory)
            let old = Data(repeating: 1, count: 20_000)
            try store.write(old, for: "key")
            try limitFileSizesDeadly(to: 16_384)
            let error = #expect(throws: StorageError.self) { try store.write(Data(repeating: 2, count: 20_000), for: "key") }
            #expect(error?.code == .noSpace && error?.systemError == EFBIG)
            #expect(error?.reason.contains("raise the limit of file sizes") == true)
            #expect(names(in: directory) == ["key"])
            #expect(store.read("key") == .value(old))
            try store.write(Data(repeating: 3, count: 10_000), for: "other")
        }
    }

    @Test("fault S3: under a limit that leaves no room for the name of its holder, a lock is taken all the same", arguments: [0, 8])
    func locks(bytes: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String, bytes = bytes as Int] in
            let directory = URL(fileURLWithPath: path).appendingPathComponent("store")
            let store = try FileStore(directory: directory)
            try limitFileSizesDeadly(to: bytes)
            // Twice: the lock is given back under the limit, too.
            for _ in 0..<2 { #expect(try store.withExclusiveAccess { true }) }
            let lock = LockFile(directory: try PosixDirectory(directory), name: "other")
            let held = try #require(try lock.lock())
            #expect(try lock.lock() == nil)
            withExtendedLifetime(held) {}
            // What is written as the process ends, such as a profile, may be larger.
            try limitFileSizesDeadly(to: 1 << 30)
        }
    }
}

/// As `ulimit -f`, in bytes, for a thread on which the signal is as deadly as on an app's main thread: those of tasks may block it.
private func limitFileSizesDeadly(to bytes: Int) throws {
    signal(SIGXFSZ, SIG_DFL)
    var deadly = sigset_t()
    sigemptyset(&deadly)
    sigaddset(&deadly, SIGXFSZ)
    try #require(pthread_sigmask(SIG_UNBLOCK, &deadly, nil) == 0)
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        let resource = RLIMIT_FSIZE
    #endif
    var limit = rlimit()
    try #require(getrlimit(resource, &limit) == 0)
    limit.rlim_cur = rlim_t(bytes)
    try #require(setrlimit(resource, &limit) == 0)
}
