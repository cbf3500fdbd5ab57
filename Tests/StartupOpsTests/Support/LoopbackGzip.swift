import Foundation

/// Just enough of gzip (RFC 1952) and deflate (RFC 1951) to send packed answers.
enum LoopbackGzip {
    private static let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])

    /// `data`, packed without making it smaller.
    static func stored(_ data: Data) -> Data {
        precondition(data.count <= 0xFFFF)
        let length = UInt16(data.count)
        let beginning: Data = header + [1] + bytes(length) + bytes(~length)
        return beginning + data + bytes(crc32(data)) + bytes(UInt32(data.count))
    }

    /// About `count` zeros, packed by 1032 to 1. The checksum at its end is not right: nobody should get that far.
    static func bomb(_ count: Int) -> Data {
        var bits = BitWriter()
        bits.write(1, count: 1)  // the last block,
        bits.write(2, count: 2)  // with codes of its own:
        bits.write(29, count: 5)  // 286 of them for literals and lengths,
        bits.write(0, count: 5)  // one for distances,
        bits.write(14, count: 4)  // described in a code with 18 lengths.
        // In the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1: the symbol 18 gets one bit, 2 and 1 get two.
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { bits.write(length, count: 3) }
        // Canonical codes: 18 is 0, 1 is 10, 2 is 11 (written from the first bit on).
        func zeros(_ count: Int) {
            bits.write(0, count: 1)
            bits.write(count - 11, count: 7)
        }
        func length(_ length: Int) { bits.write(length == 1 ? 0b01 : 0b11, count: 2) }
        length(2)  // the literal 0: 10
        zeros(138)
        zeros(117)
        length(2)  // the end, 256: 11
        zeros(28)
        length(1)  // the length 258: 0
        length(1)  // the distance 1: 0
        bits.write(0b01, count: 2)
        for _ in 0..<(count / 258) { bits.write(0, count: 2) }
        bits.write(0b11, count: 2)
        return header + bits.data + bytes(UInt32(0)) + bytes(UInt32(truncatingIfNeeded: count))
    }

    private static func crc32(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
    }

    private static func bytes(_ value: some FixedWidthInteger) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var used = 8

        var data: Data { Data(bytes) }

        mutating func write(_ value: Int, count: Int) {
            for bit in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8((value >> bit) & 1) << used
                used += 1
            }
        }
    }
}
