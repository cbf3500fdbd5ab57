import Foundation

/// Durations as people write them: a number and a unit, `"400ms"`, `"1.5s"`, `"250us"`.
enum DurationText {
    /// The least value that a place accepts.
    enum Minimum: Sendable {
        /// More than 0.
        case positive
        /// 0 or more.
        case zero
    }

    /// No duration that a launch needs is longer.
    static let limit = Duration.seconds(24 * 60 * 60)

    /// The units and their nanoseconds, from small to large.
    private static let units: [(name: String, nanoseconds: UInt64)] = [
        ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]

    /// Reads digits, perhaps a fraction, and a unit, with nothing between them: no sign, no exponent, no space.
    ///
    /// The result is exact: text finer than a nanosecond is refused, never rounded.
    static func parse(_ text: String, minimum: Minimum = .positive) throws(ValueError) -> Duration {
        if text.isEmpty { throw error(text, "is empty", minimum) }
        // Told apart from "-": only a number can be negative.
        if text.hasPrefix("-"), text.dropFirst().utf8.first.map(isDigit) == true { throw error(text, "is negative", minimum) }

        let bytes = Array(text.utf8)
        let whole = bytes.prefix(while: isDigit)
        var rest = bytes[whole.endIndex...]
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: isDigit)
            // "1.s" is a slip for a number that is not there.
            if fraction.isEmpty { throw error(text, "is not a duration", minimum) }
            rest = bytes[fraction.endIndex...]
        }
        if whole.isEmpty { throw error(text, "is not a duration", minimum) }
        if rest.isEmpty { throw error(text, "has no unit", minimum) }
        let name = String(decoding: rest, as: UTF8.self)
        guard let unit = units.first(where: { $0.name == name }) else {
            // "5 s" and "5s!" have no unit that could be unknown.
            let isWord = name.unicodeScalars.allSatisfy(\.properties.isAlphabetic)
            throw error(text, isWord ? "has the unknown unit \(quoted(name))" : "is not a duration", minimum)
        }

        guard let nanoseconds = scale(whole, by: unit.nanoseconds) else { throw error(text, "is too long", minimum) }
        guard let remainder = scale(fraction: fraction, by: unit.nanoseconds) else {
            throw error(text, "is finer than a nanosecond", minimum)
        }
        let duration = Duration.nanoseconds(nanoseconds + remainder)
        if duration > limit { throw error(text, "is too long", minimum) }
        if duration == .zero, case .positive = minimum { throw error(text, "is not more than 0", minimum) }
        return duration
    }

    /// The shortest text for the duration that ``parse(_:minimum:)`` reads back, to the nanosecond.
    static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let total = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
        let magnitude = total.magnitude
        let sign = total < 0 ? "-" : ""
        if magnitude == 0 { return "0s" }

        // Minutes and hours only when they are whole: 90s says more than 1.5m.
        let unit =
            units.last { unit in
                let size = UInt128(unit.nanoseconds)
                return magnitude >= size && (unit.nanoseconds <= 1_000_000_000 || magnitude % size == 0)
            } ?? units[0]
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: UInt128(unit.nanoseconds))
        if rest == 0 { return "\(sign)\(whole)\(unit.name)" }
        // The unit plus the rest has one digit more than the fraction: 1.05s is 1_050_000_000, its fraction 050_000_000.
        var digits = String(UInt128(unit.nanoseconds) + rest).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)\(unit.name)"
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// The digits times the unit, or nil when that is far beyond the limit.
    private static func scale(_ digits: ArraySlice<UInt8>, by nanoseconds: UInt64) -> Int64? {
        let digits = digits.drop { $0 == UInt8(ascii: "0") }
        // 24 h have 14 digits in nanoseconds; any 15 digits times any unit fit in 128 bits.
        guard digits.count <= 15, let product = Int64(exactly: number(digits) * UInt128(nanoseconds)) else { return nil }
        // Far above the limit of 24 h, and low enough that the sum with the fraction cannot overflow.
        return product <= 1_000_000 * 1_000_000_000 ? product : nil
    }

    /// The digits after the point times the unit, or nil when a part of a nanosecond remains.
    private static func scale(fraction digits: ArraySlice<UInt8>, by nanoseconds: UInt64) -> Int64? {
        var digits = digits
        // Zeros at the end say nothing: 1.500000000000000000000s is exact.
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        // Any further digit is finer than a nanosecond in every unit.
        guard digits.count <= 18 else { return nil }
        let power = (0..<digits.count).reduce(into: UInt128(1)) { power, _ in power *= 10 }
        let (quotient, remainder) = (number(digits) * UInt128(nanoseconds)).quotientAndRemainder(dividingBy: power)
        return remainder == 0 ? Int64(exactly: quotient) : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt128 {
        digits.reduce(0) { $0 * 10 + UInt128($1 - UInt8(ascii: "0")) }
    }

    private static func error(_ text: String, _ problem: String, _ minimum: Minimum) -> ValueError {
        let range =
            switch minimum {
            case .positive: "more than 0"
            case .zero: "0 or more"
            }
        let names = units.map(\.name).joined(separator: ", ")
        let expected = "a number and a unit (\(names)) such as '400ms', \(range) and at most \(format(limit))"
        return ValueError(message: "\(quoted(text)) \(problem); expected \(expected)")
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
            throw ValueError(message: "\(quoted(text)) is not a share; expected a number and '%' such as '5%', at most '1000%'")
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
    static func brief(_ share: Double) -> String {
        String(format: "%g%%", (share * 1e6).rounded() / 1e4)
    }
}
