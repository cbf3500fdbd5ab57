import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Web addresses", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct URLTextTests {
    @Test(
        "https anywhere, http on this machine",
        arguments: [
            "https://example.com", "HTTPS://Example.com/a/b?c=d%20e#f", "https://example.com:8443/", "https://[2001:db8::1]:443/a",
            "http://localhost:8080/config", "http://127.0.0.1/", "http://[::1]:65535/x?y=a@b",
        ]
    )
    func reads(_ text: String) throws {
        #expect(try URLText.parse(text).absoluteString == text)
    }

    private static let invalid = "the address is not a valid URL; every character that has no place in one must be percent-encoded"
    private static let relative = "the address has to begin with https, not with \"\""
    private static let person = "the address holds a user name; put credentials in a header"

    @Test(
        "fault J13: What is wrong is said, the address itself is not",
        arguments: [
            ("", invalid), ("example.com", relative), ("/a", relative), ("https:good", "the address names no host"),
            ("ftp://example.com", "the address has to begin with https, not with \"ftp\""),
            ("http://example.com", "plain http goes to this machine only; use https for example.com"),
            ("http://127.0.0.2:8080/", "plain http goes to this machine only; use https for 127.0.0.2"),
            ("https://user@example.com", person), ("https://u:p@example.com", person),
            ("https://", "the address names no host"), ("https:///a", "the address names no host"),
            ("https://g%6fod.example", "the address spells its host with percent signs"),
            ("https://a:0/", "the address has the port 0; there are those from 1 to 65535"), ("https://a:+80/", invalid),
            ("https://[::1", invalid), ("https://[::1]x/", invalid), ("https://example.com/a b", invalid),
            ("https://exämple.com/", invalid), ("https://example.com\\@evil.example/", invalid), ("https://example.com/%zz", invalid),
        ] as [(String, String)]
    )
    func refuses(_ text: String, _ message: String) {
        let error = #expect(throws: ValueError.self) { try URLText.parse(text) }
        #expect(error?.message == message)
    }
}
