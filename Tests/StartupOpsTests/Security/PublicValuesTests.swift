import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Values that hold secrets, in every way in which a value can be made a text.
@Suite("Secrets in public values", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PublicValuesTests {
    private static let canary = "cAnary/9Tq+Zx4=Wv7 Rb2"
    private let evidence = Evidence()

    private func expectNothingShown(_ secrets: [String] = [canary], sourceLocation: SourceLocation = #_sourceLocation) {
        let leaks = evidence.leaks(of: secrets)
        #expect(leaks.isEmpty, "\(leaks.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    @Test("fault T23: requests, answers, header fields and cache keys show no values")
    func messages() throws {
        let query = PercentEncoding.encode(Self.canary)
        let url = try #require(URL(string: "https://api.example.com/v1/profile?token=\(query)"))
        let headers: HTTPHeaders = ["Authorization": "Bearer \(Self.canary)", "Cookie": Self.canary]
        let request = HTTPRequest(.post, url, headers: headers, body: Data(Self.canary.utf8))
        let response = HTTPResponse(status: 200, headers: headers, body: Data(Self.canary.utf8))
        evidence.add(request)
        evidence.add(response)
        evidence.add(headers)
        evidence.add(CacheKey(request, scope: "u1"))
        evidence.add(SampleAnswer.response(response, after: .zero))
        evidence.add([request: Optional(response)])
        expectNothingShown()
        #expect("\(request)" == "POST api.example.com/v1/profile")
        #expect("\(response)" == "200, 22 bytes")
        #expect("\(headers)" == "[Authorization, Cookie]")
    }

    @Test("fault T23: sessions, tokens, answers to the login form and stores show nothing of what they hold")
    func sessions() throws {
        let secret = Secret(Self.canary)
        let session = Session(accessToken: secret, refreshToken: secret, userID: "u1")
        let store = MemoryStore()
        try SessionStore(store).save(session)
        let tokens = TokenManager(store: SessionStore(store)) { _, _ in nil }
        tokens.begin(session)
        evidence.add(secret)
        evidence.add(session)
        evidence.add(store)
        evidence.add(store.value(SessionDocument.self, for: "session"))
        evidence.add(SessionStore(store))
        evidence.add(tokens)
        evidence.add(tokens.session)
        evidence.add(RequestOptions(token: secret))
        evidence.add(LoginAnswer.logIn(email: "person@example.com", password: secret))
        evidence.add(LoginAnswer.createAccount(email: "person@example.com", password: secret))
        expectNothingShown()
    }

    @Test("D11, fault T23: an SDK's configuration shows neither its identifier nor its secret, nor does what was wrong with it")
    func configuration() throws {
        let builder = SDKConfiguration.Builder().clientId(Self.canary).clientSecret(Secret(Self.canary))
        evidence.add(builder)
        evidence.add(try builder.baseUrl("https://api.example.com").build())
        do { _ = try builder.baseUrl("http://person:\(Self.canary)@api.example.com").build() } catch { evidence.add(error) }
        do { _ = try builder.baseUrl("https://api.example.com?\(Self.canary)").build() } catch { evidence.add(error) }
        expectNothingShown()
    }

    @Test("fault T23: an error shows neither the address of its request nor a value or a name that the answer brought")
    func errors() async throws {
        struct Answer: Decodable {
            let features: [String: Bool]?
            let onboarding: OnboardingType?
        }
        let query = PercentEncoding.encode(Self.canary)
        let url = try #require(URL(string: "http://127.0.0.1:1/v1/profile?token=\(query)"))
        let request = HTTPRequest(.get, url)
        do { _ = try await HTTPClient().send(request, deadline: .after(.seconds(60))) } catch { evidence.add(error) }
        let failing = URLError(.badURL, userInfo: [NSURLErrorFailingURLErrorKey: url])
        evidence.add(NetworkError(.unreachable, request: "GET 127.0.0.1/v1/profile", "it failed", underlying: failing))
        for body in [["features": [Self.canary: 1]], ["onboarding": Self.canary], [Self.canary: 1] as [String: Any]] {
            let data = try JSONSerialization.data(withJSONObject: body)
            do {
                evidence.add(try HTTPResponse(status: 200, body: data).decoded(Answer.self, for: request).onboarding as Any)
            } catch {
                evidence.add(error)
            }
        }
        #expect(evidence.count > 6)
        expectNothingShown()
    }
}
