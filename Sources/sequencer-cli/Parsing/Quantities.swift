import Foundation
import Sequencer

/// Durations as people write them: a number and a unit, `"400ms"`, `"1.5s"`, `"250us"`.
enum DurationText {
    /// No duration that a launch needs is longer.
    static let limit = Duration.seconds(24 * 60 * 60)

    /// The units and their nanoseconds, from small to large.
    private static let units: [(name: String, nanoseconds: UInt64)] = [
        ("ns", 1), ("us", 1_000), ("ms", 1_000_000),
        ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]

    /// Reads digits, perhaps a fraction, and a unit, with nothing between them: no sign, no exponent, no space.
    ///
    /// The result is exact: text finer than a nanosecond is refused, never rounded.
    ///
    /// - Parameter minimum: one nanosecond, or none.
    static func parse(_ text: String, minimum: Duration = .nanoseconds(1)) throws(ValueError) -> Duration {
        func error(_ problem: String) -> ValueError {
            let range = minimum > .zero ? "more than 0" : "0 or more"
            let names = units.map(\.name).joined(separator: ", ")
            let expected = "a number and a unit (\(names)) such as '400ms', \(range) and at most \(format(limit))"
            return ValueError("\(quoted(text)) \(problem); expected \(expected)")
        }
        if text.isEmpty { throw error("is empty") }
        // Told apart from "-": only a number can be negative.
        if text.hasPrefix("-"), text.dropFirst().first.map(isDigit) == true { throw error("is negative") }
        let number = text.prefix { isDigit($0) || $0 == "." }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        // "1.s" is a slip for a number that is not there.
        if parts.count > 2 || parts.contains(where: \.isEmpty) { throw error("is not a duration") }
        let name = String(text[number.endIndex...])
        if name.isEmpty { throw error("has no unit") }
        guard let unit = units.first(where: { $0.name == name }) else {
            // "5 s" and "5s!" have no unit that could be unknown.
            let isWord = name.unicodeScalars.allSatisfy(\.properties.isAlphabetic)
            throw error(isWord ? "has the unknown unit \(quoted(name))" : "is not a duration")
        }
        // Zeros at the ends say nothing: 1.500000000000000000000s is exact.
        let whole = parts[0].drop { $0 == "0" }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        // 24 h have 14 digits in nanoseconds, and any digit after the 18th is finer than one: so many fit in 64 bits.
        if whole.count > 15 { throw error("is too long") }
        if fraction.count > 18 { throw error("is finer than a nanosecond") }
        let power = fraction.reduce(UInt64(1)) { power, _ in power * 10 }
        // The fraction is less than 1, and so the quotient less than the unit.
        let (part, rest) = power.dividingFullWidth((UInt64(fraction) ?? 0).multipliedFullWidth(by: unit.nanoseconds))
        if rest > 0 { throw error("is finer than a nanosecond") }
        let (count, most) = (UInt64(whole) ?? 0, UInt64(limit.components.seconds) * 1_000_000_000)
        if count > most / unit.nanoseconds { throw error("is too long") }
        let nanoseconds = count * unit.nanoseconds + part
        if nanoseconds > most { throw error("is too long") }
        if nanoseconds == 0, minimum > .zero { throw error("is not more than 0") }
        return .nanoseconds(nanoseconds)
    }

    private static func isDigit(_ character: Character) -> Bool { "0"..."9" ~= character && character.isASCII }

    /// A duration of at most ``limit`` in the largest unit of which it is a whole number.
    static func format(_ duration: Duration) -> String {
        let nanoseconds = UInt64(clamping: duration.nanoseconds)
        if nanoseconds == 0 { return "0s" }
        let unit = units.last { nanoseconds % $0.nanoseconds == 0 } ?? units[0]
        return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
    }
}

/// Shares as people write them: `5%`, `2.5%`.
enum ShareText {
    /// Reads a number and a per cent sign; 5% is 0.05.
    static func parse(_ text: String) throws(ValueError) -> Double {
        let digits = text.dropLast()
        // By bytes: Double reads "inf", "nan", "0x5" and exponents as well.
        let isPlain = text.hasSuffix("%") && !digits.isEmpty && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2E }
        guard isPlain, let percent = Double(digits), percent <= 1000 else {
            throw ValueError("\(quoted(text)) is not a share; expected a number and '%' such as '5%', at most '1000%'")
        }
        return percent / 100
    }

    /// The share in per cent, to a tenth: `9.5%`.
    static func format(_ share: Double, signed: Bool = false) -> String {
        let tenths = (share * 1000).rounded() / 10
        // Never "-0.0%".
        return String(format: signed ? "%+.1f%%" : "%.1f%%", tenths == 0 ? 0 : tenths)
    }

    /// A threshold as it was given, without needless digits: `5%`.
    static func brief(_ share: Double) -> String { String(format: "%g%%", (share * 1e6).rounded() / 1e4) }
}
