/// A text for the user in at most `width` columns.
///
/// A line that is too long continues below its last column or, where that has no room, a little to the right of its
/// beginning. A word that is longer than a line stays whole.
func fitted(_ text: String, to width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
        fittedLines(line, to: width, margin: String(repeating: " ", count: min(columns(indent(of: line)) + 4, width / 2)))
    }.joined(separator: "\n")
}

private func columns(_ text: Substring) -> Int { columns(of: String(text)) }

/// The spaces that a line begins with, and a colour before them, whose escape sequence ends with an m.
private func indent(of line: Substring) -> Substring {
    let text = line.hasPrefix("\u{1B}") ? line.drop { $0 != "m" }.dropFirst() : line
    return line[..<text.drop { $0 == " " }.startIndex]
}

private func fittedLines(_ line: Substring, to width: Int, margin: String) -> [String] {
    if columns(line) <= width { return [String(line)] }
    let start = indent(of: line)
    // Columns are at least two spaces apart.
    let gap = line[start.endIndex...].ranges(of: /\ {2,}/).last { columns(line[..<$0.lowerBound]) <= width }
    if let gap, columns(line[..<gap.upperBound]) > width / 2 {
        return [String(line[..<gap.lowerBound])] + fittedLines(margin + line[gap.upperBound...], to: width, margin: margin)
    }
    let margin = gap.map { String(repeating: " ", count: columns(line[..<$0.upperBound])) } ?? margin
    // Word by word, with the spaces between them.
    var lines: [String] = [], current = String(start), spaces = ""
    for word in line[start.endIndex...].split(separator: " ", omittingEmptySubsequences: false) {
        if !spaces.isEmpty, !word.isEmpty, columns(Substring(current + spaces + word)) > width {
            lines.append(current)
            (current, spaces) = (margin + word, " ")
        } else if word.isEmpty {
            spaces += " "
        } else {
            (current, spaces) = (current + spaces + word, " ")
        }
    }
    return lines + [current]
}
