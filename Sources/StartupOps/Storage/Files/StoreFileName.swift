import Foundation

/// The name of the file that keeps a key's value: another one for every key, safe in any directory, readable where it can be.
///
/// Lowercase letters, digits, `-` and `_` stand for themselves, every other byte of the key's UTF-8 is `%` and two digits. So no name holds
/// a path separator or a dot (names with dots are the store's own), and no two differ in case only, which many file systems ignore.
/// Of what would be longer than file systems allow, the beginning is kept, followed by `%%` and a hash: `%%` is in no other name.
struct StoreFileName: Hashable, CustomStringConvertible {
    /// Leaves room in 255 bytes for `.corrupt-N`.
    private static let longest = 180
    private static let keptOfLong = 80

    let description: String

    init(_ key: StoreKey) {
        // Keys that are equal as texts may differ in their bytes: é is one code point or two.
        let bytes = Array(key.description.precomposedStringWithCanonicalMapping.utf8)
        let name = Self.encode(bytes.prefix(Self.longest + 1))
        if bytes.isEmpty {
            description = "%"
        } else if name.utf8.count <= Self.longest {
            description = name
        } else {
            description = "\(name.prefix(Self.keptOfLong))%%\(SHA256.hexadecimal(of: bytes))"
        }
    }

    private static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var name = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        return name
    }
}
