import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupStorage

/// Who can read, plant or replace what a store keeps.
@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FileStoreSafetyTests {
    private let folder: TemporaryFolder
    private let problems = Problems()

    init() throws { folder = try TemporaryFolder() }

    private func openFiles() throws -> FileStore { try FileStore(directory: folder("store"), onProblem: problems.add) }

    private func openSecrets() throws -> FileStore { try FileStore.secrets(in: folder("store"), onProblem: problems.add) }

    @Test("fault S8: At no moment of writing can others read a secret, and the mode stays 0600")
    func modeWhileWriting() async throws {
        let store = try openSecrets()
        let directory = folder("store")
        let isSeen = Locked(false)
        let failure = Locked<(any Error)?>(nil)
        // A thread of its own: one that blocks without end must not be a task's.
        let writer = Thread {
            do {
                while !isSeen.withLock({ $0 }) { try store.write(Data(repeating: 7, count: 50_000), for: "token") }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        writer.start()
        var seen: Set<mode_t> = []
        var temporaries = 0
        // Until enough of the writing was seen; temporary files are gone soon.
        while temporaries < 20, failure.withLock({ $0 == nil }) {
            for name in names(in: directory) {
                guard let mode = try permissions(of: directory.appendingPathComponent(name)) else { continue }
                seen.insert(mode)
                temporaries += name == "token" ? 0 : 1
            }
        }
        isSeen.withLock { $0 = true }
        await eventually { writer.isFinished }
        #expect(failure.withLock { $0 } == nil)
        #expect(seen == [0o600])
        #expect(try permissions(of: folder("store/token")) == 0o600)
        #expect(try permissions(of: directory) == 0o700)
    }

    @Test("fault S8: Whatever the umask, files are for their owner")
    func umasks() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            for mask: mode_t in [0, 0o022, 0o777] {
                umask(mask)
                let directory = URL(fileURLWithPath: path).appendingPathComponent("store-\(mask)")
                // A umask that locks the user out of new directories is not ours to defy.
                if mask == 0o777 { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }
                if mask == 0o777 { try #require(chmod(directory.path, 0o700) == 0) }
                let store = try FileStore.secrets(in: directory)
                try store.write(text("secret"), for: "token")
                #expect(try permissions(of: directory.appendingPathComponent("token")) == 0o600)
                #expect(store.read("token") == .value(text("secret")))
            }
        }
    }

    @Test("fault S9: A value that others can read is taken from them, used, and reported once")
    func tooOpenValue() throws {
        let store = try openFiles()
        try store.write(text("value"), for: "key")
        #expect(chmod(folder("store/key").path, 0o644) == 0)
        #expect(store.read("key") == .value(text("value")))
        #expect(try permissions(of: folder("store/key")) == 0o600)
        #expect(store.read("key") == .value(text("value")))
        let path = folder("store/key").path
        #expect(problems.all.map(\.description) == ["\(path): its mode was 0644, expected 0600; others can no longer read it"])
    }

    @Test(
        "fault S9: A secret that others could read is refused, until a new one is stored",
        arguments: [0o644, 0o640, 0o604, 0o666] as [mode_t]
    )
    func tooOpenSecret(mode: mode_t) throws {
        let store = try openSecrets()
        try store.write(text("secret"), for: "token")
        #expect(chmod(folder("store/token").path, mode) == 0)
        for _ in 0..<2 {
            guard case .unavailable(let error) = store.read("token") else {
                Issue.record("the secret was used")
                return
            }
            #expect(error.code == .accessDenied && error.subject == folder("store/token").path)
            #expect(error.reason.contains("\(octal(mode)), expected 0600") && error.reason.contains("chmod 600"))
            #expect(!error.description.contains("\"secret\""))
        }
        #expect(problems.all.count == 1)
        try store.write(text("new"), for: "token")
        #expect(store.read("token") == .value(text("new")))
        #expect(try permissions(of: folder("store/token")) == 0o600)
    }

    @Test("fault S9: A symbolic link is not followed, and not written through")
    func symbolicLink() throws {
        let store = try openSecrets()
        try FileStore(directory: folder("elsewhere")).write(text("planted"), for: "token")
        try FileManager.default.createSymbolicLink(at: folder("store/token"), withDestinationURL: folder("elsewhere/token"))
        guard case .unavailable(let error) = store.read("token") else {
            Issue.record("the link was followed")
            return
        }
        #expect(error.systemError == ELOOP && error.reason.contains("symbolic link"))
        try store.write(text("mine"), for: "token")
        #expect(store.read("token") == .value(text("mine")))
        #expect(try FileStore(directory: folder("elsewhere")).read("token") == .value(text("planted")))
    }

    @Test("fault S9: A FIFO in a value's place is refused at once, and replaced by the next value")
    func fifo() throws {
        let store = try openFiles()
        #expect(mkfifo(folder("store/key").path, 0o600) == 0)
        guard case .unavailable(let error) = store.read("key") else {
            Issue.record("the FIFO was read")
            return
        }
        #expect(error.description == "\(folder("store/key").path): it is not a file; remove it")
        try store.write(text("value"), for: "key")
        #expect(store.read("key") == .value(text("value")))
    }

    @Test("fault S9: A directory in a value's place is refused, read and written")
    func directoryInPlace() throws {
        let store = try openFiles()
        try FileManager.default.createDirectory(at: folder("store/key/inside"), withIntermediateDirectories: true)
        guard case .unavailable(let error) = store.read("key") else {
            Issue.record("the directory was read")
            return
        }
        #expect(error.code == .invalidPlace && error.reason.contains("it is not a file"))
        let writeError = #expect(throws: StorageError.self) { try store.write(text("value"), for: "key") }
        #expect(writeError?.systemError == EISDIR && writeError?.subject == folder("store/key").path)
        #expect(names(in: folder("store")) == ["key"])
    }

    @Test("fault S9: Another user's file is refused", .enabled(if: isRoot, "only root can give a file to another user"))
    func otherOwner() throws {
        let store = try openFiles()
        try store.write(text("planted"), for: "key")
        #expect(chown(folder("store/key").path, 65534, 65534) == 0)
        guard case .unavailable(let error) = store.read("key") else {
            Issue.record("another user's file was read")
            return
        }
        #expect(error.code == .accessDenied && error.reason.contains("it belongs to user 65534, expected user 0"))
        #expect(chown(folder("store").path, 65534, 65534) == 0)
        #expect(throws: StorageError.self) { try openFiles() }
    }

    @Test("fault S10: A directory that others can write to is closed to them, and reported")
    func openDirectory() throws {
        try openFiles().write(text("value"), for: "key")
        #expect(chmod(folder("store").path, 0o777) == 0)
        #expect(try openFiles().read("key") == .value(text("value")))
        #expect(try permissions(of: folder("store")) == 0o700)
        let path = folder("store").path
        #expect(problems.all.map(\.description) == ["\(path): its mode was 0777, so others could write to it; it is 0700 now"])
    }

    @Test("fault S10: Below a directory that everybody can write to, values are kept with a warning, secrets are not")
    func openParent() throws {
        #expect(chmod(folder.path, 0o777) == 0)
        try openFiles().write(text("value"), for: "key")
        #expect(problems.all.count == 1)
        #expect(problems.all.first?.code == .accessDenied)
        #expect(problems.all.first?.description.contains("everybody can write to it (mode 0777)") == true)
        let error = #expect(throws: StorageError.self) { try openSecrets() }
        #expect(error?.description.contains("everybody can write to it (mode 0777)") == true)

        // As on /tmp, where only owners can rename what is theirs.
        #expect(chmod(folder.path, 0o1777) == 0)
        try openSecrets().write(text("secret"), for: "token")
        #expect(problems.all.count == 1)
    }

    @Test("A directory that users share is not taken from them")
    func sharedDirectory() throws {
        #expect(chmod(folder.path, 0o1777) == 0)
        let error = #expect(throws: StorageError.self) { try FileStore(directory: folder.url) }
        #expect(error?.code == .invalidPlace && error?.subject == folder.path)
        #expect(try permissions(of: folder.url) == 0o1777)
    }
}
