import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples

@Suite("Requests and tokens", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AuthorisationTests {
    private func harness(_ session: (WireService) -> Session? = { $0.issue() }) throws -> ClientHarness {
        let service = WireService()
        return try ClientHarness(session(service), service: service)
    }

    private func expired(_ service: WireService) -> Session? { service.issue(lifetime: -1) }

    /// The same question over both transports.
    private func ask(_ harness: ClientHarness, graphQL: Bool, options: RequestOptions = RequestOptions()) async -> NetworkError? {
        await failure { () throws(NetworkError) in
            if graphQL {
                _ = try await harness.client.query(.viewer, as: NamedSpeaker.self, options: options, deadline: .never)
            } else {
                _ = try await harness.client.get("v1/profile", as: UserProfile.self, options: options, deadline: .never)
            }
        }
    }

    @Test("C11, C38: where a token is needed and nobody is logged in, nothing leaves; both transports name the same condition alike")
    func missing() async throws {
        let harness = try harness { _ in nil }
        for graphQL in [true, false] {
            let error = await ask(harness, graphQL: graphQL)
            #expect(error?.code == .missingAccessToken)
            #expect(error?.description.contains(graphQL ? "POST service/graphql (Viewer)" : "GET service/v1/profile") == true)
        }
        #expect(harness.service.requests.isEmpty)
    }

    @Test("C1, C16, C17, C39, fault T1: a hundred requests over both transports, an expired token: one refresh serves all")
    func hundred() async throws {
        let harness = try harness(expired)
        await withTaskGroup(of: NetworkError?.self) { group in
            for index in 1...100 { group.addTask { await ask(harness, graphQL: index % 2 == 0) } }
            for await error in group { #expect(error == nil) }
        }
        #expect(harness.refreshes == 1 && harness.requests.count == 100)
        #expect(Set(harness.requests.map(\.bearer)).count == 1)
    }

    @Test("fault T2: when the service ends the session, all who wait fail with the same cause, and it is said once")
    func sessionEnds() async throws {
        let harness = try harness(expired)
        let log = EventLog(harness.tokens)
        let gate = AsyncGate()
        harness.service.hold("POST /oauth/token", at: gate)
        harness.service.endSessions()
        let tasks = (1...100).map { index in Task { await ask(harness, graphQL: index % 2 == 0) } }
        await eventually { harness.tokens.waiterCount == 100 }
        gate.open()
        for task in tasks {
            let error = await task.value
            #expect(error?.code == .refreshTokenFailed && error?.underlying is SessionRejected && error?.isTransient == false)
        }
        #expect(harness.refreshes == 1 && harness.requests.isEmpty)
        #expect(harness.secureStore.read("session") == .absent)
        #expect(await log.events(harness.tokens) == [.loggedOut(.rejected)])
    }

    @Test(
        "C38, fault T9: turned down again after a refresh, a request is unauthorized, over both transports alike",
        arguments: [true, false]
    )
    func unauthorized(_ graphQL: Bool) async throws {
        let harness = try harness()
        for _ in 1...2 {
            if graphQL {
                harness.service.next("POST /graphql", #"{"errors":[{"message":"x","extensions":{"code":"invalid-jwt"}}]}"#)
            } else {
                harness.service.next("GET /v1/profile", status: 401, "")
            }
        }
        #expect(await ask(harness, graphQL: graphQL)?.code == .unauthorized)
        #expect(harness.refreshes == 1 && harness.requests.count == 2)
        #expect(await ask(harness, graphQL: graphQL) == nil)
        #expect(harness.refreshes == 1)
    }

    @Test(
        "fault T8: a token that was refreshed for a request, and is turned down at once, is not refreshed again for it; the error says so",
        arguments: [true, false]
    )
    func refreshedInVain(_ graphQL: Bool) async throws {
        let harness = try harness(expired)
        if graphQL {
            harness.service.next("POST /graphql", #"{"errors":[{"message":"x","extensions":{"code":"invalid-jwt"}}]}"#)
        } else {
            harness.service.next("GET /v1/profile", status: 401, "")
        }
        let error = await ask(harness, graphQL: graphQL)
        #expect(error?.code == .unauthorized)
        #expect(error?.reason == "the service does not accept the token, although it has just been refreshed")
        #expect(harness.refreshes == 1 && harness.requests.count == 1)
        #expect(await ask(harness, graphQL: graphQL) == nil)
        #expect(harness.refreshes == 1)
    }

    @Test("fault T10: status 403 is no reason to refresh", arguments: [true, false])
    func forbidden(_ graphQL: Bool) async throws {
        let harness = try harness()
        harness.service.next(graphQL ? "POST /graphql" : "GET /v1/profile", status: 403, "{}")
        let error = await ask(harness, graphQL: graphQL)
        #expect(error?.code == .invalidResponse && error?.status == 403)
        #expect(harness.refreshes == 0 && harness.requests.count == 1)
    }

    @Test("a request that needs no token goes on as a guest's when its token is turned down and cannot be refreshed")
    func optionalTurnedDown() async throws {
        let harness = try harness()
        harness.service.next("GET /v1/countries", status: 401, "")
        harness.service.next("POST /oauth/token", fails: .unreachable)
        try await harness.client.get("v1/countries", deadline: .never)
        #expect(harness.requests.map { $0.bearer != nil } == [true, false])
    }

    @Test(
        "fault T20: a guest's request that needs no token goes on without one when a login, or a logout, ends the refresh that it waits for",
        arguments: [false, true]
    )
    func optionalReplaced(isLogout: Bool) async throws {
        let harness = try harness { $0.issue("guest", anonymous: true) }
        let gate = AsyncGate()
        harness.service.next("GET /v1/countries", status: 401, "")
        harness.service.hold("POST /oauth/token", at: gate)
        let request = Task {
            await failure { () throws(NetworkError) in try await harness.client.get("v1/countries", deadline: .never) }
        }
        await eventually { harness.tokens.waiterCount == 1 }
        let login = harness.service.issue("u2")
        if isLogout { harness.tokens.end(.requested) } else { harness.tokens.begin(login) }
        #expect(await request.value == nil)
        gate.open()
        #expect(harness.requests.map { $0.bearer != nil } == [true, false])
        #expect(harness.tokens.session == (isLogout ? .absent : .value(login)))
    }

    @Test("fault T20: what needs no token is read again as nobody's when the session ends before its answer comes")
    func optionalAnswerOfEndedSession() async throws {
        let harness = try harness()
        let gate = AsyncGate()
        harness.service.hold("GET /v1/countries", at: gate)
        let request = Task {
            await failure { () throws(NetworkError) in try await harness.client.get("v1/countries", deadline: .never) }
        }
        await gate.arrivals()
        harness.tokens.end(.requested)
        gate.open()
        #expect(await request.value == nil)
        #expect(harness.requests.map { $0.bearer != nil } == [true, false])
    }

    @Test("fault T21: reconfigured during a refresh, the new host never sees the old one's token")
    func reconfigured() async throws {
        let old = try harness(expired)
        let gate = AsyncGate()
        old.service.hold("POST /oauth/token", at: gate)
        let request = Task { await ask(old, graphQL: true) }
        await gate.arrivals()
        await eventually { old.tokens.waiterCount == 1 }
        old.client.clearAppCache(because: LogoutReason("reconfigured"))
        let new = try ClientHarness(service: WireService(), host: "other", tokens: old.tokens)
        gate.open()
        #expect(await request.value?.code == .missingAccessToken)
        #expect(await ask(new, graphQL: true)?.code == .missingAccessToken)
        _ = try await new.client.query(.greeting, as: Greeting.self, deadline: .never)
        #expect(new.service.requests.count == 1 && new.service.requests.first?.bearer == nil)
        #expect(old.requests.isEmpty)
    }

    @Test("fault T20: an answer that arrives after the session became another one is discarded")
    func lateAnswer() async throws {
        let harness = try harness()
        let gate = AsyncGate()
        harness.service.hold("GET /v1/profile", at: gate)
        let request = Task { await ask(harness, graphQL: false) }
        await gate.arrivals()
        harness.tokens.begin(harness.service.issue("u2"))
        gate.open()
        #expect(await request.value?.code == .cancelled)
        #expect(harness.cachedCount == 0)
    }

    @Test("fault T4: a request's deadline covers its refresh")
    func deadline() async throws {
        let harness = try harness(expired)
        let never = AsyncGate()
        harness.service.hold("POST /oauth/token", at: never)
        let error = await failure { () throws(NetworkError) in
            try await harness.client.get("v1/profile", deadline: .after(.milliseconds(20)))
        }
        #expect(error?.code == .timedOut && harness.requests.isEmpty)
        never.open()
    }
}
