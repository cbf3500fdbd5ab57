import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

/// Several processes with one session, whose refresh token is good for one use.
@Suite("One refresh for all processes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SharedRefreshTests {
    private typealias Knowledge = SharedRefresh.Knowledge

    private let old = Session(accessToken: "old", refreshToken: "r-1", userID: "u1")
    private let new = Session(accessToken: "new", refreshToken: "r-2", userID: "u1")
    private let unavailable = StorageError(.locked, "session", "locked")

    private func answer(
        _ stored: StoredAnswer<Session>,
        isDamaged: Bool = false,
        knowing known: Session?,
        hasNewer: Bool = false
    ) -> String {
        switch SharedRefresh.result(of: stored, isDamaged: isDamaged, for: old, Knowledge(stored: known, hasNewer: hasNewer)) {
        case .stored(new)?: "take it"
        case .rejected?: "it is over"
        case nil: "refresh"
        default: "something else"
        }
    }

    @Test(
        "fault T24: what the store says decides whether there is anything to refresh; only what has changed since is somebody else's doing"
    )
    func decision() {
        #expect(answer(.value(old), knowing: old) == "refresh")
        #expect(answer(.value(new), knowing: old) == "take it")
        #expect(answer(.value(new), knowing: nil) == "take it")
        // What this process could not store is newer than what is there.
        #expect(answer(.value(new), knowing: new) == "refresh")
        #expect(answer(.value(new), knowing: old, hasNewer: true) == "refresh")
        #expect(answer(.absent, knowing: old) == "it is over")
        #expect(answer(.absent, knowing: nil) == "refresh")
        #expect(answer(.absent, knowing: old, hasNewer: true) == "refresh")
        #expect(answer(.unavailable(unavailable), knowing: old) == "refresh")
        // An earlier damage says nothing about a session that can be read.
        #expect(answer(.absent, isDamaged: true, knowing: old) == "refresh")
        #expect(answer(.value(new), isDamaged: true, knowing: old) == "take it")
    }

    @Test("fault T24: who is turned down takes what another process has stored meanwhile, and nobody is logged out")
    func loser() async throws {
        let store = MemoryStore()
        let service = WireService()
        let sessions = SessionStore(store)
        try sessions.save(service.issue())
        service.expireTokens()
        // The other one wins while this one's request is on its way.
        let tokens = TokenManager(store: sessions, now: { service.now + 7200 }) { session, deadline in
            let winner = try await TokenEndpoint(url: URL(filePath: "/oauth/token"), http: service, now: { service.now + 7200 })
                .refresh(session, deadline: deadline)
            if let winner { try sessions.save(session.refreshed(by: winner)) }
            throw SessionRejected("the service answered invalid_grant")
        }
        let log = EventLog(tokens)
        let token = try await tokens.token(for: .required, deadline: .after(patience))
        #expect(token?.value == sessions.load().value?.accessToken)
        #expect(await log.events(tokens) == [.sessionChanged(userID: "u1")])
    }

    @Test(
        "fault T19, T20: where another process logs out or in during a refresh, what the refresh brings is dropped, and not stored",
        arguments: [false, true]
    )
    func replaced(isLogout: Bool) async throws {
        let sessions = SessionStore(MemoryStore())
        try sessions.save(Session(accessToken: "guest", refreshToken: "r-0", userID: "g1", isAnonymous: true))
        let tokens = TokenManager(store: sessions) { [new] _, _ in
            if isLogout { try sessions.clear() } else { try sessions.save(new) }
            return Session(accessToken: "refreshed", refreshToken: "r-9", userID: "g1")
        }
        await #expect(throws: NetworkError.self) { try await tokens.token(for: .required, deadline: .after(patience)) }
        #expect(sessions.load() == (isLogout ? .absent : .value(new)))
    }

    @Test("fault T24: of several processes that refresh at once one asks the service, and all have its answer")
    func processes() async throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.saveExpiredSession()
        let count = 3
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = folder.path as String, number = number as Int, count = count as Int] in
                        let device = Device(path)
                        let tokens = try device.tokens()
                        // Each has read the old session before any of them begins.
                        _ = tokens.session
                        try text("").write(to: device.url("ready-\(number)"))
                        await eventually { names(in: device.folder).count { $0.hasPrefix("ready-") } == count }
                        let token = try await tokens.token(for: .required, deadline: .after(patience))
                        #expect(token?.value == "access 2")
                        #expect(tokens.session.value != nil)
                    }
                }
            }
        }
        #expect(names(in: folder.url).filter { $0.hasPrefix("used-") } == ["used-1"])
        #expect(!names(in: folder.url).contains("turned-down"))
        #expect(try device.sessions().load().value?.refreshToken == "2")
    }

    @Test("fault T31: a session whose file is damaged while the app runs goes on, and is stored anew", arguments: [false, true])
    func damaged(isCut: Bool) async throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.saveExpiredSession()
        let tokens = try device.tokens()
        #expect(tokens.session.value != nil)
        if isCut {
            #expect(truncate(device.url("secure/session").path, 10) == 0)
        } else {
            try FileStore.secrets(in: device.url("secure")).write(text("nonsense"), for: "session")
        }
        #expect(try await tokens.token(for: .required, deadline: .after(patience))?.value == "access 2")
        #expect(names(in: folder("secure")) == ["session", "session.corrupt-1"])
        #expect(try device.sessions().load().value?.refreshToken == "2")
    }

    @Test("fault T31: a logout by another process counts, whatever was damaged before")
    func endedAfterDamage() async throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let sessions = try device.sessions()
        try FileStore.secrets(in: device.url("secure")).write(text("nonsense"), for: "session")
        #expect(sessions.load() == .absent && sessions.isDamaged)
        try device.saveExpiredSession()
        let tokens = try device.tokens()
        #expect(tokens.session.value != nil)
        try sessions.clear()
        #expect(!sessions.isDamaged)
        await #expect(throws: NetworkError.self) { try await tokens.token(for: .required, deadline: .after(patience)) }
        #expect(tokens.session == .absent && sessions.load() == .absent)
        #expect(!names(in: folder.url).contains("used-1"))
    }

    @Test("fault T24: a process that has a turn for too long is named, and the session stays")
    func heldTurn() async throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let lock = try #require(try LockFile(directory: PosixDirectory(path: folder.path), name: ".refresh-lock").lock())
        let sessions = try device.sessions()
        try sessions.save(old)
        let refresh = SharedRefresh(store: sessions, limit: patience) { _, _ in
            Issue.record("it was refreshed out of turn")
            return nil
        }
        let results = Locked<[SharedRefresh.Result]>([])
        let waiting = Task {
            await refresh.run(old, knowing: { SharedRefresh.Knowledge(stored: nil, hasNewer: false) }) { result in
                results.withLock { $0.append(result) }
            }
        }
        // Who has waited for long enough leaves in the same way.
        waiting.cancel()
        await waiting.value
        withExtendedLifetime(lock) {}
        guard case .failed(let error)? = results.withLock({ $0.first }) else {
            Issue.record("it did not fail")
            return
        }
        #expect("\(error)".contains("process \(getpid()) keeps the others from refreshing it"), "\(error)")
        #expect(sessions.load().value?.hasTokens(of: old) == true)
    }
}

/// A device whose service is a folder: a refresh token is a file, which can be taken away once.
private struct Device {
    let folder: URL

    init(_ path: String) { folder = URL(fileURLWithPath: path, isDirectory: true) }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func refreshToken(_ number: String) -> URL { url("token-\(number)") }

    func sessions() throws -> SessionStore {
        let store = try FileStore.secrets(in: url("secure"))
        return SessionStore(store, of: URL(string: "https://api.example.com"), sharedIn: folder)
    }

    /// Stores a session that has expired; refresh token 1 is good for it.
    func saveExpiredSession() throws {
        try sessions().save(Session(accessToken: "old", refreshToken: "1", userID: "u1", expiresAt: .distantPast))
        try text("").write(to: refreshToken("1"))
    }

    func tokens() throws -> TokenManager {
        TokenManager(store: try sessions()) { session, _ in
            let number = session.refreshToken?.value ?? ""
            guard rename(refreshToken(number).path, url("used-\(number)").path) == 0 else {
                try text("").write(to: url("turned-down"))
                throw SessionRejected("the service answered invalid_grant")
            }
            let next = "\((Int(number) ?? 0) + 1)"
            try text("").write(to: refreshToken(next))
            return Session(accessToken: Secret("access \(next)"), refreshToken: Secret(next), userID: "u1", expiresAt: .distantFuture)
        }
    }
}
