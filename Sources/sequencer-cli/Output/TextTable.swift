import Sequencer

/// Rows in columns that are as wide as they must be: the first ones left-aligned, numbers right-aligned.
struct TextTable {
    private var rows: [[String]]
    private let leading: Int
    private let indent: String

    /// - Parameter leading: how many columns, from the first, hold words rather than numbers.
    init(_ header: [String], leading: Int = 1, indent: Int = 2) {
        rows = [header]
        self.leading = leading
        self.indent = String(repeating: " ", count: indent)
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The lines, each with its newline; the first one is the header.
    func text(_ style: TextStyle) -> String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? Self.width($0[column]) : 0 }.max() ?? 0 }
        return rows.enumerated().map { index, row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - Self.width(cell))
                return column < leading ? cell + space : space + cell
            }
            var line = indent + cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return (index == 0 ? style.dim(line) : line) + "\n"
        }.joined()
    }

    /// The columns that a cell takes: what gives it a colour takes none.
    private static func width(_ cell: String) -> Int {
        let parts = cell.split(separator: "\u{1B}", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(displayWidth(String(parts.first ?? ""))) { width, part in
            width + displayWidth(String(part.drop { $0 != "m" }.dropFirst()))
        }
    }
}
