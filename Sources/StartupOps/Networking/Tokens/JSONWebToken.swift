import Foundation

/// The claims of a JSON Web Token (RFC 7519) that a client may look at: when it expires, and whom it is about.
///
/// The signature is **not** verified: a client has no key to do so, and the service checks every token anyway. So a
/// token's claims may decide when to refresh it, and must never decide what somebody may do. This holds for unsecured
/// tokens (`alg` is `none`) as for all others.
///
/// ```swift
/// let isUsable = (JSONWebToken(text)?.expiry).map { $0 > .now } ?? false
/// ```
package struct JSONWebToken: Sendable, Hashable {
    /// Longer texts are not read: servers refuse headers of this size, and nobody should have to decode them.
    static let maximumLength = 16 * 1024

    /// When it expires, by the clock of the service; nil when it does not say so by a number.
    package let expiry: Date?
    /// Whom it is about: the user's identifier, as a rule.
    let subject: String?

    /// Reads a token; nil for any other text: without three parts, with a part that is not base64url or not a JSON
    /// object, or too long.
    ///
    /// The signature may be missing only where the header declares that (RFC 7519, section 6).
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        // Splits off one part more than allowed, so that a fourth is noticed without splitting the rest.
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            // Read though it is not verified: a text with any third part is not a token.
            Base64URL.decode(parts[2]) != nil, !parts[2].isEmpty || header["alg"] == "none"
        else { return nil }
        // A claim of another type is not an error: the token itself still works.
        expiry = claims["exp"]?.number.map(Self.date(numericDate:))
        subject = claims["sub"]?.text?.unlessBlank
    }

    /// The time that a claim in seconds since 1970 stands for (RFC 7519, section 2, "NumericDate").
    ///
    /// Any number is safe. Beyond the year 5138 it is taken for milliseconds, which some services send; after that, a
    /// time beyond the year 9999 is the distant future, a time before the year 1 the distant past.
    package static func date(numericDate seconds: Double) -> Date {
        guard !seconds.isNaN else { return .distantPast }
        let seconds = seconds > 1e11 ? seconds / 1000 : seconds
        if seconds > 253_402_300_799 { return .distantFuture }
        if seconds < -62_135_596_800 { return .distantPast }
        return Date(timeIntervalSince1970: seconds)
    }

    private static func object(_ text: Substring) -> [String: JSONValue]? {
        // Checked before it is decoded: endless nesting needs an endless stack.
        guard let data = Base64URL.decode(text), AnswerLimits.standard.excess(in: data) == nil else { return nil }
        return try? JSONDecoder().decode([String: JSONValue].self, from: data)
    }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5; RFC 7515, appendix C).
package enum Base64URL {
    package static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes that `text` stands for; nil when it holds anything but the alphabet, padding included, or ends within
    /// a byte.
    static func decode(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else {
            return nil
        }
        // Foundation's decoder wants the padding that tokens leave out.
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: String(text).replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}
