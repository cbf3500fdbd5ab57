/// Passes over the tokens of a JSON text, checked to the letter of RFC 8259, without keeping them.
///
/// ``parseJSON(_:)`` makes values of them; ``SavedReports`` and ``LaunchFile`` find where the values of a file begin and end.
/// It works on bytes and allocates nothing; the time is linear in the text. The encoding of strings is checked when they are decoded.
struct JSONTokenizer {
    /// How many arrays and objects ``skipValue()`` lets enclose one another: as many as an integer has bits.
    static let skippedDepthLimit = 64

    let bytes: UnsafeBufferPointer<UInt8>
    var offset = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The next byte, or 0 at the end: no token of JSON holds a 0.
    var current: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    mutating func skipWhitespace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            // One comparison tells nearly all: lines of JSON have no white space between their tokens.
            guard byte <= ASCII.space, ASCII.isWhitespace(byte) else { return }
            offset += 1
        }
    }

    /// Skips the byte if it is next, and says whether it was.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    // MARK: - Strings

    /// Skips a string, from its opening quote to just after its closing one.
    ///
    /// - Returns: whether it holds escapes.
    @discardableResult
    mutating func skipString() throws(JSONFault) -> Bool {
        let opening = offset
        var hasEscapes = false
        offset += 1
        while true {
            skipPlainText()
            switch current {
            case ASCII.quote:
                offset += 1
                return hasEscapes
            case ASCII.backslash:
                hasEscapes = true
                try skipEscape()
            default: throw offset < bytes.count ? JSONFault(offset, .controlCharacter) : JSONFault(opening, .unclosedString)
            }
        }
    }

    /// Goes on to the next quote, backslash or control character, or to the end.
    ///
    /// Most of a report is strings: eight bytes are looked at at once.
    private mutating func skipPlainText() {
        guard let start = UnsafeRawPointer(bytes.baseAddress) else { return }
        while offset + 8 <= bytes.count {
            let word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let marks = Self.marks(in: word)
            if marks != 0 {
                // The first byte is the lowest one.
                offset += marks.trailingZeroBitCount / 8
                return
            }
            offset += 8
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == ASCII.quote || byte == ASCII.backslash || byte < ASCII.space { return }
            offset += 1
        }
    }

    /// The highest bit of each byte that ends plain text. Above the lowest of these bits there may be wrong ones, by a borrow.
    ///
    /// A byte that equals another one is 0 after the exclusive or; taking 1 from 0, or 0x20 from less, sets the highest bit, which was not set before
    /// (Warren, Hacker's Delight, 6-1).
    private static func marks(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let (quotes, backslashes) = (word ^ ones &* UInt64(ASCII.quote), word ^ ones &* UInt64(ASCII.backslash))
        let equal = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        let controls = (word &- ones &* UInt64(ASCII.space)) & ~word
        return (equal | controls) & (ones << 7)
    }

    private mutating func skipEscape() throws(JSONFault) {
        let start = offset
        offset += 1
        switch current {
        // No other escape exists (section 7).
        case ASCII.quote, ASCII.backslash, ASCII.slash, UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
            UInt8(ascii: "t"):
            offset += 1
        case UInt8(ascii: "u"):
            offset += 1
            for _ in 0..<4 {
                switch current {
                case ASCII.zero...ASCII.nine, UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): offset += 1
                default: throw JSONFault(start, .unitWithoutDigits)
                }
            }
        default: throw JSONFault(start, .unknownEscape)
        }
    }

    /// Reads a string from its opening quote to just after its closing one.
    mutating func readString() throws(JSONFault) -> String {
        let start = offset + 1
        let hasEscapes = try skipString()
        let range = start..<offset - 1
        if hasEscapes { return try decoded(range) }
        guard let text = String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) else { throw notUTF8(in: range) }
        return text
    }

    /// The text of a string whose escapes have been checked.
    private func decoded(_ range: Range<Int>) throws(JSONFault) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == ASCII.backslash else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let start = index
            index += 2
            switch bytes[start + 1] {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            // Surrogates are characters only in pairs, so each has to be decoded with the one after it.
            case UInt8(ascii: "u"): result.append(contentsOf: String(try scalar(at: &index, escape: start)).utf8)
            case let byte: result.append(byte)
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else { throw notUTF8(in: range) }
        return text
    }

    /// The character of a `\u` escape, or of the two that make a surrogate pair; `index` is at the first digit.
    private func scalar(at index: inout Int, escape start: Int) throws(JSONFault) -> Unicode.Scalar {
        let unit = unit(at: index)
        index += 4
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // Half a character: only a high surrogate with a low one after it means something.
        if unit < 0xDC00, bytes[index] == ASCII.backslash, bytes[index + 1] == UInt8(ascii: "u") {
            let low = self.unit(at: index + 2)
            if 0xDC00...0xDFFF ~= low, let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) {
                index += 6
                return scalar
            }
        }
        throw JSONFault(start, .loneSurrogate(unit))
    }

    /// The value of four hexadecimal digits, which have been checked.
    private func unit(at index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { unit, byte in
            // The low half of a digit's byte is its value; that of a letter is its place in the alphabet.
            unit << 4 + UInt32(byte & 0x0F) + (byte > ASCII.nine ? 9 : 0)
        }
    }

    /// Points to the first byte of the range that is not UTF-8.
    func notUTF8(in range: Range<Int>) -> JSONFault {
        var decoder = UTF8()
        var rest = bytes[range].makeIterator()
        var offset = range.lowerBound
        while case .scalarValue(let scalar) = decoder.decode(&rest) { offset += UTF8.width(scalar) }
        // Within the text, where an incomplete character ends it.
        return JSONFault(min(offset, bytes.count - 1), .notUTF8)
    }

    // MARK: - Numbers and words

    /// Skips a number. A digit after a leading zero is left for the reader to find.
    mutating func skipNumber() throws(JSONFault) {
        let isNegative = skip(ASCII.minus)
        // Section 6: a number begins with 0 or with another digit, never with both.
        if !skip(ASCII.zero) { try skipDigits(after: isNegative ? .minus : .nothing) }
        if skip(ASCII.dot) { try skipDigits(after: .point) }
        // Both cases of the letter, by the bit that tells them apart.
        guard current | 0x20 == UInt8(ascii: "e") else { return }
        offset += 1
        if !skip(ASCII.plus) { _ = skip(ASCII.minus) }
        try skipDigits(after: .exponent)
    }

    private mutating func skipDigits(after place: JSONFault.DigitPlace) throws(JSONFault) {
        let start = offset
        while offset < bytes.count, ASCII.zero...ASCII.nine ~= bytes[offset] { offset += 1 }
        if offset == start { throw JSONFault(offset, .digitMissing(after: place)) }
    }

    private mutating func skip(_ word: StaticString) throws(JSONFault) {
        for index in 0..<word.utf8CodeUnitCount {
            if !skip(word.utf8Start[index]) { throw JSONFault(offset, .expected("'\(word)'")) }
        }
    }

    // MARK: - Whole values

    /// Skips one byte and the white space before it.
    mutating func expect(_ byte: UInt8) throws(JSONFault) {
        skipWhitespace()
        if !skip(byte) { throw JSONFault(offset, .expected("'\(Unicode.Scalar(byte))'")) }
    }

    /// Skips one value, without recursion.
    mutating func skipValue() throws(JSONFault) {
        // One bit for each container that is open: 1 for an object.
        var kinds: UInt64 = 0
        var depth = 0
        while true {
            skipWhitespace()
            switch current {
            case ASCII.openBrace, ASCII.openBracket:
                if depth == Self.skippedDepthLimit { throw JSONFault(offset, .tooDeep(Self.skippedDepthLimit)) }
                let isObject = current == ASCII.openBrace
                // The innermost container is the last bit.
                kinds = kinds << 1 | (isObject ? 1 : 0)
                depth += 1
                offset += 1
                skipWhitespace()
                // An empty container is a value by itself; any other one begins with its first element.
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
            default: throw JSONFault(offset, .expected("a value"))
            }
            // After a value: the ends of the containers that it was the last value of, then a comma.
            while depth > 0 {
                skipWhitespace()
                let isObject = kinds & 1 == 1
                if skip(ASCII.comma) {
                    if isObject { try skipKey() }
                    // The next value follows.
                    break
                }
                guard skip(isObject ? ASCII.closeBrace : ASCII.closeBracket) else {
                    throw JSONFault(offset, .expected(isObject ? "',' or '}'" : "',' or ']'"))
                }
                (kinds, depth) = (kinds >> 1, depth - 1)
            }
            if depth == 0 { return }
        }
    }

    private mutating func skipKey() throws(JSONFault) {
        skipWhitespace()
        guard current == ASCII.quote else { throw JSONFault(offset, .expected("a key")) }
        try skipString()
        try expect(ASCII.colon)
    }
}

/// Why a text is not JSON, and the byte where that shows. Each reader says it in its own words.
struct JSONFault: Error {
    enum DigitPlace {
        case nothing, minus, point, exponent
    }

    enum Kind {
        case unclosedString, controlCharacter, unknownEscape, unitWithoutDigits, notUTF8
        case loneSurrogate(UInt32)
        case digitMissing(after: DigitPlace)
        case tooDeep(Int)
        case expected(String)
        /// A mistake that only one of the readers knows.
        case mistake(String)
    }

    let offset: Int
    let kind: Kind

    init(_ offset: Int, _ kind: Kind) {
        self.offset = offset
        self.kind = kind
    }
}

/// Why a text is not JSON, as a person is told, and the byte where that shows.
struct JSONError: Error, Equatable, CustomStringConvertible {
    let offset: Int
    let message: String

    var description: String { message }
}

enum ASCII {
    static let tab: UInt8 = 0x09
    static let newline: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
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

    /// Whether JSON passes over it between its tokens.
    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == space || byte == newline || byte == carriageReturn || byte == tab
    }
}
