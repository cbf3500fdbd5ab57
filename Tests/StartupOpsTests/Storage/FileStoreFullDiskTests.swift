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
                try state.recordTutorialSeen(version: "1.4.0")
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
            // As it is on an app's main thread: deadly. Threads that tasks run on may block signals.
            signal(SIGXFSZ, SIG_DFL)
            var deadly = sigset_t()
            sigemptyset(&deadly)
            sigaddset(&deadly, SIGXFSZ)
            try #require(pthread_sigmask(SIG_UNBLOCK, &deadly, nil) == 0)
            var limit = rlimit(rlim_cur: 16_384, rlim_max: 16_384)
            #if canImport(Glibc)
                try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            #else
                try #require(setrlimit(RLIMIT_FSIZE, &limit) == 0)
            #endif
            let error = #expect(throws: StorageError.self) { try store.write(Data(repeating: 2, count: 20_000), for: "key") }
            #expect(error?.code == .noSpace && error?.systemError == EFBIG)
            #expect(error?.reason.contains("raise the limit of file sizes") == true)
            #expect(names(in: directory) == ["key"])
            #expect(store.read("key") == .value(old))
            try store.write(Data(repeating: 3, count: 10_000), for: "other")
        }
    }
}
