import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

@Suite("Requests that may be sent", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RequestValidationTests {
    @Test(
        "an address that may not be asked is refused by name of the rule, and nothing is sent",
        arguments: [
            ("http://example.com/", "plain http goes to this machine only; use https for example.com"),
            ("http://127.0.0.2/", "plain http goes to this machine only; use https for 127.0.0.2"),
            ("http://localhost.example.com/", "plain http goes to this machine only; use https for localhost.example.com"),
            ("ftp://example.com/", "the address has to begin with https, not with \"ftp\""),
            ("file:///etc/passwd", "the address has to begin with https, not with \"file\""),
            ("/path", "the address has to begin with https, not with \"\""),
            ("https:///path", "the address names no host"),
            ("https://person@example.com/", "the address holds a user name; put credentials in a header"),
            ("https://:secret@example.com/", "the address holds a user name; put credentials in a header"),
            ("https://example.com@evil.example/", "the address holds a user name; put credentials in a header"),
            ("https://example.com:0/", "the address has the port 0; there are those from 1 to 65535"),
            ("https://example.com:99999/", "the address has the port 99999; there are those from 1 to 65535"),
            ("https://example.com/a%0D%0Ab", "the address has a control character in its path"),
            ("https://example.com/a\tb", "the address has a control character in its path"),
            ("https://example.com/%7f", "the address has a control character in its path"),
            ("https://g%6fod.example/", "the address spells its host with percent signs"),
        ] as [(String, String)]
    )
    func refused(_ text: String, _ reason: String) async throws {
        // A transport that would say so.
        let client = quickClient(over: Unreachable())
        let error = await client.failure(HTTPRequest(.get, try webAddress(text)))
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason == reason)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "https, and plain http to this machine, may be asked",
        arguments: [
            "https://example.com/a?b#c", "https://example.com/a%20b?text=one%0Atwo", "HTTPS://example.com", "http://127.0.0.1:81/",
            "http://localhost/", "http://LOCALHOST:1/",
            "http://[::1]:8080/",
        ]
    )
    func allowed(_ text: String) throws {
        try HTTPRequest(.get, webAddress(text)).validate()
    }

    @Test("fault N36: headers that would begin another one, and bodies where none can be, are refused")
    func fields() throws {
        let url = try webAddress("https://example.com/")
        for (name, value) in [
            ("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\u{0}"), ("X Y", "a"), ("", "a"), ("X:", "a"), ("X\r\n", "a"), ("Ä", "a"),
        ] {
            #expect(throws: NetworkError.self) { try HTTPRequest(.get, url, headers: [name: value]).validate() }
        }
        try HTTPRequest(.get, url, headers: ["X-Any_1": "ä, \"b\"; c=\t d"]).validate()
        #expect(throws: NetworkError.self) { try HTTPRequest(.get, url, body: Data("a".utf8)).validate() }
        try HTTPRequest(.delete, url, body: Data("a".utf8)).validate()
        try HTTPRequest(.get, url, body: Data()).validate()
    }

    @Test("fault N36: control and invisible characters in an address are refused where the address is a text, and not encoded or left out")
    func addresses() async throws {
        for text in [
            "https://example.com/\r\nX: y", "https://exa\u{200B}mple.com/", "https://example.com/\u{202E}a", "https://example.com/a\u{0}",
            "https://example.com\t",
        ] {
            #expect(throws: NetworkError.self) { try APIEnvironment(graphQL: text) }
            #expect(throws: NetworkError.self) { try APIEnvironment(graphQL: "https://example.com/graphql", rest: text) }
            let answer = HTTPResponse(status: 302, headers: ["Location": text])
            let request = HTTPRequest(.get, try webAddress("https://example.com/"))
            #expect(throws: NetworkError.self) { try RedirectPolicy.next(after: answer, to: request, followed: 0) }
        }
        let harness = try ClientHarness()
        for path in ["v1/devices/a\r\nb", "v1/\u{0}", "v1/\u{7F}"] {
            let error = await failure { () throws(NetworkError) in
                try await harness.client.get(path, options: RequestOptions(requirement: .optional), deadline: .never)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } == true)
        }
        #expect(harness.requests.isEmpty)
    }

    private struct Unreachable: HTTPSending {
        func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
            throw NetworkError(.unreachable, request: request.description, "it was sent")
        }
    }
}
