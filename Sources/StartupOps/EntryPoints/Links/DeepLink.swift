import Foundation

/// A link that the app takes: where it leads, and its parameters, each what the route wants it to be.
///
/// Nothing that prints it shows a value: links carry tokens and codes.
public struct DeepLink: Sendable, Hashable, Codable {
    /// The value of a parameter.
    public enum Value: Sendable, Hashable, Codable {
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
    public let parameters: [String: Value]
    /// Whether only someone who is logged in may follow it.
    public let needsLogin: Bool
    /// Whether following it changes something, so that the person has to confirm it first.
    public let changesState: Bool

    init(route: DeepLinkRoute, parameters: [String: Value]) {
        self.route = route.name
        self.parameters = parameters
        needsLogin = route.needsLogin
        changesState = route.changesState
    }

    /// A parameter's text; nil when it was not given, or is of another kind.
    public func string(_ name: String) -> String? {
        if case .string(let value) = parameters[name] { value } else { nil }
    }

    /// A parameter's number; nil when it was not given, or is of another kind.
    public func integer(_ name: String) -> Int? {
        if case .integer(let value) = parameters[name] { value } else { nil }
    }

    /// A parameter's truth value; nil when it was not given, or is of another kind.
    public func boolean(_ name: String) -> Bool? {
        if case .boolean(let value) = parameters[name] { value } else { nil }
    }

    /// A parameter's UUID; nil when it was not given, or is of another kind.
    public func uuid(_ name: String) -> UUID? {
        if case .uuid(let value) = parameters[name] { value } else { nil }
    }
}

extension DeepLink: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The route and the names of the parameters, without their values.
    public var description: String {
        "link to \(route)" + (parameters.isEmpty ? "" : " with \(parameters.keys.sorted().joined(separator: ", "))")
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// Empty, so that `dump` shows no values either.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension DeepLink.Value: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of value, without the value.
    public var description: String {
        switch self {
        case .string: "<string>"
        case .integer: "<integer>"
        case .boolean: "<boolean>"
        case .uuid: "<UUID>"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// Empty, so that `dump` shows no value either.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
