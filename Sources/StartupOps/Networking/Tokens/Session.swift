import Foundation

/// A user's session: the tokens, and their owner.
///
/// A ``SessionStore`` keeps it; everything else that prints, dumps or reflects it sees no token.
public struct Session: Sendable, Hashable, SecretHolding {
    fileprivate(set) var document: SessionDocument

    /// The bearer token that requests carry.
    public var accessToken: Secret { Secret(document.accessToken) }
    /// The token for getting a new access token; services may replace it at every use.
    var refreshToken: Secret? { document.refreshToken?.unlessBlank.map { Secret($0) } }
    /// The user.
    package var userID: String? { document.userID?.unlessBlank }
    /// Whether it is a guest's, opened without asking anything.
    package var isAnonymous: Bool { document.isAnonymous ?? false }
    /// When the access token expires by this device's clock, as the service said when it gave it ("expires_in").
    var expiresAt: Date? { document.expiresAt }
    /// The service that it is a session of, as `https://api.example.com:443`; nil when that was not written down.
    /// ``SessionStore`` does so.
    var origin: String? { document.origin }
    /// The installation of the app that has opened it; nil when that was not written down. On some systems secrets
    /// survive a reinstallation.
    package var installation: String? { document.installation }

    /// A session; when no user is named, it is the one whom the access token is about.
    public init(
        accessToken: Secret,
        refreshToken: Secret? = nil,
        userID: String? = nil,
        isAnonymous: Bool = false,
        expiresAt: Date? = nil
    ) {
        document = SessionDocument(
            accessToken: accessToken.value,
            refreshToken: refreshToken?.value,
            userID: userID?.unlessBlank ?? JSONWebToken(accessToken.value)?.subject,
            isAnonymous: isAnonymous,
            expiresAt: expiresAt
        )
    }

    /// The stored session.
    init(_ document: SessionDocument) { self.document = document }

    /// The session as it continues after a refresh: what the refresh did not say again stays (RFC 6749, section 6).
    func refreshed(by new: Session) -> Session {
        var session = self
        session.document.accessToken = new.document.accessToken
        session.document.refreshToken = new.refreshToken?.value ?? document.refreshToken
        session.document.userID = new.userID ?? userID
        session.document.expiresAt = new.expiresAt
        return session
    }

    /// The same session, with the installation of the app that has opened it.
    package func opened(by installation: String) -> Session {
        var session = self
        session.document.installation = installation
        return session
    }

    /// Whether it has the same tokens as the other one.
    func hasTokens(of other: Session) -> Bool { accessToken == other.accessToken && refreshToken == other.refreshToken }

    /// Whether it is a guest's, and nothing else.
    public var description: String { document.description }
}

/// A session as a store for secrets keeps it: with its tokens in the clear. Nothing else can encode one.
struct SessionDocument: Codable, Sendable, Hashable, SecretHolding {
    var accessToken: String
    var refreshToken: String?
    var userID: String?
    var isAnonymous: Bool?
    var expiresAt: Date?
    var origin: String?
    var installation: String?

    /// To the byte in what tells users and sessions apart.
    static func == (one: SessionDocument, other: SessionDocument) -> Bool {
        areSame(one.accessToken, other.accessToken) && areSame(one.refreshToken, other.refreshToken)
            && areSame(one.userID, other.userID) && areSame(one.installation, other.installation)
            && (one.isAnonymous, one.expiresAt, one.origin) == (other.isAnonymous, other.expiresAt, other.origin)
    }

    var description: String { isAnonymous == true ? "an anonymous session" : "a session" }
}

extension KnownSecrets {
    /// Keeps both tokens of a session in mind.
    static func add(_ session: Session) {
        add(session.accessToken, from: .service)
        if let token = session.refreshToken { add(token, from: .service) }
    }
}

/// A session in memory, with the expiry of its access token as it was when the session got there.
struct HeldSession: Sendable {
    let session: Session
    let token: AccessToken
    /// When the token expires, by this device's clock.
    let expiry: Date
    /// How long before that it is refreshed ahead.
    let leeway: TimeInterval
    /// Whether the service has turned the token down, in spite of its claims.
    var isRejected = false

    /// - Parameters:
    ///   - issued: when the service gave the token, if that was in this process; nil for one that was stored.
    init(_ session: Session, generation: UInt64, revision: UInt64, issued: Date?, leeway: TimeInterval) {
        self.session = session
        token = AccessToken(value: session.accessToken, userID: session.userID, generation: generation, revision: revision)
        let claimed = JSONWebToken(session.accessToken.value)?.expiry
        guard let issued else {
            // A stored token that cannot be read is refreshed: only the service can judge it.
            expiry = claimed ?? .distantPast
            self.leeway = leeway
            return
        }
        // A token that has just been issued and looks expired, or does not say: the device's clock is wrong, or the
        // token is opaque. How long it lives from now on, as the service has said, does not depend on any clock. To
        // refresh it again would only bring another one like it: without a word it is used until it is turned down.
        expiry = [claimed, session.expiresAt].compactMap(\.self).first { $0 > issued } ?? .distantFuture
        // A token that lives for less than the leeway would be refreshed at every use.
        self.leeway = min(leeway, expiry.timeIntervalSince(issued) / 2)
    }

    /// Whether the token must not be sent.
    func hasExpired(at now: Date) -> Bool { isRejected || expiry <= now }

    /// Whether it is over where nothing refreshes it. A token that does not say when it expires may still be good.
    func isOver(at now: Date) -> Bool {
        let end = JSONWebToken(session.accessToken.value)?.expiry ?? session.expiresAt
        return isRejected || hasExpired(at: now) && end.map { $0 <= now } ?? false
    }

    /// Whether it expires so soon that it should be refreshed ahead.
    func isExpiring(at now: Date) -> Bool { expiry.timeIntervalSince(now) <= leeway }
}
