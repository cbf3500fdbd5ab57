/// A short name for bytes, which other bytes may have too: FNV-1a with 64 bits (RFC 9923). Equal bytes have equal
/// names, in every process.
///
/// Of several texts, each ends with a byte that UTF-8 never has, so that "ab" and "c" are not "a" and "bc".
///
/// - Parameter start: the name of the bytes before these.
package func fnv1a(_ bytes: some Sequence<UInt8>, after start: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

/// 16 hexadecimal digits.
package func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}
