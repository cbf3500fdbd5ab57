import Sequencer
import SequencerAnalysis

/// The text in at most `width` columns; `ellipsis` replaces the rest, and is left out where even that does not fit.
///
/// - Parameter keepsEnd: whether it is cut in its middle: names often differ at their ends.
func truncated(_ text: String, to width: Int, keepsEnd: Bool = false, ellipsis: String) -> String {
    if displayWidth(text) <= width { return text }
    // An ellipsis that fills all of the room would hide even the first letter.
    let mark = displayWidth(ellipsis) < width ? ellipsis : ""
    let room = max(0, width - displayWidth(mark))
    // From the end: the tail gets the smaller half, and the head the room that wide characters have left.
    let tail = keepsEnd ? String(fitting(text.reversed(), in: room / 2).reversed()) : ""
    return fitting(text, in: room - displayWidth(tail)) + mark + tail
}

/// As many of the first characters as fit.
private func fitting(_ text: some Sequence<Character>, in width: Int) -> String {
    var result = ""
    var left = width
    for character in text {
        // In columns: a wide character takes two, a combining one none.
        left -= displayWidth(String(character))
        if left < 0 { break }
        result.append(character)
    }
    return result
}

/// The text in lines of at most `width` columns, broken between words where that is possible; every line but the first
/// is indented.
///
/// - Parameter limit: the most lines; when there are more, the last one ends with `ellipsis`.
func wrapped(_ text: String, to width: Int, indent: Int = 0, limit: Int = .max, ellipsis: String) -> [String] {
    var lines: [String] = []
    var rest = Substring(text)
    while true {
        // Half of the width at most, or a narrow terminal would have no room for words.
        let margin = lines.isEmpty ? "" : String(repeating: " ", count: min(indent, width / 2))
        // Two columns at least: a wide character has to fit, or nothing would ever be taken.
        let room = max(width - margin.count, 2)
        if displayWidth(String(rest)) <= room { return lines + [margin + rest] }
        if lines.count + 1 >= limit { return lines + [margin + truncated(String(rest), to: room, ellipsis: ellipsis)] }
        let fits = rest.prefix(fitting(rest, in: room).count)
        // A space right after the part that fits is a place to break, too.
        let head = rest[fits.endIndex] == " " ? fits : fits.lastIndex(of: " ").map { fits[..<$0] } ?? fits
        // A break right at the start would take nothing, and loop.
        let line = head.isEmpty ? fits : head
        lines.append(margin + line)
        // Spaces at a break belong to neither line.
        rest = rest[line.endIndex...].drop { $0 == " " }
    }
}

extension TextStyle {
    /// Rows in columns that are as wide as they must be, below a header; each line has its newline.
    ///
    /// - Parameters:
    ///   - leading: how many columns, from the first, hold words, aligned to the left, rather than numbers.
    ///   - limit: the most rows; the others are counted below, with the word `more` behind their number.
    func table(
        _ header: [String],
        leading: Int = 1,
        limit: Int = .max,
        more: String = "more",
        _ all: [[String]]
    ) -> String {
        let lines = aligned([header] + all.prefix(limit), isRight: { $0 >= leading }, width: columns(of:))
        let rows = lines.enumerated().map { index, line in (index == 0 ? dim("  " + line) : "  " + line) + "\n" }
        return rows.joined() + (all.count > limit ? "  and \(all.count - limit) \(more)\n" : "")
    }
}

/// The columns that a text takes: escape sequences for colours, which end with an m, take none.
func columns(of text: String) -> Int {
    let parts = text.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(displayWidth(String(parts.first ?? ""))) { width, part in
        width + displayWidth(String(part.drop { $0 != "m" }.dropFirst()))
    }
}

/// A line that is written from left to right, each part at its column.
struct StyledLine {
    let style: TextStyle
    /// A part that shows where nothing else is put.
    private var mark: (column: Int, text: String)?
    private(set) var text = ""
    private var width = 0

    init(_ style: TextStyle, mark: (column: Int, text: String)? = nil) { (self.style, self.mark) = (style, mark) }

    mutating func put(_ part: String, at column: Int, tone: TextStyle.Tone? = nil) {
        if let mark, width..<max(column, width) ~= mark.column { putMark(mark) }
        text += String(repeating: " ", count: max(column - width, 0)) + style.applying(tone, to: part)
        width = max(column, width) + displayWidth(part)
    }

    /// Puts the mark if it is behind everything else.
    mutating func end() {
        if let mark, mark.column >= width { putMark(mark) }
    }

    private mutating func putMark(_ mark: (column: Int, text: String)) {
        self.mark = nil
        put(mark.text, at: mark.column, tone: .dim)
    }
}

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
