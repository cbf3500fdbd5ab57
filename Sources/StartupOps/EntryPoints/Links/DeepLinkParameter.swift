import Foundation
import Sequencer

/// A parameter of a route: its name, and what its value has to be.
public struct DeepLinkParameter: Sendable, Hashable {
    /// What a value has to be.
    public enum Kind: Sendable, Hashable {
        /// A text of 1 to so many bytes, without control characters.
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
    public let name: String
    /// What its value has to be.
    public let kind: Kind
    /// Whether a link without it is refused.
    public let isRequired: Bool

    private init(_ name: String, _ kind: Kind, _ isRequired: Bool) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
    }

    /// A text of at most `maximumLength` bytes, without control characters.
    public static func string(_ name: String, maximumLength: Int = 256, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name, .string(maximumLength: maximumLength), isRequired)
    }

    /// A whole number.
    public static func integer(_ name: String, in range: ClosedRange<Int> = .min ... .max, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name, .integer(range), isRequired)
    }

    /// A truth value.
    public static func boolean(_ name: String, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name, .boolean, isRequired)
    }

    /// A UUID.
    public static func uuid(_ name: String, isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name, .uuid, isRequired)
    }

    /// One of several texts.
    public static func oneOf(_ name: String, _ choices: [String], isRequired: Bool = true) -> DeepLinkParameter {
        DeepLinkParameter(name, .oneOf(choices), isRequired)
    }
}

extension DeepLinkParameter {
    /// What was expected of a value, in words.
    var expectation: String {
        switch kind {
        case .string(let maximumLength): "a text of 1 to \(maximumLength) bytes without control characters"
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
            case .string(let maximumLength): min(max(maximumLength, 0), LinkAddress.maximumLength)
            case .integer: 32
            case .boolean: 5
            case .uuid: 36
            case .oneOf(let choices): choices.reduce(0) { max($0, $1.utf8.count) }
            }
        return 3 * decoded
    }

    /// - Returns: nil when the text is not what it has to be.
    func value(of text: String) -> DeepLink.Value? {
        switch kind {
        case .string(let maximumLength):
            let isFine = !text.isEmpty && text.utf8.count <= maximumLength && !text.unicodeScalars.contains(where: \.isControl)
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
            // Swift compares texts by what they mean; a link has to be the same to the byte.
            return choices.contains { $0.utf8.elementsEqual(text.utf8) } ? .string(text) : nil
        }
    }
}
