import StartupNetworking

/// A country and a language.
public struct Region: Sendable, Hashable, Codable {
    /// ISO 3166-1, two letters.
    public var country: String
    /// ISO 639-1, two letters.
    public var language: String

    /// A region.
    public init(country: String, language: String) {
        self.country = country
        self.language = language
    }
}

/// A country that there is a configuration for.
public struct Country: Sendable, Hashable, Codable {
    /// ISO 3166-1, two letters.
    public let code: String
    /// The name for people.
    public let name: String
    /// The languages to choose from, the usual one first.
    public let languages: [String]

    /// A country.
    public init(code: String, name: String, languages: [String]) {
        self.code = code
        self.name = name
        self.languages = languages
    }
}

/// A page of the tutorial.
public struct TutorialPage: Sendable, Hashable, Codable {
    /// The heading.
    public let title: String
    /// The text.
    public let text: String

    /// A page.
    public init(title: String, text: String) {
        self.title = title
        self.text = text
    }
}

/// The app's configuration for one country and language.
public struct AppConfiguration: Sendable, Hashable, Codable {
    /// The configuration's own version.
    var version: String
    /// The country it is for: ISO 3166-1, two letters.
    public var country: String
    /// The language it is for: ISO 639-1, two letters.
    public var language: String
    /// How a user without a login is received; nil leaves it to the app's settings.
    var onboarding: OnboardingType?
    /// Whether an account that survived a reinstallation is offered again; nil leaves it to the app's settings.
    var restoreAccount: Bool?
    /// The features, and whether each is switched on.
    public var features: [String: Bool]
    /// The pages of the tutorial, in order; without pages no tutorial is shown.
    var tutorialPages: [TutorialPage]
    /// Where speakers answer.
    var speakers: Endpoint?

    /// A host and a port.
    public struct Endpoint: Sendable, Hashable, Codable {
        /// A name or an address.
        public let host: String
        /// 1 to 65535; an endpoint with another one, or whose host can be none, is left out, and the report says so.
        public let port: Int

        /// A host and a port.
        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// Whether it is a place that everybody reads alike; noted where not.
        func isPlain(orNoting note: (String) -> Void) -> Bool {
            guard let violation = hostViolation(host, port) else { return true }
            note("a speaker was left out: \(violation)")
            return false
        }
    }

    /// A configuration.
    public init(
        version: String,
        country: String,
        language: String,
        onboarding: OnboardingType? = nil,
        restoreAccount: Bool? = nil,
        features: [String: Bool] = [:],
        tutorialPages: [TutorialPage] = [],
        speakers: Endpoint? = nil
    ) {
        self.version = version
        self.country = country
        self.language = language
        self.onboarding = onboarding
        self.restoreAccount = restoreAccount
        self.features = features
        self.tutorialPages = tutorialPages
        self.speakers = speakers
    }

    /// The configuration an app is delivered with: enough for a first launch without a network.
    public static let bundled = AppConfiguration(
        version: "bundled",
        country: "US",
        language: "en",
        tutorialPages: [
            TutorialPage(title: "Welcome", text: "Your music, on every speaker in the house."),
            TutorialPage(title: "Your speakers", text: "Connect one, and it is found again at every start."),
        ]
    )

    /// Features and pages may be missing; every other field that is there has to be of its type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.text(forKey: .version),
            country: try container.text(forKey: .country),
            language: try container.text(forKey: .language),
            onboarding: try container.onboarding(forKey: .onboarding),
            restoreAccount: try container.decodeIfPresent(Bool.self, forKey: .restoreAccount),
            features: try container.decodeIfPresent([String: Bool].self, forKey: .features) ?? [:],
            tutorialPages: try container.decodeIfPresent([TutorialPage].self, forKey: .tutorialPages) ?? [],
            speakers: try container.decodeIfPresent(Endpoint.self, forKey: .speakers)
        )
    }
}

extension KeyedDecodingContainer {
    /// A kind of onboarding; nil where it is absent, null, empty or blank.
    func onboarding(forKey key: Key) throws -> OnboardingType? {
        try textIfPresent(forKey: key) == nil ? nil : try decode(OnboardingType.self, forKey: key)
    }
}

/// How a user without a login is received.
public enum OnboardingType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Onboarding, then the login form.
    case regular
    /// A session without an account, and the onboarding over the main screen, until it has been dismissed.
    case dismissable
    /// A session without an account, and nothing else.
    case none
}

/// A configuration, and where it came from.
public struct LoadedConfiguration: Sendable, Hashable {
    /// Where a configuration can come from, the best source first.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// The server, in this launch.
        case remote
        /// A configuration that an earlier launch has kept.
        case cached
        /// The one the app is delivered with.
        case bundled
    }

    /// The configuration itself.
    public internal(set) var configuration: AppConfiguration
    /// Where it came from.
    public let source: Source
    /// The configuration before feature flags changed it: the one that is kept.
    let original: AppConfiguration

    /// A configuration from a source.
    public init(_ configuration: AppConfiguration, from source: Source) {
        (self.configuration, self.source, original) = (configuration, source, configuration)
    }
}

/// Where configurations come from.
public protocol ConfigurationService: Sendable {
    /// The countries that there is a configuration for.
    func countries(by deadline: Deadline) async throws -> [Country]
    /// The configuration of a country, in a language.
    func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration
    /// The feature flags; nil from a service without them, as it is unless said otherwise.
    func flags(by deadline: Deadline) async throws -> FeatureFlags?
}

extension ConfigurationService {
    /// Nil: this service has none.
    public func flags(by deadline: Deadline) async throws -> FeatureFlags? { nil }
}
