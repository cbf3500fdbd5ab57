/// Reads JSON to the letter of RFC 8259, refusing all that would make two readers disagree.
///
/// Refused besides broken syntax: encodings other than UTF-8, a byte order mark, comments, trailing commas, a key twice in
/// one object, lone surrogates, and nesting deeper than ``JSONParser/depthLimit``. The time is linear in the input.
func parseJSON(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try requireUTF8Start(bytes)
    return try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
        var parser = JSONParser(buffer)
        return try parser.parseDocument()
    }
}

/// Names the encodings that editors write when one is not careful.
private func requireUTF8Start(_ bytes: [UInt8]) throws(JSONError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
        throw JSONError(offset: 0, message: "the text starts with a byte order mark (BOM); save it as UTF-8 without one")
    }
    // JSON starts with ASCII, so a zero among the first two bytes betrays 16-bit units.
    let startsWithZero = bytes.count >= 2 && (bytes[0] == 0) != (bytes[1] == 0)
    if startsWithZero || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
        throw JSONError(offset: 0, message: "the text is UTF-16; save it as UTF-8")
    }
}

/// The state of one parse: the bytes and how far they are read.
///
/// It works on bytes, not on `Character`s, and skips no check in order to be fast: a file of 15 MB takes well under a second
/// once optimised, and about one without.
struct JSONParser {
    /// How many arrays and objects may enclose one another.
    static let depthLimit = 128

    let bytes: UnsafeBufferPointer<UInt8>
    var offset = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func parseDocument() throws(JSONError) -> JSONValue {
        skipWhitespace()
        if offset == bytes.count { throw JSONError(offset: offset, message: "the text is empty; expected a JSON value") }
        let value = try parseValue(depth: 0)
        skipWhitespace()
        if offset < bytes.count { throw unexpected("nothing after the end of the JSON value") }
        return value
    }

    /// The next byte, or 0 at the end: no token of JSON holds a 0.
    var current: UInt8 {
        offset < bytes.count ? bytes[offset] : 0
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        let start = offset
        switch current {
        case ASCII.quote:
            return JSONValue(content: .string(try parseString()), offset: start)
        case ASCII.openBrace:
            return JSONValue(content: .object(try parseObject(depth: depth + 1)), offset: start)
        case ASCII.openBracket:
            return JSONValue(content: .array(try parseArray(depth: depth + 1)), offset: start)
        case ASCII.minus, ASCII.zero...ASCII.nine:
            return JSONValue(content: .number(try parseNumber()), offset: start)
        default:
            return JSONValue(content: try parseWord(), offset: start)
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> [JSONMember] {
        try open(depth: depth)
        var members: [JSONMember] = []
        var keys = KeySet()
        if skip(ASCII.closeBrace) { return members }
        while true {
            guard current == ASCII.quote else { throw unexpected("a key in double quotes") }
            let start = offset
            let key = try parseString()
            if !keys.insert(key, after: members) {
                throw JSONError(offset: start, message: "the key \(quoted(key)) is given twice in one object")
            }
            skipWhitespace()
            guard skip(ASCII.colon) else { throw unexpected("':' after the key \(quoted(key))") }
            skipWhitespace()
            members.append(JSONMember(key: key, offset: start, value: try parseValue(depth: depth)))
            skipWhitespace()
            if skip(ASCII.closeBrace) { return members }
            try skipComma(before: ASCII.closeBrace)
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSONValue] {
        try open(depth: depth)
        var elements: [JSONValue] = []
        if skip(ASCII.closeBracket) { return elements }
        while true {
            elements.append(try parseValue(depth: depth))
            skipWhitespace()
            if skip(ASCII.closeBracket) { return elements }
            try skipComma(before: ASCII.closeBracket)
        }
    }

    /// Enters an array or object: the recursion is never deeper than the limit, so no input can exhaust the stack.
    private mutating func open(depth: Int) throws(JSONError) {
        if depth > JSONParser.depthLimit {
            throw JSONError(offset: offset, message: "the nesting is deeper than the limit of \(JSONParser.depthLimit) levels")
        }
        offset += 1
        skipWhitespace()
    }

    private mutating func skipComma(before end: UInt8) throws(JSONError) {
        let comma = offset
        let name = Unicode.Scalar(end)
        guard skip(ASCII.comma) else { throw unexpected("',' or '\(name)'") }
        skipWhitespace()
        if current == end { throw JSONError(offset: comma, message: "a trailing comma before '\(name)' is not allowed in JSON") }
    }

    /// Skips the byte if it is next, and says whether it was.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipWhitespace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }
}

/// Finds a key given twice: by comparing while the keys are few, which is the rule, else by hashing.
private struct KeySet {
    private static let few = 16
    private var many: Set<String> = []

    /// False when the key is among the members already.
    mutating func insert(_ key: String, after members: [JSONMember]) -> Bool {
        if members.count < KeySet.few {
            for member in members where member.key == key { return false }
            return true
        }
        if members.count == KeySet.few { many = Set(members.map(\.key)) }
        return many.insert(key).inserted
    }
}

enum ASCII {
    static let quote: UInt8 = 0x22
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let minus: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let nine: UInt8 = 0x39
    static let colon: UInt8 = 0x3A
    static let openBracket: UInt8 = 0x5B
    static let backslash: UInt8 = 0x5C
    static let closeBracket: UInt8 = 0x5D
    static let openBrace: UInt8 = 0x7B
    static let closeBrace: UInt8 = 0x7D
}
