import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Secrets in long data", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SpelledSecretsTests {
    private static let secret = "pass/word 7Q+vK2=xé\"\\😀"
    private let secrets = SpelledSecrets([secret])

    private func data(_ text: String) -> Data { Data("\(String(repeating: "x", count: 70_001))\(text)…".utf8) }

    @Test("a secret is found as it stands, and as JSON, forms, hexadecimal numbers and base64 spell it, in any case and at any place")
    func spellings() throws {
        let bytes = Array(Self.secret.utf8)
        let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let units = Self.secret.utf16.map { unit in
            "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
        }
        let json = String(decoding: try JSONEncoder().encode([Self.secret]), as: UTF8.self).dropFirst(2).dropLast(2)
        let ascii = zip(Self.secret.utf16, units).map { unit, escaped in
            unit > 0x7F ? escaped : ["\"": "\\\"", "\\": "\\\\"][String(UnicodeScalar(UInt8(unit)))] ?? String(UnicodeScalar(UInt8(unit)))
        }
        let percent = try #require(Self.secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics.intersection(.urlHostAllowed)))
        let form = PercentEncoding.encode(Self.secret).replacingOccurrences(of: "%20", with: "+")
        var all = [
            Self.secret, Self.secret.lowercased(), String(json), ascii.joined(), units.joined(), units.joined().uppercased(),
            hexadecimal.joined(), hexadecimal.joined().uppercased(), percent, percent.lowercased(), PercentEncoding.encode(Self.secret),
            form,
            hexadecimal.map { "%" + $0 }.joined(),
        ]
        for before in 0..<4 {
            for after in 0..<3 {
                let around = String(repeating: "x", count: before) + Self.secret + String(repeating: "y", count: after)
                let base64 = Data(around.utf8).base64EncodedString()
                all += [base64, base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")]
            }
        }
        for text in all {
            let isQuoted = secrets.areQuoted(in: data(text))
            #expect(isQuoted, "\(text)")
        }
    }

    @Test("of a JSON Web Token the signature is looked for, wherever it stands; its beginning, which others share, is none")
    func tokens() {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwZXJzb24ifQ.c2lnbmF0dXJlLW9mLXRoaXM"
        let secrets = SpelledSecrets([token])
        for text in [token, "c2lnbmF0dXJlLW9mLXRoaXM", Data("Bearer \(token)".utf8).base64EncodedString()] {
            #expect(secrets.areQuoted(in: data(text)), "\(text)")
        }
        #expect(!secrets.areQuoted(in: data("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwZXJzb24ifQ.c2lnbmF0dXJlLW9mLWFub3RoZXI")))
    }

    @Test("a part of a secret, a short one and an empty answer quote nothing")
    func nothing() {
        #expect(!secrets.areQuoted(in: data(String(Self.secret.dropLast()))))
        #expect(!secrets.areQuoted(in: data(String(Self.secret.dropFirst()))))
        #expect(!secrets.areQuoted(in: Data()))
        #expect(!SpelledSecrets(["country", ""]).areQuoted(in: data("country")))
        #expect(!SpelledSecrets([]).areQuoted(in: data(Self.secret)))
        #expect(!secrets.areQuoted(in: Data(Self.secret.utf8.prefix(8))))
    }
}
