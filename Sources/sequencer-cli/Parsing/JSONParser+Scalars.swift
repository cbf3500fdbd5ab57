extension JSONParser {
    /// Reads a string from its opening quote to just after its closing one.
    mutating func parseString() throws(JSONError) -> String {
        let opening = offset
        offset += 1
        var decoded: [UInt8] = []
        var runStart = offset
        while true {
            skipPlainText()
            switch current {
            case ASCII.quote:
                let run = UnsafeBufferPointer(rebasing: bytes[runStart..<offset])
                let text: String?
                if decoded.isEmpty {
                    text = String(validating: run, as: UTF8.self)
                } else {
                    decoded.append(contentsOf: run)
                    text = String(validating: decoded, as: UTF8.self)
                }
                guard let text else { throw invalidUTF8(in: opening..<offset) }
                offset += 1
                return text
            case ASCII.backslash:
                decoded.append(contentsOf: bytes[runStart..<offset])
                decoded.append(contentsOf: try parseEscape().utf8)
                runStart = offset
            default:
                if offset == bytes.count { throw JSONError(offset: opening, message: "the string that starts here is not closed") }
                let hex = hexadecimal(UInt32(current), digits: 4)
                throw JSONError(offset: offset, message: "a string holds the control character U+\(hex); write it as \\u\(hex)")
            }
        }
    }

    private mutating func skipPlainText() {
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == ASCII.quote || byte == ASCII.backslash || byte < 0x20 { return }
            offset += 1
        }
    }

    /// Reads one escape sequence, or the two that make a surrogate pair.
    private mutating func parseEscape() throws(JSONError) -> Unicode.Scalar {
        let start = offset
        offset += 2
        switch offset <= bytes.count ? bytes[offset - 1] : 0 {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case ASCII.quote: return "\""
        case ASCII.backslash: return "\\"
        case ASCII.slash: return "/"
        case UInt8(ascii: "u"):
            let unit = try parseUnit(escape: start)
            if let scalar = Unicode.Scalar(unit) { return scalar }
            // Half a character: only a high surrogate with a low one after it means something.
            if unit < 0xDC00, skip(ASCII.backslash), skip(UInt8(ascii: "u")) {
                let low = try parseUnit(escape: offset - 2)
                let isPair = 0xDC00...0xDFFF ~= low
                if isPair, let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) { return scalar }
            }
            throw JSONError(offset: start, message: "a string holds the lone surrogate \\u\(hexadecimal(unit, digits: 4))")
        default:
            throw JSONError(
                offset: start,
                message: "a string holds an unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"
            )
        }
    }

    /// Reads the four hexadecimal digits of a `\u` escape.
    private mutating func parseUnit(escape start: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(current)).hexDigitValue, current < 0x80 else {
                throw JSONError(offset: start, message: "\\u in a string needs four hexadecimal digits")
            }
            unit = unit << 4 + UInt32(digit)
            offset += 1
        }
        return unit
    }

    /// Reads a number and gives it back as it is written.
    mutating func parseNumber() throws(JSONError) -> String {
        let start = offset
        if skip(ASCII.minus), skipWord() == "Infinity" { throw notANumber("-Infinity", at: start) }
        if skip(ASCII.zero) {
            if isDigit(current) { throw JSONError(offset: start, message: "a number has a leading zero") }
        } else {
            try skipDigits(after: "'-'")
        }
        if skip(ASCII.dot) { try skipDigits(after: "'.'") }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(ASCII.plus) { _ = skip(ASCII.minus) }
            try skipDigits(after: "the exponent's 'e'")
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func skipDigits(after place: String) throws(JSONError) {
        guard isDigit(current) else { throw unexpected("a digit after \(place)") }
        while isDigit(current) { offset += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        ASCII.zero <= byte && byte <= ASCII.nine
    }

    /// Reads `true`, `false` or `null`, and names what people write in their place.
    mutating func parseWord() throws(JSONError) -> JSONValue.Content {
        let start = offset
        let word = skipWord()
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "NaN", "Infinity": throw notANumber(word, at: start)
        case "": throw unexpected("a value")
        default: throw JSONError(offset: start, message: "unknown word \(quoted(word)); expected a value (text goes in double quotes)")
        }
    }

    private mutating func skipWord() -> String {
        let start = offset
        while UInt8(ascii: "A")...UInt8(ascii: "Z") ~= current & 0xDF { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private func notANumber(_ word: String, at offset: Int) -> JSONError {
        JSONError(offset: offset, message: "\(word) is not a number in JSON")
    }

    // MARK: - Errors

    /// Says what is next, and what should be.
    func unexpected(_ expected: String) -> JSONError {
        if offset == bytes.count { return JSONError(offset: offset, message: "unexpected end of the text; expected \(expected)") }
        let next = offset + 1 < bytes.count ? bytes[offset + 1] : 0
        if current == UInt8(ascii: "#") || current == ASCII.slash && (next == ASCII.slash || next == UInt8(ascii: "*")) {
            return JSONError(offset: offset, message: "comments are not allowed in JSON; expected \(expected)")
        }
        if current == UInt8(ascii: "'") {
            return JSONError(offset: offset, message: "text goes in double quotes in JSON, not in single ones; expected \(expected)")
        }
        var decoder = UTF8()
        var rest = bytes[offset...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return invalidUTF8(in: offset..<bytes.count) }
        return JSONError(offset: offset, message: "unexpected \(quoted(String(scalar))); expected \(expected)")
    }

    /// Points to the first byte of the range that is not UTF-8.
    private func invalidUTF8(in range: Range<Int>) -> JSONError {
        var decoder = UTF8()
        var rest = bytes[range].makeIterator()
        var offset = range.lowerBound
        while case .scalarValue(let scalar) = decoder.decode(&rest) { offset += UTF8.width(scalar) }
        offset = min(offset, bytes.count - 1)
        return JSONError(offset: offset, message: "the text is not UTF-8 (byte 0x\(hexadecimal(UInt32(bytes[offset]), digits: 2)))")
    }

    private func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
