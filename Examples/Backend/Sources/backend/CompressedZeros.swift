/// Zero bytes, compressed as far as DEFLATE goes: about 1000 to 1.
///
/// One block with its own code (RFC 1951, section 3.2.7), in which "the last byte, 258 times more" takes two bits, in a gzip member (RFC 1952).
enum CompressedZeros {
    /// The compressed form of `count` zero bytes.
    static func bytes(count: Int) -> [UInt8] {
        // Magic, method 8, no flags, no time, no level, unknown system.
        var bits = BitWriter(bytes: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
        writeHeader(&bits)
        if count > 0 {
            let (matches, literals) = (count - 1).quotientAndRemainder(dividingBy: 258)
            for _ in 0...literals { bits.code(0b10, 2) }
            // Length 258 is code 0, distance 1 is code 0: two bits, both zero.
            bits.zeros(2 * matches)
        }
        bits.code(0b11, 2)
        bits.align()
        bits.number(Int(ZeroChecksum.crc32(count: count)), 32)
        bits.number(count & 0xffff_ffff, 32)
        return bits.bytes
    }

    /// The head of the block: the codes of the byte 0 (10), the end of the block (11), the length 258 (0) and the distance 1 (0).
    private static func writeHeader(_ bits: inout BitWriter) {
        bits.number(1, 1)  // the last block
        bits.number(2, 2)  // with codes of its own
        bits.number(286 - 257, 5)  // literal and length codes
        bits.number(1 - 1, 5)  // distance codes
        bits.number(18 - 4, 4)  // lengths of the codes that the lengths are written in, in this order:
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
            bits.number(symbol == 18 ? 1 : symbol == 1 || symbol == 2 ? 2 : 0, 3)
        }
        // These codes are 0 for "this many codes of no length", 10 for a length of 1, 11 for a length of 2.
        bits.code(0b11, 2)  // 0
        bits.skip(138)
        bits.skip(117)
        bits.code(0b11, 2)  // 256
        bits.skip(28)
        bits.code(0b10, 2)  // 285
        bits.code(0b10, 2)  // the distance 1
    }
}

/// Bits in DEFLATE's order: from the lowest bit of each byte on (RFC 1951, section 3.1.1).
private struct BitWriter {
    var bytes: [UInt8]
    private var used = 8

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// A number, its lowest bit first.
    mutating func number(_ value: Int, _ count: Int) {
        for index in 0..<count { bit(value >> index & 1) }
    }

    /// A code, its highest bit first.
    mutating func code(_ value: Int, _ count: Int) {
        for index in (0..<count).reversed() { bit(value >> index & 1) }
    }

    /// "`count` codes of no length", from 11 to 138.
    mutating func skip(_ count: Int) {
        code(0, 1)
        number(count - 11, 7)
    }

    mutating func zeros(_ count: Int) {
        let free = 8 - used
        if count <= free {
            used += count
            return
        }
        let (whole, rest) = (count - free).quotientAndRemainder(dividingBy: 8)
        bytes.append(contentsOf: repeatElement(0, count: whole))
        used = 8
        for _ in 0..<rest { bit(0) }
    }

    mutating func align() { used = 8 }

    private mutating func bit(_ value: Int) {
        if used == 8 {
            bytes.append(0)
            used = 0
        }
        bytes[bytes.count - 1] |= UInt8(value) << UInt8(used)
        used += 1
    }
}

/// The checksum of zero bytes (RFC 1952, section 8), in a time that grows with the logarithm of their count.
private enum ZeroChecksum {
    /// What a checksum becomes is a linear function of its 32 bits: a matrix, given by what each bit alone becomes.
    private typealias Matrix = [UInt32]

    static func crc32(count: Int) -> UInt32 {
        var checksum: UInt32 = 0xffff_ffff
        var power: Matrix = (0..<32).map { afterZeroByte(1 << UInt32($0)) }
        var left = count
        while left > 0 {
            if left & 1 == 1 { checksum = apply(power, checksum) }
            power = power.map { apply(power, $0) }
            left >>= 1
        }
        return ~checksum
    }

    private static func afterZeroByte(_ checksum: UInt32) -> UInt32 {
        (0..<8).reduce(checksum) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func apply(_ matrix: Matrix, _ value: UInt32) -> UInt32 {
        matrix.indices.reduce(0) { value >> UInt32($1) & 1 == 1 ? $0 ^ matrix[$1] : $0 }
    }
}
