/// Texts in XML 1.0 and in HTML, which agree on everything used here.
///
/// What is written is plain ASCII markup around text in which nothing is markup: <https://www.w3.org/TR/xml/#syntax>,
/// <https://html.spec.whatwg.org/multipage/syntax.html#character-references>.
enum Markup {
    /// A text as content, or as an attribute's value between double quotes.
    ///
    /// Characters that have no place in XML, that cannot be seen, or that turn the direction of writing are shown by their number, so a name cannot
    /// pass for another, or turn around what comes after it.
    static func text(_ text: String) -> String {
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && !isSpecial($0) }
        }
        if isPlain { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case _ where scalar.isPrintable && !scalar.properties.isNoncharacterCodePoint: result.unicodeScalars.append(scalar)
            default: result += scalar.escaped(asASCII: true)
            }
        }
        return result
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }

    /// A text of at most `limit` characters, the last of them `…` when something was cut off.
    static func shortened(_ text: String, to limit: Int) -> String {
        text.count > limit ? text.prefix(limit - 1) + "…" : text
    }
}
