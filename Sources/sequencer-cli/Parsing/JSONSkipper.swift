/// Passes over JSON values without keeping them, and without recursion: what a line holds besides the few values that are wanted.
///
/// The syntax is checked to the letter of RFC 8259, but for the encoding inside strings that nobody reads.
struct JSONSkipper {
    /// How many arrays and objects may enclose one another: as many as an integer has bits.
    static let depthLimit = 64

    let bytes: UnsafeBufferPointer<UInt8>
    var offset = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The next byte, or 0 at the end.
    var current: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    mutating func skipWhitespace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0D || byte == 0x09 || byte == 0x0A else { return }
            offset += 1
        }
    }

    /// Passes over one byte and the white space before it.
    mutating func expect(_ byte: UInt8) throws(JSONError) {
        skipWhitespace()
        guard offset < bytes.count, bytes[offset] == byte else { throw unexpected("'\(Character(Unicode.Scalar(byte)))'") }
        offset += 1
    }

    /// Passes over one value.
    mutating func skipValue() throws(JSONError) {
        // One bit for each container that is open: 1 for an object.
        var kinds: UInt64 = 0
        var depth = 0
        while true {
            skipWhitespace()
            switch current {
            case ASCII.openBrace, ASCII.openBracket:
                if depth == Self.depthLimit { throw JSONError(offset: offset, message: "more than \(Self.depthLimit) levels of nesting") }
                let isObject = current == ASCII.openBrace
                kinds = kinds << 1 | (isObject ? 1 : 0)
                depth += 1
                offset += 1
                skipWhitespace()
                if current != (isObject ? ASCII.closeBrace : ASCII.closeBracket) {
                    if isObject { try skipKey() }
                    continue
                }
                offset += 1
                (kinds, depth) = (kinds >> 1, depth - 1)
            case ASCII.quote: try skipString()
            case ASCII.minus, ASCII.zero...ASCII.nine: try skipNumber()
            case UInt8(ascii: "t"): try skip("true")
            case UInt8(ascii: "f"): try skip("false")
            case UInt8(ascii: "n"): try skip("null")
            default: throw unexpected("a value")
            }
            // After a value: the ends of what it was the last of, then a comma.
            while depth > 0 {
                skipWhitespace()
                let isObject = kinds & 1 == 1
                if current == ASCII.comma {
                    offset += 1
                    if isObject { try skipKey() }
                    break
                }
                guard current == (isObject ? ASCII.closeBrace : ASCII.closeBracket) else {
                    throw unexpected(isObject ? "',' or '}'" : "',' or ']'")
                }
                offset += 1
                (kinds, depth) = (kinds >> 1, depth - 1)
            }
            if depth == 0 { return }
        }
    }

    private mutating func skipKey() throws(JSONError) {
        skipWhitespace()
        guard current == ASCII.quote else { throw unexpected("a key") }
        try skipString()
        try expect(ASCII.colon)
    }

    /// Passes over a string, from its opening quote to just after its closing one.
    ///
    /// - Returns: whether it holds escapes.
    @discardableResult
    mutating func skipString() throws(JSONError) -> Bool {
        let start = offset
        var hasEscapes = false
        offset += 1
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == ASCII.quote {
                offset += 1
                return hasEscapes
            }
            if byte == ASCII.backslash {
                hasEscapes = true
                try skipEscape()
            } else if byte < 0x20 {
                throw JSONError(offset: offset, message: "a string holds a control character")
            } else {
                offset += 1
            }
        }
        throw JSONError(offset: start, message: "the string that starts here is not closed")
    }

    private mutating func skipEscape() throws(JSONError) {
        let start = offset
        offset += 1
        switch current {
        case ASCII.quote, ASCII.backslash, ASCII.slash, UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
            UInt8(ascii: "t"):
            offset += 1
        case UInt8(ascii: "u"):
            offset += 1
            for _ in 0..<4 {
                switch current {
                case ASCII.zero...ASCII.nine, UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): offset += 1
                default: throw JSONError(offset: start, message: "'\\u' without four hexadecimal digits")
                }
            }
        default: throw JSONError(offset: start, message: "an unknown escape")
        }
    }

    /// Passes over a number.
    ///
    /// - Returns: whether it has an exponent.
    @discardableResult
    mutating func skipNumber() throws(JSONError) -> Bool {
        if current == ASCII.minus { offset += 1 }
        if current == ASCII.zero { offset += 1 } else { try skipDigits() }
        if current == ASCII.dot {
            offset += 1
            try skipDigits()
        }
        guard current | 0x20 == UInt8(ascii: "e") else { return false }
        offset += 1
        if current == ASCII.plus || current == ASCII.minus { offset += 1 }
        try skipDigits()
        return true
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = offset
        while offset < bytes.count, ASCII.zero...ASCII.nine ~= bytes[offset] { offset += 1 }
        if offset == start { throw unexpected("a digit") }
    }

    private mutating func skip(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[index] else { throw unexpected("'\(word)'") }
            offset += 1
        }
    }

    func unexpected(_ wanted: String) -> JSONError {
        guard offset < bytes.count else { return JSONError(offset: offset, message: "the line ends early; expected \(wanted)") }
        return JSONError(offset: offset, message: "expected \(wanted)")
    }
}
