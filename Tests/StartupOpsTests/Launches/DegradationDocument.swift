import Foundation

/// `Tests/Data/Launches/Degradation.txt`: the tables in it are what launches really come to.
struct DegradationDocument {
    private static let marker = "<!-- From here on written by the tests. -->"
    private static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "../../Data/Launches/Degradation.txt"
    )
    .standardizedFileURL

    /// Each row's cells, under its heading.
    struct Row: Hashable {
        let heading: String
        let cells: [String]
        /// The last cell, which is written by hand: the time that a launch may take.
        let limit: String
    }

    private let introduction: String
    let rows: [Row]

    init() throws {
        let text = try String(contentsOf: Self.url, encoding: .utf8)
        let parts = text.components(separatedBy: Self.marker)
        introduction = parts[0]
        var heading = ""
        var rows: [Row] = []
        for line in parts.dropFirst().joined().split(separator: "\n") {
            if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
            guard line.hasPrefix("| "), !line.hasPrefix("| fault |"), !line.hasPrefix("| what is stored |"),
                !line.hasPrefix("| level |")
            else { continue }
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            rows.append(Row(heading: heading, cells: Array(cells.dropLast()), limit: cells.last ?? ""))
        }
        self.rows = rows
    }

    /// The rest of the row that begins with these cells; nil when there is none.
    func row(_ heading: String, _ beginning: [String]) -> [String]? {
        find(heading, beginning).map { Array($0.cells.dropFirst(beginning.count)) }
    }

    /// The time that the launch of a row may take, in seconds; nil where the row does not say so.
    func limit(_ heading: String, _ beginning: [String]) -> Duration? {
        find(heading, beginning).flatMap { $0.limit.hasSuffix(" s") ? Int($0.limit.dropLast(2)) : nil }.map { .seconds($0) }
    }

    private func find(_ heading: String, _ beginning: [String]) -> Row? {
        rows.first { $0.heading == heading && $0.cells.starts(with: beginning) }
    }

    /// Replaces the tables.
    func record(_ sections: [(heading: String, columns: [String], rows: [[String]])]) throws {
        var text = introduction + Self.marker + "\n"
        for section in sections {
            text += "\n## \(section.heading)\n\n"
            text += Self.line(section.columns + ["within"]) + "|" + String(repeating: "---|", count: section.columns.count + 1) + "\n"
            for row in section.rows { text += Self.line(row + [limit(of: row, section.heading)]) }
        }
        try Data(text.utf8).write(to: Self.url)
    }

    private func limit(of row: [String], _ heading: String) -> String {
        let count = heading == StorageCase.heading ? 3 : 2
        return find(heading, Array(row.prefix(count)))?.limit ?? "–"
    }

    private static func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }
}

extension DegradationCase {
    static let columns = ["fault", "launch", "outcome", "the main screen has", "the report says"]
    var heading: String { "Service: \(service.rawValue)" }
    var beginning: [String] { [fault.name(at: service), launch.rawValue] }
}

extension StorageCase {
    static let columns = ["what is stored", "fault", "launch", "outcome", "the main screen has", "the report says", "the app is told"]
    static let heading = "Storage"
    var beginning: [String] { [name, damage.rawValue, scenario] }
}

extension SafeModeCase {
    static let columns = ["level", "the update policy", "outcome", "the main screen has", "left out"]
    static let heading = "Safe mode and the update policy"
    var beginning: [String] { [level.rawValue, policy.rawValue] }
}
