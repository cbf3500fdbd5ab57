import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

@Suite("The current user", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CurrentUserTests {
    private func names(_ stream: AsyncStream<UserProfile?>, _ count: Int) async -> [String?] {
        var names: [String?] = []
        for await profile in stream {
            names.append(profile?.name)
            if names.count == count { break }
        }
        return names
    }

    @Test("C40: asking for the profile updates the current user for all who watch")
    func updates() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        let user = CurrentUser(client: harness.client)
        let (first, second) = (user.updates, user.updates)
        #expect(user.profile == nil)
        let profile = try await user.getProfile(by: .never)
        #expect(user.profile == profile)
        #expect(await names(first, 2) == [nil, "Name of u1"])
        #expect(await names(second, 2) == [nil, "Name of u1"])
        #expect(await names(user.updates, 1) == ["Name of u1"])
    }

    @Test("C46: the next launch shows the cached profile at once, then the service's")
    func cached() async throws {
        let service = WireService()
        let first = try ClientHarness(service.issue(), service: service)
        try await CurrentUser(client: first.client).getProfile(by: .never)

        let next = try ClientHarness(service: service, secureStore: first.secureStore, cacheStore: first.cacheStore)
        let user = CurrentUser(client: next.client)
        let updates = user.updates
        let gate = AsyncGate()
        service.next("GET /v1/profile") { _, _ in
            await gate.wait()
            return HTTPResponse(status: 200, body: Data(#"{"id":"u1","name":"New","emailVerified":true,"isAnonymous":false}"#.utf8))
        }
        let loading = Task { try await user.load(by: .never) }
        // The service is asked only after the cached profile was given.
        await gate.arrivals()
        await eventually { user.profile != nil }
        #expect(user.profile?.name == "Name of u1")
        gate.open()
        #expect(try await loading.value.name == "New")
        #expect(await names(updates, 3) == [nil, "Name of u1", "New"])
    }

    @Test("C46: without a network the cached profile stands, and the failure is told")
    func offline() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        try await CurrentUser(client: harness.client).getProfile(by: .never)
        service.next("GET /v1/profile", fails: .unreachable)
        let user = CurrentUser(client: harness.client)
        #expect(await failure { () throws(NetworkError) in try await user.load(by: .never) }?.code == .unreachable)
        #expect(user.profile?.name == "Name of u1")
    }

    @Test("B21: a new token refreshes the current user; the end of the session forgets them")
    func follows() async throws {
        let service = WireService()
        let harness = try ClientHarness(service: service)
        let user = CurrentUser(client: harness.client)
        user.follow(harness.tokens)
        var updates = user.updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        harness.tokens.begin(service.issue("u1"))
        #expect(await updates.next()??.id == "u1")
        harness.tokens.begin(service.issue("u2"))
        #expect(await updates.next() == .some(nil))
        #expect(await updates.next()??.id == "u2")
        harness.tokens.end(.requested)
        #expect(await updates.next() == .some(nil))
    }
}
