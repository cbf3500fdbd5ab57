import Foundation

/// A program's run as an example's README shows it: the command, and all that it prints.
struct DocumentedRun: Sendable, CustomStringConvertible {
    /// The program's name.
    let program: String
    let arguments: [String]
    let output: String

    var description: String { ([program] + arguments).joined(separator: " ") }

    /// The folder of the examples.
    static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples")

    /// The runs that an example's README shows, in fenced blocks that begin with `$ swift run`.
    static func all(of example: String) throws -> [DocumentedRun] {
        let text = try String(contentsOf: examples.appending(path: "\(example)/README.md"), encoding: .utf8)
        // Inside a fence are the odd parts.
        return text.components(separatedBy: "```").enumerated().filter { !$0.offset.isMultiple(of: 2) }.compactMap { block(in: $0.element) }
    }

    private static func block(in text: String) -> DocumentedRun? {
        var lines = text.components(separatedBy: "\n")
        lines.removeFirst()  // the language
        let prefix = "$ swift run "
        guard let first = lines.first, first.hasPrefix(prefix) else { return nil }
        let words = first.dropFirst(prefix.count).split(separator: " ").map(String.init)
        guard let program = words.first else { return nil }
        return DocumentedRun(program: program, arguments: Array(words.dropFirst()), output: lines.dropFirst().joined(separator: "\n"))
    }
}

/// An output without what is another at each run: every duration is `TIME`, with one space before it. Lines end without spaces, as in a page.
func withoutTimes(_ output: String) -> String {
    output.replacing(#/\ *\b[0-9]+(\.[0-9]+)?(e-[0-9]+)? (ns|µs|ms|s|seconds)\b/#, with: " TIME").replacing(#/\ +\n/#, with: "\n")
}
