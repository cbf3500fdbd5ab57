import Foundation

/// Takes secrets out of texts: those it knows, in the spellings in which they travel, and what looks like a token.
struct SDKRedaction: Sendable {
    static let replacement = "<redacted>"
    private var spellings: [String] = []

    /// Takes `secret` out from now on: as it is, percent-encoded, and in base64.
    mutating func add(_ secret: String) {
        if secret.isEmpty { return }
        let base64 = Data(secret.utf8).base64EncodedString()
        let unpadded = base64.replacingOccurrences(of: "=", with: "")
        let base64URL = unpadded.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        let encoded = [CharacterSet.alphanumerics, .urlQueryAllowed, CharacterSet(charactersIn: "-._~").union(.alphanumerics)]
            .compactMap { secret.addingPercentEncoding(withAllowedCharacters: $0) }
        // Longest first: a shorter spelling must not cut a longer one in two.
        spellings = Set(spellings + [secret, base64, unpadded, base64URL] + encoded).sorted {
            ($0.utf8.count, $0) > ($1.utf8.count, $1)
        }
    }

    /// The text without secrets.
    func callAsFunction(_ text: String) -> String {
        var text = text
        for spelling in spellings where text.contains(spelling) {
            text = text.replacingOccurrences(of: spelling, with: Self.replacement)
        }
        return Self.withoutTokens(text)
    }

    /// What follows `Bearer` or `Basic`, and every JSON web token (three parts in base64url that begin as JSON objects do), goes.
    private static func withoutTokens(_ text: String) -> String {
        var result = ""
        var word = ""
        var previous = ""
        func flush() {
            guard !word.isEmpty else { return }
            let isCredential = ["bearer", "basic"].contains(previous.lowercased()) && word.utf8.count >= 12
            let isToken = word.hasPrefix("eyJ") && word.utf8.filter { $0 == UInt8(ascii: ".") }.count >= 2
            result += isCredential || isToken ? replacement : word
            previous = word
            word = ""
        }
        for scalar in text.unicodeScalars {
            if isTokenCharacter(scalar) {
                word.unicodeScalars.append(scalar)
            } else {
                flush()
                if scalar != " " { previous = "" }
                result.unicodeScalars.append(scalar)
            }
        }
        flush()
        return result
    }

    /// The characters of a token68 (RFC 9110, section 11.2).
    private static func isTokenCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "+", "/", "=": true
        default: false
        }
    }
}
