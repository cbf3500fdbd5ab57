import Foundation
import Sequencer

/// A place in the app that links can lead to.
///
/// ```swift
/// DeepLinkRoute(
///     "speaker", path: "/speakers/{id}",
///     parameters: [.uuid("id"), .oneOf("tab", ["sound", "room"], isRequired: false)],
///     needsLogin: true)
/// DeepLinkRoute("article", path: "/*/wiki/**", keepsAddress: true)
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
    /// Whether a link along it carries its address.
    let keepsAddress: Bool

    /// A route.
    ///
    /// - Parameters:
    ///   - path: words; parameters, such as `{id}`; `*` for any one part; and, as the last part, `**` for any number of
    ///     parts, none included. Of two routes that fit a link, the one that is more literal further to the left
    ///     counts. The path `/**` takes a path that climbs, has empty parts or cannot be decoded, too: such as the
    ///     address of a page.
    ///   - ignoresUnknownParameters: whether a query's parameters that the route does not declare are left out, as in
    ///     links that carry a campaign's name; a link with one is refused otherwise.
    ///   - keepsAddress: whether a link carries its address in ``DeepLink/address``: its host, its path, all parameters
    ///     in their order, also those that the route does not declare, and the fragment. It is kept in the store of the
    ///     mailbox until it has been delivered.
    public init(
        _ name: String,
        path: String,
        parameters: [DeepLinkParameter] = [],
        needsLogin: Bool = false,
        changesState: Bool = false,
        ignoresUnknownParameters: Bool = false,
        keepsAddress: Bool = false
    ) {
        self.name = name
        self.path = path
        self.parameters = parameters
        self.needsLogin = needsLogin
        self.changesState = changesState
        self.ignoresUnknownParameters = ignoresUnknownParameters
        self.keepsAddress = keepsAddress
    }
}

extension DeepLinkRoute {
    /// A segment of a path.
    enum Segment: Hashable {
        /// Has to be this, exactly.
        case literal(String)
        /// Is the value of this parameter.
        case parameter(String)
        /// Is anything.
        case any
        /// Is anything, and so is all that follows; also nothing.
        case rest

        /// - Parameter part: the segment, as a route has it.
        init(_ part: Substring) {
            if part == "*" {
                self = .any
            } else if part == "**" {
                self = .rest
            } else if part.hasPrefix("{"), part.hasSuffix("}"), part.utf8.count > 2 {
                self = .parameter(String(part.dropFirst().dropLast()))
            } else {
                self = .literal(String(part))
            }
        }

        /// Which of two routes is tried first where both fit.
        var rank: Int {
            switch self {
            case .literal: 0
            case .parameter: 1
            case .any: 2
            case .rest: 3
            }
        }
    }

    // Empty parts are left out here; in a link they are refused.
    var segments: [Segment] { path.split(separator: "/").map { Segment($0) } }

    /// The values of the parameters in the path; nil when the path is not this route's.
    static func match(_ segments: [Segment], _ path: [String]) -> [(name: String, text: String)]? {
        let isOpen = segments.last == .rest
        let leading = segments.dropLast(isOpen ? 1 : 0)
        guard leading.count == path.count || (isOpen && leading.count < path.count) else { return nil }
        var values: [(name: String, text: String)] = []
        for (segment, text) in zip(leading, path) {
            switch segment {
            // To the byte: Swift takes canonically equivalent texts for equal.
            case .literal(let literal): guard literal.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name): values.append((name, text))
            case .any, .rest: break
            }
        }
        return values
    }
}

/// A parameter of a route: its name, and what its value has to be.
public struct DeepLinkParameter: Sendable, Hashable {
    /// The kind of a value.
    enum Kind: Sendable, Hashable {
        /// A text of 1 to so many bytes, of printable characters: none that controls, is invisible, or turns the
        /// direction of writing.
        case string(maximumLength: Int)
        /// A whole number in decimal digits, within bounds.
        case integer(ClosedRange<Int>)
        /// `true`, `false`, `1` or `0`.
        case boolean
        /// A UUID (RFC 9562).
        case uuid
        /// One of these texts, exactly.
        case oneOf([String])
    }

    /// The parameter's name: what stands between braces in a path, or before the equals sign in a query.
    let name: String
    /// The kind of its value.
    let kind: Kind
    /// Whether a link without it is refused.
    let isRequired: Bool

    /// A text of at most `maximumLength` bytes that can be printed, as `Kind.string(maximumLength:)` says.
    public static func string(_ name: String, maximumLength: Int = 256, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .string(maximumLength: maximumLength), isRequired: isRequired)
    }

    /// A whole number.
    static func integer(_ name: String, in range: ClosedRange<Int> = .min ... .max, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .integer(range), isRequired: isRequired)
    }

    /// A truth value.
    static func boolean(_ name: String, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .boolean, isRequired: isRequired)
    }

    /// A UUID.
    static func uuid(_ name: String, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .uuid, isRequired: isRequired)
    }

    /// One of several texts.
    static func oneOf(_ name: String, _ choices: [String], isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name: name, kind: .oneOf(choices), isRequired: isRequired)
    }
}

extension DeepLinkParameter {
    /// The expected kind of value, in words.
    var expectation: String {
        switch kind {
        case .string(let maximumLength): "a text of 1 to \(maximumLength) bytes that can be printed"
        case .integer(.min ... .max): "a whole number"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "true or false"
        case .uuid: "a UUID"
        case .oneOf(let choices): "one of " + choices.joined(separator: ", ")
        }
    }

    /// The most bytes a value can have, before it is decoded: each can be written as three.
    var maximumEncodedLength: Int {
        let decoded =
            switch kind {
            // A huge limit of an app must not overflow the product.
            case .string(let maximumLength): min(max(maximumLength, 0), LinkAddress.maximumLength)
            // As long as any 64-bit number, with zeros before it.
            case .integer: 32
            case .boolean: 5
            case .uuid: 36
            case .oneOf(let choices): choices.reduce(0) { max($0, $1.utf8.count) }
            }
        return 3 * decoded
    }

    /// - Returns: nil when the text is not of the parameter's kind.
    func value(of text: String) -> DeepLink.Value? {
        switch kind {
        case .string(let maximumLength):
            let isFine = !text.isEmpty && text.utf8.count <= maximumLength && text.isAllShown
            return isFine ? .string(text) : nil
        case .integer(let range):
            // Int also reads "+1"; a link that means 1 says 1.
            guard text.utf8.count <= 32, text.utf8.first != UInt8(ascii: "+"), let number = Int(text), range.contains(number) else {
                return nil
            }
            return .integer(number)
        case .boolean:
            return ["true": true, "1": true, "false": false, "0": false][text].map { .boolean($0) }
        case .uuid:
            guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return nil }
            return .uuid(uuid)
        case .oneOf(let choices):
            // Swift considers canonically equivalent texts equal; a link has to be the same to the byte.
            return choices.contains { $0.utf8.elementsEqual(text.utf8) } ? .string(text) : nil
        }
    }
}
