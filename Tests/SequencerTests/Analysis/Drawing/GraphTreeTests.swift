import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Graphs as trees", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphTreeTests {
    @Test("a long list of dependencies is cut")
    func manyDependencies() throws {
        var graph = OperationGraph("many")
        for index in 1...9 { graph.join("op-\(index)") }
        graph.join("seven", after: (1...7).map { "op-\($0)" })
        graph.join("nine", after: (1...9).map { "op-\($0)" })
        let lines = try graph.validated().tree().split(separator: "\n")
        #expect(lines[2] == "├─ seven  also after op-2, op-3, op-4, op-5, op-6, op-7")
        #expect(lines[3] == "└─ nine   also after op-2, op-3, op-4, op-5, op-6 and 3 more")
    }

    @Test("more than 16 levels go on at the margin")
    func deep() throws {
        var graph = OperationGraph("chain")
        for index in 0...18 { graph.join("op-\(index)", after: index == 0 ? [] : ["op-\(index - 1)"]) }
        graph.join("side", after: "op-17")
        graph.join("other")
        let lines = try graph.validated().tree().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 + 21)
        #expect(lines[17] == String(repeating: "   ", count: 14) + "└─ op-15")
        #expect(lines[18] == String(repeating: "   ", count: 15) + "└─ op-16 …")
        #expect(lines[19].hasPrefix("op-17 ") && lines[19].hasSuffix("  after op-16"))
        #expect(lines[20...] == ["├─ op-18", "└─ side", "other"])
    }

    @Test("nothing in a name moves the cursor, and wide characters keep the columns")
    func hostile() throws {
        var graph = OperationGraph("evil\u{1B}[2J\n")
        graph.add("漢字", .title("\u{1B}[31m"), .expected(.seconds(1))) {}
        graph.add("e\u{301}", .title("two\nlines"), .expected(.seconds(90)), after: "漢字") {}
        graph.add("👩🏽", .title(" "), .expected(.milliseconds(1))) {}
        graph.join("plain", .title(String(repeating: "y", count: 50)))
        #expect(
            try graph.validated().tree() == """
                evil\\u{1B}[2J\\n: 4 operations, longest path 1.52 min (*)

                漢字   \\u{1B}[31m                                     1 s *
                └─ e\u{301}   two\\nlines                                 1.5 min *
                👩🏽                                                   1 ms
                plain  \(String(repeating: "y", count: 40))…
                """
        )
    }

    @Test("in ASCII, all but the names is")
    func ascii() throws {
        var graph = OperationGraph("graph")
        let splash = graph.add("splash", .expected(.microseconds(5))) {}
        let login = graph.join("login", after: splash)
        graph.join("löschen", after: login)
        graph.join("tutorial", after: splash)
        var last = splash
        for number in 0..<18 { last = graph.join("s\(number)", after: last) }
        let text = try graph.validated().tree(inASCII: true)
        #expect(text.contains("longest path 5 us (*)\n") && text.contains("\n|- login"), "\(text)")
        #expect(text.contains("\n|  `- löschen") && text.contains("\n`- s0") && text.contains(" ..."), "\(text)")
        #expect(text.replacing("löschen", with: "").utf8.allSatisfy { $0 < 0x80 })
    }
}
