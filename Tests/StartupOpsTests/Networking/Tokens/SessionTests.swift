import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

/// A store that fails as it is told to.
final class FailingSecureStore: SecureStore {
    struct Faults: Sendable {
        var reads: StorageError?
        var looksEmpty = false
        var writes: StorageError?
        /// Removing fails after so many removals.
        var removals: Int?
        var lock: StorageError?
    }

    /// What a store says that is locked.
    static let error = StorageError(.locked, "store", "the device was not unlocked yet")
    let inner = MemoryStore()
    let faults = Locked(Faults())

    func fail(_ change: (inout Faults) -> Void) { faults.withLock { change(&$0) } }

    func read(_ key: StoreKey) -> StoredAnswer<Data> {
        let faults = faults.withLock { $0 }
        if let error = faults.reads { return .unavailable(error) }
        return faults.looksEmpty ? .absent : inner.read(key)
    }

    func write(_ data: Data, for key: StoreKey) throws(StorageError) {
        if let error = faults.withLock({ $0.writes }) { throw error }
        inner.write(data, for: key)
    }

    func remove(_ key: StoreKey) throws(StorageError) {
        let isOver = faults.withLock { faults in
            guard let left = faults.removals else { return false }
            faults.removals = left - 1
            return left <= 0
        }
        if isOver { throw StorageError(.inputOutput, key.description, "interrupted") }
        inner.remove(key)
    }

    func removeAll() { inner.removeAll() }
    func setAside(_ key: StoreKey, because reason: String) { inner.setAside(key, because: reason) }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        if let error = faults.withLock({ $0.lock }) { throw error }
        return try inner.withExclusiveAccess(body)
    }
}

@Suite("Sessions and where they are kept", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SessionTests {
    private let session = Session(accessToken: "canary-access", refreshToken: "canary-refresh", userID: "u1", expiresAt: .distantFuture)
    private let locked = StorageError(.locked, "session", "the device has not been unlocked yet")

    @Test("a session is stored and read as a whole; whose it is comes from its token when nobody says")
    func coding() throws {
        let store = SessionStore(MemoryStore())
        #expect(store.load() == .absent)
        try store.save(session)
        #expect(store.load() == .value(session))
        #expect(Session(accessToken: Secret(WireService.jwt(#"{"sub":"u7"}"#))).userID == "u7")
    }

    @Test("fault S14: nothing found while protected data cannot be read is no answer")
    func notFoundWhileLocked() throws {
        let store = FailingSecureStore()
        let isUnlocked = Locked(false)
        let sessions = SessionStore(store, isProtectedDataAvailable: { isUnlocked.withLock { $0 } })
        try SessionStore(store).save(session)
        store.fail { $0.looksEmpty = true }
        guard case .unavailable(let error) = sessions.load() else {
            Issue.record("it counts as logged out")
            return
        }
        #expect(error.code == .locked)
        isUnlocked.withLock { $0 = true }
        store.fail { $0.looksEmpty = false }
        #expect(sessions.load() == .value(session))
    }

    @Test("fault S16: clearing that was interrupted is completed by whoever reads next", arguments: [0, 1])
    func interruptedClearing(_ removals: Int) throws {
        let store = FailingSecureStore()
        let cleared = Locked(0)
        let sessions = SessionStore(store, alsoClear: { cleared.withLock { $0 += 1 } })
        try sessions.save(session)
        store.fail { $0.removals = removals }
        #expect(throws: StorageError.self) { try sessions.clear() }
        // Interrupted before the first removal, the session itself is still there; it is over all the same.
        #expect((store.inner.read("session").value != nil) == (removals == 0))

        store.fail { $0.removals = nil }
        let next = SessionStore(store, alsoClear: { cleared.withLock { $0 += 1 } })
        #expect(next.load() == .absent)
        #expect(store.inner.read("session") == .absent)
        #expect(store.inner.read("session.clearing") == .absent)
        #expect(cleared.withLock { $0 } == 2)
    }

    @Test("fault S16: while clearing cannot be completed, the session stays over; a new one is not taken away with it")
    func clearingFails() throws {
        let store = FailingSecureStore()
        let sessions = SessionStore(store)
        try sessions.save(session)
        store.fail { $0.removals = 0 }
        #expect(throws: StorageError.self) { try sessions.clear() }
        #expect(sessions.load() == .absent)
        #expect(throws: StorageError.self) { try sessions.save(session) }
        store.fail { $0.removals = nil }
        let new = Session(accessToken: "new")
        try sessions.save(new)
        #expect(sessions.load() == .value(new))
    }

    @Test("a stored session that makes no sense is put aside and counts as none")
    func corrupt() {
        let store = MemoryStore()
        store.write(Data("{".utf8), for: "session")
        #expect(SessionStore(store).load() == .absent)
    }

    @Test(
        "a session is kept where its store cannot be locked, for whatever reason; one that cannot be written is not, and the reason is told",
        arguments: [ETIMEDOUT, EACCES, ENOLCK]
    )
    func lockFails(reason: Int32) throws {
        let store = FailingSecureStore()
        let sessions = SessionStore(store)
        store.fail { $0.lock = StorageError(.inputOutput, "session", "it cannot be locked", systemError: reason) }
        try sessions.save(session)
        #expect(sessions.load() == .value(session))
        let full = StorageError(.noSpace, "session", "no room is left")
        store.fail { $0.writes = full }
        #expect(throws: full) { try sessions.save(Session(accessToken: "new")) }
    }
}
