import Foundation
import Sequencer
import StartupNetworking

/// The error of a text that does not describe a fault; its description names the expected forms.
package struct SampleFaultError: DescribedError, Sendable, Hashable {
    /// The reason, in one sentence.
    package let description: String

    init(_ description: String) { self.description = description }
}

extension SampleFault: CustomStringConvertible {
    private static let plain: [(name: String, fault: SampleFault)] =
        [
            ("hang", .hang), ("drip", .drip), ("wrong-type", .wrongType), ("truncated", .truncated), ("reset", .reset),
            ("redirect-loop", .redirectLoop), ("401-basic", .basicChallenge), ("plaintext", .plaintext),
        ] + SampleBody.named.map { ($0.name, .body($0.body)) }

    private static let parameterised = ["slow", "status", "body", "header", "redirect", "big", "gzip-bomb"]

    /// The fault that `text` stands for.
    ///
    /// - Throws: an error whose description names the expected forms.
    public init(parsing text: String) throws {
        if let plain = Self.plain.first(where: { $0.name == text }) {
            self = plain.fault
            return
        }
        guard let colon = text.firstIndex(of: ":") else { throw Self.unknown(text) }
        let value = String(text[text.index(after: colon)...])
        switch text[..<colon] {
        case "slow": self = .slow(try Self.duration(value, in: text))
        case "status": self = try Self.status(value, in: text)
        case "body": self = .body(.text(value))
        case "header": self = try Self.header(value, in: text)
        case "redirect": self = try Self.redirect(value, in: text)
        case "big": self = .big(try Self.size(value, in: text))
        case "gzip-bomb": self = .gzipBomb(try Self.size(value, in: text))
        default: throw Self.unknown(text)
        }
    }

    /// The text that ``init(parsing:)`` reads back.
    public var description: String {
        if let plain = Self.plain.first(where: { $0.fault == self }) { return plain.name }
        switch self {
        case .slow(let duration): return "slow:\(duration.nanoseconds / 1_000_000)ms"
        case .status(let status, let headers):
            return "status:\(status)" + headers.map { ";\($0.name)=\($0.value)" }.joined()
        case .body(.text(let text)): return "body:\(text)"
        case .header(let name, let value): return "header:\(name)=\(value)"
        case .redirect(let url, let status): return "redirect:\(url)" + (status == 302 ? "" : ";status=\(status)")
        case .big(let count): return "big:\(count)B"
        case .gzipBomb(let count): return "gzip-bomb:\(count)B"
        default: return "?"
        }
    }

    private static func unknown(_ text: String) -> SampleFaultError {
        let names = plain.map(\.name) + parameterised
        let word = String(text.prefix { $0 != ":" })
        let hint = nearestName(to: word, in: names).map { "; did you mean \($0)?" } ?? ""
        return SampleFaultError("'\(text.prefix(80))' is no fault; expected one of \(names.joined(separator: ", "))\(hint)")
    }

    private static func error(_ text: String, _ expected: String) -> SampleFaultError {
        SampleFaultError("'\(text.prefix(80))' is no fault; expected \(expected)")
    }

    private static func duration(_ value: String, in text: String) throws(SampleFaultError) -> Duration {
        guard let milliseconds = amount(value, ["ms": 1, "s": 1_000, "m": 60_000], atMost: 86_400_000) else {
            throw error(text, "a whole number and ms, s or m, up to 24 hours, such as slow:2s")
        }
        return .milliseconds(milliseconds)
    }

    private static func size(_ value: String, in text: String) throws(SampleFaultError) -> Int {
        guard let size = amount(value, ["B": 1, "kB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000], atMost: 4_000_000_000) else {
            throw error(text, "a whole number and B, kB, MB or GB, up to 4GB, such as big:200MB")
        }
        return size
    }

    /// A whole number and one of the units.
    private static func amount(_ value: String, _ units: [String: Int], atMost most: Int) -> Int? {
        let digits = value.prefix { $0.isASCII && $0.isNumber }
        // Compared before it is multiplied, which could overflow.
        guard let scale = units[String(value[digits.endIndex...])], let number = Int(digits), number <= most / scale else { return nil }
        return number * scale
    }

    private static func status(_ value: String, in text: String) throws(SampleFaultError) -> SampleFault {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        guard let first = parts.first, let status = Int(first), (200...599).contains(status) else {
            throw error(text, "a status from 200 to 599, such as status:503;retry-after=2")
        }
        var headers = HTTPHeaders()
        for part in parts.dropFirst() {
            let (name, value) = try field(part, in: text)
            headers[name] = value
        }
        return .status(status, headers: headers)
    }

    private static func header(_ value: String, in text: String) throws(SampleFaultError) -> SampleFault {
        let (name, value) = try field(value[...], in: text)
        return .header(name: name, value: value)
    }

    /// A field name is a token (RFC 9110, section 5.6.2); a value has no control characters, which would begin another field.
    private static func field(_ part: Substring, in text: String) throws(SampleFaultError) -> (name: String, value: String) {
        let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, !halves[0].isEmpty, halves[0].utf8.allSatisfy(\.isTokenCharacter),
            halves[1].unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7f })
        else { throw error(text, "a header field as NAME=VALUE, such as header:Set-Cookie=a=b") }
        return (String(halves[0]), String(halves[1]))
    }

    private static func redirect(_ value: String, in text: String) throws(SampleFaultError) -> SampleFault {
        var url = value
        var status = 302
        // From the end: an address may hold the same text.
        if let suffix = value.range(of: ";status=", options: .backwards) {
            url = String(value[..<suffix.lowerBound])
            guard let number = Int(value[suffix.upperBound...]), (300...399).contains(number) else {
                throw error(text, "a status from 300 to 399 after ;status=")
            }
            status = number
        }
        guard !url.isEmpty, url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7f }) else {
            throw error(text, "an address, such as redirect:http://127.0.0.1:8081/v1/profile")
        }
        return .redirect(to: url, status: status)
    }
}
