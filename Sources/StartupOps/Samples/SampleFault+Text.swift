import Foundation
import Sequencer

/// The error of a text that does not describe a fault; its description names the expected forms.
package struct SampleFaultError: DescribedError, Sendable, Hashable {
    /// The reason, in one sentence.
    package let description: String

    init(_ description: String) { self.description = description }
}

extension SampleFault {
    private static let plain: [String: SampleFault] = [
        "hang": .hang, "drip": .drip, "wrong-type": .wrongType, "truncated": .truncated, "reset": .reset, "redirect-loop": .redirectLoop,
        "401-basic": .basicChallenge, "plaintext": .plaintext, "garbage": .garbage, "html": .html, "empty": .body(Data()),
        "null": .body(Data("null".utf8)), "nul-bytes": .body(Data(count: 16)), "bom": .body(Data([0xef, 0xbb, 0xbf]) + Data("{}".utf8)),
        "invalid-utf8": .body(Data("{\"version\":\"".utf8) + Data([0xff]) + Data("\"}".utf8)),
    ]

    /// How the faults with a value are written.
    private static let forms = [
        "slow:2s", "status:503;retry-after=2", "body:TEXT", "header:NAME=VALUE", "redirect:URL;status=307", "big:200MB", "gzip-bomb:200MB",
    ]

    /// The fault that `text` stands for.
    ///
    /// - Throws: an error whose description names the expected forms.
    public init(parsing text: String) throws {
        if let fault = Self.plain[text] ?? Self.read(text) {
            self = fault
            return
        }
        let names = Self.plain.keys.sorted()
        let hint = nearestName(to: text, in: names).map { "; did you mean \($0)?" } ?? ""
        let expected =
            "expected one of \((names + Self.forms).joined(separator: ", ")), in s, m or ms up to a day and in B, kB, MB or GB up to 4GB"
        throw SampleFaultError("'\(text.prefix(80))' is no fault; \(expected)\(hint)")
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
        case "body": return .body(Data(value.utf8))
        case "header": return field(value).map { .header(name: $0.name, value: $0.value) }
        case "redirect":
            // The address, without blanks, comes before the status; a status that is not valid is not allowed.
            let form = /((?:(?!;status=)[!-~])+)(?:;status=(3[0-9]{2}))?/
            return value.wholeMatch(of: form).map { .redirect(to: String($0.1), status: $0.2.flatMap { Int($0) } ?? 302) }
        case "big", "gzip-bomb":
            let units = ["B": 1, "kB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000]
            return amount(value, units, atMost: 4_000_000_000).map { .zeros($0, compressed: text.hasPrefix("gzip")) }
        default: return nil
        }
    }

    /// A whole number and one of the units.
    private static func amount(_ value: Substring, _ units: [String: Int], atMost most: Int) -> Int? {
        let digits = value.prefix { $0.isASCII && $0.isNumber }
        // Compared before it is multiplied, which could overflow.
        guard let scale = units[String(value[digits.endIndex...])], let number = Int(digits), number <= most / scale else { return nil }
        return number * scale
    }

    /// A field name is a token (RFC 9110, section 5.6.2); a value has no control characters, which would begin another
    /// field.
    private static func field(_ part: Substring) -> (name: String, value: String)? {
        let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, !halves[0].isEmpty, halves[0].utf8.allSatisfy(\.isTokenCharacter),
            halves[1].unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7f })
        else { return nil }
        return (String(halves[0]), String(halves[1]))
    }
}
