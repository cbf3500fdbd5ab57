import Foundation

/// `Documentation/Degradation.md`: the tables in it are what launches really come to.
struct DegradationDocument {
    private static let marker = "<!-- From here on written by the tests: see above. -->"
    private static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Documentation/Degradation.md"
    )
    .standardizedFileURL

    /// Each row's cells, under its heading.
    struct Row: Hashable {
        let heading: String
        let cells: [String]
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
            rows.append(Row(heading: heading, cells: line.dropFirst(2).dropLast(2).components(separatedBy: " | ")))
        }
        self.rows = rows
    }

    /// The rest of the row that begins with these cells; nil when there is none.
    func row(_ heading: String, _ beginning: [String]) -> [String]? {
        rows.first { $0.heading == heading && $0.cells.starts(with: beginning) }.map { Array($0.cells.dropFirst(beginning.count)) }
    }

    /// Replaces the tables.
    func record(_ sections: [(heading: String, columns: [String], rows: [[String]])]) throws {
        var text = introduction + Self.marker + "\n"
        for section in sections {
            text += "\n## \(section.heading)\n\n"
            text += Self.line(section.columns) + "|" + String(repeating: "---|", count: section.columns.count) + "\n"
            for row in section.rows { text += Self.line(row) }
        }
        try Data(text.utf8).write(to: Self.url)
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
