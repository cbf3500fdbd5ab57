/// A text for people in at most `width` columns.
///
/// A line that is too long goes on below its last column or, where that has no room, a little to the right of its own
/// beginning. A word that is longer than a line stays whole.
func fitted(_ text: String, to width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
        // A line may begin with a colour, whose escape sequence ends with an m.
        let indent = (line.hasPrefix("\u{1B}") ? line.drop { $0 != "m" }.dropFirst() : line).prefix { $0 == " " }.count
        return fittedLines(line, to: width, margin: String(repeating: " ", count: min(indent + 4, width / 2)))
    }.joined(separator: "\n")
}

private func fittedLines(_ line: Substring, to width: Int, margin: String) -> [String] {
    func columns(_ text: Substring) -> Int { TextTable.width(String(text)) }
    if columns(line) <= width { return [String(line)] }
    let indent = line.prefix { $0 == " " }
    // Columns are at least two spaces apart.
    let gap = line[indent.endIndex...].ranges(of: /\ {2,}/).last { columns(line[..<$0.lowerBound]) <= width }
    if let gap, columns(line[..<gap.upperBound]) > width / 2 {
        return [String(line[..<gap.lowerBound])] + fittedLines(margin + line[gap.upperBound...], to: width, margin: margin)
    }
    let margin = gap.map { String(repeating: " ", count: columns(line[..<$0.upperBound])) } ?? margin
    // Word by word, with the spaces between them.
    var lines: [String] = [], current = String(indent), spaces = ""
    for word in line[indent.endIndex...].split(separator: " ", omittingEmptySubsequences: false) {
        if !spaces.isEmpty, !word.isEmpty, columns(current + spaces + word) > width {
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
