/// A table in columns of text, the first ones to the left and numbers to the right.
struct TextTable {
    private var rows: [[String]]
    private let leftColumns: Int

    init(_ header: [String], leftColumns: Int = 1) {
        rows = [header]
        self.leftColumns = leftColumns
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    var text: String {
        let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column < leftColumns ? cell + padding : padding + cell
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n") + "\n"
    }
}
