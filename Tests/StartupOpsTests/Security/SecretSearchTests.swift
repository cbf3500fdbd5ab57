import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

/// What looks for leaks has to find them: every way in which a secret could be in a text, planted.
@Suite("Looking for secrets", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SecretSearchTests {
    private static let secret = "canary/7Q+vK2=xé zW9"
    private let search = SecretSearch([secret])

    @Test("a secret is found as it is, in part, percent-encoded, in base64, in JSON, in hexadecimal and as bytes")
    func spellings() throws {
        let bytes = Array(Self.secret.utf8)
        let json = String(decoding: try JSONEncoder().encode(["text": Self.secret]), as: UTF8.self)
        let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let everyByte = bytes.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        var texts = ["\(Self.secret)\"}", "\(Self.secret.prefix(12))…", "…\(Self.secret.suffix(13))", json, "\(bytes)"]
        texts += [hexadecimal, hexadecimal.uppercased()]
        texts += [PercentEncoding.encode(Self.secret), everyByte, everyByte.lowercased()]
        for before in 0..<7 {
            for after in 0..<4 {
                let around = (String(repeating: "x", count: before), String(repeating: "y", count: after))
                let encoded = Data((around.0 + Self.secret + around.1).utf8).base64EncodedString()
                let url = encoded.replacing("+", with: "-").replacing("/", with: "_")
                texts += [encoded, url, url.replacing("=", with: "")]
            }
        }
        for text in texts { #expect(!search.found(in: "Bearer \(text)").isEmpty, "\(text)") }
    }

    @Test("what is no secret is not found")
    func nothing() {
        let others = [
            "", "canary", "canary/8Q+vK2-xé zW9", "<secret>", "<token>", "a session", Data("canaries".utf8).base64EncodedString(),
        ]
        for text in others { #expect(search.found(in: text).isEmpty, "\(text)") }
        #expect(SecretSearch([]).found(in: Self.secret).isEmpty)
    }
}
