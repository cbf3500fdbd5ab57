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
        var whole = Checksum()
        whole.update(text(input))
        #expect(whole.value == expected)
        var bytewise = Checksum()
        for byte in input.utf8 { bytewise.update([byte]) }
        #expect(bytewise.value == expected)
    }

    @Test(
        "SHA-256 gives the values of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (LongText(String(repeating: "a", count: 1_000_000)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ] as [(LongText, String)]
    )
    func sha256(input: LongText, expected: String) {
        #expect(SHA256.hexadecimal(of: Array(input.value.utf8)) == expected)
    }

    @Test("SHA-256 pads every length of a block")
    func padding() {
        let hashes = Set((0...130).map { SHA256.hexadecimal(of: [UInt8](repeating: 7, count: $0)) })
        #expect(hashes.count == 131)
    }
}
