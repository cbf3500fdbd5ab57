import Foundation
import TestSupport
import Testing

@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ChecksumTests {
    @Test(
        "CRC-32 gives the values that are published",
        arguments: [
            ("", 0), ("a", 0xE8B7_BE43), ("123456789", 0xCBF4_3926), ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)]
    )
    func crc32(input: String, expected: UInt32) {
        #expect(CRC32.checksum(of: Array(input.utf8)) == expected)
    }
}
