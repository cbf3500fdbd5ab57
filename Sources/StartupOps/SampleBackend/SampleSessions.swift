import Foundation

/// The tokens that the sample service has given out, and whose they are.
struct SampleSessions: Codable {
    /// The answer of a token endpoint (RFC 6749, section 5.1).
    struct Tokens: Encodable {
        let access_token: String
        let token_type = "Bearer"
        let expires_in: Int64
        let refresh_token: String
    }

    private struct Access: Codable {
        let account: String
        let expires: Date
    }

    private var access: [String: Access] = [:]
    private var refresh: [String: String] = [:]

    /// New tokens for an account.
    mutating func issue(for account: String, lifetime: Duration, now: Date) -> Tokens {
        access = access.filter { $0.value.expires > now }
        let expires = now.addingTimeInterval(TimeInterval(lifetime.components.seconds))
        let token = Self.webToken(subject: account, issued: now, expires: expires)
        let next = Self.random(24)
        access[token] = Access(account: account, expires: expires)
        refresh[next] = account
        return Tokens(access_token: token, expires_in: lifetime.components.seconds, refresh_token: next)
    }

    /// Whose refresh token this is. It is worth nothing afterwards: the new tokens come with another one.
    mutating func redeem(refreshToken: String) -> String? { refresh.removeValue(forKey: refreshToken) }

    /// Whose access token this is; nil when it has expired or was never given out.
    func account(for token: String, now: Date) -> String? {
        access[token].flatMap { $0.expires > now ? $0.account : nil }
    }

    mutating func expireAccessTokens() { access = [:] }

    mutating func endSessions() { refresh = [:] }

    /// A token in the form of a JSON Web Token (RFC 7519, RFC 7515).
    ///
    /// Its signature is random: there is no key, so nobody can verify it, and nobody has to. The service knows the tokens it gave out, and
    /// clients read no more than `exp`.
    private static func webToken(subject: String, issued: Date, expires: Date) -> String {
        let header = base64URL(Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let payload = #"{"exp":\#(seconds(expires)),"iat":\#(seconds(issued)),"iss":"sample","jti":"\#(random(9))","sub":"\#(subject)"}"#
        return "\(header).\(base64URL(Data(payload.utf8))).\(random(32))"
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0 }

    private static func random(_ count: Int) -> String {
        base64URL(Data((0..<count).map { _ in UInt8.random(in: .min ... .max) }))
    }

    /// RFC 4648, section 5, without padding.
    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
