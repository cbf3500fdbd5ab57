import Foundation

/// How tokens are refreshed.
public struct TokenPolicy: Sendable, Hashable {
    /// How long before it expires a token is refreshed ahead, in seconds. Requests go on with the old one meanwhile.
    public var leeway: TimeInterval = 60
    /// How long one refresh may take in all. Callers leave at their own deadlines, and the refresh goes on: the service may have replaced the
    /// refresh token already, and then its answer is the only place where the new one is.
    public var refreshLimit: Duration = .seconds(20)
    /// How long a refresh is waited for, once a caller has run out of time, before the next caller begins another one.
    public var patience: Duration = .seconds(2)

    /// The policy that suits most services.
    public init() {}
}
