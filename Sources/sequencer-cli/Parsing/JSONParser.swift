/// Reads JSON to the letter of RFC 8259, refusing all that would make two readers disagree.
///
/// Refused besides broken syntax: encodings other than UTF-8, a byte order mark, comments, trailing commas, a key twice in
/// one object, lone surrogates, and nesting deeper than 128 levels. The time is linear in the input.
func parseJSON(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try requireUTF8Start(bytes)
    return try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
        var parser = JSONParser(buffer)
        do throws(JSONFault) { return try parser.parseDocument() } catch {
            throw JSONError(offset: error.offset, message: parser.json.message(for: error))
        }
    }
}

/// Names the encodings that editors write when one is not careful.
func requireUTF8Start(_ bytes: [UInt8]) throws(JSONError) {
    // RFC 8259, section 8.1, forbids writers to add one.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
        throw JSONError(offset: 0, message: "the text starts with a byte order mark (BOM); save it as UTF-8 without one")
    }
    // JSON starts with ASCII, so a zero among the first two bytes betrays 16-bit units.
    let startsWithZero = bytes.count >= 2 && (bytes[0] == 0) != (bytes[1] == 0)
    if startsWithZero || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
        throw JSONError(offset: 0, message: "the text is UTF-16; save it as UTF-8")
    }
}

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

/// Makes values of a JSON text.
///
/// It skips no check in order to be fast: a file of 15 MB takes well under a second once optimised, and about one without.
private struct JSONParser {
    /// How many arrays and objects may enclose one another: the recursion is never deeper, so no input can exhaust the stack.
    private static let depthLimit = 128

    private(set) var json: JSONTokenizer

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        json = JSONTokenizer(bytes)
    }

    mutating func parseDocument() throws(JSONFault) -> JSONValue {
        json.skipWhitespace()
        // Its own sentence: "unexpected end" would not say that the file is empty.
        if json.offset == json.bytes.count { throw fault("the text is empty; expected a JSON value") }
        let value = try parseValue(depth: 0)
        json.skipWhitespace()
        if json.offset < json.bytes.count { throw expected("nothing after the end of the JSON value") }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONFault) -> JSONValue {
        let start = json.offset
        let content: JSONValue.Content
        switch json.current {
        case ASCII.quote: content = .string(try json.readString())
        case ASCII.openBrace: content = .object(try parseObject(depth: depth + 1))
        case ASCII.openBracket: content = .array(try parseArray(depth: depth + 1))
        case ASCII.minus, ASCII.zero...ASCII.nine: content = .number(try parseNumber())
        default: content = try parseWord()
        }
        return JSONValue(content: content, offset: start)
    }

    private mutating func parseObject(depth: Int) throws(JSONFault) -> [JSONMember] {
        try open(depth: depth)
        var members: [JSONMember] = []
        var keys = KeySet()
        if json.skip(ASCII.closeBrace) { return members }
        while true {
            guard json.current == ASCII.quote else { throw expected("a key in double quotes") }
            let start = json.offset
            let key = try json.readString()
            // Most readers take the last of two, some the first (J4).
            if !keys.insert(key, after: members) { throw fault("the key \(quoted(key)) is given twice in one object", at: start) }
            json.skipWhitespace()
            guard json.skip(ASCII.colon) else { throw expected("':' after the key \(quoted(key))") }
            json.skipWhitespace()
            members.append(JSONMember(key: key, offset: start, value: try parseValue(depth: depth)))
            json.skipWhitespace()
            if json.skip(ASCII.closeBrace) { return members }
            try skipComma(before: ASCII.closeBrace)
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONFault) -> [JSONValue] {
        try open(depth: depth)
        var elements: [JSONValue] = []
        if json.skip(ASCII.closeBracket) { return elements }
        while true {
            elements.append(try parseValue(depth: depth))
            json.skipWhitespace()
            if json.skip(ASCII.closeBracket) { return elements }
            try skipComma(before: ASCII.closeBracket)
        }
    }

    private mutating func open(depth: Int) throws(JSONFault) {
        if depth > Self.depthLimit { throw JSONFault(json.offset, .tooDeep(Self.depthLimit)) }
        json.offset += 1
        json.skipWhitespace()
    }

    private mutating func skipComma(before end: UInt8) throws(JSONFault) {
        let comma = json.offset
        let name = Unicode.Scalar(end)
        guard json.skip(ASCII.comma) else { throw expected("',' or '\(name)'") }
        json.skipWhitespace()
        // Pointed to the comma, which is to be removed.
        if json.current == end { throw fault("a trailing comma before '\(name)' is not allowed in JSON", at: comma) }
    }

    /// Reads a number and gives it back as it is written.
    private mutating func parseNumber() throws(JSONFault) -> String {
        let start = json.offset
        if json.current == ASCII.minus, json.bytes[(start + 1)...].starts(with: "Infinity".utf8) {
            throw fault("-Infinity is not a number in JSON")
        }
        try json.skipNumber()
        // skipNumber() stops after the zero; here the number as a whole is the mistake.
        if ASCII.zero...ASCII.nine ~= json.current { throw fault("a number has a leading zero", at: start) }
        return String(decoding: json.bytes[start..<json.offset], as: UTF8.self)
    }

    /// Reads `true`, `false` or `null`, and names what people write in their place.
    private mutating func parseWord() throws(JSONFault) -> JSONValue.Content {
        let start = json.offset
        // Letters of either case: the bit that tells them apart is masked out.
        while UInt8(ascii: "A")...UInt8(ascii: "Z") ~= json.current & 0xDF { json.offset += 1 }
        let word = String(decoding: json.bytes[start..<json.offset], as: UTF8.self)
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "NaN", "Infinity": throw fault("\(word) is not a number in JSON", at: start)
        case "": throw expected("a value")
        default: throw fault("unknown word \(quoted(word)); expected a value (text goes in double quotes)", at: start)
        }
    }

    // MARK: - Errors

    private func fault(_ message: String, at offset: Int? = nil) -> JSONFault {
        JSONFault(offset ?? json.offset, .mistake(message))
    }

    private func expected(_ what: String) -> JSONFault { JSONFault(json.offset, .expected(what)) }
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

extension JSONTokenizer {
    /// The fault in words for the person who wrote the text.
    func message(for fault: JSONFault) -> String {
        switch fault.kind {
        case .unclosedString: "the string that starts here is not closed"
        case .controlCharacter:
            "a string holds the control character U+\(hexadecimal(UInt32(byte(fault.offset)), digits: 4)); "
                + "write it as \\u\(hexadecimal(UInt32(byte(fault.offset)), digits: 4))"
        case .unknownEscape: "a string holds an unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"
        case .unitWithoutDigits: "\\u in a string needs four hexadecimal digits"
        case .notUTF8: "the text is not UTF-8 (byte 0x\(hexadecimal(UInt32(byte(fault.offset)), digits: 2)))"
        case .loneSurrogate(let unit): "a string holds the lone surrogate \\u\(hexadecimal(unit, digits: 4))"
        case .digitMissing(.nothing), .digitMissing(.minus): unexpected(at: fault.offset, "a digit after '-'")
        case .digitMissing(.point): unexpected(at: fault.offset, "a digit after '.'")
        case .digitMissing(.exponent): unexpected(at: fault.offset, "a digit after the exponent's 'e'")
        case .tooDeep(let limit): "the nesting is deeper than the limit of \(limit) levels"
        case .expected(let what): unexpected(at: fault.offset, what)
        case .mistake(let message): message
        }
    }

    /// Names the character that was found, and the expected one.
    private func unexpected(at offset: Int, _ expected: String) -> String {
        if offset >= bytes.count { return "unexpected end of the text; expected \(expected)" }
        let (current, next) = (byte(offset), byte(offset + 1))
        if current == UInt8(ascii: "#") || current == ASCII.slash && (next == ASCII.slash || next == UInt8(ascii: "*")) {
            return "comments are not allowed in JSON; expected \(expected)"
        }
        if current == UInt8(ascii: "'") { return "text goes in double quotes in JSON, not in single ones; expected \(expected)" }
        var decoder = UTF8()
        // The character as a whole, for a byte of it would be unreadable.
        var rest = bytes[offset...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else {
            return "the text is not UTF-8 (byte 0x\(hexadecimal(UInt32(current), digits: 2)))"
        }
        return "unexpected \(quoted(String(scalar))); expected \(expected)"
    }

    private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
