import Foundation
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// A client over a service of the test's, as an app has it.
@Suite("Public API: requests", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct NetworkingTests {
    private struct Profile: Codable { let id: String }

    private let service = JSONService()
    private let directory = StateDirectory.inMemory()

    private func client(rest: String? = "https://api.example.com", _ session: Session? = nil) throws -> APIClient {
        let tokens = TokenManager(store: SessionStore(directory.secure)) { _, _ in nil }
        if let session { tokens.begin(session) }
        return APIClient(
            try APIEnvironment(graphQL: "https://api.example.com/graphql", rest: rest),
            client: ClientInfo(deviceID: "d", platform: "linux", appVersion: "1.0.0"),
            http: service,
            cache: ResponseCache(store: directory.cache),
            tokens: tokens
        )
    }

    @Test("an app tells a wrong password from an account that exists by the code of the error")
    func accounts() async throws {
        let service = AppService(
            at: try APIEnvironment(graphQL: "https://api.example.com/graphql", rest: "https://api.example.com"),
            http: service,
            directory: directory,
            app: AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de")),
            deviceID: "d"
        )
        self.service.answer("/oauth/token", #"{"error":"invalid_grant"}"#, status: 400)
        self.service.answer("/v1/accounts", "{}", status: 409)
        let wrong = await #expect(throws: AccountError.self) {
            try await service.logIn(email: "ada@example.com", password: "wrong", by: .never)
        }
        let known = await #expect(throws: AccountError.self) {
            try await service.createAccount(email: "ada@example.com", password: "wrong", by: .never)
        }
        #expect(wrong?.code == .invalidCredentials && known?.code == .accountExists)
    }

    private func code(_ client: APIClient, _ options: RequestOptions = RequestOptions(requirement: .optional)) async -> NetworkError.Code? {
        do {
            _ = try await client.get("v1/profile", as: Profile.self, options: options, deadline: .never)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "C2, C4, C11, C15, C29, C34, C35, C36, C38, C43: an app tells errors apart by their codes; without a token or an address nothing is sent"
    )
    func codes() async throws {
        let client = try client()
        #expect(await code(try self.client(rest: nil)) == .invalidRequest)
        #expect(await code(client, RequestOptions(requirement: .required)) == .missingAccessToken)
        #expect(await code(try self.client(.ada(expiringIn: -60)), RequestOptions(requirement: .required)) == .refreshTokenFailed)
        #expect(await code(client, RequestOptions(requirement: .optional, cachePolicy: .returnCacheDataDontFetch)) == .notCached)
        #expect(service.requests.isEmpty)
        service.answer("/v1/profile", #"{"id":7}"#)
        #expect(await code(client) == .invalidData)
        service.answer("/v1/profile", "")
        #expect(await code(client) == .emptyResponse)
        service.answer("/v1/profile", "{}", status: 500)
        #expect(await code(client) == .invalidResponse)
        service.answer("/v1/profile", "{}", status: 401)
        #expect(await code(client, RequestOptions(token: .token(expiringIn: 3600))) == .unauthorized)
        let operation = GraphQLOperation(.query, "Speakers", "query Speakers { speakers { id } }", field: "speakers")
        let options = RequestOptions(requirement: .optional)
        for (answer, expected) in [(#"{"errors":[{"message":"no"}]}"#, NetworkError.Code.operationFailed), ("{}", .invalidResponse)] {
            service.answer("/graphql", answer)
            let error = await #expect(throws: NetworkError.self) {
                try await client.query(operation, as: [Profile].self, options: options, deadline: .never)
            }
            #expect(error?.code == expected)
        }
    }
}
