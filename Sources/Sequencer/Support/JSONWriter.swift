/// Writes JSON, member by member, in the order it is told: the same calls give the same bytes.
///
/// `JSONEncoder` keeps no order of keys and prints a `Double` as it finds it; reports are compared, diffed and archived, so both matter.
/// Numbers are whole, or milliseconds to the nanosecond, never with an exponent. The text follows RFC 8259
/// (<https://www.rfc-editor.org/rfc/rfc8259>) and is laid out in one line, or with two spaces a level; it has no newline at its end.
///
/// ```swift
/// let text = JSONWriter.object(pretty: false) { json in
///     json.write("regular", for: "scenario")
///     json.write(milliseconds: .microseconds(1_330_200), for: "makespanMs")
/// }                                                       // {"scenario":"regular","makespanMs":1330.2}
/// ```
///
/// Inside an object every value needs a key, inside an array values have none. Time and memory are linear in the length of the text.
package struct JSONWriter: DocumentWriter {
    private var bytes: [UInt8] = []
    private let isPretty: Bool
    private var depth = 0
    /// Whether nothing was written yet into the object or array that is open.
    private var isFirst = true

    private init(pretty: Bool) {
        isPretty = pretty
    }

    /// A text that is one object.
    package static func object(pretty: Bool, _ members: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(pretty: pretty)
        writer.nest(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    // MARK: Values

    /// Writes a string.
    package mutating func write(_ value: String, for key: String? = nil) {
        begin(key)
        append(quoted: value)
    }

    /// Writes a whole number.
    package mutating func write(_ value: Int, for key: String? = nil) {
        begin(key)
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes `true` or `false`.
    package mutating func write(_ value: Bool, for key: String? = nil) {
        begin(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes a duration in milliseconds, rounded to the nearest nanosecond: `1330.2`, `0`, `0.000001`; nil as `null`.
    package mutating func write(milliseconds value: Duration?, for key: String? = nil) {
        guard let value else { return writeNull(for: key) }
        begin(key)
        // A `Duration` made of a `Double` is seldom whole: `.seconds(0.3)` lacks a few attoseconds, and cutting them off would print 299.999999.
        append(nanoseconds: value.roundedToNanoseconds.nanoseconds)
    }

    /// Writes `null`.
    package mutating func writeNull(for key: String? = nil) {
        begin(key)
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes an array: `elements` writes its values, without keys.
    package mutating func writeArray(for key: String? = nil, _ elements: (inout JSONWriter) -> Void) {
        begin(key)
        nest(UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    /// Writes an object: `members` writes its values, each with a key.
    package mutating func writeObject(for key: String? = nil, _ members: (inout JSONWriter) -> Void) {
        begin(key)
        nest(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
    }

    // MARK: Layout

    private mutating func nest(_ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter) -> Void) {
        bytes.append(opening)
        depth += 1
        isFirst = true
        body(&self)
        depth -= 1
        if !isFirst { breakLine() }
        bytes.append(closing)
        isFirst = false
    }

    /// Writes what stands before a value.
    private mutating func begin(_ key: String?) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        breakLine()
        guard let key else { return }
        append(quoted: key)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    // MARK: Text

    private mutating func append(quoted text: String) {
        // A copy, since `withUTF8` may change how the string is stored.
        var text = text
        bytes.append(UInt8(ascii: "\""))
        let isPlain = text.withUTF8 { utf8 in
            // Nearly all keys and names are plain ASCII, and are copied as bytes.
            let isPlain = utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            if isPlain { bytes.append(contentsOf: utf8) }
            return isPlain
        }
        if !isPlain { append(escaping: text) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a text whose characters are not all written as they are.
    ///
    /// RFC 8259 asks to escape quotes, backslashes and U+0000 to U+001F. The others that cannot be printed are escaped because JSON is looked at, too,
    /// and on terminals, which obey some of them; the text that a reader gets is the same.
    private mutating func append(escaping text: String) {
        for (scalar, isShown) in JudgedScalars(text) {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\u{08}": bytes.append(contentsOf: "\\b".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\u{0C}": bytes.append(contentsOf: "\\f".utf8)
            case "\r": bytes.append(contentsOf: "\\r".utf8)
            case _ where isShown: bytes.append(contentsOf: String(scalar).utf8)
            // JSON escapes units of UTF-16: a scalar beyond 16 bits becomes two (RFC 8259).
            default: for unit in String(scalar).utf16 { append(escapedUnit: unit) }
            }
        }
    }

    private mutating func append(escapedUnit unit: UInt16) {
        let digits = String(unit, radix: 16)
        bytes.append(contentsOf: "\\u".utf8)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
        bytes.append(contentsOf: digits.utf8)
    }

    /// Writes nanoseconds as milliseconds, with as many of six decimals as it takes.
    private mutating func append(nanoseconds: Int64) {
        if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        var (whole, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        bytes.append(contentsOf: String(whole).utf8)
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var unit: UInt64 = 100_000
        while fraction > 0 {
            (whole, fraction) = fraction.quotientAndRemainder(dividingBy: unit)
            bytes.append(UInt8(ascii: "0") + UInt8(whole))
            unit /= 10
        }
    }
}
