import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples

@Suite("The token endpoint", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TokenEndpointTests {
    private let service = WireService()
    private let path = "POST /oauth/token"

    private func endpoint() throws -> TokenEndpoint {
        TokenEndpoint(url: try #require(URL(string: "https://service/oauth/token")), http: service, now: { [service] in service.now })
    }

    @Test("passwords, guests and refresh tokens open sessions; forms are encoded as RFC 6749 says")
    func grants() async throws {
        let session = try await endpoint().session(username: "person@example.com", password: "correct horse", deadline: .never)
        #expect(session.userID == "u1" && !session.isAnonymous)
        #expect(session.expiresAt == service.now + 3600)
        let body = service.requests.last?.body.map { String(decoding: $0, as: UTF8.self) }
        #expect(body == "grant_type=password&username=person%40example.com&password=correct%20horse")
        #expect(service.requests.last?.headers["Content-Type"] == "application/x-www-form-urlencoded")

        let guest = try await endpoint().anonymousSession(deviceID: "d&1", deadline: .never)
        #expect(guest.userID == "guest-d&1" && guest.isAnonymous)

        let refreshed = try #require(try await endpoint().refresh(session, deadline: .never))
        #expect(refreshed.userID == "u1" && refreshed.refreshToken != session.refreshToken)
        await #expect(throws: SessionRejected.self) { try await endpoint().refresh(session, deadline: .never) }
        #expect(try await endpoint().refresh(Session(accessToken: "x"), deadline: .never) == nil)
    }

    @Test("an error of the app, and whatever else is answered without an error of the token, may pass")
    func failures() async throws {
        let session = service.issue()
        let answers: [(Int, String, NetworkError.Code)] = [
            (400, #"{"error":"invalid_client"}"#, .invalidResponse), (400, "<html>", .invalidResponse), (401, "{}", .invalidResponse),
            (500, #"{"error":"invalid_grant"}"#, .invalidResponse), (200, "", .emptyResponse), (200, "{}", .invalidData),
            (200, #"{"access_token":""}"#, .invalidData), (200, #"{"access_token":7}"#, .invalidData),
        ]
        for (status, body, code) in answers {
            service.next(path, status: status, body)
            do {
                _ = try await endpoint().refresh(session, deadline: .never)
                Issue.record("\(status) \(body) was taken")
            } catch {
                #expect((error as? NetworkError)?.code == code, "\(status) \(body)")
            }
        }
    }

    @Test("fault T17: a token that no header can carry, or that is about a user whom none can name, opens no session")
    func controlCharacters() async throws {
        let tokens = [#"a\r\nb"#, #"a\u0000b"#, #"a\u007fb"#, WireService.jwt(#"{"sub":"u\r\n1","exp":4000000000}"#)]
        for token in tokens {
            service.next(path, #"{"access_token":"\#(token)"}"#)
            do {
                _ = try await endpoint().session(username: "x", password: "y", deadline: .never)
                Issue.record("\(token) was taken")
            } catch {
                #expect((error as? NetworkError)?.code == .invalidData)
                #expect("\(error)".hasSuffix("holds a control character, which no header can carry"), "\(error)")
            }
        }
    }

    @Test("a lifetime that makes no sense is no lifetime")
    func lifetimes() async throws {
        let lifetimes: [(String, Date?)] = [
            ("-1", nil), ("0", nil), ("null", nil), (#""x""#, nil), ("true", nil), ("60.5", service.now + 60.5),
            ("1e300", service.now + 1e10),
        ]
        for (text, date) in lifetimes {
            service.next(path, #"{"access_token":"a","expires_in":\#(text)}"#)
            let session = try await endpoint().session(username: "x", password: "y", deadline: .never)
            #expect(session.expiresAt == date, "\(text)")
        }
    }
}
