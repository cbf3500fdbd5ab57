import Foundation
import StartupSamples
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

/// Secrets that services quote are taken out of what is shown. The secrets are those of these tests alone.
@Suite("Secrets that services quote", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct QuotedSecretsTests {
    private static let secrets = [
        "qUoted/3V+pw é=7~Zk", "qUotedTokenEyJ.9xWv-2_mN", "qU~8z", String(repeating: "qUotedLong0123456789", count: 50),
    ]

    /// In every way in which requests and services spell it.
    private static func spellings(of secret: String) -> [String] {
        let percent = PercentEncoding.encode(secret)
        var all = [secret, percent, percent.lowercased()]
        for before in 0..<3 {
            for after in 0..<3 {
                let text = String(repeating: "<", count: before) + secret + String(repeating: "~", count: after)
                let base64 = Data(text.utf8).base64EncodedString()
                let url = base64.replacing("+", with: "-").replacing("/", with: "_")
                all += [base64, url, base64.replacing("=", with: ""), url.replacing("=", with: "")]
            }
        }
        return all
    }

    @Test("fault T26: a word that quotes a secret, encoded or not, is not shown; what stands around it is", arguments: secrets)
    func spellings(_ secret: String) {
        KnownSecrets.add(Secret(secret), from: .person)
        for spelling in Self.spellings(of: secret) where spelling.unicodeScalars.count < 700 {
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

    @Test("fault T26: nor is a word that quotes the signature of a token alone")
    func signature() {
        KnownSecrets.add("qUotedHead.qUotedClaims.qUotedSignature", from: .service)
        for spelling in Self.spellings(of: "qUotedSignature") + Self.spellings(of: "qUotedHead.qUotedClaims.qUotedSignature") {
            #expect(ForeignText.withoutSecrets("denied \(spelling) today") == "denied <secret> today", "\(spelling)")
        }
    }

    @Test("fault T26: of a secret in a word that is cut off nothing is shown")
    func cut() {
        let secret = Self.secrets[1]
        KnownSecrets.add(Secret(secret), from: .service)
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
        #expect(ForeignText.withoutSecrets("denied qUo%20correct%20horse") == "denied <secret>")
    }

    @Test("a service that gives new tokens all the time makes no password forgotten")
    func capacity() {
        KnownSecrets.add("qUotedPasswordStays", from: .person)
        for number in 1...(3 * KnownSecrets.capacity) { KnownSecrets.add(Secret("qUotedServiceToken\(number)"), from: .service) }
        #expect(KnownSecrets.all.contains("qUotedPasswordStays"))
        // Other tests have tokens, too.
        let kept = KnownSecrets.all.count { $0.hasPrefix("qUotedServiceToken") }
        #expect((1...KnownSecrets.capacity).contains(kept))
    }

    @Test("fault T26: a redirection to a server that is named by a secret is refused, and a path that is one not shown")
    func redirections() throws {
        KnownSecrets.add("qUotedRedirectSecret", from: .service)
        let request = HTTPRequest(.get, try webAddress("https://example.com/a"))
        func next(_ location: String) throws -> HTTPRequest? {
            try RedirectPolicy.next(after: HTTPResponse(status: 302, headers: ["Location": location]), to: request, followed: 0)
        }
        let base64 = Data("qUotedRedirectSecret".utf8).base64EncodedString().replacing("=", with: "")
        for host in ["qUotedRedirectSecret.evil.example", "\(base64).evil.example"] {
            let error = #expect(throws: NetworkError.self) { try next("https://\(host)/") }
            #expect(error?.reason == "it was redirected to a server whose name holds a secret")
        }
        #expect(try next("https://evil.example/\(base64)")?.description == "GET <secret>")
        #expect(try next("https://a.zz/b")?.description == "GET a.zz/b")
    }

    @Test("fault T30: an address whose scheme is a secret is refused, and the error does not show it")
    func scheme() throws {
        KnownSecrets.add("qUotedScheme", from: .service)
        let request = HTTPRequest(.get, try webAddress("https://example.com/a"))
        let answer = HTTPResponse(status: 307, headers: ["Location": "qUotedScheme:x"])
        let error = #expect(throws: NetworkError.self) { try RedirectPolicy.next(after: answer, to: request, followed: 0) }
        #expect(error?.reason.hasSuffix("not with \"<secret>\"") == true, "\(error?.reason ?? "")")
    }

    @Test("fault T30: a speaker whose host quotes a secret is not named", arguments: [false, true])
    func speakers(isEncoded: Bool) async throws {
        let secret = "qUotedSpeakerSecret"
        KnownSecrets.add(Secret(secret), from: .service)
        let speaker = Speaker(id: "s", name: "s", host: isEncoded ? Data(secret.utf8).base64EncodedString() : secret, port: 0)
        let error = await #expect(throws: DeviceError.self) { try await TCPSpeakerConnector().connect(to: speaker, by: .after(patience)) }
        #expect(error?.device == "speaker <secret>:0")
        #expect(error?.code == .invalidAddress)
    }
}
