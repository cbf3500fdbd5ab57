import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

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
        let store = FaultyStore()
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
        let store = FaultyStore()
        let cleared = Locked(0)
        let sessions = SessionStore(store, alsoClear: { cleared.withLock { $0 += 1 } })
        try sessions.save(session)
        store.fail { $0.removals = removals }
        #expect(throws: StorageError.self) { try sessions.clear() }
        // Interrupted before the first removal, the session itself is still there; it is over all the same.
        #expect((store.content.read("session").value != nil) == (removals == 0))

        store.fail { $0.removals = nil }
        let next = SessionStore(store, alsoClear: { cleared.withLock { $0 += 1 } })
        #expect(next.load() == .absent)
        #expect(store.content.read("session") == .absent)
        #expect(store.content.read("session.clearing") == .absent)
        #expect(cleared.withLock { $0 } == 2)
    }

    @Test("fault S16: while clearing cannot be completed, the session stays over; a new one is not taken away with it")
    func clearingFails() throws {
        let store = FaultyStore()
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
        let store = FaultyStore()
        let sessions = SessionStore(store)
        store.fail { $0.lock = StorageError(.inputOutput, "session", "it cannot be locked", systemError: reason) }
        try sessions.save(session)
        #expect(sessions.load() == .value(session))
        let full = StorageError(.noSpace, "session", "no room is left")
        store.fail { $0.writes = full }
        #expect(throws: full) { try sessions.save(Session(accessToken: "new")) }
    }
}
