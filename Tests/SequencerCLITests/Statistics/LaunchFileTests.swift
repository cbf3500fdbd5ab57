import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Files of launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchFileTests {
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
    private static let crash = #"{"schema":"sequencer.crash/1","scenario":"b","operation":"login"}"#

    /// Reads a text, so many bytes at a time.
    private static func read(_ bytes: [UInt8], _ batchSize: Int = 4 << 20) throws -> (file: LaunchFile, statistics: LaunchStatistics) {
        var (file, statistics) = (LaunchFile(name: "f", keys: StatsKeys()), LaunchStatistics())
        file.batchSize = batchSize
        var rest = bytes[...]
        try file.read(into: &statistics) { buffer in
            let count = min(rest.count, buffer.count)
            buffer.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            return count
        }
        return (file, statistics)
    }

    private static func read(_ text: String) throws -> (file: LaunchFile, statistics: LaunchStatistics) { try read(Array(text.utf8)) }

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
    func everyLayout(_ text: String) throws {
        let (file, statistics) = try Self.read(text)
        #expect(file.mistakes.isEmpty && file.brokenLines == 0 && statistics.total.launches == 3)
        let lineFeeds = text.count { $0.isNewline }
        #expect(file.lines == (text.last?.isNewline == true ? lineFeeds : lineFeeds + 1))
    }

    @Test("A report that is cut anywhere takes nothing from the two after it", arguments: [line, pretty])
    func cut(_ report: String) throws {
        for length in 1..<report.count {
            let cut = String(report.prefix(length))
            let (file, statistics) = try Self.read(cut + "\n" + report + "\n" + report + "\n")
            #expect(statistics.total.launches == 2 && file.mistakes.count == 1, "\(cut) \(file.mistakes)")
            #expect(1...cut.split(separator: "\n", omittingEmptySubsequences: false).count ~= file.brokenLines, "\(cut)")
        }
    }

    @Test("A mistake inside a report is told once, with its place, and spoils its lines only")
    func mistakes() throws {
        // A comma is missing: the brackets still match.
        let missing = Self.pretty.replacing("}\n  ,\n  {", with: "}\n  {")
        #expect(missing != Self.pretty)
        let (file, statistics) = try Self.read([Self.pretty, missing, Self.line].joined(separator: "\n"))
        let count = missing.count { $0 == "\n" } + 1
        #expect(statistics.total.launches == 2 && file.brokenLines == count)
        #expect(file.brokenLines == count && file.mistakes.map(\.message) == ["unexpected '{'; expected ',' or ']'"])
        // A bracket is missing: they do not match, and the end is where a brace begins a line.
        let open = Self.pretty.replacing("\n  ]\n  }\n  ]\n}", with: "\n  }\n  ]\n}")
        #expect(open != Self.pretty)
        let second = try Self.read([open, Self.pretty, Self.line].joined(separator: "\n"))
        #expect(second.statistics.total.launches == 2 && second.file.mistakes.count == 1, "\(second.file.mistakes)")
    }

    @Test("Of an indented array a broken report spoils none but itself")
    func indented() throws {
        let report = "{ " + Self.line.dropFirst()
        let (file, statistics) = try Self.read("[\n  \(report),\n  \(report.dropLast()),\n  \(report)\n]\n")
        #expect(statistics.total.launches == 2 && file.brokenLines == 1, "\(file.mistakes)")
    }

    @Test("Of several reports in one line each is read, each mistake has its place, and the line counts once")
    func columns() throws {
        let crash = #"{"schema":"sequencer.crash/1"}"#
        let (file, statistics) = try Self.read("\n\(Self.line) \(crash) \(Self.line) { }\n")
        let column = Self.line.utf8.count + 2
        #expect(statistics.total.launches == 2 && file.brokenLines == 1 && file.lines == 2)
        let places = ["f:2:\(column): missing key 'scenario'", "f:2:\(2 * column + crash.utf8.count): missing key 'schema'"]
        #expect(file.mistakes.map(\.description) == places)
        let rest = try Self.read(Self.line + " and more\n")
        #expect(rest.statistics.total.launches == 1 && rest.file.brokenLines == 1)
        #expect(rest.file.mistakes.map(\.description) == ["f:1:\(column): expected an object"])
    }

    private static let parts: [String] = [
        line, line, crash, "", "  ", pretty, String(line.dropLast(20)), String(pretty.dropLast(30)), "[" + line + ",", line + "]",
        crash + " " + crash, "x", line.replacing("600", with: "oh"), String(repeating: " ", count: 900) + line,
        "{\"x\":\"" + String(repeating: "y", count: 2000) + "\"}", "é",
    ]

    @Test("Launches and mistakes are the same wherever batches end", arguments: [1, 16, 100, 1000])
    func batches(_ size: Int) throws {
        var random = SplitMix64(seed: UInt64(size))
        for _ in 0..<10 {
            let texts = (0..<random.index(below: 20)).map { _ in Self.parts[random.index(below: Self.parts.count)] }
            let separator = random.index(below: 4) == 0 ? "\r\n" : "\n"
            let bytes = Array((texts.joined(separator: separator) + (random.index(below: 2) == 0 ? separator : "")).utf8)
            let (whole, parts) = (try Self.read(bytes), try Self.read(bytes, size))
            #expect(parts.file.mistakes.map(\.description) == whole.file.mistakes.map(\.description))
            #expect(parts.file.lines == whole.file.lines && parts.file.brokenLines == whole.file.brokenLines)
            func json(_ statistics: LaunchStatistics) -> String { StatsSummary(name: "f", attribute: nil, statistics: statistics).json }
            #expect(json(parts.statistics) == json(whole.statistics))
        }
    }

    @Test("A file that cannot be read any more ends with its error")
    func failure() {
        struct Trouble: Error {}
        var (file, statistics) = (LaunchFile(name: "f", keys: StatsKeys()), LaunchStatistics())
        var calls = 0
        #expect(throws: Trouble.self) {
            try file.read(into: &statistics) { buffer in
                calls += 1
                if calls == 3 { throw Trouble() }
                buffer.copyBytes(from: Array("\(Self.crash)\n".utf8))
                return Self.crash.utf8.count + 1
            }
        }
        #expect(statistics.total.crashes == 2)
    }

    @Test("More small objects than are decoded at a time, and a report that is larger than the limit")
    func many() throws {
        let (file, statistics) = try Self.read(String(repeating: Self.crash, count: 5000) + "\n")
        #expect(statistics.total.crashes == 5000 && file.lines == 1)
        let large = Self.line.dropLast() + #","x":""# + String(repeating: "y", count: 17 << 20) + "\"}"
        let refused = try Self.read("\(large)\n\(Self.line)\n")
        #expect(refused.statistics.total.launches == 1 && refused.file.brokenLines == 1)
        #expect(refused.file.mistakes.map(\.description) == ["f:1:1: the report is larger than the limit of 16777216 bytes"])
    }
}
