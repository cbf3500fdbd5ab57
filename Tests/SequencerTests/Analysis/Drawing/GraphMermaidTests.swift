import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Graphs as Mermaid", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphMermaidTests {
    @Test(
        "labels",
        arguments: [
            ("plain text", "plain text"), ("fetch-config", "fetch-config"), ("a\"b", "a#34;b"), ("a:b", "a#58;b"),
            ("%%{init}%%", "#37;#37;#123;init#125;#37;#37;"),
            ("#34;", "#35;34#59;"), ("1. one", "#49;#46; one"), ("- dash", "#45; dash"), ("v1.2", "v1#46;2"), ("a.b", "a.b"),
            ("<b>&", "#60;b#62;#38;"),
            ("`x`", "#96;x#96;"), ("**x** _y_", "#42;#42;x#42;#42; #95;y#95;"), ("two\nlines", "two lines"),
            ("\u{FFFE}", "#92;#117;#123;#70;#70;#70;#69;#125;"),
            ("$$x$$", "#36;#8288;#36;x#36;#8288;#36;"), ("漢字", "漢字"), ("אבג", "אבג"), ("\u{202E}", "#92;u#123;202E#125;"),
        ]
    )
    func labels(text: String, label: String) {
        #expect(MermaidText.label(text) == label)
    }

    @Test(
        "no line of a gantt chart begins with a keyword",
        arguments: [("section x", "#115;ection x"), ("Title", "#84;itle"), ("splash", "splash"), ("2026-01-01", "#50;026-01-01"), ("", "")]
    )
    func lines(text: String, line: String) {
        #expect(MermaidText.line(text) == line)
    }

    @Test("a hostile graph has the same lines as a harmless one")
    func hostile() throws {
        let graph = try GraphExportSamples.hostile()
        let lines = try graph.mermaid().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 + graph.count + (graph.count - 1) + 2)
        for line in lines.dropFirst(2).prefix(graph.count) {
            #expect(line.wholeMatch(of: #/ {2}n\d+\("[^"`:%{}<>&]*"\)/#) != nil, "\(line)")
        }
        for line in try graph.gantt().split(separator: "\n").dropFirst(6) {
            #expect(line.wholeMatch(of: #/ {2}[^:"%{}<>]* :n\d+, 0, 0/#) != nil, "\(line)")
        }
    }

    @Test("what Mermaid would refuse is refused, with what to do instead")
    func large() throws {
        var graph = OperationGraph("large")
        for index in 0...501 { graph.join("op-\(index)", after: index == 0 ? [] : ["op-\(index - 1)"]) }
        let chain = try graph.validated()
        let error = #expect(throws: ExportError.self) { try chain.mermaid() }
        #expect(error?.code == .tooLarge)
        #expect(
            error?.description
                == "large: Mermaid draws 500 dependencies at most, and there are 501; leave out the implied ones, or write the graph as DOT"
        )
        for index in 502..<10_000 { graph.join("op-\(index)") }
        let many = try graph.validated()
        #expect(throws: ExportError.self) { try many.mermaid() }
        let refusal = #expect(throws: ExportError.self) { try many.gantt() }
        #expect(refusal?.description.hasPrefix("large: Mermaid reads 50000 characters at most, and this would be ") == true)
    }
}
