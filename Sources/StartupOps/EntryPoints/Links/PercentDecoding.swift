/// Decodes `%41` and the like (RFC 3986, section 2.1). A plus stays a plus.
///
/// - Returns: nil when a percent sign is not followed by two hexadecimal digits, or the result is not UTF-8.
func percentDecoded(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard let high = iterator.next()?.hexadecimalValue, let low = iterator.next()?.hexadecimalValue else { return nil }
        bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
}

extension UInt8 {
    var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is one of the control characters of ASCII or Latin-1.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
