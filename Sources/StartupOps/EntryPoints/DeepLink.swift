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
    /// The kinds of error.
    enum Code: Sendable, Hashable {
        /// The text is empty.
        case empty
        /// It is longer than a link may be.
        case tooLong
        /// It has a character that no link may have.
        case invalidCharacter
        /// It does not begin with a scheme.
        case missingScheme
        /// The app does not take links with this scheme.
        case schemeNotAllowed
        /// The host is missing.
        case missingHost
        /// There is a user name before the host.
        case userInformation
        /// The app does not take links to this host.
        case hostNotAllowed
        /// The app does not take links to this port.
        case portNotAllowed
        /// The path is empty in the middle, climbs, or cannot be decoded.
        case invalidPath
        /// No route has this path.
        case unknownPath
        /// A parameter is there twice.
        case duplicateParameter
        /// A parameter that the route requires is not there.
        case missingParameter
        /// The route has no such parameter.
        case unknownParameter
        /// A parameter is not what the route wants it to be.
        case invalidParameter
    }

    /// The kind of error.
    let code: Code
    /// The link as far as it can be shown: its scheme and host, or the name of the route; empty when not even these are known.
    let link: String
    /// The parameter it is about.
    let parameter: String?
    /// The event and the expectation.
    let reason: String

    init(_ code: Code, _ link: String, parameter: String? = nil, _ reason: String) {
        self.code = code
        self.link = printable(link, limit: 100)
        self.parameter = parameter
        self.reason = reason
    }

    /// One sentence.
    public var description: String { "link refused\(link.isEmpty ? "" : " (\(link))"): \(reason)" }
}
