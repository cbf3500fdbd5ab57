import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("The service of an app", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AppServiceTests {
    private let http = WireService()
    private let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))

    private func url() throws -> URL { try #require(URL(string: "https://api.example.com")) }

    @Test("C20: the names of the headers begin with the app's prefix, in its own requests and in those of launches")
    func prefix() async throws {
        let service = AppService(
            at: .service(at: try url()),
            http: http,
            directory: .inMemory(),
            app: app,
            deviceID: "d1",
            headerPrefix: "X-Example",
            now: { [http] in http.now }
        )
        _ = try await service.countries(by: .never)
        _ = try await service.logIn(email: "person@example.com", password: "correct horse", by: .never)
        for path in ["/v1/countries", "/v1/profile"] {
            let request = try #require(http.requests.first { $0.url.path() == path })
            #expect(request.headers["X-Example-Platform"] == "linux" && request.headers["X-Example-App-Version"] == "1.0.0")
            #expect(request.headers["X-Example-User-Id"] == (path == "/v1/profile" ? "u1" : nil))
            #expect(!request.headers.contains { $0.name.hasPrefix("X-Sequencer") })
        }
    }

    @Test("C6: the operations that the app names go without a token where nobody is logged in; all others need one")
    func guests() async throws {
        let service = AppService(
            at: .service(at: try url()),
            http: http,
            directory: .inMemory(),
            app: app,
            deviceID: "d1",
            guestOperations: ["GET v1/countries", "Greeting"],
            now: { [http] in http.now }
        )
        try await service.client.get("v1/countries", deadline: .never)
        let greeting = GraphQLOperation(.query, "Greeting", "query Greeting { greeting { text } }", field: "greeting")
        _ = try await service.client.query(greeting, as: JSONValue.self, deadline: .never)
        #expect(http.requests.count == 2 && http.requests.allSatisfy { $0.bearer == nil })
        let error = await failure { () throws(NetworkError) in try await service.client.get("v1/entitlements", deadline: .never) }
        #expect(error?.code == .missingAccessToken && http.requests.count == 2)
    }
}
