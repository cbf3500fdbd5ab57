import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Redirections", .serialized, .timeLimit(.minutes(30)), .real)
struct RealRedirectTests {
    private let secrets: HTTPHeaders = [
        "Authorization": "Bearer secret", "Cookie": "a=secret", "x-hasura-role": "user", "x-hasura-user-id": "secret",
        "X-App-User-Id": "secret",
        "device-id": "secret", "X-Whatever": "secret", "Accept": "application/json", "Accept-Language": "de",
    ]

    @Test("fault N16: which method and body go where", arguments: HTTPMethod.allCases)
    func methods(_ method: HTTPMethod) throws {
        let url = try webAddress("https://example.com/a/b")
        let body = method == .get || method == .head ? nil : Data("x".utf8)
        let headers: HTTPHeaders = ["Content-Type": "text/plain", "X-A": "b"]
        for status in [301, 302, 303, 307, 308] {
            let request = HTTPRequest(method, url, headers: headers, body: body)
            let answer = HTTPResponse(status: status, headers: ["Location": "../c"])
            let next = try #require(try RedirectPolicy.next(after: answer, to: request, followed: 0))
            let becomesGet = status == 303 && method != .head || status < 303 && method == .post
            #expect(next.method == (becomesGet ? .get : method), "\(status)")
            #expect(next.body == (becomesGet ? nil : body), "\(status)")
            #expect(next.headers["X-A"] == "b", "\(status)")
            #expect(next.headers["Content-Type"] == (next.body == nil ? nil : "text/plain"), "\(status)")
            #expect(next.url.absoluteString == "https://example.com/c")
        }
        for status in [200, 300, 304, 305, 306, 404] {
            let answer = HTTPResponse(status: status, headers: ["Location": "/c"])
            #expect(try RedirectPolicy.next(after: answer, to: HTTPRequest(method, url), followed: 0) == nil)
        }
        #expect(try RedirectPolicy.next(after: HTTPResponse(status: 302), to: HTTPRequest(method, url), followed: 0) == nil)
    }

    @Test(
        "fault N17: nothing but harmless headers goes to another origin, and everything to the same one",
        arguments: [302, 307]
    )
    func origins(_ status: Int) async throws {
        let (here, there) = (try LoopbackServer(), try LoopbackServer())
        here.on("/away", .redirect(status, to: there.url("/b").absoluteString))
        here.on("/stay", .redirect(status, to: here.url("/b").absoluteString))
        here.on("/b", .json("{}"))
        there.on("/b", .json("{}"))
        let client = quickClient()
        _ = try await client.send(HTTPRequest(.get, here.url("/away"), headers: secrets), deadline: httpPatience)
        _ = try await client.send(HTTPRequest(.get, here.url("/stay"), headers: secrets), deadline: httpPatience)
        let away = try #require(there.requests.first)
        #expect(!away.headers.values.contains { $0.contains("secret") }, "\(away.headers)")
        #expect(away.headers["x-hasura-role"] == nil)
        #expect(away.headers["accept"] == "application/json")
        #expect(away.headers["accept-language"] == "de")
        let stayed = try #require(here.requests(for: "/b").first)
        for (name, value) in secrets { #expect(stayed.headers[name.lowercased()] == value) }
    }

    @Test("fault N17: what was left behind does not come back with a second redirection")
    func thereAndBack() async throws {
        let (here, there) = (try LoopbackServer(), try LoopbackServer())
        here.on("/a", .redirect(302, to: there.url("/b").absoluteString))
        there.on("/b", .redirect(302, to: here.url("/c").absoluteString))
        here.on("/c", .json("{}"))
        _ = try await quickClient().send(HTTPRequest(.get, here.url("/a"), headers: secrets), deadline: httpPatience)
        #expect(here.requests(for: "/c").first?.headers["authorization"] == nil)
    }

    @Test("fault N17: a body does not go to another origin")
    func body() async throws {
        let (here, there) = (try LoopbackServer(), try LoopbackServer())
        here.on("/login", .redirect(307, to: there.url("/login").absoluteString))
        let request = HTTPRequest(.post, here.url("/login"), body: Data("password=secret".utf8))
        let error = await quickClient().failure(request)
        #expect(error?.code == .invalidResponse)
        #expect(error?.status == 307)
        #expect(there.requests.isEmpty)
    }

    @Test("fault N17: other hosts, ports and schemes are other origins; spelling is none")
    func sameOrigin() throws {
        func keeps(_ from: String, _ to: String) throws -> Bool {
            let request = HTTPRequest(.get, try webAddress(from), headers: ["Authorization": "a"])
            let next = try RedirectPolicy.next(after: HTTPResponse(status: 302, headers: ["Location": to]), to: request, followed: 0)
            return next?.headers["Authorization"] != nil
        }
        for to in ["/b", "b", "?c", "//example.com/b", "https://EXAMPLE.com:443/b", "HTTPS://example.com"] {
            #expect(try keeps("https://example.com/", to), "\(to)")
        }
        for to in [
            "//example.org/", "https://example.com.evil.example/", "https://example.com:444/", "https://www.example.com/",
        ] {
            #expect(try !keeps("https://example.com/", to), "\(to)")
        }
        #expect(throws: NetworkError.self) { try keeps("https://example.com/", "https://example.com./") }
        #expect(try !keeps("http://localhost/", "https://localhost/"))
        #expect(try !keeps("http://localhost/", "http://127.0.0.1/"))
    }

    @Test(
        "fault N18: from https to http, to other schemes, and where no request may go: refused",
        arguments: [
            "http://example.com/", "http://127.0.0.1/", "file:///etc/passwd", "data:text/plain,x", "javascript:1", "ftp://example.com/",
            "//user@example.com/",
            "https://example.com:99999/", "//ex%61mple.com/", "https:///x", "https://",
        ]
    )
    func refused(_ location: String) throws {
        let request = HTTPRequest(.get, try webAddress("https://example.com/a?secret=1"))
        let error = #expect(throws: NetworkError.self) {
            try RedirectPolicy.next(after: HTTPResponse(status: 302, headers: ["Location": location]), to: request, followed: 0)
        }
        #expect(error?.code == .invalidResponse)
        #expect(error?.status == 302)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("fault N18: a loop ends after as many redirections as are allowed")
    func loop() async throws {
        let server = try LoopbackServer()
        server.on("/a", .redirect(302, to: "/b"))
        server.on("/b", .redirect(302, to: "/a"))
        let error = await quickClient().failure(HTTPRequest(.get, server.url("/a")))
        #expect(error?.code == .invalidResponse)
        #expect(error?.reason == "it was redirected more than 5 times")
        #expect(server.requests.count == 6)
    }

    @Test(
        "places that are no places end in an error or an answer, never in a trap",
        arguments: [" ", "?", "#", "//", "///", "http://[", "http://a b/", "?a=%zz", "/%00", "ÿþ", "..", "a:b", "/;?[]{}|\\^`<>\""]
    )
    func nonsense(_ location: String) throws {
        let request = HTTPRequest(.get, try webAddress("https://example.com/"))
        let answer = HTTPResponse(status: 302, headers: ["Location": location])
        _ = try? RedirectPolicy.next(after: answer, to: request, followed: 0)
    }
}
