/// Texts in Mermaid's language.
///
/// Mermaid has no quoting that holds for every character: a quote, a colon or two percent signs in a label end it or begin something else, a name that
/// begins with a keyword is taken for one, and what it does not understand it often drops without a word. Its entities (`#58;`) always stand
/// for themselves: <https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters>.
enum MermaidText {
    /// What Mermaid reads, unless told otherwise: <https://mermaid.js.org/config/schema-docs/config.html>.
    static let mostCharacters = 50_000
    static let mostEdges = 500
    /// The most characters of a label: more makes a drawing of nothing else.
    static let longestLabel = 80

    /// A text in which nothing is syntax, at most ``longestLabel`` characters of it.
    static func label(_ text: String) -> String {
        let shown = printable(text, limit: longestLabel)
        var label = ""
        for scalar in shown.unicodeScalars {
            switch scalar {
            // Not even an entity of one is a character.
            case _ where scalar.properties.isNoncharacterCodePoint:
                label += scalar.escaped(asASCII: true).unicodeScalars.map(entity).joined()
            case "a"..."z", "A"..."Z", " ", ",": label.unicodeScalars.append(scalar)
            // Digits and hyphens begin dates and lists only at the beginning.
            case "0"..."9", "-": label += label.isEmpty ? entity(scalar) : String(scalar)
            case "." where label.unicodeScalars.last?.properties.isAlphabetic == true: label += "."
            // Two dollar signs, entities or not, begin a formula: a joiner that is not seen keeps them apart.
            case "$" where label.hasSuffix("#36;"): label += "#8288;#36;"
            case _ where scalar.isASCII: label += entity(scalar)
            default: label.unicodeScalars.append(scalar)
            }
        }
        return label
    }

    /// What begins a statement of a gantt chart, in any case:
    /// <https://github.com/mermaid-js/mermaid/blob/develop/packages/mermaid/src/diagrams/gantt/parser/gantt.jison>.
    private static let keywords = [
        "accdescr", "acctitle", "axisformat", "call", "click", "dateformat", "excludes", "gantt", "href", "includes", "inclusiveenddates",
        "section",
        "tickinterval", "title", "todaymarker", "topaxis", "weekday", "weekend",
    ]

    /// A label at the beginning of a line, where a word such as `section` would be a keyword.
    static func line(_ text: String) -> String {
        let label = label(text)
        let lowercased = label.lowercased()
        guard keywords.contains(where: lowercased.hasPrefix), let first = label.unicodeScalars.first else { return label }
        return entity(first) + String(label.unicodeScalars.dropFirst())
    }

    private static func entity(_ scalar: Unicode.Scalar) -> String { "#\(scalar.value);" }

    /// The text, if Mermaid reads that much.
    static func checked(_ text: String, _ name: String, edges: Int = 0) throws(ExportError) -> String {
        guard edges <= mostEdges else {
            throw ExportError(
                code: .tooLarge,
                description: "\(printable(name)): Mermaid draws \(mostEdges) dependencies at most, and there are \(edges); "
                    + "leave out the implied ones, or write the graph as DOT"
            )
        }
        guard text.utf16.count <= mostCharacters else {
            throw ExportError(
                code: .tooLarge,
                description:
                    "\(printable(name)): Mermaid reads \(mostCharacters) characters at most, and this would be \(text.utf16.count); "
                    + "write the graph as DOT"
            )
        }
        return text
    }
}
