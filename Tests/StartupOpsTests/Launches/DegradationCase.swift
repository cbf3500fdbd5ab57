import Testing

@testable import StartupOps
@testable import StartupSamples

/// Something that a launch depends on and that may be down, how it is down, and in which launch.
struct DegradationCase: Sendable, Hashable, CustomTestStringConvertible {
    enum Service: String, Sendable, CaseIterable {
        case versionPolicy = "version policy"
        case knownRequirement = "version policy, after one that required an update"
        case countries
        case configuration
        case token
        case profile
        case graphQL = "GraphQL"
        case entitlements
        case speaker

        /// The path it answers at; nil for what does not speak HTTP.
        var path: String? {
            switch self {
            case .versionPolicy, .knownRequirement: "/v1/version-policy"
            case .countries: "/v1/countries"
            case .configuration: "/v1/configuration"
            case .token: "/oauth/token"
            case .profile: "/v1/profile"
            case .graphQL: "/graphql"
            case .entitlements: "/v1/entitlements"
            case .speaker: nil
            }
        }

        /// How it can be down. What comes of an account that the service does not accept, or that nobody can ask it for, is told for the profile.
        var faults: [Fault] {
            let everywhere: [Fault] = [.refused, .failing, .garbage, .hanging]
            return self == .profile ? everywhere + [.unauthorized, .untrusted, .proxied] : everywhere
        }
    }

    enum Fault: String, Sendable, CaseIterable {
        case refused = "connection refused"
        case failing = "status 500"
        case garbage
        case hanging = "no answer"
        case unauthorized = "status 401"
        case untrusted = "untrusted certificate"
        case proxied = "a proxy in the way"

        /// What the fault is called at the speaker, which knows no status.
        func name(at service: Service) -> String { service == .speaker && self == .failing ? "connection closed" : rawValue }
    }

    enum Launch: String, Sendable, CaseIterable {
        case first = "first-launch"
        case regular
    }

    let service: Service
    let fault: Fault
    let launch: Launch

    var testDescription: String { "\(service.rawValue), \(fault.name(at: service)), \(launch.rawValue)" }

    static let all: [DegradationCase] = Service.allCases.flatMap { service in
        Launch.allCases.flatMap { launch in service.faults.map { DegradationCase(service: service, fault: $0, launch: launch) } }
    }

    /// Whether the launch asks this service at all: what is known already is not asked for.
    var isAsked: Bool {
        switch (service, launch) {
        case (.countries, .regular), (.graphQL, .regular): false
        default: true
        }
    }

    /// How the launch has to end.
    var outcome: String { service == .knownRequirement ? "aborted" : "completed" }

    /// What the main screen has to be made of; nil when it must not be shown.
    var content: String? {
        if service == .knownRequirement { return nil }
        let configuration =
            switch (service, launch) {
            case (.countries, .first), (.configuration, .first): "bundled"
            case (.configuration, .regular): "cached"
            default: "remote"
            }
        // An account without its profile is no account yet; one that was known is, until the service does not accept it any more.
        let isNobody = launch == .first && (service == .token || service == .profile) || fault == .unauthorized
        let account = isNobody ? "guest" : "person"
        return "\(configuration) configuration, \(account), \(speaker)"
    }

    private var speaker: String {
        switch (service, launch) {
        case (.speaker, _): "no speaker"
        // Neither the configuration nor the service says where speakers are. An account does without the service, a configuration without GraphQL.
        default: "Kitchen"
        }
    }
}
