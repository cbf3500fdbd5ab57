import Foundation
import Testing

@testable import StartupOps

@Suite("Requests that may be sent", .serialized, .timeLimit(.minutes(10)))
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
            ("https://g%6fod.example/", "the address spells its host with percent signs"),
        ]
    )
    func refused(_ text: String, _ reason: String) async throws {
        // A transport that would say so.
        let client = HTTPClient(HTTPClient.Configuration(), transport: Unreachable(), pause: { _ in }, chance: { 0 })
        let error = await client.failure(HTTPRequest(.get, try webAddress(text)))
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason == reason)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "https, and plain http to this machine, may be asked",
        arguments: [
            "https://example.com/a?b#c", "HTTPS://example.com", "http://127.0.0.1:81/", "http://localhost/", "http://LOCALHOST:1/",
            "http://[::1]:8080/",
        ]
    )
    func allowed(_ text: String) throws {
        try HTTPRequest(.get, webAddress(text)).validate()
    }

    @Test("headers that would begin another one, and bodies where none can be, are refused")
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

    private struct Unreachable: HTTPSending {
        func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
            throw NetworkError(.unreachable, request: request.description, "it was sent")
        }
    }
}
