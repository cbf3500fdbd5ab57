/// A value of a JSON text, together with the byte it starts at.
struct JSONValue: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case null
        case bool(Bool)
        /// The number as it is written: no digit is lost, and it is the reader who says what range fits.
        case number(String)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    let content: Content
    /// The offset of the value's first byte.
    let offset: Int

    /// The value's kind as a message names it, never its text: that may be a secret.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// One key of a JSON object and its value, in the order of the file.
struct JSONMember: Equatable, Sendable {
    let key: String
    /// The offset of the key's opening quote.
    let offset: Int
    let value: JSONValue
}

/// Why a text is not JSON, and the byte where that shows.
struct JSONError: Error, Equatable, CustomStringConvertible {
    let offset: Int
    let message: String

    var description: String { message }
}
