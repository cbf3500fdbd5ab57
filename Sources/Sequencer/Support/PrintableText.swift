/// `text` fit for one line of output: characters that a terminal would obey are escaped, and a long text is cut after `limit` characters.
package func printable(_ text: String, limit: Int = .max) -> String {
    let shown = text.prefix(limit)
    var result = ""
    for scalar in shown.unicodeScalars {
        if scalar.isPrintable { result.unicodeScalars.append(scalar) } else { result += scalar.escaped(asASCII: true) }
    }
    return shown.endIndex == text.endIndex ? result : result + "…"
}

extension Unicode.Scalar {
    /// Whether a terminal or a drawing shows this as a character: it is no control character, ends no line and does not turn the direction of
    /// writing.
    package var isPrintable: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
        default: true
        }
    }
}
