import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Launches of the lines of a file", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LinesSummaryTests {
    private static let tokens: [String] = [
        "{", #""schema""#, ":", #""sequencer.report/1""#, ",", #""scenario""#, ":", #""}{ ][ \" \\""#, ",", #""outcome""#, ":",
        #""completed""#, ",",
        #""budget""#, ":", "{", #""measuredMs""#, ":", "600", ",", #""verdict""#, ":", #""pass""#, "}", ",", #""operations""#, ":", "[",
        "{",
        #""id""#, ":", #""x""#, "}", ",", "{", #""id""#, ":", "[", "[", "]", "]", "}", "]", "}",
    ]
    private static let line: String = tokens.joined()
    /// As `run --json` writes them: every brace that ends a report, and none but these, begins a line.
    private static let pretty: String = tokens.dropLast().joined(separator: "\n  ") + "\n}"

    private static func summary(_ text: String) -> (summary: LinesSummary, complaints: [LinesSummary.Complaint]) {
        var summary = LinesSummary()
        var splitter = LineSplitter()
        var complaints: [LinesSummary.Complaint] = []
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            splitter.feed(bytes) { line in complaints += summary.add(line) }
        }
        splitter.finish { line in complaints += summary.add(line) }
        if let complaint = summary.finish() { complaints.append(complaint) }
        return (summary, complaints)
    }

    private static let layouts: [String] = [
        three(line, "\n"), three(line, ""), three(line, " "), three(pretty, "\n"), three(pretty, ""), three(pretty, "\r\n"),
        "[\(line),\(line),\(line)]", "[\n  \(line),\n  \(line), \(line)\n]\n", "[\n\(pretty),\n\(pretty)\n,\n\(pretty)]",
        "[\(line)][\(line)]\n[]\n\(line)", three(tokens.joined(separator: "\n"), "\n"), three(tokens.joined(separator: "\r\n\t"), ""),
        "\n\n   \(line)\n\n\t\(pretty)\n\n \(line)   ",
    ]

    private static func three(_ report: String, _ separator: String) -> String {
        [report, report, report].joined(separator: separator)
    }

    @Test("Every layout of three reports", arguments: layouts)
    func everyLayout(_ text: String) {
        let (summary, complaints) = Self.summary(text)
        #expect(complaints.isEmpty && summary.brokenLines == 0)
        #expect(summary.statistics.total.launches == 3)
    }

    @Test("A report that is cut anywhere takes nothing from the two after it", arguments: [line, pretty])
    func cut(_ report: String) {
        for length in 1..<report.count {
            let cut = String(report.prefix(length))
            let (summary, complaints) = Self.summary(cut + "\n" + report + "\n" + report + "\n")
            #expect(summary.statistics.total.launches == 2 && complaints.count == 1, "\(cut) \(complaints)")
            #expect(summary.brokenLines >= 1 && summary.brokenLines <= cut.split(separator: "\n", omittingEmptySubsequences: false).count)
        }
    }

    @Test("A mistake inside a report is told once, with its place, and spoils its lines only")
    func mistakes() throws {
        // A comma is missing: the brackets still match.
        let missing = Self.pretty.replacing("}\n  ,\n  {", with: "}\n  {")
        #expect(missing != Self.pretty)
        let (summary, complaints) = Self.summary([Self.pretty, missing, Self.line].joined(separator: "\n"))
        let count = missing.count { $0 == "\n" } + 1
        #expect(summary.statistics.total.launches == 2 && summary.brokenLines == count)
        #expect(complaints.map(\.count) == [count] && complaints.first?.message == "expected ',' or ']'")
        // A bracket is missing: they do not match, and the end is where a brace begins a line.
        let open = Self.pretty.replacing("\n  ]\n  }\n  ]\n}", with: "\n  }\n  ]\n}")
        #expect(open != Self.pretty)
        let second = Self.summary([open, Self.pretty, Self.line].joined(separator: "\n"))
        #expect(second.summary.statistics.total.launches == 2 && second.complaints.count == 1, "\(second.complaints)")
    }

    @Test("Of several reports in one line each is read, each mistake has its column, and the line counts once")
    func columns() {
        let crash = #"{"schema":"sequencer.crash/1"}"#
        let (summary, complaints) = Self.summary("\(Self.line) \(crash) \(Self.line) \(crash)\n")
        let column = Self.line.utf8.count + 2
        #expect(summary.statistics.total.launches == 2 && summary.brokenLines == 1 && summary.lines == 1)
        #expect(complaints.map(\.column) == [column, 2 * column + crash.utf8.count])
        #expect(complaints.allSatisfy { $0.line == 1 && $0.message == "missing key 'scenario'" })
        let rest = Self.summary(Self.line + " and more\n")
        #expect(rest.summary.statistics.total.launches == 1 && rest.summary.brokenLines == 1)
        #expect(rest.complaints.map(\.description) == ["1:\(column): expected an object"])
    }

    @Test("A bench is told where it is read")
    func bench() {
        let complaints = Self.summary(#"{"schema":"sequencer.bench/1"}"# + "\n").complaints
        #expect(complaints.count == 1 && complaints.first?.message.hasSuffix("; 'compare' reads benches") == true)
    }
}
