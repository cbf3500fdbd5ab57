import Foundation

/// What a user's session consists of: the tokens, and whose they are.
///
/// It is `Codable` so that a ``SessionStore`` can keep it; whatever else prints, dumps or reflects it sees no token.
public struct Session: Sendable, Hashable {
    /// The bearer token that requests carry.
    public let accessToken: Secret
    /// What a new access token is asked for with; services may replace it at every use.
    public let refreshToken: Secret?
    /// Whose session it is.
    public let userID: String?
    /// Whether it is a guest's, opened without asking anything.
    public let isAnonymous: Bool
    /// When the access token expires by this device's clock, as the service said when it gave it ("expires_in").
    public let expiresAt: Date?

    /// A session; when no user is named, it is the one whom the access token is about.
    public init(
        accessToken: Secret,
        refreshToken: Secret? = nil,
        userID: String? = nil,
        isAnonymous: Bool = false,
        expiresAt: Date? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.userID = userID ?? JSONWebToken(accessToken.value)?.subject
        self.isAnonymous = isAnonymous
        self.expiresAt = expiresAt
    }

    /// The session as it goes on after a refresh: what the refresh did not say again stays (RFC 6749, section 6).
    func refreshed(by new: Session) -> Session {
        Session(
            accessToken: new.accessToken,
            refreshToken: new.refreshToken ?? refreshToken,
            userID: new.userID ?? userID,
            isAnonymous: isAnonymous,
            expiresAt: new.expiresAt
        )
    }
}

extension Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether it is a guest's, and nothing else.
    public var description: String { isAnonymous ? "an anonymous session" : "a session" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Nothing of the tokens.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension Session: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken, refreshToken, userID, isAnonymous, expiresAt
    }

    /// Reads what a store has kept.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            accessToken: Secret(try values.decode(String.self, forKey: .accessToken)),
            refreshToken: try values.decodeIfPresent(String.self, forKey: .refreshToken).map { Secret($0) },
            userID: try values.decodeIfPresent(String.self, forKey: .userID),
            isAnonymous: try values.decodeIfPresent(Bool.self, forKey: .isAnonymous) ?? false,
            expiresAt: try values.decodeIfPresent(Date.self, forKey: .expiresAt)
        )
    }

    /// Writes the tokens in the clear: for a store for secrets, and nothing else.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessToken.value, forKey: .accessToken)
        try values.encodeIfPresent(refreshToken?.value, forKey: .refreshToken)
        try values.encodeIfPresent(userID, forKey: .userID)
        try values.encode(isAnonymous, forKey: .isAnonymous)
        try values.encodeIfPresent(expiresAt, forKey: .expiresAt)
    }
}
