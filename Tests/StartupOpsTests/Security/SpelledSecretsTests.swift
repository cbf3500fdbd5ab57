import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Secrets in long data", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SpelledSecretsTests {
    private static let secret = "pass/word 7Q+vK2=xé\"\\😀"
    private let secrets = SpelledSecrets([secret])

    private func isQuoted(in text: String) -> Bool {
        secrets.places(in: Array("\(String(repeating: "x", count: 70_001))\(text)…".utf8)).contains { _ in true }
    }

    @Test("a secret is found as it stands, percent-encoded and in base64, in any case and at any place")
    func spellings() {
        let percent = PercentEncoding.encode(Self.secret)
        var all = [Self.secret, Self.secret.lowercased(), percent, percent.lowercased()]
        for before in 0..<4 {
            for after in 0..<3 {
                let around = String(repeating: "x", count: before) + Self.secret + String(repeating: "y", count: after)
                let base64 = Data(around.utf8).base64EncodedString()
                all += [base64, base64.replacing("+", with: "-").replacing("/", with: "_")]
            }
        }
        for text in all { #expect(isQuoted(in: text), "\(text)") }
    }

    @Test("a part of a secret, and an empty one, quote nothing")
    func nothing() {
        #expect(!isQuoted(in: String(Self.secret.dropLast())))
        #expect(!isQuoted(in: String(Self.secret.dropFirst())))
        #expect(SpelledSecrets([""]).places(in: Array("text".utf8)).allSatisfy { _ in false })
        #expect(secrets.places(in: []).allSatisfy { _ in false })
        #expect(secrets.places(in: Array(Self.secret.utf8.prefix(8))).allSatisfy { _ in false })
    }
}
