import Foundation
import Sequencer
import StartupNetworking

/// Reads JSON to the letter of RFC 8259, refusing all that would make two readers disagree.
///
/// Refused besides broken syntax: encodings other than UTF-8, a byte order mark, comments, trailing commas, a key twice
/// in one object, lone surrogates, and nesting deeper than 128 levels. The time is linear in the input.
func parseJSON(_ bytes: [UInt8]) throws(ScenarioError) -> JSONValue {
    try requireUTF8Start(bytes)
    return try bytes.withUnsafeBufferPointer { buffer throws(ScenarioError) in
        var json = JSONReader(buffer, isKept: true)
        json.skipWhitespace()
        // Its own sentence: "unexpected end" would not say that the file is empty.
        if buffer.count == json.offset { throw json.fault("the text is empty; expected a JSON value") }
        let value = try json.value()
        json.skipWhitespace()
        if json.offset < buffer.count { throw json.expected("nothing after the end of the JSON value") }
        return value
    }
}

/// Names the encodings that editors write when one is not careful.
func requireUTF8Start(_ bytes: [UInt8]) throws(ScenarioError) {
    // RFC 8259, section 8.1, forbids writers to add one.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
        throw ScenarioError(message: "the text starts with a byte order mark (BOM); save it as UTF-8 without one")
    }
    // JSON starts with ASCII, so a zero among the first two bytes betrays 16-bit units.
    let startsWithZero = bytes.count >= 2 && (bytes[0] == 0) != (bytes[1] == 0)
    if startsWithZero || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
        throw ScenarioError(message: "the text is UTF-16; save it as UTF-8")
    }
}

/// A value of a JSON text, together with the place where it starts.
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
    let position: SourcePosition

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

/// A key of a JSON object and its value, in the order of the file.
struct JSONMember: Equatable, Sendable {
    let key: String
    /// The place of the key's opening quote.
    let position: SourcePosition
    let value: JSONValue
}

/// Reads the values of a JSON text one after the other, or only passes over them: the latter allocates nothing.
struct JSONReader {
    /// How many arrays and objects may enclose one another: the recursion is never deeper, so no input can exhaust the
    /// stack.
    private static let depthLimit = 128
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isKept: Bool
    var offset = 0
    /// The byte whose line and column were counted last.
    private var counted = (offset: 0, position: SourcePosition.start)

    /// - Parameter isKept: whether texts, elements, members and places are read; otherwise values are checked only,
    ///   apart from their encoding and from keys that are given twice.
    init(_ bytes: UnsafeBufferPointer<UInt8>, isKept: Bool = false) { (self.bytes, self.isKept) = (bytes, isKept) }

    /// The next byte, or 0 at the end: no token of JSON holds a 0.
    var current: UInt8 { byte(offset) }

    private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    mutating func skipWhitespace() { while offset < bytes.count, bytes[offset].isJSONSpace { offset += 1 } }

    private func isNext(_ character: Unicode.Scalar) -> Bool { current == UInt8(ascii: character) }

    /// Skips the character if it is next, and says whether it was.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isNext(character) else { return false }
        offset += 1
        return true
    }

    /// The place of the next byte. Places are asked for in the order of the text, so each byte is counted once.
    private mutating func position() -> SourcePosition {
        if isKept { counted = (offset, counted.position.moved(over: bytes[counted.offset..<offset])) }
        return counted.position
    }

    // MARK: Values

    /// Reads the value that begins at the next byte.
    @discardableResult
    mutating func value(depth: Int = 0) throws(ScenarioError) -> JSONValue {
        let position = position()
        let content: JSONValue.Content
        switch current {
        case UInt8(ascii: "\""): content = .string(try string())
        case UInt8(ascii: "{"): content = .object(try object(depth + 1))
        case UInt8(ascii: "["): content = .array(try array(depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): content = .number(try number())
        default: content = try word()
        }
        return JSONValue(content: content, position: position)
    }

    private mutating func object(_ depth: Int) throws(ScenarioError) -> [JSONMember] {
        var members: [JSONMember] = []
        var (keys, isFirst) = (Set<String>(), true)
        try open(depth)
        while try hasNext(before: "}", &isFirst) {
            guard isNext("\"") else { throw expected("a key in double quotes") }
            let (start, position) = (offset, position())
            let key = try string()
            // Most readers take the last of two, some the first (J4).
            let isRepeated = isKept && !keys.insert(key).inserted
            if isRepeated { throw fault("the key \(quoted(key)) is given twice in one object", at: start) }
            skipWhitespace()
            if !skip(":") { throw expected("':' after the key" + (isKept ? " \(quoted(key))" : "")) }
            skipWhitespace()
            let value = try value(depth: depth)
            if isKept { members.append(JSONMember(key: key, position: position, value: value)) }
        }
        return members
    }

    private mutating func array(_ depth: Int) throws(ScenarioError) -> [JSONValue] {
        var (elements, isFirst) = ([JSONValue](), true)
        try open(depth)
        while try hasNext(before: "]", &isFirst) {
            let element = try value(depth: depth)
            if isKept { elements.append(element) }
        }
        return elements
    }

    private mutating func open(_ depth: Int) throws(ScenarioError) {
        if depth > Self.depthLimit { throw fault("the nesting is deeper than the limit of \(Self.depthLimit) levels") }
        offset += 1
    }

    /// Goes on to the next element of an array or object; false behind its end.
    private mutating func hasNext(before end: Unicode.Scalar, _ isFirst: inout Bool) throws(ScenarioError) -> Bool {
        skipWhitespace()
        if skip(end) { return false }
        defer { isFirst = false }
        if isFirst { return true }
        let comma = offset
        guard skip(",") else { throw expected("',' or '\(end)'") }
        skipWhitespace()
        // Points to the comma to remove.
        if isNext(end) { throw fault("a trailing comma before '\(end)' is not allowed in JSON", at: comma) }
        return true
    }

    /// Reads `true`, `false` or `null`.
    private mutating func word() throws(ScenarioError) -> JSONValue.Content {
        let start = offset
        // Letters of either case: the bit that tells them apart is masked out.
        while UInt8(ascii: "A")...UInt8(ascii: "Z") ~= current & 0xDF { offset += 1 }
        switch text(start..<offset) {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "": throw expected("a value")
        case let word:
            throw fault("unknown word \(quoted(word)); expected a value (text goes in double quotes)", at: start)
        }
    }

    private mutating func number() throws(ScenarioError) -> String {
        let start = offset
        _ = skip("-")
        // A number begins with 0 or with another digit, never with both (section 6).
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        return isKept ? text(start..<offset) : ""
    }

    private mutating func digits() throws(ScenarioError) {
        guard current.isASCIIDigit else { throw expected("a digit") }
        while current.isASCIIDigit { offset += 1 }
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Reads a string from its opening quote to just after its closing one.
    private mutating func string() throws(ScenarioError) -> String {
        let start = offset
        var hasEscape = false
        offset += 1
        while !isNext("\"") {
            if offset >= bytes.count { throw fault("the string that starts here is not closed", at: start) }
            if current < UInt8(ascii: " ") {
                let name = String(format: "%04X", current)
                throw fault("a string holds the control character U+\(name); write it as \\u\(name)")
            }
            if skip("\\") {
                hasEscape = true
                guard "\"\\/bfnrtu".utf8.contains(current) else {
                    let escapes = #"\" \\ \/ \b \f \n \r \t \u"#
                    throw fault("a string holds an unknown escape; expected one of \(escapes)", at: offset - 1)
                }
            }
            offset += 1
        }
        offset += 1
        if !isKept { return "" }
        let content = start + 1..<offset - 1
        guard let string = String(validUTF8: bytes[content]) else { throw notUTF8(in: content) }
        if !hasEscape { return string }
        // With its quotes, it is a document.
        if let text = try? JSONDecoder().decode(String.self, from: Data(bytes[start..<offset])) { return text }
        let mistake = "a \\u without four hexadecimal digits, or a lone surrogate"
        throw fault("the string that starts here has \(mistake)", at: start)
    }

    // MARK: Errors

    func fault(_ message: String, at place: Int? = nil) -> ScenarioError {
        ScenarioError(position: isKept ? .start.moved(over: bytes[..<(place ?? offset)]) : .start, message: message)
    }

    /// Points to the first byte of the range that is not UTF-8.
    private func notUTF8(in range: Range<Int>) -> ScenarioError {
        var decoder = UTF8()
        var rest = bytes[range].makeIterator()
        var offset = range.lowerBound
        while case .scalarValue(let scalar) = decoder.decode(&rest) { offset += UTF8.width(scalar) }
        return fault("the text is not UTF-8 (byte 0x\(String(format: "%02X", byte(offset))))", at: offset)
    }

    /// Names the character that was found, and the expected one.
    func expected(_ what: String) -> ScenarioError {
        if offset >= bytes.count { return fault("unexpected end of the text; expected \(what)") }
        let next = byte(offset + 1)
        if isNext("#") || isNext("/") && "/*".utf8.contains(next) {
            return fault("comments are not allowed in JSON; expected \(what)")
        }
        if isNext("'") { return fault("text goes in double quotes in JSON, not in single ones; expected \(what)") }
        var decoder = UTF8()
        // The character as a whole, for a byte of it would be unreadable.
        var rest = bytes[offset...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return notUTF8(in: offset..<offset + 1) }
        return fault("unexpected \(quoted(String(scalar))); expected \(what)")
    }
}

extension UInt8 {
    /// Whether JSON passes over it between its tokens.
    @inline(__always)
    var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

/// A place in a text as an editor shows it: both numbers count from 1, columns count Unicode scalars.
struct SourcePosition: Equatable, Sendable, CustomStringConvertible {
    let line: Int
    let column: Int

    static let start = SourcePosition(line: 1, column: 1)

    var description: String { "\(line):\(column)" }

    /// Where the byte after `bytes` stands, if the first of them stands here.
    func moved(over bytes: some Collection<UInt8>) -> SourcePosition {
        var (line, column) = (line, column)
        for byte in bytes {
            // Only line feeds: with CR LF the carriage return is the last column of its line.
            if byte == 0x0A {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                // Continuation bytes (10xxxxxx) belong to the scalar before them.
                column += 1
            }
        }
        return SourcePosition(line: line, column: column)
    }
}

/// A mistake in a file, with its place.
///
/// Its description is one line: `regular.json:12:9: operations[3].timeoutMS: unknown key 'timeoutMS'; did you mean
/// 'timeout'?`
struct ScenarioError: Error, Equatable, CustomStringConvertible {
    /// The name of the file in messages; empty until the reader of the file gives it.
    var file = ""
    var position = SourcePosition.start
    /// The way from the top of the file to the value, `operations[3].retry`; empty for the top and for broken JSON.
    var path = ""
    let message: String

    var description: String {
        let place = "\(printable(file)):\(position): "
        return path.isEmpty ? place + message : place + path + ": " + message
    }

    /// The same mistake in a text that begins at this place of the file.
    func moved(by start: SourcePosition) -> ScenarioError {
        let column = position.line == 1 ? start.column + position.column - 1 : position.column
        let place = SourcePosition(line: start.line + position.line - 1, column: column)
        return ScenarioError(file: file, position: place, path: path, message: message)
    }
}

extension ScenarioError {
    /// - Parameter error: any other error than a mistake is about the file as a whole.
    init(_ error: any Error, file: String) {
        self = error as? ScenarioError ?? ScenarioError(message: "\(error)")
        self.file = file
    }
}

/// The way from the top of a JSON text to one of its values.
///
/// A chain that shares its beginning, and is only spelled out for a message: a file has many more values than
/// complaints.
indirect enum JSONPath: CustomStringConvertible, Sendable {
    case root
    case key(String, of: JSONPath)
    case element(Int, of: JSONPath)

    var description: String {
        switch self {
        case .root: ""
        case .element(let index, let parent): "\(parent)[\(index)]"
        // A key at the top has no dot before it.
        case .key(let key, .root) where JSONPath.isPlain(key): key
        case .key(let key, let parent): JSONPath.isPlain(key) ? "\(parent).\(key)" : "\(parent)[\(quoted(key))]"
        }
    }

    private static func isPlain(_ key: String) -> Bool {
        // Anything else is quoted, so that a dot in a key does not look like a level.
        1...64 ~= key.utf8.count && key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}
