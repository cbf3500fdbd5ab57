import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Lines that several processors read", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LinesReaderTests {
    private static let line =
        #"{"schema":"sequencer.report/1","scenario":"a","version":"1","outcome":"completed","budget":{"measuredMs":600,"verdict":"pass"}}"#
    private static let crash = #"{"schema":"sequencer.crash/1","scenario":"b","operation":"login"}"#
    private static let pretty: String = {
        let members = line.replacing(",", with: ",\n  ").replacing("{\"schema", with: "{\n  \"schema")
        return String(members.dropLast()) + "\n}"
    }()
    private static let parts: [String] = [
        line, line, crash, "", "  ", pretty, String(line.dropLast(20)), String(pretty.dropLast(30)), "[" + line + ",", line + "]",
        crash + " " + crash, "x", line.replacing("600", with: "oh"), String(repeating: " ", count: 900) + line,
        "{\"x\":\"" + String(repeating: "y", count: 2000) + "\"}",
    ]

    /// One line after the other.
    private static func inTurn(_ bytes: [UInt8]) -> (summary: LinesSummary, complaints: [LinesSummary.Complaint]) {
        var summary = LinesSummary()
        var complaints: [LinesSummary.Complaint] = []
        var splitter = LineSplitter()
        bytes.withUnsafeBufferPointer { bytes in
            splitter.feed(bytes) { line in complaints += summary.add(line) }
        }
        splitter.finish { line in complaints += summary.add(line) }
        if let complaint = summary.finish() { complaints.append(complaint) }
        return (summary, complaints)
    }

    @Test("Summary and mistakes are those of one processor, wherever pieces and batches end", arguments: [16, 100, 1000, 128 * 1024])
    func sameAsInTurn(pieceSize: Int) throws {
        var random = SplitMix64(seed: UInt64(pieceSize))
        for _ in 0..<25 {
            let texts = (0..<random.index(below: 40)).map { _ in Self.parts[random.index(below: Self.parts.count)] }
            let separator = random.index(below: 4) == 0 ? "\r\n" : "\n"
            let bytes = Array((texts.joined(separator: separator) + (random.index(below: 2) == 0 ? separator : "")).utf8)
            let expected = Self.inTurn(bytes)
            var summary = LinesSummary()
            var complaints: [LinesSummary.Complaint] = []
            var rest = bytes[...]
            var read = 0
            try LinesReader(processors: 1 + random.index(below: 4), pieceSize: pieceSize).read(into: &summary) { buffer in
                // As much as fits, or less.
                let count = min(rest.count, 1 + random.index(below: buffer.count))
                buffer.copyBytes(from: rest.prefix(count))
                rest = rest.dropFirst(count)
                return count
            } didRead: { summary in
                read = summary.lines
            } complain: { complaint in
                complaints.append(complaint)
            }
            #expect(complaints == expected.complaints)
            #expect(summary.json(attribute: nil) == expected.summary.json(attribute: nil))
            #expect(read <= summary.lines)
        }
    }

    @Test("Lines that are no launches take no memory each")
    func blank() {
        let bytes = Array((Self.line + "\n\n  \nx\n\n" + Self.crash + "\n" + String(repeating: "\n", count: 10_000)).utf8)
        let parts = bytes.withUnsafeBufferPointer { bytes in
            LaunchReader(readsOperations: false, attribute: nil).parts(of: bytes, beginningIn: 0..<bytes.count)
        }
        #expect(parts.map { $0.launch != nil } == [true, false, true, false])
        #expect(parts.last?.range == (bytes.count - 10_000)..<bytes.count)
    }

    @Test("An input that cannot be read any more ends with its error")
    func failure() {
        struct Trouble: Error {}
        var summary = LinesSummary()
        var calls = 0
        #expect(throws: Trouble.self) {
            try LinesReader(processors: 2, pieceSize: 64).read(into: &summary) { buffer in
                calls += 1
                if calls == 3 { throw Trouble() }
                buffer.copyBytes(from: Array("\(Self.crash)\n".utf8))
                return Self.crash.utf8.count + 1
            } complain: { _ in
            }
        }
        #expect(summary.statistics.total.crashes == 2)
    }
}
