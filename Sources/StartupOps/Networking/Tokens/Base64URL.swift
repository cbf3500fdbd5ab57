import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5; RFC 7515, appendix C).
enum Base64URL {
    /// The bytes that `text` stands for; nil when it holds anything but the alphabet, padding included, or ends within a byte.
    static func decode(_ text: some StringProtocol) -> Data? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes.append(byte)
            case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        if bytes.count % 4 == 1 { return nil }
        // Foundation's decoder wants the padding that tokens leave out.
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(bytes))
    }
}
