import Foundation
import Sequencer
import SequencerTesting
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// An app whose service answers what makes no sense.
@Suite("Public API: a service that misbehaves", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MisbehavingServiceTests {
    private let http = JSONService()
    private let directory = StateDirectory.inMemory()
    private let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))

    /// The app's service, some time later.
    private func service(in time: TimeInterval = 0) throws -> AppService {
        let url = try #require(URL(string: "https://api.example.com"))
        return AppService(at: .service(at: url), http: http, directory: directory, app: app, deviceID: "d") { Date() + time }
    }

    private func answerTokens(_ token: Secret = .token(expiringIn: 3600), _ more: String = "") {
        http.answer("/oauth/token", #"{"access_token":"\#(token.value)"\#(more)}"#)
    }

    private func logIn(_ service: AppService) async throws -> Account {
        try await service.logIn(email: "ada@example.com", password: "correct horse", by: .never)
    }

    @Test("a session that has expired, and has no refresh token, is over: the person is asked to log in, and the report says why")
    @MainActor
    func expired() async throws {
        answerTokens()
        _ = try await logIn(try service())
        let (service, form) = (try service(in: 7200), Form())
        var presenters = StartupPresenters()
        presenters.login = form
        let services = StartupServices(
            updates: service,
            configurations: service,
            accounts: service,
            entitlements: service,
            speakers: NoSpeakers()
        )
        let environment = StartupEnvironment(app: app, services: services, presenters: presenters, directory: directory)
        let scenario = Scenario("login", "The login alone.") { graph, steps in
            let login = graph.add(.login, of: steps)
            graph.add("main-app", .milestone, after: login, on: .main) {}
        }
        let report = try await environment.graph(scenario).run(options: virtual()).report
        let reason = "the session has expired, and there is no refresh token"
        #expect(report["login"]?.notes == ["the stored session was not used: \(reason)"])
        #expect(report.outcome == .completed && form.count == 1)
        #expect("\(LogoutReason.expired)" == reason && service.storedSession().value?.userID == "ada")
    }

    @Test("a session that ends so outside of a login is told of in the next launch")
    func expiredBefore() async throws {
        answerTokens()
        _ = try await logIn(try service())
        let later = try service(in: 7200)
        await #expect(throws: NetworkError.self) { try await later.entitlements(by: .never) }
        let next = try service(in: 7200)
        #expect(next.storedSession() == .absent)
        #expect(next.lossOfSession == "the session has expired, and there is no refresh token")
        _ = try await logIn(next)
        #expect(try service().lossOfSession == nil)
    }

    @Test(
        "a profile without an identifier, or of another user than the token's, is a wrong answer: nobody is shown it, or logged out",
        arguments: ["", #""id":null,"#, #""id":"","#, #""id":" \t","#, #""id":"bob","#]
    )
    func profile(id: String) async throws {
        answerTokens(.token(expiringIn: 3600), #","refresh_token":"refresh""#)
        let service = try service()
        #expect(try await logIn(service).id == "ada")
        http.answer("/v1/profile", #"{\#(id)"name":"Bob","emailVerified":true,"isAnonymous":false}"#)
        let error = await #expect(throws: NetworkError.self) { try await service.restore(by: .never) }
        #expect(error?.code == .invalidData)
        #expect(service.storedSession().value?.userID == "ada" && service.storedSession().value?.account?.name == "Ada")
        var shown = service.accountUpdates.makeAsyncIterator()
        let account = await shown.next(isolation: nil)
        #expect(account??.name == "Ada")
    }

    @Test("a token that does not say whose it is goes with any profile")
    func opaque() async throws {
        answerTokens("opaque")
        http.answer("/v1/profile", #"{"id":"bob","name":null,"email":" ","emailVerified":true,"isAnonymous":false}"#)
        #expect(try await logIn(try service()) == Account(id: "bob", name: ""))
    }

    @Test("blank values of other answers count as absent", arguments: [#""""#, #"" ""#])
    func blanks(value: String) throws {
        func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
            try JSONDecoder().decode(type, from: Data(json.utf8))
        }
        let flags = try decode(FeatureFlags.self, #"{"features":{"chat":true},"onboarding":\#(value)}"#)
        #expect(flags == FeatureFlags(features: ["chat": true]))
        #expect(try decode(Entitlements.self, #"{"entitlements":[\#(value)]}"#) == Entitlements())
        for field in ["version", "country", "language"] {
            var fields = ["version": #""1""#, "country": #""DE""#, "language": #""de""#]
            fields[field] = value
            let json = "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
            #expect(throws: DecodingError.self) { try decode(AppConfiguration.self, json) }
        }
    }
}

/// The login form of Ada.
@MainActor
private final class Form: LoginPresenter {
    private(set) var count = 0

    func askForLogin(problem: String?) async -> LoginAnswer {
        count += 1
        return .logIn(email: "ada@example.com", password: "correct horse")
    }
    func askForVerificationCode(of email: String, problem: String?) async -> Secret? { nil }
    func askToRestore(_ account: StoredSession) async -> Bool { true }
}

private struct NoSpeakers: DeviceConnector {
    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        throw DeviceError(.unreachable, speaker.name, "there is none")
    }
    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] { [] }
}
