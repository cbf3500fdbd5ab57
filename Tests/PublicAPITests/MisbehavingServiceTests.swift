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

    /// Launches the login alone.
    @MainActor
    private func launch(_ service: AppService, _ form: Form, _ options: LaunchOptions) async throws -> LaunchReport {
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
        return try await environment.graph(scenario).run(options: options).report
    }

    @Test("a session that has expired, and has no refresh token, is over: the person is asked to log in, and the report says why")
    @MainActor
    func expired() async throws {
        answerTokens()
        _ = try await logIn(try service())
        let (service, form) = (try service(in: 7200), Form())
        let report = try await launch(service, form, virtual())
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

    @Test(
        "of a login whose profile does not come no session is left: who then is a guest, or leaves, is nobody at the next launch",
        arguments: FaultyProfile.Fault.allCases,
        [LoginAnswer.continueAsGuest, .dismissed]
    )
    @MainActor
    func noProfile(fault: FaultyProfile.Fault, answer: LoginAnswer) async throws {
        let (clock, form) = (VirtualClock(), Form())
        form.answers = [.logIn(email: "ada@example.com", password: "correct horse"), answer]
        answerTokens()
        let faulty = FaultyProfile(http: http, clock: clock, fault: fault)
        let url = try #require(URL(string: "https://api.example.com"))
        let service = AppService(at: .service(at: url), http: faulty, directory: directory, app: app, deviceID: "d")
        let report = try await launch(service, form, LaunchOptions(clock: clock))
        #expect(form.count == 2 && service.storedSession() == .absent, "\(report)")
        if answer == .dismissed {
            #expect(report.outcome != .completed)
        } else {
            #expect(report.outcome == .completed)
            #expect(report["login"]?.notes.last?.hasPrefix("there is no session, not even a guest's") == true, "\(report)")
        }
        let next = Form()
        next.answers = [.continueAsGuest]
        let later = try self.service()
        // As if it was in another process.
        var options = virtual()
        options.admission = .unlimited
        let nextReport = try await launch(later, next, options)
        #expect(next.count == 1 && nextReport.outcome == .completed, "\(nextReport)")
        #expect(later.storedSession().value?.isAnonymous == true)
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
    /// The last one again and again.
    var answers: [LoginAnswer] = [.logIn(email: "ada@example.com", password: "correct horse")]

    func askForLogin(problem: String?) async -> LoginAnswer {
        count += 1
        return answers[min(count, answers.count) - 1]
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

/// A service that logs users in, has no guests, and does not say who anybody is.
struct FaultyProfile: HTTPSending {
    enum Fault: CaseIterable { case unavailable, unavailableForASecond, silence, garbage, refusal }

    let http: any HTTPSending
    let clock: VirtualClock
    let fault: Fault

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        if request.url.path() == "/oauth/token" {
            let isOfAPerson = String(decoding: request.body ?? Data(), as: UTF8.self).contains("ada")
            return isOfAPerson ? try await http.send(request, deadline: deadline) : HTTPResponse(status: 503)
        }
        guard request.url.path() == "/v1/profile" else { return try await http.send(request, deadline: deadline) }
        switch fault {
        case .unavailable: return HTTPResponse(status: 503)
        case .unavailableForASecond: return HTTPResponse(status: 503, headers: ["Retry-After": "1"])
        case .garbage: return HTTPResponse(status: 200, body: Data("{".utf8))
        case .refusal: return HTTPResponse(status: 401)
        case .silence:
            try? await clock.sleep(for: .seconds(100))
            throw NetworkError(.timedOut, request: "GET api.example.com/v1/profile", "there was no answer")
        }
    }
}
