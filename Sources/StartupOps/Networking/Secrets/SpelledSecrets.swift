import Foundation

/// Secrets in the spellings in which services quote them, to be found in long data in one pass: as they stand, escaped as in JSON,
/// percent-encoded, in hexadecimal, and in base64 and base64url at any offset; letters in any case.
///
/// ``QuotedSecrets`` finds more, such as parts of a secret and one spelling within another, at a price that only a short text can bear.
package struct SpelledSecrets {
    /// In bytes. A shorter secret stands in many an answer by chance.
    private static let shortest = 8
    /// By their first eight bytes.
    private var spellings: [UInt64: [[UInt8]]] = [:]
    /// For each of 65,536 hashes a bit: most bytes of the data end at it, without a look into the table.
    private var filter = [UInt64](repeating: 0, count: 1024)

    init(_ secrets: some Sequence<String>) {
        for secret in Set(secrets.map(Self.telling)) where secret.utf8.count >= Self.shortest {
            for spelling in Set(Self.spellings(of: secret).map { $0.map(Self.folded) }) {
                let key = spelling.prefix(Self.shortest).reduce(0) { $0 << 8 | UInt64($1) }
                spellings[key, default: []].append(spelling)
                let bit = Self.bit(of: key)
                filter[bit >> 6] |= 1 << UInt64(bit & 63)
            }
        }
    }

    /// Whether one of them is in the data as a whole.
    func areQuoted(in data: Data) -> Bool {
        if spellings.isEmpty { return false }
        return data.withUnsafeBytes { bytes in
            var key: UInt64 = 0
            for (index, byte) in bytes.enumerated() {
                key = key << 8 | UInt64(Self.folded(byte))
                guard index >= Self.shortest - 1 else { continue }
                let bit = Self.bit(of: key)
                guard filter[bit >> 6] & 1 << UInt64(bit & 63) != 0, let candidates = spellings[key] else { continue }
                let rest = bytes[(index - Self.shortest + 1)...]
                if candidates.contains(where: { rest.count >= $0.count && zip(rest, $0).allSatisfy { Self.folded($0) == $1 } }) {
                    return true
                }
            }
            return false
        }
    }

    /// The signature of a JSON Web Token (RFC 7519): the rest grants nothing, and begins like that of every other token.
    private static func telling(_ secret: String) -> String {
        let parts = secret.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = parts.last, signature.utf8.count >= shortest else { return secret }
        return String(signature)
    }

    // The upper bits of a multiplicative hash are the mixed ones (Fibonacci hashing).
    private static func bit(of key: UInt64) -> Int { Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 48) }

    /// The byte, as a small letter if it is a letter of ASCII.
    package static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

// MARK: - Spellings

extension SpelledSecrets {
    /// A secret as services quote it, in bytes; some spellings of a short one are short themselves, or empty.
    package static func spellings(of secret: String) -> [[UInt8]] {
        let bytes = Array(secret.utf8)
        var all = [bytes, bytes.flatMap(digits)]
        all.append(escaped(secret) { _ in true })
        // JSON may escape the solidus, and need not.
        for signs in ["\"\\", "\"\\/"] {
            let short = bytes.flatMap { signs.utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
            all += [short, escaped(String(decoding: short, as: UTF8.self)) { $0 > 0x7F }]
        }
        // Every byte; all but RFC 3986's unreserved ones; with slashes kept; and two kinds of forms, where a blank is a plus.
        for kept in ["", "-._~", "-._~/", "-._~ ", "-._* "] {
            let encoded = bytes.flatMap { isKept($0, kept) ? [$0] : [UInt8(ascii: "%")] + digits($0) }
            all.append(replaced(encoded, [" ": "+"]))
        }
        for offset in 0..<3 {
            let spelled = base64(bytes, offset)
            all += [spelled, replaced(spelled, ["+": "-", "/": "_"])]
        }
        return all
    }

    private static func digits(_ byte: UInt8) -> [UInt8] { Array((byte < 16 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8) }

    /// `\u0041` for the units of UTF-16 that are (RFC 8259, section 7).
    private static func escaped(_ text: String, where isEscaped: (UInt16) -> Bool) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            let units = UTF16.encode(scalar).map(Array.init) ?? []
            guard units.contains(where: isEscaped) else { return Array(String(scalar).utf8) }
            return units.flatMap { Array("\\u".utf8) + digits(UInt8($0 >> 8)) + digits(UInt8(truncatingIfNeeded: $0)) }
        }
    }

    /// Whether percent-encoding (RFC 3986, section 2.1) leaves a byte as it is: a letter, a digit, or one of `signs`; none at all without signs.
    private static func isKept(_ byte: UInt8, _ signs: String) -> Bool {
        !signs.isEmpty && (byte.isASCIILetter || byte.isASCIIDigit || signs.utf8.contains(byte))
    }

    private static func replaced(_ bytes: [UInt8], _ signs: [Unicode.Scalar: Unicode.Scalar]) -> [UInt8] {
        bytes.map { byte in signs[Unicode.Scalar(byte)].map { UInt8(ascii: $0) } ?? byte }
    }

    /// Without the characters that depend on the bytes around it.
    private static func base64(_ bytes: [UInt8], _ offset: Int) -> [UInt8] {
        let spelled = Array(Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString().utf8)
        // The first and the last characters hold bits of the neighbours.
        return Array(spelled[(offset * 8 + 5) / 6..<(offset + bytes.count) * 8 / 6])
    }
}
