import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

@Suite("Managing tokens", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TokenManagerTests {
    private let refreshPath = "POST /oauth/token"
    private let service = WireService()
    private let store = FailingSecureStore()

    private func manager(_ session: Session?, policy: TokenPolicy = .patient, refresh: TokenManager.Refresh? = nil) throws
        -> TokenManager
    {
        let sessions = SessionStore(store)
        if let session { try sessions.save(session) }
        let endpoint = TokenEndpoint(url: try url("https://service/oauth/token"), http: service, now: { [service] in service.now })
        return TokenManager(
            store: sessions,
            policy: policy,
            now: { [service] in service.now },
            refresh: refresh ?? { try await endpoint.refresh($0, deadline: $1) }
        )
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func waiting(_ tokens: TokenManager, _ count: Int) async {
        await eventually { tokens.waiterCount >= count }
    }

    private func code(_ body: () async throws(NetworkError) -> AccessToken?) async -> NetworkError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("fault T4: a refresh that hangs ends with its caller's deadline, and the next caller begins another")
    func hangs() async throws {
        var policy = TokenPolicy.patient
        policy.patience = .zero
        let tokens = try manager(service.issue(lifetime: -1), policy: policy)
        let never = AsyncGate()
        service.hold(refreshPath, at: never)
        #expect(
            await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .after(.milliseconds(20))) }
                == .timedOut
        )
        #expect(try await tokens.token(for: .required, deadline: .never) != nil)
        #expect(service.count(refreshPath) == 2)
        never.open()
    }

    @Test("fault T5: a caller that is cancelled leaves at once; the others are served")
    func cancelled() async throws {
        let tokens = try manager(service.issue(lifetime: -1))
        let gate = AsyncGate()
        service.hold(refreshPath, at: gate)
        let first = Task { await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .never) } }
        let others = (1...10).map { _ in
            Task { await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .never) } }
        }
        await waiting(tokens, 11)
        first.cancel()
        #expect(await first.value == .cancelled)
        gate.open()
        for other in others { #expect(await other.value == nil) }
        #expect(service.count(refreshPath) == 1)
    }

    @Test("fault T6: when all who waited are cancelled, the refresh completes, and the replaced refresh token is stored")
    func allCancelled() async throws {
        let old = service.issue(lifetime: -1)
        let tokens = try manager(old)
        let gate = AsyncGate()
        service.hold(refreshPath, at: gate)
        let events = tokens.events
        let callers = (1...3).map { _ in
            Task { await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .never) } }
        }
        await waiting(tokens, 3)
        for caller in callers { caller.cancel() }
        for caller in callers { #expect(await caller.value == .cancelled) }
        gate.open()
        for await event in events {
            #expect(event == .sessionChanged(userID: "u1"))
            break
        }
        // The event is told before the store; who has the token has one that is stored.
        #expect(try await tokens.token(for: .required, deadline: .never) != nil)
        let stored = try #require(SessionStore(store).load().value?.refreshToken)
        #expect(stored != old.refreshToken)
        #expect(service.count(refreshPath) == 1)
    }

    @Test("C15, fault T3: a failure of the moment fails who waits, and the session is kept", arguments: [500, 503, 404, 200])
    func transient(_ status: Int) async throws {
        let tokens = try manager(service.issue(lifetime: -1))
        let log = EventLog(tokens)
        service.next(refreshPath, status: status, type: "text/html", "<html>")
        service.next(refreshPath, fails: .unreachable)
        service.next(refreshPath, fails: .timedOut)
        for _ in 1...3 {
            #expect(
                await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .never) } == .refreshTokenFailed
            )
        }
        #expect(try await tokens.token(for: .required, deadline: .never) != nil)
        #expect(await log.events(tokens) == [.sessionChanged(userID: "u1")])
    }

    @Test("fault T15: a token about to expire is refreshed ahead, and requests go on with the old one meanwhile")
    func ahead() async throws {
        let old = service.issue(lifetime: 30)
        let tokens = try manager(old)
        let gate = AsyncGate()
        service.hold(refreshPath, at: gate)
        let events = tokens.events
        for _ in 1...5 { #expect(try await tokens.token(for: .required, deadline: .never)?.value == old.accessToken) }
        await gate.arrivals()
        gate.open()
        for await _ in events { break }
        #expect(try await tokens.token(for: .required, deadline: .never)?.value != old.accessToken)
        #expect(service.count(refreshPath) == 1)
    }

    @Test("fault T18: a token that has expired is not given where none is needed, and nobody waits")
    func optional() async throws {
        let tokens = try manager(service.issue(lifetime: 100))
        #expect(try await tokens.token(for: .optional, deadline: .never) != nil)
        service.advance(100)
        #expect(try await tokens.token(for: .optional, deadline: .never) == nil)
        #expect(tokens.session.value != nil)
        #expect(service.requests.isEmpty)
    }

    @Test("fault T19: a token that arrives after a logout is dropped, in memory and in the store")
    func logoutDuringRefresh() async throws {
        let tokens = try manager(service.issue(lifetime: -1))
        let log = EventLog(tokens)
        let gate = AsyncGate()
        let (done, finish) = AsyncStream.makeStream(of: Void.self)
        service.next(refreshPath) { [service] (request, _) throws(NetworkError) in
            // Deaf to cancellation, as an answer that is already on its way.
            await gate.wait(ignoringCancellation: true)
            defer { finish.finish() }
            return try await service.send(request, deadline: .never)
        }
        let caller = Task { await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .never) } }
        await gate.arrivals()
        await waiting(tokens, 1)
        tokens.end(.requested)
        #expect(await caller.value == .missingAccessToken)
        gate.open()
        for await _ in done {}
        #expect(service.count(refreshPath) == 2)
        #expect(tokens.session == .absent)
        #expect(await log.events(tokens) == [.loggedOut(.requested)])
        tokens.end(.requested)
        #expect(SessionStore(store).load() == .absent)
    }

    @Test("fault T19, T20: logins, logouts and refreshes at once leave the store and the memory of one mind", arguments: 1...20)
    func races(_ round: Int) async throws {
        let tokens = try manager(service.issue(lifetime: -1))
        await withTaskGroup(of: Void.self) { group in
            for index in 1...8 {
                group.addTask { [service] in
                    switch index % 4 {
                    case 0: tokens.end(.requested)
                    case 1: tokens.begin(service.issue("u\(index)"))
                    default:
                        if let token = try? await tokens.token(for: .required, deadline: .never) {
                            #expect(JSONWebToken(token.value.value)?.subject == token.userID)
                        }
                    }
                }
            }
        }
        // A refresh that was begun may still be under way; the last word is what both have to agree on.
        let last = service.issue("last")
        tokens.begin(last)
        #expect(tokens.session == .value(last))
        #expect(SessionStore(store).load() == .value(last))
    }

    @Test("fault T22: a refresh that never ends, deaf to being cancelled, costs no more than the limit, and the session is kept")
    func neverEnds() async throws {
        var policy = TokenPolicy.patient
        policy.refreshLimit = .milliseconds(20)
        let never = AsyncGate()
        let tokens = try manager(service.issue(lifetime: -1), policy: policy) { _, _ in
            await never.wait(ignoringCancellation: true)
            return nil
        }
        #expect(await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .never) } == .refreshTokenFailed)
        #expect(tokens.session.value != nil && tokens.waiterCount == 0)
        never.open()
    }

    @Test("C15: where there is no way to refresh, the request fails, and a session that has expired is over")
    func impossible() async throws {
        let expired = service.issue(lifetime: -1)
        let tokens = try manager(Session(accessToken: expired.accessToken))
        #expect(await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .never) } == .refreshTokenFailed)
        #expect(tokens.session == .absent && tokens.lastLogout == .expired)
        #expect(SessionStore(store).endedBecause == .expired)
        #expect(service.requests.isEmpty)
    }

    @Test("C15: a token that does not say when it expires, and cannot be refreshed, is judged by the service")
    func opaque() async throws {
        let tokens = try manager(Session(accessToken: "opaque"))
        let token = try #require(try await tokens.token(for: .required, deadline: .never))
        #expect(token.value == "opaque" && tokens.session.value != nil)
        let code = await code { () throws(NetworkError) in
            try await tokens.token(for: .required, replacing: token, deadline: .never)
        }
        #expect(code == .refreshTokenFailed && tokens.lastLogout == .expired)
    }

    @Test("fault S14: while the store cannot be read, nobody is logged out and nothing is deleted")
    func storeUnavailable() async throws {
        let session = service.issue()
        let tokens = try manager(session)
        let error = StorageError(.locked, "session", "locked")
        store.fail { $0.reads = error }
        #expect(await code { () throws(NetworkError) in try await tokens.token(for: .required, deadline: .never) } == .sessionUnavailable)
        #expect(try await tokens.token(for: .optional, deadline: .never) == nil)
        #expect(tokens.session == .unavailable(error))
        store.fail { $0.reads = nil }
        #expect(try await tokens.token(for: .required, deadline: .never)?.value == session.accessToken)
    }

    @Test("fault S15: when the new tokens cannot be stored they serve from memory, it is said, and tried again at the next use")
    func storeFails() async throws {
        let tokens = try manager(service.issue(lifetime: -1))
        let log = EventLog(tokens)
        let error = StorageError(.noSpace, "session", "no room is left")
        store.fail { $0.writes = error }
        let token = try #require(try await tokens.token(for: .required, deadline: .never))
        #expect(try await tokens.token(for: .required, deadline: .never) == token)
        #expect(SessionStore(store).load().value?.accessToken != token.value)
        store.fail { $0.writes = nil }
        #expect(try await tokens.token(for: .required, deadline: .never) == token)
        #expect(SessionStore(store).load().value?.accessToken == token.value)
        #expect(await log.events(tokens) == [.sessionChanged(userID: "u1"), .notStored(error)])
    }

    @Test("fault S16: a logout that cannot clear the store is over in memory, and completed at the next use")
    func clearFails() async throws {
        let tokens = try manager(service.issue())
        _ = tokens.session
        store.fail { $0.removals = 0 }
        tokens.end(.requested)
        #expect(tokens.session == .absent)
        #expect(store.inner.read("session").value != nil)
        store.fail { $0.removals = nil }
        #expect(try await tokens.token(for: .optional, deadline: .never) == nil)
        #expect(store.inner.read("session") == .absent)
    }
}

extension TokenPolicy {
    /// One that gives a refresh as long as a busy machine may take.
    fileprivate static var patient: TokenPolicy {
        var policy = TokenPolicy()
        policy.refreshLimit = .seconds(600)
        return policy
    }
}
