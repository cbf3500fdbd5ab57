import Foundation
import Testing

@testable import StartupOps

@Suite("Headers", .serialized, .timeLimit(.minutes(10)))
struct HeaderTests {
    private func rows(_ request: HTTPRequest?) -> [String] {
        (request?.headers.map { "\($0.name): \($0.value)" } ?? []).sorted()
    }

    @Test("C19, C21, C22: GraphQL sends exactly these headers for a user")
    func graphQLUser() async throws {
        let service = WireService()
        let session = service.issue("u1")
        let harness = try ClientHarness(session, service: service, userInfo: ["X-Sequencer-Group": "beta"])
        _ = try await harness.client.query(.speakers, as: [NamedSpeaker].self, deadline: .never)
        #expect(
            rows(harness.requests.last) == [
                "Authorization: Bearer \(session.accessToken.value)", "Content-Type: application/json", "device-id: d1",
                "x-hasura-role: user", "x-hasura-user-id: u1",
            ]
        )
        #expect(harness.requests.last?.method == .post)
    }

    @Test("C10, C19, C21: GraphQL sends exactly these headers for a guest")
    func graphQLGuest() async throws {
        let harness = try ClientHarness()
        _ = try await harness.client.query(.greeting, as: Greeting.self, deadline: .never)
        #expect(rows(harness.requests.last) == ["Content-Type: application/json", "device-id: d1", "x-hasura-role: guest"])
    }

    @Test("C20: REST sends exactly these headers for a user, and what the app adds")
    func restUser() async throws {
        let service = WireService()
        let session = service.issue("u1")
        let harness = try ClientHarness(
            session,
            service: service,
            userInfo: ["X-Sequencer-Group": "beta", "X-Sequencer-User-Id": "forged", "authorization": "forged"]
        )
        _ = try await harness.client.get("v1/profile", as: UserProfile.self, deadline: .never)
        #expect(
            rows(harness.requests.last) == [
                "Content-Type: application/json", "X-Sequencer-App-Version: 1.4.0", "X-Sequencer-Group: beta",
                "X-Sequencer-Platform: linux", "X-Sequencer-User-Id: u1", "authorization: Bearer \(session.accessToken.value)",
            ]
        )
    }

    @Test("C20: REST sends exactly these headers for a guest")
    func restGuest() async throws {
        let harness = try ClientHarness(userInfo: ["Authorization": "Bearer forged", "X-Sequencer-User-Id": "forged"])
        try await harness.client.get("v1/countries", deadline: .never)
        #expect(
            rows(harness.requests.last) == [
                "Content-Type: application/json", "X-Sequencer-App-Version: 1.4.0", "X-Sequencer-Platform: linux",
            ]
        )
    }

    @Test("a value cannot end its field and begin another")
    func injection() {
        let identity = APIHeaders.Identity(bearer: "a\r\nX-Evil: 1", userID: "u\r\n1\0")
        let client = ClientInfo(deviceID: "d\n1", platform: "p", appVersion: "1")
        for headers in [APIHeaders.graphQL(identity, client), APIHeaders.rest(identity, client)] {
            for (_, value) in headers { #expect(!value.unicodeScalars.contains { $0.value < 0x20 }) }
        }
    }
}
