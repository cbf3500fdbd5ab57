import Foundation
import Sequencer
import StartupNetworking

/// The error of a text that does not describe a fault; its description names the expected forms.
package struct SampleFaultError: DescribedError, Sendable, Hashable {
    /// The reason, in one sentence.
    package let description: String

    init(_ description: String) { self.description = description }
}

extension SampleFault {
    private static let plain: [String: SampleFault] = [
        "hang": .hang, "drip": .drip, "wrong-type": .wrongType, "truncated": .truncated, "reset": .reset, "redirect-loop": .redirectLoop,
        "401-basic": .basicChallenge, "plaintext": .plaintext, "garbage": .body(.garbage), "html": .body(.html), "empty": .body(.empty),
        "null": .body(.text("null")), "nul-bytes": .body(.nulBytes), "invalid-utf8": .body(.invalidUTF8), "bom": .body(.byteOrderMark),
    ]

    /// How the faults with a value are written, by their names.
    private static let forms = [
        "slow": "a whole number and ms, s or m, up to 24 hours, such as slow:2s",
        "status": "a status from 200 to 599, perhaps with header fields, such as status:503;retry-after=2",
        "body": "a text, such as body:null",
        "header": "a header field as NAME=VALUE, such as header:Set-Cookie=a=b",
        "redirect": "an address, perhaps with a status from 300 to 399, such as redirect:http://127.0.0.1:8081/v1/profile;status=307",
        "big": "a whole number and B, kB, MB or GB, up to 4GB, such as big:200MB",
        "gzip-bomb": "a whole number and B, kB, MB or GB, up to 4GB, such as gzip-bomb:200MB",
    ]

    /// The fault that `text` stands for.
    ///
    /// - Throws: an error whose description names the expected forms.
    public init(parsing text: String) throws {
        if let fault = Self.plain[text] ?? Self.read(text) {
            self = fault
            return
        }
        let name = String(text.prefix { $0 != ":" })
        let names = (Array(Self.plain.keys) + Self.forms.keys).sorted()
        let hint = nearestName(to: name, in: names).map { "; did you mean \($0)?" } ?? ""
        let expected = Self.forms[name] ?? "one of \(names.joined(separator: ", "))\(hint)"
        throw SampleFaultError("'\(text.prefix(80))' is no fault; expected \(expected)")
    }

    private static func read(_ text: String) -> SampleFault? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let value = text[text.index(after: colon)...]
        switch text[..<colon] {
        case "slow": return amount(value, ["ms": 1, "s": 1_000, "m": 60_000], atMost: 86_400_000).map { .slow(.milliseconds($0)) }
        case "status":
            let parts = value.split(separator: ";", omittingEmptySubsequences: false)
            let fields = parts.dropFirst().compactMap(field)
            guard let status = parts.first.flatMap({ Int($0) }), (200...599).contains(status), fields.count == parts.count - 1
            else { return nil }
            return .status(status, headers: fields.reduce(into: [:]) { $0[$1.name] = $1.value })
        case "body": return .body(.text(String(value)))
        case "header": return field(value).map { .header(name: $0.name, value: $0.value) }
        case "redirect": return redirect(value)
        case "big": return size(value).map { .big($0) }
        case "gzip-bomb": return size(value).map { .gzipBomb($0) }
        default: return nil
        }
    }

    private static func size(_ value: Substring) -> Int? {
        amount(value, ["B": 1, "kB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000], atMost: 4_000_000_000)
    }

    /// A whole number and one of the units.
    private static func amount(_ value: Substring, _ units: [String: Int], atMost most: Int) -> Int? {
        let digits = value.prefix { $0.isASCII && $0.isNumber }
        // Compared before it is multiplied, which could overflow.
        guard let scale = units[String(value[digits.endIndex...])], let number = Int(digits), number <= most / scale else { return nil }
        return number * scale
    }

    /// A field name is a token (RFC 9110, section 5.6.2); a value has no control characters, which would begin another field.
    private static func field(_ part: Substring) -> (name: String, value: String)? {
        let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, !halves[0].isEmpty, halves[0].utf8.allSatisfy(\.isTokenCharacter),
            halves[1].unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7f })
        else { return nil }
        return (String(halves[0]), String(halves[1]))
    }

    private static func redirect(_ value: Substring) -> SampleFault? {
        // From the end: an address may hold the same text.
        let suffix = value.range(of: ";status=", options: .backwards)
        let url = value[..<(suffix?.lowerBound ?? value.endIndex)]
        guard !url.isEmpty, url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7f }),
            let status = suffix.map({ Int(value[$0.upperBound...]) }) ?? 302, (300...399).contains(status)
        else { return nil }
        return .redirect(to: String(url), status: status)
    }
}
