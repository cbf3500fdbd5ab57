import Foundation
import StartupSamples
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What services quote of secrets, in all spellings, is taken out of what is shown. The secrets are those of these tests alone.
@Suite("Secrets that services quote", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct QuotedSecretsTests {
    private static let secrets = [
        "qUoted/3V+pw é=7~Zk", "qUotedTokenEyJ.9xWv-2_mN", "qU~8z", String(repeating: "qUotedLong0123456789", count: 50),
    ]

    private static func hexadecimal(_ text: String) -> String { text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    /// In every way in which a service could say it.
    private static func spellings(of secret: String) throws -> [String] {
        let json = String(decoding: try JSONEncoder().encode([secret]), as: UTF8.self)
        let escapes = secret.unicodeScalars.map { $0.isASCII ? "\\u00" + hexadecimal(String($0)) : String($0) }.joined()
        var all = [
            secret, secret.uppercased(), PercentEncoding.encode(secret), PercentEncoding.encode(PercentEncoding.encode(secret)),
            secret.utf8.map { "%" + hexadecimal(String(UnicodeScalar($0 & 0x7F))) }.joined(), hexadecimal(secret),
            hexadecimal(secret).uppercased(),
            hexadecimal("x" + secret + "y"), json, escapes, PercentEncoding.encode(secret).replacing("%20", with: "+"),
            secret.utf16.map { "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16) }.joined(),
            "{\\\"token\\\":\\\"\(secret)\\\"}",
        ]
        if !secret.allSatisfy(\.isASCII) { all.remove(at: 4) }
        for before in 0..<3 {
            for after in 0..<3 {
                let text = String(repeating: "<", count: before) + secret + String(repeating: "~", count: after)
                let base64 = Data(text.utf8).base64EncodedString()
                let url = base64.replacing("+", with: "-").replacing("/", with: "_")
                all += [base64, url, base64.replacing("=", with: ""), url.replacing("=", with: ""), PercentEncoding.encode(base64)]
                all += [base64.replacing("/", with: "\\/"), Data(base64.utf8).base64EncodedString()]
            }
        }
        return all
    }

    @Test("fault T26: whatever way a secret is spelled, the word it is in is not shown; what stands around it is", arguments: secrets)
    func spellings(_ secret: String) throws {
        KnownSecrets.add(Secret(secret), from: .person)
        for spelling in try Self.spellings(of: secret) where spelling.unicodeScalars.count < 700 {
            for text in [
                "denied \(spelling) today", "denied \(spelling)", "\(spelling) today", spelling, "denied token=\(spelling)&x=1 today",
            ] {
                let shown = ForeignText.withoutSecrets(text)
                #expect(shown.contains("<secret>"), "\(text) is shown as \(shown)")
                let rest = shown.replacing("<secret>", with: "").replacing("denied", with: "").replacing("today", with: "")
                #expect(rest.allSatisfy { $0.isWhitespace }, "\(text) is shown as \(shown)")
            }
        }
    }

    @Test("fault T26: twice encoded, and cut off, a secret is not shown either")
    func nested() throws {
        let secret = Self.secrets[1]
        KnownSecrets.add(Secret(secret), from: .service)
        let twice = PercentEncoding.encode(Data("a=\(secret)&".utf8).base64EncodedString())
        #expect(ForeignText.withoutSecrets("x \(twice) y") == "x <secret> y")
        #expect(ForeignText.withoutSecrets("x \(secret.prefix(12))... y") == "x <secret> y")
        #expect(ForeignText.withoutSecrets("x \(secret.suffix(9)) y") == "x <secret> y")
        let long = String(repeating: "word ", count: 159) + secret
        #expect(!ForeignText.withoutSecrets(long).contains(secret.prefix(4)))
    }

    @Test("what quotes nothing is shown as it is, and short")
    func others() {
        KnownSecrets.add("abc", from: .person)
        for text in [
            "", " ", "no such speaker", "abc is too short to be looked for", "x%2Gy%", "\\", "\\u12", "100 % of ABCDEFGH", "é\u{1F3B5}",
        ] {
            #expect(ForeignText.withoutSecrets(text) == text)
        }
        #expect(ForeignText.shown(String(repeating: "e\u{301}\u{301}\u{301}", count: 10_000)).unicodeScalars.count < 1000)
    }

    @Test("secrets with zero bytes, and texts of zero bytes, do no harm")
    func zeros() {
        KnownSecrets.add(Secret("\0\0\0\0\0\0\0\0\0q\0"), from: .person)
        #expect(ForeignText.withoutSecrets("aaaa 00000000 AAAA").utf8.count < 100)
        #expect(ForeignText.withoutSecrets("q\0q\0\0\0\0\0\0\0\0\0\0q\0 x").contains("x"))
    }

    @Test("words of a secret that is a phrase hide nothing; the phrase is not shown")
    func phrase() {
        KnownSecrets.add("qUo correct horse", from: .person)
        #expect(ForeignText.withoutSecrets("incorrect header, correct hour") == "incorrect header, correct hour")
        #expect(ForeignText.withoutSecrets("denied qUo+correct+horse") == "denied <secret>")
        #expect(ForeignText.withoutSecrets("denied r\\u00fcqUo\\ud83d\\ude00") == "denied r\\u00fcqUo\\ud83d\\ude00")
        KnownSecrets.add("r\u{FC}qUo\u{1F600}", from: .service)
        #expect(ForeignText.withoutSecrets("denied r\\u00fcqUo\\ud83d\\ude00") == "denied <secret>")
    }

    @Test("a service that gives new tokens all the time makes no password forgotten")
    func capacity() {
        KnownSecrets.add("qUotedPasswordStays", from: .person)
        for number in 1...(3 * KnownSecrets.capacity) { KnownSecrets.add(Secret("qUotedServiceToken\(number)"), from: .service) }
        #expect(KnownSecrets.all.contains("qUotedPasswordStays"))
        #expect(KnownSecrets.all.count { $0.hasPrefix("qUotedServiceToken") } == KnownSecrets.capacity)
    }

    @Test("A secret that looks like the gap between two ways to read a text hides nothing")
    func gap() {
        KnownSecrets.add(Secret(String(repeating: "\0", count: 9)), from: .service)
        #expect(ForeignText.shown("half of it (partial)") == "half of it (partial)")
    }

    @Test("fault T26: a redirection to a server that is named by a secret is refused, and a path that is one not shown")
    func redirections() throws {
        KnownSecrets.add("qUotedRedirectSecret", from: .service)
        let request = HTTPRequest(.get, try webAddress("https://example.com/a"))
        func next(_ location: String) throws -> HTTPRequest? {
            try RedirectPolicy().next(after: HTTPResponse(status: 302, headers: ["Location": location]), to: request, followed: 0)
        }
        let hexadecimal = Self.hexadecimal("qUotedRedirectSecret")
        for host in ["qUotedRedirectSecret.evil.example", "\(hexadecimal).evil.example"] {
            let error = #expect(throws: NetworkError.self) { try next("https://\(host)/") }
            #expect(error?.reason == "it was redirected to a server whose name holds a secret")
        }
        #expect(try next("https://evil.example/\(hexadecimal)")?.description == "GET <secret>")
        #expect(try next("https://a.zz/b")?.description == "GET a.zz/b")
    }

    @Test("fault T30: a redirection to a server that is named by a part of a secret is followed, and no error shows the name")
    func parts() throws {
        KnownSecrets.add("qUotedPartOfASecret", from: .service)
        func next(_ method: HTTPMethod, _ location: String) throws -> HTTPRequest? {
            let request = HTTPRequest(method, try webAddress("https://example.com/a"), body: method == .post ? Data("a".utf8) : nil)
            return try RedirectPolicy().next(
                after: HTTPResponse(status: 307, headers: ["Location": location]),
                to: request,
                followed: 0
            )
        }
        let codes: [URLError.Code] = [
            .cancelled, .timedOut, .cannotConnectToHost, .cannotFindHost, .networkConnectionLost, .badServerResponse,
            .notConnectedToInternet, .secureConnectionFailed, .cannotParseResponse, .badURL, .userAuthenticationRequired,
        ]
        let texts = ["Failed to connect", "Connection reset", "SSL", "?"]
        let errors = codes.map { URLError($0) } + texts.map { URLError(curl: 2, systemError: 0, text: $0) }
        for part in ["qUotedPartOf", Self.hexadecimal("qUotedPartOf")] {
            let request = try #require(try next(.get, "https://\(part).evil.example/"))
            #expect(request.placeText == "<secret>")
            for error in errors {
                for progress in [nil, "5 bytes"] {
                    let shown = NetworkError(error, of: request, progress: progress).description
                    #expect(!shown.lowercased().contains(part.lowercased()), "\(shown)")
                }
            }
            let error = #expect(throws: NetworkError.self) { try next(.post, "https://\(part).evil.example/") }
            #expect(error?.reason == "it was redirected to another server, <secret>, which its body is not meant for")
        }
        let error = #expect(throws: NetworkError.self) { try next(.get, "qUotedPartOf:x") }
        #expect(error?.reason.hasSuffix("not with \"<secret>\"") == true, "\(error?.reason ?? "")")
        #expect(try next(.get, "https://a.zz/b")?.placeText == "a.zz:443")
    }

    @Test("fault T30: a speaker whose host quotes a secret is not named", arguments: [false, true])
    func speakers(isHexadecimal: Bool) async throws {
        let secret = "qUotedSpeakerSecret"
        KnownSecrets.add(Secret(secret), from: .service)
        let speaker = Speaker(id: "s", name: "s", host: isHexadecimal ? Self.hexadecimal(secret) : String(secret.prefix(12)), port: 0)
        let error = await #expect(throws: DeviceError.self) { try await TCPSpeakerConnector().connect(to: speaker, by: .after(patience)) }
        #expect(error?.device == "speaker <secret>:0")
        #expect(error?.code == .invalidAddress)
    }
}
