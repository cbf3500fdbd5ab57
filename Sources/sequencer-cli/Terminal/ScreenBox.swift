import Sequencer

/// Text in a frame with a title, as wide as its text and no wider than the terminal.
struct ScreenBox: Equatable, Sendable {
    /// A paragraph; line feeds in it begin new ones.
    struct Paragraph: Equatable, Sendable {
        var text: String
        var tone: TextStyle.Tone?
        /// The columns by which all of its lines but the first are moved to the right.
        var indent = 0

        static let blank = Paragraph(text: "")
    }

    /// Where a frame would leave less room for the text, there is none.
    private static let leastWidth = 16
    /// Texts come from services: what is longer is no text for a terminal.
    private static let longestParagraph = 4000
    private static let mostParagraphs = 500

    var title: String
    var paragraphs: [Paragraph]

    /// The frame and what is in it, each line with its end.
    ///
    /// - Parameter width: the terminal's. One column stays free: some terminals wrap after the last.
    func text(width: Int, style: TextStyle) -> String {
        let isFramed = width >= Self.leastWidth
        let room = max(isFramed ? width - 5 : width - 1, 2)
        let rows = Array(paragraphs.flatMap { lines(of: $0, to: room, style) }.prefix(Self.mostParagraphs))
        let title = truncated(printable(title), to: max(isFramed ? room - 2 : room, 1), ellipsis: style.ellipsis)
        if isFramed { return framed(rows, title, style) }
        return style.bold(title) + "\n" + rows.map { style.applying($0.tone, to: $0.text) + "\n" }.joined()
    }

    private func framed(_ rows: [Line], _ title: String, _ style: TextStyle) -> String {
        let glyphs = style.box
        // The title has a space on either side, or is not there at all.
        let heading = title.isEmpty ? "" : " " + style.bold(title) + " "
        let headingWidth = title.isEmpty ? 0 : displayWidth(title) + 2
        let inner = max(rows.map { displayWidth($0.text) }.max() ?? 0, headingWidth)
        func bar(_ columns: Int) -> String { String(repeating: glyphs.horizontal, count: columns) }

        var text = "\(glyphs.topLeft)\(bar(1))\(heading)\(bar(inner + 1 - headingWidth))\(glyphs.topRight)\n"
        for row in rows {
            let space = String(repeating: " ", count: inner - displayWidth(row.text))
            text += "\(glyphs.vertical) \(style.applying(row.tone, to: row.text))\(space) \(glyphs.vertical)\n"
        }
        return text + "\(glyphs.bottomLeft)\(bar(inner + 2))\(glyphs.bottomRight)\n"
    }

    private typealias Line = (text: String, tone: TextStyle.Tone?)

    private func lines(of paragraph: Paragraph, to room: Int, _ style: TextStyle) -> [Line] {
        // A carriage return and a line feed are one character.
        let ends: Set<Character> = ["\n", "\r\n"]
        let parts: [Substring] = paragraph.text.split(omittingEmptySubsequences: false) { ends.contains($0) }
        var lines: [Line] = []
        for part in parts.prefix(Self.mostParagraphs) {
            let text = printable(String(part), limit: Self.longestParagraph)
            for line in wrapped(text, to: room, indent: paragraph.indent, ellipsis: style.ellipsis) { lines.append((line, paragraph.tone)) }
        }
        return lines
    }
}
