import Foundation
import Sequencer
import StartupNetworking

/// A link that the app takes: where it leads, and its parameters, each what the route wants it to be.
///
/// Nothing that prints it shows a value: links carry tokens and codes.
public struct DeepLink: Sendable, Hashable, Codable {
    /// The value of a parameter.
    enum Value: Sendable, Hashable, Codable {
        /// A text.
        case string(String)
        /// A whole number.
        case integer(Int)
        /// `true` or `false`.
        case boolean(Bool)
        /// A UUID.
        case uuid(UUID)
    }

    /// The name of the route it leads along.
    public let route: String
    /// The parameters that were given, by name.
    let parameters: [String: Value]
    /// Whether only someone who is logged in may follow it.
    let needsLogin: Bool
    /// Whether following it changes something, so that the person has to confirm it first.
    let changesState: Bool
    /// The link as it was written; nil unless the route keeps it.
    public let address: DeepLinkAddress?

    init(route: DeepLinkRoute, parameters: [String: Value], address: DeepLinkAddress? = nil) {
        self.route = route.name
        self.parameters = parameters
        self.address = address
        needsLogin = route.needsLogin
        changesState = route.changesState
    }

    /// A parameter's text; nil when it was not given, or is of another kind.
    public func string(_ name: String) -> String? {
        if case .string(let value) = parameters[name] { value } else { nil }
    }

    /// A parameter's number; nil when it was not given, or is of another kind.
    func integer(_ name: String) -> Int? {
        if case .integer(let value) = parameters[name] { value } else { nil }
    }

    /// A parameter's truth value; nil when it was not given, or is of another kind.
    func boolean(_ name: String) -> Bool? {
        if case .boolean(let value) = parameters[name] { value } else { nil }
    }

    /// A parameter's UUID; nil when it was not given, or is of another kind.
    func uuid(_ name: String) -> UUID? {
        if case .uuid(let value) = parameters[name] { value } else { nil }
    }
}

extension DeepLink: SecretHolding {
    /// The route and the names of the parameters, without their values.
    public var description: String {
        "link to \(route)" + (parameters.isEmpty ? "" : " with \(parameters.keys.sorted().joined(separator: ", "))")
    }
}

extension DeepLink.Value: SecretHolding {
    /// The kind of value, without the value.
    var description: String {
        switch self {
        case .string: "<string>"
        case .integer: "<integer>"
        case .boolean: "<boolean>"
        case .uuid: "<UUID>"
        }
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
