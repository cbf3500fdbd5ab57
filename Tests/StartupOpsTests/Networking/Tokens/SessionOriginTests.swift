import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Sessions of several services in one store.
@Suite("Whose session it is", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SessionOriginTests {
    private let store = MemoryStore()
    private let first = Session(accessToken: "first", refreshToken: "r-1", userID: "u1")
    private let second = Session(accessToken: "second", refreshToken: "r-2", userID: "u2")

    private func sessions(_ address: String) -> SessionStore { SessionStore(store, of: URL(string: address)) }

    @Test("fault T25: a session is stored with its service, and another service gets, ends and replaces none of it")
    func twoServices() throws {
        let (a, b) = (sessions("https://a.example/v1"), sessions("https://b.example"))
        try a.save(first)
        #expect(a.load().value?.hasTokens(of: first) == true && a.load().value?.origin == "https://a.example:443")
        #expect(b.load() == .absent)
        try b.clear()
        try b.save(second)
        #expect(a.load().value?.hasTokens(of: first) == true)
        #expect(b.load().value?.hasTokens(of: second) == true)
        #expect(a.key(beside: "account") != b.key(beside: "account"))
        try a.clear()
        #expect(a.load() == .absent)
        #expect(b.load().value?.hasTokens(of: second) == true)
        try a.save(second)
        try b.clear()
        #expect(a.load().value?.hasTokens(of: second) == true && b.load() == .absent)
    }

    @Test(
        "fault T25: scheme, host and port make a service another one",
        arguments: [
            "http://a.example", "https://a.example:444", "https://www.a.example", "https://a.example.evil.example", "https://b.example",
        ]
    )
    func otherOrigins(_ address: String) throws {
        try sessions("https://a.example").save(first)
        #expect(sessions(address).load() == .absent)
        #expect(sessions("https://A.example:443/other/path").load().value?.hasTokens(of: first) == true)
    }

    @Test("fault T25: a clearing that was interrupted is completed for its own service only")
    func interruptedClearing() throws {
        let failing = FailingSecureStore()
        let a = SessionStore(failing, of: URL(string: "https://a.example"))
        let b = SessionStore(failing, of: URL(string: "https://b.example"))
        try a.save(first)
        try b.save(second)
        failing.fail { $0.removals = 0 }
        #expect(throws: StorageError.self) { try b.clear() }
        failing.fail { $0.removals = nil }
        #expect(b.load() == .absent)
        #expect(a.load().value?.hasTokens(of: first) == true)
    }

    @Test("fault T25: a session that nobody can claim is sent nowhere, and left alone until somebody logs in")
    func nobodys() throws {
        let session = Session(accessToken: Secret(WireService.jwt(#"{"iss":"https://a.example/auth","sub":"u1"}"#)), refreshToken: "r-1")
        try SessionStore(store).save(session)
        let service = sessions("https://a.example")
        #expect(service.load() == .absent)
        #expect(SessionStore(store).load() == .value(session))
        try service.save(second)
        #expect(service.load().value?.hasTokens(of: second) == true)
        #expect(SessionStore(store).load().value?.hasTokens(of: second) == true)
    }

    @Test("fault T25: launched with another service, an app sends it nothing of the first one's session, and has it back with the first")
    func requests() async throws {
        let directory = StateDirectory.inMemory()
        func service(_ host: String, _ http: WireService) throws -> AppService {
            let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))
            let url = try #require(URL(string: "https://\(host)"))
            return AppService(at: .service(at: url), http: http, directory: directory, app: app, deviceID: "device", now: { http.now })
        }
        let (a, b) = (WireService(), WireService())
        // Tokens of one time are the same everywhere.
        b.advance(1)
        _ = try await service("a.example", a).logIn(email: "person@example.com", password: "correct horse", by: .after(.seconds(600)))
        let stored = try #require(try service("a.example", a).tokens.session.value)

        let other = try service("b.example", b)
        #expect(other.storedSession() == .absent)
        await #expect(throws: AccountError.self) { try await other.restore(by: .after(.seconds(600))) }
        _ = try await other.logIn(email: "person@example.com", password: "correct horse", by: .after(.seconds(600)))
        for request in b.requests {
            #expect(request.bearer != stored.accessToken.value)
            #expect(!String(decoding: request.body ?? Data(), as: UTF8.self).contains(stored.refreshToken?.value ?? "none"))
        }
        #expect(try service("a.example", a).tokens.session.value?.hasTokens(of: stored) == true)
        #expect(try service("a.example", a).storedSession().value?.account?.id == "u1")
    }
}
