/// A short name for bytes, which other bytes may have too: FNV-1a with 64 bits (RFC 9923). Equal bytes have equal
/// names, in every process.
package struct FNV1a {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Adds a part and marks its end with a byte that UTF-8 never has, so that "ab" and "c" are not "a" and "bc".
    package mutating func add(part: some Sequence<UInt8>) {
        add(part)
        add(CollectionOfOne(0xFF))
    }

    /// 16 hexadecimal digits.
    package static func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
