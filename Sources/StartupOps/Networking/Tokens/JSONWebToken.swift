import Foundation

/// The claims of a JSON Web Token (RFC 7519) that a client may look at: when it expires, and whom it is about.
///
/// The signature is **not** verified: a client has no key to do so, and the service checks every token anyway. So a token's claims may decide
/// when to refresh it, and must never decide what somebody may do. This holds for unsecured tokens (`alg` is `none`) as for all others.
///
/// ```swift
/// let isUsable = JSONWebToken(text)?.isExpired(at: .now) == false
/// ```
public struct JSONWebToken: Sendable, Hashable {
    /// Longer texts are no tokens: servers refuse headers of this size, and nobody should have to decode them.
    public static let maximumLength = 16 * 1024

    /// When a token expires.
    public enum Expiry: Sendable, Hashable {
        /// At this time, by the clock of the service.
        case at(Date)
        /// The token does not say (or says null).
        case missing
        /// What the token says is no number.
        case invalid
    }

    /// When it expires.
    public let expiry: Expiry
    /// Whom it is about: the user's identifier, as a rule.
    public let subject: String?

    /// Reads a token; nil when the text is none: it has other than three parts, one that is not base64url or no JSON object, or is too long.
    ///
    /// The signature may be missing only where the header says that there is none (RFC 7519, section 6).
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.decode(Header.self, parts[0]),
            let claims = Self.decode(Claims.self, parts[1]),
            Base64URL.decode(parts[2]) != nil,
            !parts[2].isEmpty || header.algorithm == "none"
        else { return nil }
        expiry = claims.expiry
        subject = claims.subject
    }

    /// Whether it has expired at `now`. A token that does not say when it expires counts as expired: it has to be refreshed to know.
    public func isExpired(at now: Date) -> Bool {
        guard case .at(let date) = expiry else { return true }
        return date <= now
    }

    /// The time that a claim in seconds since 1970 stands for (RFC 7519, section 2, "NumericDate").
    ///
    /// Any number is safe. Beyond the year 5138 it is taken for milliseconds, which some services send; what is then beyond the year 9999 is
    /// the distant future, what is before the year 1 the distant past.
    public static func date(numericDate seconds: Double) -> Date {
        guard !seconds.isNaN else { return .distantPast }
        let seconds = seconds > 1e11 ? seconds / 1000 : seconds
        if seconds > 253_402_300_799 { return .distantFuture }
        if seconds < -62_135_596_800 { return .distantPast }
        return Date(timeIntervalSince1970: seconds)
    }

    private static func decode<Part: Decodable>(_ type: Part.Type, _ text: Substring) -> Part? {
        Base64URL.decode(text).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    private struct Header: Decodable {
        let algorithm: String?

        private enum CodingKeys: String, CodingKey { case algorithm = "alg" }
    }

    private struct Claims: Decodable {
        let expiry: Expiry
        let subject: String?

        private enum CodingKeys: String, CodingKey {
            case expiry = "exp"
            case subject = "sub"
        }

        init(from decoder: any Decoder) throws {
            let claims = try decoder.container(keyedBy: CodingKeys.self)
            subject = try? claims.decode(String.self, forKey: .subject)
            if !claims.contains(.expiry) || (try? claims.decodeNil(forKey: .expiry)) == true {
                expiry = .missing
            } else if let seconds = try? claims.decode(Double.self, forKey: .expiry) {
                expiry = .at(JSONWebToken.date(numericDate: seconds))
            } else {
                expiry = .invalid
            }
        }
    }
}
