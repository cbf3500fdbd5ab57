import Foundation

/// What a sample service offers to begin with, and after `reset`.
public struct SampleServiceOptions: Sendable {
    /// How long an access token is valid; whole seconds. None are at zero: each token has expired when it arrives.
    public var tokenLifetime: Duration
    /// The version of the configuration.
    public var configurationVersion: String
    /// How the app greets a new person: `regular`, `dismissable` or `none`.
    public var onboarding: String
    /// The features that are switched on or off.
    public var features: [String: Bool]
    /// Whether a session that outlived a reinstallation is kept; nil leaves it to the app.
    public var restoreAccount: Bool?
    /// The speakers that can be connected to. The first one's address is in the configuration.
    public var speakers: [SampleSpeaker]
    /// Which versions of the app may run.
    public var versionPolicy: SampleVersionPolicy

    /// What a service offers; unless said otherwise, nothing that keeps an app from launching.
    public init(
        tokenLifetime: Duration = .seconds(3600),
        configurationVersion: String = "7",
        onboarding: String = "regular",
        features: [String: Bool] = ["paywall": true, "speakers": true],
        restoreAccount: Bool? = nil,
        speakers: [SampleSpeaker] = [],
        versionPolicy: SampleVersionPolicy = SampleVersionPolicy()
    ) {
        self.tokenLifetime = tokenLifetime
        self.configurationVersion = configurationVersion
        self.onboarding = onboarding
        self.features = features
        self.restoreAccount = restoreAccount
        self.speakers = speakers
        self.versionPolicy = versionPolicy
    }
}

/// A speaker that the sample service tells of.
public struct SampleSpeaker: Sendable, Hashable, Codable {
    /// Its identifier.
    public var id: String
    /// The name people gave it.
    public var name: String
    /// Where it listens.
    public var host: String
    /// Where it listens.
    public var port: Int

    /// A speaker.
    public init(id: String, name: String, host: String, port: Int) {
        self.id = id
        self.name = name
        self.host = host
        self.port = port
    }
}

/// Which versions of the app may run, as the sample service says it.
public struct SampleVersionPolicy: Sendable, Hashable, Codable {
    /// A time in which nobody can use the app.
    public struct Maintenance: Sendable, Hashable, Codable {
        /// What to tell people.
        public var message: String
        /// Its end, as RFC 3339 writes it.
        public var until: String?

        /// A maintenance.
        public init(message: String, until: String? = nil) {
            self.message = message
            self.until = until
        }
    }

    /// The lowest version that may run.
    public var minimumVersion: String
    /// The version people are told to get.
    public var recommendedVersion: String?
    /// Why nobody can use the app now.
    public var maintenance: Maintenance?
    /// What to tell people who have to update.
    public var message: String?

    /// A policy; unless said otherwise, one that lets every version from 1.0.0 on run.
    public init(
        minimumVersion: String = "1.0.0",
        recommendedVersion: String? = nil,
        maintenance: Maintenance? = nil,
        message: String? = nil
    ) {
        self.minimumVersion = minimumVersion
        self.recommendedVersion = recommendedVersion
        self.maintenance = maintenance
        self.message = message
    }
}
