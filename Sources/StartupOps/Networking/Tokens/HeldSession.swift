import Foundation

/// A session in memory, with what was made out about its access token when it got there.
struct HeldSession: Sendable {
    /// How good a token is.
    enum Freshness: Sendable, Hashable {
        /// It can be used.
        case fresh
        /// It can be used, and expires so soon that it should be refreshed ahead.
        case expiring
        /// It must not be sent.
        case expired
    }

    let session: Session
    let token: AccessToken
    /// When the token expires, by this device's clock.
    let expiry: Date
    /// How long before that it is refreshed ahead.
    let leeway: TimeInterval
    /// Whether the service has turned the token down, whatever its claims say.
    var isRejected = false

    /// - Parameters:
    ///   - issued: when the service gave the token, if that was in this process; nil for one that was stored.
    init(_ session: Session, generation: UInt64, revision: UInt64, issued: Date?, leeway: TimeInterval) {
        self.session = session
        token = AccessToken(value: session.accessToken, userID: session.userID, generation: generation, revision: revision)
        let claimed: Date? = if case .at(let date) = JSONWebToken(session.accessToken.value)?.expiry { date } else { nil }
        guard let issued else {
            // What was stored and cannot be read is refreshed: only the service can say what it is worth.
            expiry = claimed ?? .distantPast
            self.leeway = leeway
            return
        }
        if let claimed, claimed > issued {
            expiry = claimed
        } else if let hint = session.expiresAt, hint > issued {
            // A token that has just been issued and looks expired, or does not say: the device's clock is wrong, or the token is opaque. How
            // long it lives from now on does not depend on any clock.
            expiry = hint
        } else {
            // To refresh it again would only bring another one like it. It is used until the service turns it down.
            expiry = .distantFuture
        }
        // A token that lives for less than the leeway would be refreshed at every use.
        self.leeway = min(leeway, expiry.timeIntervalSince(issued) / 2)
    }

    func freshness(at now: Date) -> Freshness {
        if isRejected || expiry <= now { return .expired }
        return expiry.timeIntervalSince(now) <= leeway ? .expiring : .fresh
    }
}
