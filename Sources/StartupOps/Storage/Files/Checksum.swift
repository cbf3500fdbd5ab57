import Foundation

/// CRC-32 as Ethernet, gzip and PNG use it: finds accidents (a torn write, a flipped bit), not forgeries.
///
/// The algorithm is the table-driven one of RFC 1952, section 8: polynomial 0xEDB88320, bits reflected, initial value and final XOR all ones.
struct Checksum {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private var state: UInt32 = .max

    /// The checksum of everything so far.
    var value: UInt32 { ~state }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        Self.table.withUnsafeBufferPointer { table in
            var state = state
            for byte in bytes { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8 }
            self.state = state
        }
    }

    mutating func update(_ data: Data) {
        // Data's own iterator is several times slower.
        data.withUnsafeBytes { update($0) }
    }
}
