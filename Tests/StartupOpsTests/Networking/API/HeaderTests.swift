import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Headers", .serialized, .timeLimit(.minutes(30)), .besideOthers)
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

    @Test(
        "fault N36, T17: a token, a user or an app's field with a control character is refused and not mended; nothing is sent",
        arguments: ["\r\nX-Evil: 1", "\n", "\0", "\u{7F}", "\u{85}"]
    )
    func injection(_ text: String) async throws {
        let token = "a\(text)b"
        let claims = WireService.jwt(#"{"sub":"u1","exp":4000000000}"#)
        let sessions: [(Session, HTTPHeaders)] = [
            (Session(accessToken: Secret(token), userID: "u1", expiresAt: .distantFuture), HTTPHeaders()),
            (Session(accessToken: Secret(claims), userID: token, expiresAt: .distantFuture), HTTPHeaders()),
            (Session(accessToken: Secret(claims), userID: "u1", expiresAt: .distantFuture), ["X-Sequencer-Group": token]),
        ]
        for (session, userInfo) in sessions {
            let harness = try ClientHarness(userInfo: userInfo)
            harness.tokens.begin(session)
            let errors: [NetworkError?] = [
                await failure { () throws(NetworkError) in try await harness.client.get("v1/profile", deadline: .never) },
                await failure { () throws(NetworkError) in try await harness.client.mutate(.register, deadline: .never) },
                await failure { () throws(NetworkError) in
                    try await harness.client.get("v1/x", options: RequestOptions(token: Secret(token)), deadline: .never)
                },
            ]
            for (index, error) in errors.enumerated() where index != 1 || userInfo == [:] {
                #expect(error?.code == .invalidRequest)
                #expect(error?.reason.contains("holds a control character") == true, "\(error?.reason ?? "")")
            }
            #expect(harness.requests.count == (userInfo == [:] ? 0 : 1))
        }
    }
}
