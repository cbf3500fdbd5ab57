/// Finds secrets in a short text, as it stands and in every spelling in which they travel: percent-encoded, escaped as in JSON, in base64 and
/// base64url (with and without padding, at any offset), in hexadecimal, and in one of these within another; letters in any case.
///
/// The text is read in each of these ways, and each result again. Of a secret of more than eight bytes, any eight in a row are
/// found: a part is as bad as the whole.
struct QuotedSecrets {
    /// Bytes that were read from a text, each with where in the text it was read.
    private struct Reading {
        var bytes: [UInt8] = []
        var places: [Range<Int>] = []

        mutating func append(_ byte: UInt8, _ place: Range<Int>) {
            bytes.append(byte)
            places.append(place)
        }
    }

    private static let partLength = 8
    private let text: [UInt8]
    private var all = Reading()
    /// Where in `all` eight bytes stand that are, without regard to case, the key.
    private var parts: [UInt64: [Int]] = [:]

    init(_ text: String) {
        self.text = Array(text.utf8)
        var plain = Reading()
        for (index, byte) in self.text.enumerated() { plain.append(byte, index..<index + 1) }
        let once = Self.decoded(plain)
        // Not a third time: each round has eight times the readings of the one before.
        for reading in [plain] + once + once.flatMap(Self.decoded) { add(reading) }
        var key: UInt64 = 0
        for (index, byte) in all.bytes.enumerated() {
            // The key holds eight bytes: the oldest falls out at the top.
            key = key << 8 | UInt64(Self.folded(byte))
            if index >= Self.partLength - 1 { parts[key, default: []].append(index - Self.partLength + 1) }
        }
    }

    /// Where the text quotes one of these secrets, or a part of one; overlapping places are several.
    func places(of secrets: some Sequence<String>) -> [Range<Int>] {
        secrets.flatMap { secret in
            let bytes = secret.utf8.map(Self.folded)
            return bytes.count < Self.partLength ? places(ofWhole: bytes) : places(ofLong: bytes)
        }
    }

    /// Whether the text quotes one of these secrets as a whole.
    func quotesWhole(_ secrets: some Sequence<String>) -> Bool {
        secrets.contains { !places(ofWhole: $0.utf8.map(Self.folded)).isEmpty }
    }

    private func places(ofLong secret: [UInt8]) -> [Range<Int>] {
        // As a whole, too: some of its parts are passed over below.
        var places = places(ofWhole: secret)
        var key: UInt64 = 0
        var (lastBlank, lastSign) = (-1, -1)
        for (index, byte) in secret.enumerated() {
            key = key << 8 | UInt64(byte)
            if byte == UInt8(ascii: " ") { lastBlank = index } else if !byte.isASCIILetter { lastSign = index }
            guard index >= Self.partLength - 1, let starts = parts[key] else { continue }
            // Some words of a phrase stand in many a text.
            if index - lastBlank < Self.partLength, index - lastSign >= Self.partLength { continue }
            places += starts.compactMap { place($0, Self.partLength) }
        }
        return places
    }

    private func places(ofWhole secret: [UInt8]) -> [Range<Int>] {
        guard let first = secret.first, all.bytes.count >= secret.count else { return [] }
        let starts = (0...all.bytes.count - secret.count).filter { start in
            Self.folded(all.bytes[start]) == first
                && all.bytes[start..<start + secret.count].elementsEqual(secret) { Self.folded($0) == $1 }
        }
        return starts.compactMap { place($0, secret.count) }
    }

    /// Where in the text something was read; nil where it stands between two readings.
    private func place(_ start: Int, _ count: Int) -> Range<Int>? {
        let places = all.places[start..<start + count]
        // Empty places are those of the zeros between two readings.
        if places.contains(where: \.isEmpty) { return nil }
        return places.reduce(places[start]) { min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound) }
    }

    /// Nothing is found that begins in one reading and ends in the next.
    private mutating func add(_ reading: Reading) {
        guard !reading.bytes.isEmpty else { return }
        // Zeros, as many as a part has: no window of eight bytes reaches from one reading into the next.
        if !all.bytes.isEmpty { for _ in 0..<Self.partLength { all.append(0, text.count..<text.count) } }
        all.bytes += reading.bytes
        all.places += reading.places
    }
}

// MARK: - Ways to read

extension QuotedSecrets {
    /// A reading, decoded in each of the ways; results without anything new are left out.
    private static func decoded(_ reading: Reading) -> [Reading] {
        var all = [percentDecoded(reading), unescaped(reading)]
        // Base64 and hexadecimal have no mark of their beginning, so every offset is tried.
        for start in 0..<4 { all.append(unpacked(reading, from: start, digits: 4, bits: 6, base64Value)) }
        for start in 0..<2 { all.append(unpacked(reading, from: start, digits: 2, bits: 4) { $0.hexadecimalValue.map(UInt32.init) }) }
        // Shorter ones can hold no secret that is looked for.
        return all.filter { $0.bytes != reading.bytes && $0.bytes.count >= KnownSecrets.shortest }
    }

    /// `%41` as "A" (RFC 3986, section 2.1), and `+` as a blank, as in forms; everything else stays.
    private static func percentDecoded(_ reading: Reading) -> Reading {
        replaced(reading) { mark, rest in
            switch mark {
            case UInt8(ascii: "+"): ([UInt8(ascii: " ")], 0)
            case UInt8(ascii: "%"): number(rest.prefix(2), count: 2).map { ([UInt8(truncatingIfNeeded: $0)], 2) }
            default: nil
            }
        }
    }

    /// `\u0041` as "A", `\ud83d\ude00` as one character, and `\/` as "/" (RFC 8259, section 7).
    private static func unescaped(_ reading: Reading) -> Reading {
        replaced(reading) { mark, rest in
            guard mark == UInt8(ascii: "\\"), let kind = rest.first else { return nil }
            if kind == UInt8(ascii: "u") {
                guard let unit = number(rest.dropFirst().prefix(4), count: 4) else { return nil }
                // A half of a surrogate pair is not a scalar.
                if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), 5) }
                guard rest.dropFirst(5).starts(with: Array("\\u".utf8)), let low = number(rest.dropFirst(7).prefix(4), count: 4),
                    (0xD800..<0xDC00).contains(unit), (0xDC00..<0xE000).contains(low),
                    let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
                else { return nil }
                return (Array(String(scalar).utf8), 11)
            }
            let controls: [UInt8: UInt8] = [0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9]
            return ([controls[kind] ?? kind], 1)
        }
    }

    /// Each byte for which `decode` knows, from it and what follows, other bytes, and how much of what follows that took.
    private static func replaced(_ reading: Reading, _ decode: (UInt8, ArraySlice<UInt8>) -> ([UInt8], Int)?) -> Reading {
        var result = Reading()
        var index = 0
        while index < reading.bytes.count {
            let (bytes, taken) = decode(reading.bytes[index], reading.bytes[(index + 1)...]) ?? ([reading.bytes[index]], 0)
            let last = index + taken
            for byte in bytes { result.append(byte, reading.places[index].lowerBound..<reading.places[last].upperBound) }
            index = last + 1
        }
        return result
    }

    /// Decodes runs of digits. Each group of `digits`, from the one at `start` on, holds that many times `bits`.
    private static func unpacked(_ reading: Reading, from start: Int, digits: Int, bits: Int, _ value: (UInt8) -> UInt32?) -> Reading {
        var result = Reading()
        var (run, held, width, first) = (0, UInt32(0), 0, 0)
        for (index, byte) in reading.bytes.enumerated() {
            guard let digit = value(byte) else {
                run = 0
                continue
            }
            defer { run += 1 }
            if run < start { continue }
            if (run - start) % digits == 0 { (held, width) = (0, 0) }
            if width == 0 { first = index }
            held = held << UInt32(bits) | digit
            width += bits
            guard width >= 8 else { continue }
            width -= 8
            result.append(
                UInt8(truncatingIfNeeded: held >> UInt32(width)),
                reading.places[first].lowerBound..<reading.places[index].upperBound
            )
            // The rest of this digit belongs to the next byte.
            first = index
        }
        return result
    }

    private static func number(_ digits: ArraySlice<UInt8>, count: Int) -> UInt32? {
        guard digits.count == count else { return nil }
        return digits.reduce(0 as UInt32?) { number, digit in
            number.flatMap { number in digit.hexadecimalValue.map { number << 4 | UInt32($0) } }
        }
    }

    /// In both alphabets of RFC 4648.
    private static func base64Value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
