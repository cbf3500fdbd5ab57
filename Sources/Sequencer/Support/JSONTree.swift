import Foundation

/// A document of JSON as a value: members keep the order in which they are written, and those that are nil are left
/// out.
///
/// `JSONEncoder` keeps no order of keys and prints a `Double` as it finds it; reports are compared, diffed and
/// archived, so both matter. Numbers are whole, or milliseconds to the nanosecond, never with an exponent.
package enum JSONTree: Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case milliseconds(Duration)
    case null
    case array([JSONTree])
    case object([(key: String, value: JSONTree?)])

    package static func texts(_ texts: some Sequence<String>) -> JSONTree { .array(texts.map { .text($0) }) }

    // Each is left out where there is nothing to say.
    package static func text(_ text: String?) -> JSONTree? { text.map { .text($0) } }
    package static func list(_ texts: [String]) -> JSONTree? { texts.isEmpty ? nil : .texts(texts) }
    package static func milliseconds(_ duration: Duration?) -> JSONTree? { duration.map { .milliseconds($0) } }
    package static func count(_ count: Int) -> JSONTree? { count > 0 ? .number(count) : nil }
    package static func mark(_ isTrue: Bool) -> JSONTree? { isTrue ? true : nil }
    package static func objects<Element>(_ elements: [Element], _ object: (Element) -> JSONTree) -> JSONTree? {
        elements.isEmpty ? nil : .array(elements.map(object))
    }

    /// The members of both objects.
    package static func + (left: JSONTree, right: JSONTree) -> JSONTree {
        guard case .object(let first) = left, case .object(let second) = right else { return left }
        return .object(first + second)
    }

    // MARK: Text

    /// The text after RFC 8259 (<https://www.rfc-editor.org/rfc/rfc8259>), in one line, or with two spaces a level; it
    /// has no newline at its end.
    package func document(pretty: Bool) -> String {
        var text = ""
        write(to: &text, pretty ? "\n" : nil)
        return text
    }

    /// - Parameter newline: begins a line of this level; nil where all is in one line.
    private func write(to text: inout String, _ newline: String?) {
        func nest<Element>(
            _ brackets: (String, String),
            _ elements: some Sequence<Element>,
            _ write: (Element, String?, inout String) -> Void
        ) {
            let inner = newline.map { $0 + "  " }
            var isEmpty = true
            text += brackets.0
            for element in elements {
                text += (isEmpty ? "" : ",") + (inner ?? "")
                isEmpty = false
                write(element, inner, &text)
            }
            text += (isEmpty ? "" : newline ?? "") + brackets.1
        }
        switch self {
        case .text(let value): text += Self.quoted(value)
        case .number(let value): text += String(value)
        case .flag(let value): text += value ? "true" : "false"
        case .milliseconds(let value): text += Self.text(milliseconds: value)
        case .null: text += "null"
        case .array(let elements): nest(("[", "]"), elements) { $0.write(to: &$2, $1) }
        case .object(let members):
            nest(("{", "}"), members.lazy.filter { $0.value != nil }) { member, inner, text in
                text += Self.quoted(member.key) + (inner == nil ? ":" : ": ")
                member.value?.write(to: &text, inner)
            }
        }
    }

    /// A string between quotation marks.
    ///
    /// RFC 8259 asks to escape quotes, backslashes and U+0000 to U+001F. The others that cannot be printed are escaped
    /// because JSON is looked at, too, and on terminals, which obey some of them; the text that a reader gets is the
    /// same.
    private static func quoted(_ text: String) -> String {
        // Nearly all keys and names are plain ASCII.
        if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) { return "\"\(text)\"" }
        let content = escapedText(text, special) { scalar in
            // JSON escapes units of UTF-16: a scalar beyond 16 bits becomes two (RFC 8259).
            String(scalar).utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
        }
        return "\"\(content)\""
    }

    private static let special: KeyValuePairs<Unicode.Scalar, String> = [
        "\"": #"\""#, "\\": #"\\"#, "\u{08}": #"\b"#, "\t": #"\t"#, "\n": #"\n"#, "\u{0C}": #"\f"#, "\r": #"\r"#,
    ]

    /// `1330.2`, `0`, `0.000001`: as many of six decimals as it takes, rounded to the nearest nanosecond.
    private static func text(milliseconds value: Duration) -> String {
        // A `Duration` made of a `Double` is seldom whole: `.seconds(0.3)` lacks a few attoseconds, and cutting them
        // off would print 299.999999.
        let nanoseconds = value.roundedToNanoseconds.nanoseconds
        let (whole, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        var decimals = fraction == 0 ? "" : "." + String(1_000_000 + fraction).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(nanoseconds < 0 ? "-" : "")\(whole)\(decimals)"
    }
}

extension JSONTree: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    package init(dictionaryLiteral elements: (String, JSONTree?)...) { self = .object(elements.map { (key: $0, value: $1) }) }
    package init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension JSONTree: Encodable {
    /// Passes the document to an encoder. Durations become numbers: milliseconds.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let value): try value.encode(to: encoder)
        case .number(let value): try value.encode(to: encoder)
        case .flag(let value): try value.encode(to: encoder)
        case .milliseconds(let value): try (Double(value.nanoseconds) / 1e6).encode(to: encoder)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .array(let elements): try elements.encode(to: encoder)
        case .object(let members):
            var container = encoder.container(keyedBy: TextKey.self)
            for case (let key, let value?) in members { try container.encode(value, forKey: TextKey(key)) }
        }
    }
}
