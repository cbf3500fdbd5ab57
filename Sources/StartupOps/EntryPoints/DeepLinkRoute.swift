import Sequencer

/// A place in the app that links can lead to.
///
/// ```swift
/// DeepLinkRoute(
///     "speaker", path: "/speakers/{id}",
///     parameters: [.string("id", maximumLength: 36), .string("tab", isRequired: false)],
///     needsLogin: true)
/// ```
public struct DeepLinkRoute: Sendable, Hashable {
    /// The app's name for the place.
    let name: String
    /// The path, with the names of parameters between braces.
    let path: String
    /// All parameters, of the path (which are always required) and of the query.
    let parameters: [DeepLinkParameter]
    /// Whether only someone who is logged in may go there.
    let needsLogin: Bool
    /// Whether following the link changes something, so that the person has to confirm it first.
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

    /// The values of the parameters in the path; nil when the path is not this route's.
    static func match(_ segments: [Segment], _ path: [String]) -> [(name: String, text: String)]? {
        guard segments.count == path.count else { return nil }
        var values: [(name: String, text: String)] = []
        for (segment, text) in zip(segments, path) {
            switch segment {
            // To the byte: Swift takes canonically equivalent texts for equal.
            case .literal(let literal): guard literal.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name): values.append((name, text))
            }
        }
        return values
    }
}

/// A parameter of a route: its name, and how long its value may be. A value is a text of printable characters: none
/// that controls, is invisible, or turns the direction of writing. What else it has to be, such as a number, the app
/// judges.
public struct DeepLinkParameter: Sendable, Hashable {
    /// The parameter's name: what stands between braces in a path, or before the equals sign in a query.
    let name: String
    /// The most bytes that its value may have.
    let maximumLength: Int
    /// Whether a link without it is refused.
    let isRequired: Bool

    /// A text of 1 to `maximumLength` bytes.
    public static func string(_ name: String, maximumLength: Int = 256, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, maximumLength: maximumLength, isRequired: isRequired)
    }

    /// The expected value, in words.
    var expectation: String { "a text of 1 to \(maximumLength) bytes that can be printed" }

    /// The most bytes a value can have before it is decoded: each can be written as three.
    // A huge limit of an app must not overflow the product.
    var maximumEncodedLength: Int { 3 * min(max(maximumLength, 0), LinkAddress.maximumLength) }

    /// Whether a text can be its value.
    func takes(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= maximumLength && text.isAllShown }
}
