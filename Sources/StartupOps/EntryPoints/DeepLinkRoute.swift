import Foundation
import StartupNetworking

/// A place in the app that links can lead to.
///
/// ```swift
/// DeepLinkRoute(
///     "speaker", path: "/speakers/{id}",
///     parameters: [.uuid("id"), .oneOf("tab", ["sound", "room"], isRequired: false)],
///     needsLogin: true)
/// ```
public struct DeepLinkRoute: Sendable {
    /// The app's name for the place.
    let name: String
    /// The path, with the names of parameters between braces.
    let path: String
    /// All parameters, of the path (which are always required) and of the query.
    let parameters: [DeepLinkParameter]
    /// Whether it needs a logged-in user.
    let needsLogin: Bool
    /// Whether following the link changes something, so that the user has to confirm it first.
    let changesState: Bool
    /// The treatment of parameters that are not declared.
    let ignoresUnknownParameters: Bool

    /// A route.
    ///
    /// - Parameters:
    ///   - path: words, and parameters, such as `{id}`. Of two routes that fit a link, the one that is more literal
    ///     further to the left counts.
    ///   - ignoresUnknownParameters: whether a query's parameters that the route does not declare are left out, as in
    ///     links that carry a campaign's name; a link with one is refused otherwise.
    public init(
        _ name: String,
        path: String,
        parameters: [DeepLinkParameter] = [],
        needsLogin: Bool = false,
        changesState: Bool = false,
        ignoresUnknownParameters: Bool = false
    ) {
        self.name = name
        self.path = path
        self.parameters = parameters
        self.needsLogin = needsLogin
        self.changesState = changesState
        self.ignoresUnknownParameters = ignoresUnknownParameters
    }

    /// A segment of a path.
    enum Segment: Hashable {
        /// Has to be this, exactly.
        case literal(String)
        /// Is the value of this parameter.
        case parameter(String)

        /// - Parameter part: the segment, as a route has it.
        init(_ part: Substring) {
            let isParameter = part.hasPrefix("{") && part.hasSuffix("}") && part.utf8.count > 2
            self = isParameter ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }

        /// The word; nil for a parameter.
        var word: String? { if case .literal(let word) = self { word } else { nil } }

        /// Of two routes, the one that has a word is tried first.
        var rank: Int { word == nil ? 1 : 0 }
    }

    // Empty parts are left out here; in a link they are refused.
    var segments: [Segment] { path.split(separator: "/").map { Segment($0) } }

    func parameter(_ name: String) -> DeepLinkParameter? { parameters.first { areSame($0.name, name) } }

    /// The values of the parameters in the path; nil when the path is not this route's.
    func match(_ path: [String]) -> [(name: String, text: String)]? {
        let segments = segments
        guard segments.count == path.count else { return nil }
        var values: [(name: String, text: String)] = []
        for (segment, text) in zip(segments, path) {
            switch segment {
            // To the byte: Swift takes canonically equivalent texts for equal.
            case .literal(let literal): guard areSame(literal, text) else { return nil }
            case .parameter(let name): values.append((name, text))
            }
        }
        return values
    }
}

/// A parameter of a route: its name, and what its value has to be. A link whose value is something else is refused.
public struct DeepLinkParameter: Sendable {
    /// The kind of a value.
    private struct Kind: Sendable {
        /// The expected value, in words.
        let expectation: String
        /// The longest value, in bytes.
        let maximumLength: Int
        /// Whether a text that is neither empty nor too long is one.
        let takes: @Sendable (String) -> Bool
    }

    /// The parameter's name: what stands between braces in a path, or before the equals sign in a query.
    let name: String
    private let kind: Kind
    /// Whether a link without it is refused.
    let isRequired: Bool

    /// A text of 1 to `maximumLength` bytes, of printable characters: none that controls, is invisible, or turns the
    /// direction of writing.
    public static func string(_ name: String, maximumLength: Int = 256, isRequired: Bool = true) -> DeepLinkParameter {
        let expectation = "a text of 1 to \(maximumLength) bytes that can be printed"
        let kind = Kind(expectation: expectation, maximumLength: maximumLength) { $0.isAllShown }
        return DeepLinkParameter(name: name, kind: kind, isRequired: isRequired)
    }

    /// A whole number in decimal digits, such as `-12`, that `Int` can hold.
    public static func integer(_ name: String, isRequired: Bool = true) -> DeepLinkParameter {
        // Int also reads "+1"; a link that means 1 says 1.
        let kind = Kind(expectation: "a whole number", maximumLength: 20) { !$0.hasPrefix("+") && Int($0) != nil }
        return DeepLinkParameter(name: name, kind: kind, isRequired: isRequired)
    }

    /// A UUID (RFC 9562).
    public static func uuid(_ name: String, isRequired: Bool = true) -> DeepLinkParameter {
        let kind = Kind(expectation: "a UUID", maximumLength: 36) { UUID(uuidString: $0) != nil }
        return DeepLinkParameter(name: name, kind: kind, isRequired: isRequired)
    }

    /// Accepts any of the given texts.
    public static func oneOf(_ name: String, _ choices: [String], isRequired: Bool = true) -> DeepLinkParameter {
        let expectation = "one of " + choices.joined(separator: ", ")
        let kind = Kind(expectation: expectation, maximumLength: choices.map(\.utf8.count).max() ?? 0) { text in
            // Swift takes canonically equivalent texts for equal; a link has to be the same to the byte.
            choices.contains { areSame($0, text) }
        }
        return DeepLinkParameter(name: name, kind: kind, isRequired: isRequired)
    }

    /// The expected value, in words.
    var expectation: String { kind.expectation }

    /// The most bytes a value can have before it is decoded: each can be written as three.
    // A huge limit of an app must not overflow the product.
    var maximumEncodedLength: Int { 3 * min(max(kind.maximumLength, 0), LinkAddress.maximumLength) }

    /// Whether a text can be its value.
    func takes(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= kind.maximumLength && kind.takes(text) }
}
