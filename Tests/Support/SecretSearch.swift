import Foundation

/// Looks for secrets in texts, in every spelling in which they travel: as they are, percent-encoded, in base64 and base64url at each of its three
/// alignments, in hexadecimal, and as lists of bytes. A part of a secret is as bad as the whole.
package struct SecretSearch: Sendable {
    /// How many bytes in a row make a part: so many that no text has them by chance. All spellings have that length.
    package static let partLength = 12

    private let parts: Needles
    private let spellings: Needles

    /// - Parameter secrets: at least ``partLength`` bytes each; shorter ones would be found everywhere.
    package init(_ secrets: some Sequence<String>) {
        var parts: Set<[UInt8]> = []
        for secret in Set(secrets) {
            let bytes = Array(secret.utf8)
            precondition(bytes.count >= Self.partLength, "a secret to look for has \(Self.partLength) bytes or more")
            for start in 0...(bytes.count - Self.partLength) { parts.insert(Array(bytes[start..<start + Self.partLength])) }
        }
        self.parts = Needles(parts)
        spellings = Needles(Set(parts.flatMap(Self.spellings)))
    }

    /// The spellings of secrets that are in `text`.
    package func found(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        var found = spellings.found(in: bytes).map { String(decoding: $0, as: UTF8.self) }
        if bytes.contains(UInt8(ascii: "%")) {
            found += parts.found(in: Self.percentDecoded(bytes)).map { "percent-encoded: \(String(decoding: $0, as: UTF8.self))" }
        }
        found += parts.found(in: Self.listedBytes(in: bytes)).map { "bytes: \($0)" }
        return Set(found).sorted()
    }

    /// Of a part of twelve bytes, nine that begin at one of the first three are spelled in base64 by twelve characters, whatever is around them.
    private static func spellings(_ part: [UInt8]) -> [[UInt8]] {
        let base64 = (0..<3).map { Data(part[$0..<$0 + 9]).base64EncodedString() }
        let base64URL = base64.map { $0.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_") }
        let hexadecimal = part[0..<6].map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return (base64 + base64URL + [hexadecimal, hexadecimal.uppercased()]).map { Array($0.utf8) } + [part]
    }

    /// Every `%41` replaced by what it stands for; what is no such code stays (RFC 3986, section 2.1).
    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// The numbers in the text that could be bytes, in their order: `[67, 65]`, or one a line as `dump` has them.
    private static func listedBytes(in text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var number: Int?
        func end() {
            if let number, number <= 255 { result.append(UInt8(number)) }
            number = nil
        }
        for byte in text {
            if byte >= 0x30, byte <= 0x39 {
                // It need not grow any more once it is too large for a byte.
                number = min((number ?? 0) * 10 + Int(byte) - 0x30, 256)
            } else if number != nil {
                end()
            }
        }
        end()
        return result
    }
}

/// Texts of one length to be found in others: by their first two bytes, by the first eight, then as a whole.
private struct Needles: Sendable {
    private var byBeginning: [UInt64: [[UInt8]]] = [:]
    /// Whether one begins with these two bytes: a look-up in the dictionary at each byte would take most of the time of a search.
    private var beginnings = [Bool](repeating: false, count: 1 << 16)

    init(_ needles: Set<[UInt8]>) {
        for needle in needles {
            let beginning: UInt64 = needle.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            byBeginning[beginning, default: []].append(needle)
            beginnings[Int(beginning >> 48)] = true
        }
    }

    func found(in bytes: [UInt8]) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        var last: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            last = last << 8 | UInt64(byte)
            guard index >= 7, beginnings[Int(last >> 48)], let candidates = byBeginning[last] else { continue }
            for needle in candidates where bytes[(index - 7)...].starts(with: needle) { found.insert(needle) }
        }
        return found
    }
}
