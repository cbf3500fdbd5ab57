/// A place in the app that links can lead to.
///
/// ```swift
/// DeepLinkRoute(
///     "speaker", path: "/speakers/{id}",
///     parameters: [.uuid("id"), .oneOf("tab", ["sound", "room"], isRequired: false)],
///     needsLogin: true)
/// ```
public struct DeepLinkRoute: Sendable, Hashable {
    /// What is done with parameters in a query that the route does not declare.
    public enum UnknownParameters: Sendable, Hashable {
        /// The link is refused.
        case refused
        /// They are left out, for links that carry what others count clicks with.
        case ignored
    }

    /// What the app knows the place by.
    public let name: String
    /// The path, with the names of parameters between braces.
    public let path: String
    /// All parameters, of the path (which are always required) and of the query.
    public let parameters: [DeepLinkParameter]
    /// Whether only someone who is logged in may go there.
    public let needsLogin: Bool
    /// Whether following the link changes something, so that the person has to confirm it first.
    public let changesState: Bool
    /// What is done with parameters that are not declared.
    public let unknownParameters: UnknownParameters

    /// A route.
    public init(
        _ name: String,
        path: String,
        parameters: [DeepLinkParameter] = [],
        needsLogin: Bool = false,
        changesState: Bool = false,
        unknownParameters: UnknownParameters = .refused
    ) {
        self.name = name
        self.path = path
        self.parameters = parameters
        self.needsLogin = needsLogin
        self.changesState = changesState
        self.unknownParameters = unknownParameters
    }
}

extension DeepLinkRoute {
    /// A segment of a path.
    enum Segment: Hashable {
        /// Has to be this, exactly.
        case literal(String)
        /// Is the value of this parameter.
        case parameter(String)

        /// Which of two routes is tried first where both fit.
        var rank: Int { if case .literal = self { 0 } else { 1 } }
    }

    var segments: [Segment] {
        path.split(separator: "/").map { part in
            part.hasPrefix("{") && part.hasSuffix("}") && part.utf8.count > 2
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// The values of the parameters in the path; nil when the path is not this route's.
    static func match(_ segments: [Segment], _ path: [String]) -> [(name: String, text: String)]? {
        guard segments.count == path.count else { return nil }
        var values: [(name: String, text: String)] = []
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): guard literal.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name): values.append((name, text))
            }
        }
        return values
    }
}
