import Foundation
import Sequencer
import StartupNetworking

/// A place in the app that links can lead to.
///
/// ```swift
/// DeepLinkRoute(
///     "speaker", path: "/speakers/{id}",
///     parameters: [.uuid("id"), .oneOf("tab", ["sound", "room"], isRequired: false)],
///     needsLogin: true)
/// ```
public struct DeepLinkRoute: Sendable, Hashable {
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
}

extension DeepLinkRoute {
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
public struct DeepLinkParameter: Sendable, Hashable {
    /// The kind of a value.
    private enum Kind: Hashable {
        case text(maximumLength: Int)
        case integer
        case uuid
        case oneOf([String])
    }

    /// The parameter's name: what stands between braces in a path, or before the equals sign in a query.
    let name: String
    private let kind: Kind
    /// Whether a link without it is refused.
    let isRequired: Bool

    /// A text of 1 to `maximumLength` bytes, of printable characters: none that controls, is invisible, or turns the
    /// direction of writing.
    public static func string(_ name: String, maximumLength: Int = 256, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .text(maximumLength: maximumLength), isRequired: isRequired)
    }

    /// A whole number in decimal digits, such as `-12`, that `Int` can hold.
    public static func integer(_ name: String, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .integer, isRequired: isRequired)
    }

    /// A UUID (RFC 9562).
    public static func uuid(_ name: String, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .uuid, isRequired: isRequired)
    }

    /// Accepts any of the given texts.
    public static func oneOf(_ name: String, _ choices: [String], isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .oneOf(choices), isRequired: isRequired)
    }
}

extension DeepLinkParameter {
    /// The expected value, in words.
    var expectation: String {
        switch kind {
        case .text(let maximumLength): "a text of 1 to \(maximumLength) bytes that can be printed"
        case .integer: "a whole number"
        case .uuid: "a UUID"
        case .oneOf(let choices): "one of " + choices.joined(separator: ", ")
        }
    }

    private var maximumLength: Int {
        switch kind {
        case .text(let maximumLength): maximumLength
        case .integer: 20
        case .uuid: 36
        case .oneOf(let choices): choices.map(\.utf8.count).max() ?? 0
        }
    }

    /// The most bytes a value can have before it is decoded: each can be written as three.
    // A huge limit of an app must not overflow the product.
    var maximumEncodedLength: Int { 3 * min(max(maximumLength, 0), LinkAddress.maximumLength) }

    /// Whether a text can be its value.
    func takes(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= maximumLength else { return false }
        return switch kind {
        case .text: text.isAllShown
        // Int also reads "+1"; a link that means 1 says 1.
        case .integer: !text.hasPrefix("+") && Int(text) != nil
        case .uuid: UUID(uuidString: text) != nil
        // Swift takes canonically equivalent texts for equal; a link has to be the same to the byte.
        case .oneOf(let choices): choices.contains { areSame($0, text) }
        }
    }
}
