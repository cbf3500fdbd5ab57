/// The switches of an app that change from day to day, apart from its configuration.
///
/// They count over the configuration: a feature that both know is switched as the flags say.
public struct FeatureFlags: Sendable, Hashable, Codable {
    /// The features, and whether each is switched on.
    public var features: [String: Bool]
    /// How a user without a login is received; nil leaves it to the configuration.
    var onboarding: OnboardingType?

    /// Flags; unless said otherwise, none.
    public init(features: [String: Bool] = [:], onboarding: OnboardingType? = nil) {
        self.features = features
        self.onboarding = onboarding
    }

    /// Reads flags: the onboarding may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            features: try container.decode([String: Bool].self, forKey: .features),
            onboarding: try container.onboarding(forKey: .onboarding)
        )
    }
}

extension LoadedConfiguration {
    /// The same configuration, with the features and the onboarding that `flags` know.
    func with(_ flags: FeatureFlags) -> LoadedConfiguration {
        // The original stays as it came: flags are merged anew in each launch.
        var loaded = self
        loaded.configuration.features.merge(flags.features) { $1 }
        loaded.configuration.onboarding = flags.onboarding ?? configuration.onboarding
        return loaded
    }
}
