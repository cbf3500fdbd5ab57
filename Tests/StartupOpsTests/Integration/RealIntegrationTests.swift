import Foundation
import StartupNetworking
import StartupOps
import TestSupport
import Testing

/// The real backend over a real socket: `Scripts/test-examples` starts it and says where it is in `SEQUENCER_BACKEND`.
///
/// The tests share one server, so each starts from its reset, one after the other.
@Suite(
    "Integration",
    .serialized,
    .enabled(if: IntegrationServer.address != nil, "SEQUENCER_BACKEND is not set; Scripts/test-examples sets it"),
    .timeLimit(.minutes(30)),
    .real
)
struct RealIntegrationTests {
    private let client: SampleClient

    init() async throws {
        client = SampleClient(try #require(IntegrationServer.address))
        try #require(try await client.send(.post, "/_admin/reset").status == 204)
    }

    private func logIn() async throws -> (access: String, refresh: String) {
        try tokens(try await client.send(.post, "/oauth/token", body: SampleBodies.password))
    }

    private func tokens(_ answer: HTTPResponse) throws -> (access: String, refresh: String) {
        #expect(answer.status == 200)
        return (try #require(answer.object["access_token"] as? String), try #require(answer.object["refresh_token"] as? String))
    }

    @Test("the version policy lets this version run, until an update is demanded")
    func versionPolicy() async throws {
        let path = "/v1/version-policy?platform=linux&version=1.0.0"
        #expect(try await client.send(.get, path).object["minimumVersion"] as? String == "1.0.0")
        let policy = #"{"minimumVersion":"2.0.0","message":"Please update."}"#
        #expect(try await client.send(.put, "/_admin/version-policy", body: policy).status == 204)
        #expect(try await client.send(.get, path).text == policy)
    }

    @Test("a configuration is sent once, and confirmed afterwards")
    func configuration() async throws {
        let path = "/v1/configuration?country=JP&language=ja"
        let first = try await client.send(.get, path)
        #expect(first.status == 200)
        #expect(first.object["language"] as? String == "ja")
        let tag = try #require(first.headers["ETag"])
        let second = try await client.send(.get, path, headers: ["If-None-Match": tag])
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
        #expect(try await client.send(.get, "/v1/configuration?country=XX").status == 404)
    }

    @Test("a refresh token is worth new tokens once; the old access token has ended")
    func tokenRotation() async throws {
        let first = try await logIn()
        #expect(try await client.send(.get, "/v1/profile", token: first.access).object["email"] as? String == "person@example.com")
        #expect(try await client.send(.post, "/_admin/expire-tokens").status == 204)
        #expect(try await client.send(.get, "/v1/profile", token: first.access).status == 401)

        let second = try tokens(try await client.send(.post, "/oauth/token", body: SampleBodies.refresh(first.refresh)))
        #expect(try await client.send(.get, "/v1/profile", token: second.access).status == 200)
        let replayed = try await client.send(.post, "/oauth/token", body: SampleBodies.refresh(first.refresh))
        #expect(replayed.status == 400)
        #expect(replayed.object["error"] as? String == "invalid_grant")
        let counts = try await client.send(.get, "/_admin/counts").object
        #expect(counts["POST /oauth/token"] as? Int == 3)
    }

    @Test("without a token there is no profile, and the answer says what is needed")
    func unauthorized() async throws {
        let answer = try await client.send(.get, "/v1/profile")
        #expect(answer.status == 401)
        #expect(answer.headers["WWW-Authenticate"] == "Bearer")
    }

    @Test("GraphQL: guests are greeted, speakers need a token, an expired one is named")
    func graphQL() async throws {
        let speakers = SampleBodies.graphQL("Speakers")
        let greeting = try await client.send(.post, "/graphql", body: SampleBodies.graphQL("Greeting", #"{"lang":"de"}"#))
        #expect(greeting.text == #"{"data":{"greeting":{"text":"Guten Tag"}}}"#)
        #expect(try await client.send(.post, "/graphql", body: speakers).graphQLCode == "access-denied")
        let token = try await logIn().access
        let data = try await client.send(.post, "/graphql", token: token, body: speakers).object["data"] as? [String: Any]
        let list = try #require(data?["speakers"] as? [[String: Any]])
        #expect(list.first?["host"] as? String == "127.0.0.1")
        #expect(try await client.send(.post, "/_admin/expire-tokens").status == 204)
        #expect(try await client.send(.post, "/graphql", token: token, body: speakers).graphQLCode == "invalid-jwt")
    }

    @Test("faults can be set on the running server, for as many requests as wanted")
    func faults() async throws {
        let order = #"{"path":"/v1/countries","fault":"status:503;retry-after=2","times":1}"#
        #expect(try await client.send(.put, "/_admin/faults", body: order).status == 204)
        let answer = try await client.send(.get, "/v1/countries")
        #expect(answer.status == 503)
        #expect(answer.headers["Retry-After"] == "2")
        #expect(try await client.send(.get, "/v1/countries").status == 200)
    }
}
