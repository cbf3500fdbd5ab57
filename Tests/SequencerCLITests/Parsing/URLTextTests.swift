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

    private static let unencrypted = "the address is not encrypted; expected 'https' ('http' is for localhost, 127.0.0.1 and [::1] only)"

    @Test(
        "fault J13: What is wrong is said, the address itself is not",
        arguments: [
            ("", "the address is empty"),
            ("example.com", "the address is not absolute; expected it to begin with 'https://'"),
            ("/a", "the address is not absolute; expected it to begin with 'https://'"),
            ("ftp://example.com", "unknown scheme 'ftp'; expected 'https'"),
            ("file:///etc/passwd", "unknown scheme 'file'; expected 'https'"),
            ("http://example.com", unencrypted),
            ("http://localhost.example.com", unencrypted),
            ("http://127.example.com", unencrypted),
            ("http://127.0.0.2:8080/", unencrypted),
            ("http://127.1", unencrypted),
            ("https://user@example.com", "the address holds a user name or a password, which do not belong in an address"),
            ("https://u:p@example.com", "the address holds a user name or a password, which do not belong in an address"),
            ("https://", "the address has no host"),
            ("https:///a", "the address has no host"),
            ("https://g%6fod.example", "the address's host 'g%6fod.example' is not a host name"),
            ("https://a..b", "the address's host 'a..b' is not a host name"),
            ("https://[::1", "the address's host lacks its ']'"),
            ("https://[1.2.3.4]/", "the address's host '[1.2.3.4]' is not an IPv6 address"),
            ("https://a:0/", "the address's port is not a number from 1 to 65535"),
            ("https://a:65536/", "the address's port is not a number from 1 to 65535"),
            ("https://a:/", "the address's port is not a number from 1 to 65535"),
            ("https://a:+80/", "the address's port is not a number from 1 to 65535"),
            ("https://[::1]x/", "the address's port is not a number from 1 to 65535"),
            ("https://example.com/a b", "the address holds a character that must be percent-encoded"),
            ("https://exämple.com/", "the address holds a character that must be percent-encoded"),
            ("https://example.com\\@evil.example/", "the address holds a character that must be percent-encoded"),
            ("https://example.com/%zz", "the address holds a '%' without two hexadecimal digits after it"),
            ("https://example.com/100%", "the address holds a '%' without two hexadecimal digits after it"),
        ] as [(String, String)]
    )
    func refuses(_ text: String, _ message: String) {
        let error = #expect(throws: ValueError.self) { try URLText.parse(text) }
        #expect(error?.message == message)
    }
}
