import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

@Suite("The current user", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CurrentUserTests {
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
