import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Locks of stores that somebody else keeps.
@Suite("A store that is kept locked", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StoreLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keeps the lock of a store as another process would: locks of one process keep each other out like those of two.
    private func hold(_ store: String) throws -> HeldLock {
        try #require(try LockFile(directory: PosixDirectory(path: folder(store).path), name: ".lock").lock())
    }

    @Test("fault S21: the main thread waits for no lock, however long others would")
    func mainThread() async throws {
        let problems = Problems()
        let store = try FileStore(directory: folder("store"), lockTimeout: .seconds(86_400), onProblem: problems.add)
        var lock: HeldLock? = try hold("store")
        let error = await MainActor.run { #expect(throws: StorageError.self) { try store.withExclusiveAccess {} } }
        #expect(error?.systemError == ETIMEDOUT)
        #expect(
            error?.reason.hasSuffix("and the main thread does not wait for it; try again when it is done, or end it if it hangs") == true
        )
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(problems.all.contains { $0.systemError == ETIMEDOUT })
        // A process that was started meanwhile has the lock too, until it is itself.
        let end = Deadline.after(patience)
        var result: Int?
        while result == nil, !end.isOver { result = await MainActor.run { try? store.withExclusiveAccess { 7 } } }
        #expect(result == 7)
    }

    @Test("fault S21: who keeps the lock is named, and what to do about it")
    func holder() throws {
        let store = try FileStore(directory: folder("store"), lockTimeout: .zero)
        let lock = try hold("store")
        let error = #expect(throws: StorageError.self) { try store.withExclusiveAccess {} }
        #expect(
            error?.description
                == "\(folder("store/.lock").path): process \(getpid()) kept the store locked for more than 0 ms; "
                + "try again when it is done, or end it if it hangs"
        )
        withExtendedLifetime(lock) {}
    }

    @Test("fault S21: all stores of a folder wait for so long together, and again once the lock was free")
    func patienceInSum() throws {
        let shared = LockPatience(.milliseconds(20))
        let stores = try ["cache", "secure"].map { name in
            try FileStore(directory: folder(name), maximumSize: 1000, patience: shared)
        }
        var locks = [try hold("cache"), try hold("secure")]
        func reason(_ store: FileStore) -> String? { #expect(throws: StorageError.self) { try store.withExclusiveAccess {} }?.reason }
        for _ in 0..<2 { #expect(reason(stores[0])?.contains("for more than 20 ms;") == true) }
        for _ in 0..<2 { #expect(reason(stores[1])?.contains("for more than 2 ms;") == true) }
        withExtendedLifetime(locks) {}
        locks = []
        let end = Deadline.after(patience)
        for store in stores { while (try? store.withExclusiveAccess { 7 }) != 7, !end.isOver {} }
        locks = [try hold("secure")]
        #expect(reason(stores[1])?.contains("for more than 20 ms;") == true)
        withExtendedLifetime(locks) {}
    }

    @Test("fault S21: the stores of a state folder wait for less than any step of a launch has")
    func usualPatience() {
        #expect(LockPatience.usual <= .milliseconds(500))
        let patience = LockPatience(.milliseconds(500))
        #expect(patience.waited(.milliseconds(300), for: "a") == .milliseconds(300))
        #expect(patience.share(for: "a") == .zero && patience.share(for: "b") == .milliseconds(200))
        // Another thread waited as well, not so long; their times are not added up.
        #expect(patience.waited(.milliseconds(100), for: "a") == .milliseconds(300))
        #expect(patience.waited(.milliseconds(300), for: "b") == .milliseconds(300))
        #expect(patience.share(for: "c") == .milliseconds(50))
        patience.gotIn("a")
        #expect(patience.share(for: "a") == .milliseconds(200) && patience.share(for: "b") == .zero)
    }

    @Test("fault O63: a store that is locked for a moment is waited for, also where another one of the folder is locked for ever")
    func momentAfterEver() throws {
        let shared = LockPatience(.seconds(86_400))
        let state = try FileStore(directory: folder("state"), maximumSize: 1000, patience: shared)
        _ = shared.waited(.seconds(86_400), for: folder("cache/.lock").path)
        let (isIn, mayGo, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? state.withExclusiveAccess {
                isIn.signal()
                mayGo.waitPatiently()
            }
        }
        isIn.waitPatiently()
        let error = Locked<(any Error)?>(nil)
        Thread.detachNewThread {
            do { try state.withExclusiveAccess {} } catch let thrown { error.withLock { $0 = thrown } }
            isOver.signal()
        }
        // Time to give up in, which it must not.
        let hasGivenUp = isOver.wait(timeout: .now() + .milliseconds(50)) == .success
        mayGo.signal()
        if !hasGivenUp { isOver.waitPatiently() }
        #expect(error.withLock { $0 } == nil)
    }

    @Test("fault S21: new tokens are stored all the same, what came in is kept, and nothing of it hangs")
    func secrets() async throws {
        let directory = StateDirectory.open(at: folder("app"))
        var lock = try LockFile(directory: PosixDirectory(path: folder("app/secure").path), name: ".lock").lock()
        #expect(lock != nil)
        let sessions = SessionStore(directory.secure)
        let session = Session(accessToken: "new", refreshToken: "r")
        try sessions.save(session)
        #expect(sessions.load() == .value(session))
        let mailbox = EntryPointMailbox(directory.secure)
        guard case .keptInMemory = mailbox.receive(EntryPointSamples.shortcut()) else {
            Issue.record("it was stored while somebody else had the lock")
            return
        }
        lock = nil
        mailbox.mainScreenDidAppear()
        await mailbox.deliver { _ in }
        #expect(mailbox.waiting() == [])
    }

    #if os(Linux)
        @Test("A lock is free when its holder lets go, though a child that is being started has a copy of the descriptor")
        func copiedDescriptor() throws {
            let directory = PosixDirectory(path: folder("app").path)
            _ = try directory.prepare()
            let file = LockFile(directory: directory, name: ".lock")
            var lock = try file.lock()
            #expect(lock != nil)
            // As a child has it between its fork and its exec.
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            let copies = open.filter {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == folder("app/.lock").path
            }.map { dup($0) }
            defer { copies.forEach { close($0) } }
            #expect(copies.count == 1)
            lock = nil
            #expect(try file.lock() != nil)
        }
    #endif

    @Test("fault S16, S21: a logout counts though somebody else has the lock, and takes no session away that is opened after it")
    func logout() throws {
        let directory = StateDirectory.open(at: folder("app"))
        let sessions = SessionStore(directory.secure)
        let (session, next) = (Session(accessToken: "old", refreshToken: "r"), Session(accessToken: "new", refreshToken: "s"))
        try sessions.save(session)
        var lock = try LockFile(directory: PosixDirectory(path: folder("app/secure").path), name: ".lock").lock()
        #expect(lock != nil)
        #expect(throws: StorageError.self) { try sessions.clear() }
        // As the next process finds it, while the lock is held and after that.
        #expect(SessionStore(StateDirectory.open(at: folder("app")).secure).load() == .absent)
        lock = nil
        try SessionStore(StateDirectory.open(at: folder("app")).secure).save(next)
        #expect(SessionStore(StateDirectory.open(at: folder("app")).secure).load() == .value(next))
    }

    @Test("Who has a lock is read from its file, whatever that holds", arguments: ["", "x 1", "-7 1 b", "99999999999 1 b"])
    func strangeHolders(_ contents: String) {
        #expect(LockFile.holder(text(contents)) == nil)
        for number in ["7", "7\n", "7 1", "7 1 b c"] { #expect(LockFile.holder(text(number)) == 7, "\(number)") }
    }
}
