import Foundation
import Sequencer
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

    private func makeService(_ directory: StateDirectory, _ http: WireService) throws -> AppService {
        AppService(at: .service(at: try url()), http: http, directory: directory, app: app, deviceID: "d1", now: { http.now })
    }

    @Test("an answer whose refresh token is absent, null, empty or blank leaves the person logged in with the one before")
    func withoutRefreshToken() async throws {
        for field in ["", #","refresh_token":null"#, #","refresh_token":"""#, #","refresh_token":" \t""#] {
            let http = WireService()
            let service = try makeService(.inMemory(), http)
            let account = try await service.logIn(email: "person@example.com", password: "correct horse", by: .never)
            http.advance(7200)
            http.next("POST /oauth/token", #"{"access_token":"\#(http.issue().accessToken.value)"\#(field)}"#)
            #expect(try await service.restore(by: .never) == account)
            http.advance(7200)
            #expect(try await service.restore(by: .never) == account, "\(field)")

            // A login without one lasts for as long as its access token.
            http.next("POST /oauth/token", #"{"access_token":"\#(http.issue().accessToken.value)"\#(field)}"#)
            _ = try await service.logIn(email: "person@example.com", password: "correct horse", by: .never)
            http.advance(7200)
            let error = await #expect(throws: AccountError.self) { try await service.restore(by: .never) }
            #expect(error?.code == .sessionEnded && service.storedSession() == .absent, "\(field)")
            #expect(service.lossOfSession == "the session has expired, and there is no refresh token")
        }
    }

    @Test(
        "a refresh token that is refused ends the session, however the service says it, and the next launch tells of it",
        arguments: [200, 400, 401]
    )
    func rejected(status: Int) async throws {
        let directory = StateDirectory.inMemory()
        let first = try makeService(directory, http)
        _ = try await first.logIn(email: "person@example.com", password: "correct horse", by: .never)
        http.advance(7200)
        http.next("POST /oauth/token", status: status, #"{"error":"invalid_grant"}"#)
        await #expect(throws: AccountError.self) { try await first.restore(by: .never) }
        #expect(first.storedSession() == .absent && first.lossOfSession == "the service has ended the session")

        let next = try makeService(directory, http)
        let (report, account) = try await logIn(next)
        #expect(report.notes == ["nobody is logged in any more: the service has ended the session"] && account?.id == "u1")
        await next.logOut(because: LogoutReason.requested.description)
        #expect(try makeService(directory, http).lossOfSession == nil)
    }

    @Test("a login whose tokens are gone, though nobody has ended it, is told of in the next launch's report")
    func lostTokens() async throws {
        let directory = StateDirectory.inMemory()
        _ = try await makeService(directory, http).logIn(email: "person@example.com", password: "correct horse", by: .never)
        try directory.secure.remove("session")
        let (report, _) = try await logIn(try makeService(directory, http))
        #expect(report.notes == ["nobody is logged in any more: the tokens of the last login were lost"])
        #expect(try makeService(directory, http).lossOfSession == nil)
    }

    private func logIn(_ service: AppService) async throws -> (report: OperationReport, value: Account?) {
        let person = FakePerson(logins: [.logIn(email: "person@example.com", password: "correct horse")])
        let operation = LoginOperation(accounts: service, presenter: person, onboarding: .regular)
        return try await runAlone("login") { try await operation.run(nil, in: $0) }
    }
}
