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

    @Test("a secret is found as it is, and so is a part of it", arguments: ["", "{\"token\":\"", "Bearer "])
    func plain(before: String) {
        #expect(!search.found(in: "\(before)\(Self.secret)\"}").isEmpty)
        #expect(!search.found(in: "\(before)\(Self.secret.prefix(12))…").isEmpty)
        #expect(!search.found(in: "\(before)…\(Self.secret.suffix(13))").isEmpty)
    }

    @Test("a secret is found percent-encoded: by the client, by Foundation, and byte for byte")
    func percentEncoded() throws {
        let byFoundation = try #require(Self.secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let everyByte = Self.secret.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        for encoded in [PercentEncoding.encode(Self.secret), byFoundation, everyByte, everyByte.lowercased()] {
            #expect(!search.found(in: "GET example.com/?token=\(encoded)&x=1").isEmpty, "\(encoded)")
        }
    }

    @Test("a secret is found in base64 and base64url, wherever it begins and whatever is around it")
    func base64() {
        for before in 0..<7 {
            for after in 0..<4 {
                let data = Data((String(repeating: "x", count: before) + Self.secret + String(repeating: "y", count: after)).utf8)
                let encoded = data.base64EncodedString()
                let url = encoded.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                for text in [encoded, url, url.replacingOccurrences(of: "=", with: "")] {
                    #expect(!search.found(in: "Basic \(text)").isEmpty, "\(before) before, \(after) after")
                }
            }
        }
    }

    @Test("a secret is found in JSON, in hexadecimal, and as bytes in a list or a dump")
    func otherSpellings() throws {
        let bytes = Array(Self.secret.utf8)
        var dumped = ""
        dump(bytes, to: &dumped)
        // A slash is escaped by some, and a letter beyond ASCII by others: what is between them is left.
        let json = String(decoding: try JSONEncoder().encode(["text": Self.secret]), as: UTF8.self)
        let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for text in [dumped, json, "\(bytes)", hexadecimal, hexadecimal.uppercased()] {
            #expect(!search.found(in: text).isEmpty, "\(text)")
        }
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
