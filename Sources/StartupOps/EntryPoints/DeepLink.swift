import Sequencer
import StartupNetworking

/// A link that the app takes: where it leads, and its parameters, each a text as the route wants it to be.
///
/// Nothing that prints it shows a value: links carry tokens and codes.
public struct DeepLink: Sendable, Hashable, Codable, SecretHolding {
    /// The value of a parameter, as it is stored.
    enum Value: Sendable, Hashable, Codable, SecretHolding {
        case string(String)

        /// Nothing of the value.
        var description: String { "<string>" }
    }

    /// The name of the route it leads along.
    public let route: String
    /// The parameters that were given, by name.
    let parameters: [String: Value]
    /// Whether it needs a logged-in user.
    let needsLogin: Bool
    /// Whether following it changes something, so that the user has to confirm it first.
    let changesState: Bool

    init(route: DeepLinkRoute, parameters: [String: Value]) {
        self.route = route.name
        self.parameters = parameters
        needsLogin = route.needsLogin
        changesState = route.changesState
    }

    /// A parameter's text; nil when it was not given.
    public func string(_ name: String) -> String? {
        if case .string(let value) = parameters[name] { value } else { nil }
    }

    /// The route and the names of the parameters, without their values.
    public var description: String {
        "link to \(route)" + (parameters.isEmpty ? "" : " with \(parameters.keys.sorted().joined(separator: ", "))")
    }
}

/// Why a link was refused. The description shows the link's scheme and host at most, and never its query.
public struct DeepLinkError: DescribedError, Sendable, Hashable {
    /// The part of the link that is wrong, and the expectation, in one sentence.
    public let description: String

    /// - Parameters:
    ///   - link: the link as far as it can be shown: its scheme and host, or the name of the route; empty when not even
    ///       these are known.
    ///   - reason: the event and the expectation.
    init(_ link: String, _ reason: String) {
        description = "link refused\(link.isEmpty ? "" : " (\(printable(link, limit: 100)))"): \(reason)"
    }
}
