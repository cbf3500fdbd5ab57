import Foundation

/// Any JSON value: for variables of GraphQL operations, and for answers whose shape is not known.
///
/// ```swift
/// let variables: [String: JSONValue] = ["id": "s1", "filter": ["near": true, "limit": 10]]
/// ```
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number that is whole and fits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by name.
    case object([String: JSONValue])

    /// The member of an object; nil for everything else.
    package subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// A text; nil for everything else.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// Whether it stands for nothing: null, or a text that is empty or blank.
    package var isBlank: Bool { self == .null || text.map { $0.unlessBlank == nil } ?? false }

    /// A number; nil for everything else.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The kind of the value, in words.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: Codable, ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Reads any JSON value; whole numbers that fit 64 bits as integers.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        func read<Kind: Decodable>(_ make: (Kind) -> JSONValue) -> JSONValue? {
            (try? value.decode(Kind.self)).map(make)
        }
        if value.decodeNil() {
            self = .null
        } else {
            // In this order: a whole number can be read as a Double as well.
            let scalar = read(Self.bool) ?? read(Self.integer) ?? read(Self.number) ?? read(Self.string)
            self = try scalar ?? read(Self.object) ?? .array(value.decode([JSONValue].self))
        }
    }

    /// Writes the value as it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }

    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of two members with the same key, the later one.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
