import Sequencer

/// One line of a drawing: cells of text, each with its tone, where later text covers earlier text.
struct Canvas {
    private struct Cell {
        /// A character; empty in the second column of a wide one.
        var text: String
        var tone: TextStyle.Tone?

        static let blank = Cell(text: " ", tone: nil)
    }

    private var cells: [Cell]

    init(width: Int) {
        cells = Array(repeating: .blank, count: max(width, 0))
    }

    /// Puts the text where its first column is `column`; what does not fit is dropped.
    mutating func put(_ text: String, at column: Int, tone: TextStyle.Tone? = nil) {
        var column = column
        for character in text {
            let width = displayWidth(String(character))
            if width == 0 {
                if cells.indices.contains(column - 1) { cells[column - 1].text.append(character) }
                continue
            }
            guard column >= 0, column + width <= cells.count else { return }
            cells[column] = Cell(text: String(character), tone: tone)
            if width == 2 { cells[column + 1] = Cell(text: "", tone: tone) }
            column += width
        }
    }

    /// Fills columns with one character.
    mutating func fill(_ columns: Range<Int>, with text: String, tone: TextStyle.Tone? = nil) {
        for column in columns where cells.indices.contains(column) { cells[column] = Cell(text: text, tone: tone) }
    }

    /// Puts a character into a column that nothing was put into.
    mutating func putBehind(_ text: String, at column: Int, tone: TextStyle.Tone? = nil) {
        guard cells.indices.contains(column), cells[column].text == " ", cells[column].tone == nil else { return }
        cells[column] = Cell(text: text, tone: tone)
    }

    /// The line, without the blanks at its end.
    func rendered(_ style: TextStyle) -> String {
        var result = ""
        var run = ""
        var tone: TextStyle.Tone?
        let end = cells.lastIndex { $0.text != " " }.map { $0 + 1 } ?? 0
        for cell in cells[..<end] {
            if cell.tone != tone {
                result += style.applying(tone, to: run)
                run = ""
                tone = cell.tone
            }
            run += cell.text
        }
        return result + style.applying(tone, to: run)
    }
}
