import Foundation
import Sequencer

/// Goes through a JSON text once and reads only the wanted values: a file of a hundred megabytes needs no tree of values.
///
/// Keys that nobody wants are skipped, checked like the others. Of a key that comes twice the last value counts.
struct JSONCursor {
    /// Points in time beyond these are refused, in nanoseconds: sums and differences of the accepted ones fit into 64 bits.
    static let times: ClosedRange<Nanoseconds> = -1_000_000_000_000_000_000...4_000_000_000_000_000_000

    private(set) var json: JSONTokenizer

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        json = JSONTokenizer(bytes)
    }

    var offset: Int { json.offset }

    /// Whether nothing but white space is left.
    mutating func isAtEnd() -> Bool {
        json.skipWhitespace()
        return json.offset == json.bytes.count
    }

    /// The next byte that is not white space; 0 at the end.
    mutating func next() -> UInt8 {
        json.skipWhitespace()
        // Zero at the end: no token of JSON begins with it.
        return json.current
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        json.skipWhitespace()
        return json.skip(byte)
    }

    mutating func skipValue() throws(JSONFault) { try json.skipValue() }

    // MARK: Containers

    /// Reads an object; `member` is called for each key, and reads or skips its value.
    mutating func object(_ member: (inout JSONCursor, String) throws(JSONFault) -> Void) throws(JSONFault) {
        guard skip(ASCII.openBrace) else { throw expected("an object") }
        if skip(ASCII.closeBrace) { return }
        while true {
            guard next() == ASCII.quote else { throw expected("a key in double quotes") }
            let key = try json.readString()
            // The colon here, so that no reader of a member can forget it.
            try json.expect(ASCII.colon)
            try member(&self, key)
            if skip(ASCII.closeBrace) { return }
            guard skip(ASCII.comma) else { throw expected("',' or '}'") }
        }
    }

    /// Reads an array; `element` is called for each element, and reads or skips it.
    mutating func array(_ element: (inout JSONCursor) throws(JSONFault) -> Void) throws(JSONFault) {
        guard skip(ASCII.openBracket) else { throw expected("an array") }
        if skip(ASCII.closeBracket) { return }
        while true {
            try element(&self)
            if skip(ASCII.closeBracket) { return }
            guard skip(ASCII.comma) else { throw expected("',' or ']'") }
        }
    }

    /// An array of strings.
    mutating func texts() throws(JSONFault) -> [String] {
        var texts: [String] = []
        try array { json throws(JSONFault) in texts.append(try json.text()) }
        return texts
    }

    // MARK: Scalars

    mutating func text() throws(JSONFault) -> String {
        guard next() == ASCII.quote else { throw expected("a string") }
        return try json.readString()
    }

    /// The text of a string; nil for any other value, which is skipped.
    mutating func optionalText() throws(JSONFault) -> String? {
        if next() == ASCII.quote { return try json.readString() }
        // A value of another kind is skipped, not refused: other tools extend these formats.
        try json.skipValue()
        return nil
    }

    /// The text of a string or of a number: some writers give identifiers as numbers.
    mutating func identifier() throws(JSONFault) -> String {
        if next() == ASCII.quote { return try json.readString() }
        guard isNumber(json.current) else { throw expected("a string or a number") }
        return try number()
    }

    /// A whole number; nil for any other value, which is skipped.
    mutating func optionalInteger() throws(JSONFault) -> Int? {
        let isText = next() == ASCII.quote
        // Large numbers are often written as texts, as protobuf's JSON mapping does with 64 bits.
        if isText || isNumber(json.current) { return Int(try identifier()) }
        try json.skipValue()
        return nil
    }

    /// A point in time or a span, in nanoseconds; null is nil.
    ///
    /// - Parameter digits: of how many powers of ten nanoseconds the number counts: 3 for microseconds.
    mutating func time(digits: Int) throws(JSONFault) -> Nanoseconds? {
        // Only null begins with an n.
        if next() == UInt8(ascii: "n") {
            try json.skipValue()
            return nil
        }
        let start = json.offset
        let text = try identifier()
        // Within range also where the number itself fits: later sums must not overflow.
        guard let time = nanoseconds(text, digits: digits), Self.times.contains(time) else {
            throw JSONFault(start, .mistake("\(quoted(text, limit: 32)) is no time between 1938 and 2096"))
        }
        return time
    }

    private mutating func number() throws(JSONFault) -> String {
        let start = json.offset
        try json.skipNumber()
        return String(decoding: json.bytes[start..<json.offset], as: UTF8.self)
    }

    private func isNumber(_ byte: UInt8) -> Bool { byte == ASCII.minus || ASCII.zero...ASCII.nine ~= byte }

    func expected(_ what: String) -> JSONFault { JSONFault(json.offset, .expected(what)) }
}

/// A decimal number of powers of ten nanoseconds, exact to the nanosecond unless it has an exponent; nil if it is not a number or does
/// not fit.
func nanoseconds(_ text: String, digits: Int) -> Nanoseconds? {
    // By hand: a Double is not exact beyond 2^53, and nanoseconds since 1970 are.
    var value: Nanoseconds = 0
    var digitsLeft = digits
    var (isNegative, hasPoint, hasDigits) = (false, false, false)
    for (place, byte) in text.utf8.enumerated() {
        switch byte {
        case ASCII.minus where place == 0: isNegative = true
        case ASCII.dot where !hasPoint: hasPoint = true
        case ASCII.zero...ASCII.nine:
            hasDigits = true
            if hasPoint {
                // Finer than a nanosecond: dropped.
                if digitsLeft == 0 { continue }
                digitsLeft -= 1
            }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            // Out of range is out of range: the caller compares, so the last digit may saturate.
            value = product.addingSaturated(Nanoseconds(byte - ASCII.zero))
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
            var scaled = Double(text) ?? .nan
            for _ in 0..<digits { scaled *= 10 }
            // Nil for NaN, infinity and numbers beyond 64 bits, for which a plain conversion would trap.
            return Nanoseconds(exactly: scaled.rounded())
        default: return nil
        }
    }
    guard hasDigits else { return nil }
    for _ in 0..<digitsLeft {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        if overflow { return nil }
        value = product
    }
    // The smallest integer has no counterpart; the value cannot be that, for it was made without a sign.
    return isNegative ? -value : value
}
