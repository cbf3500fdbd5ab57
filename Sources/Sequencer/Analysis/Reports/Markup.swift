import Sequencer

/// Texts in XML 1.0 and in HTML, which agree on everything used here.
///
/// The output is plain ASCII markup around text without markup: <https://www.w3.org/TR/xml/#syntax>,
/// <https://html.spec.whatwg.org/multipage/syntax.html#character-references>.
package enum Markup {
    /// A text as content, or as an attribute's value between double quotes.
    ///
    /// Characters that have no place in XML, that cannot be seen, or that turn the direction of writing are shown by
    /// their number, so a name cannot pass for another, or turn around the text after it.
    package static func text(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7F && !special.contains { $0.key.value == byte }
        }
        // Nearly all texts: the other way looks at each character.
        return isPlain ? text : escapedText(text, special) { $0.escaped(asASCII: true) }
    }

    private static let special: KeyValuePairs<Unicode.Scalar, String> = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]

    /// A text of at most `limit` characters, the last of them `…` when something was cut off.
    static func shortened(_ text: String, to limit: Int) -> String {
        text.count > limit ? text.prefix(limit - 1) + "…" : text
    }

    /// About the width of a text in the drawing's font of 12 pixels; rather more than less.
    static func width(of text: String) -> Double { text.reduce(0) { $0 + width(of: $1) } }

    private static func width(of character: Character) -> Double {
        // As wide as an ideograph: a label that is cut too soon is better than one that lies over a bar.
        guard character.isASCII else { return 13 }
        return character.isUppercase || "mw@%_".contains(character) ? 10 : 7
    }

    /// A text in one line where that is wide enough, otherwise in two, the second one from behind the first `separator`
    /// on.
    static func lines(_ text: String, separator: String, toWidth limit: Double) -> [String] {
        guard width(of: text) > limit, let gap = text.firstRange(of: separator) else { return [shortened(text, toWidth: limit)] }
        return [text[..<gap.lowerBound], text[gap.upperBound...]].map { shortened(String($0), toWidth: limit) }
    }

    /// A text that is about as wide as `limit` pixels at the most, with `…` at its end when something was cut off.
    static func shortened(_ text: String, toWidth limit: Double) -> String {
        var (used, end) = (0.0, text.startIndex)
        for index in text.indices {
            used += width(of: text[index])
            if used > limit { return String(text[..<end]) + "…" }
            // With room for the sign of an omission, which is as wide as any character.
            if used + 13 <= limit { end = text.index(after: index) }
        }
        return text
    }
}
