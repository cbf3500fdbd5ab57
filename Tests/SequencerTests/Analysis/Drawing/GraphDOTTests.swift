import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Graphs as DOT", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphDOTTests {
    @Test("the drawing can be turned")
    func direction() throws {
        #expect(try GraphExportSamples.launch().dot(.topToBottom).contains("  rankdir=TB\n"))
    }

    @Test("without expected durations there is no longest path to mark")
    func nothingExpected() throws {
        var graph = OperationGraph("plain")
        graph.join("b", .expected(.zero), after: graph.join("a"))
        let text = try graph.validated().dot()
        #expect(
            text.hasSuffix(
                #"""
                  "a" [label="a"]
                  "b" [label="b\n0 ms"]
                  "a" -> "b"
                }
                """#
            )
        )
        #expect(!text.contains("penwidth"))
    }

    @Test("no identifier, title or name breaks out of its place")
    func hostile() throws {
        let lines = try GraphExportSamples.hostile().dot().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == #"digraph "\"}\u{a}<b>&lt;\\" {"#)
        #expect(lines[3].hasSuffix(#">&quot;}\\n&lt;b&gt;&amp;lt;\\</FONT></TD></TR>"#))
        #expect(
            Array(lines[8..<24]) == [
                #"  "quote\"quote" [label="quote\"quote"]"#,
                #"  "back\\slash\\" [label="back\\slash\\"]"#,
                #"  "back\\\\" [label="two\nlines"]"#,
                #"  "<b>html</b>" [label="carriage\nreturn"]"#,
                #"  "&lt;&amp;" [label="\\u{1b}[31mred"]"#,
                #"  "node" [label="ends with \\"]"#,
                #"  "\%percent" [label="\\n \\l \\N \\G"]"#,
                #"  "\\%percent" [label="R&amp;D &amp;lt; &amp;#955;"]"#,
                #"  "a:b" [label="\\u{202e}reversed"]"#,
                #"  "a -> b" [label="<i>"]"#,
                #"  "漢字" [label="\"]; evil ["]"#,
                #"  "👩🏽" [label="tab\\u{9}bell\\u{7}\\u{0}"]"#,
                #"  "-1" [label="-1"]"#,
                "  \";}\" [label=\"می\u{200C}خواهم\"]",
                #"  "//" [label="\#(String(repeating: "x", count: 80))…"]"#,
                #"  "\\N" [label="*/ //"]"#,
            ]
        )
        #expect(lines[24] == #"  "quote\"quote" -> "back\\slash\\""#)
    }

    @Test("a character that XML does not know is written as its number, and stays apart from one that was written so")
    func noncharacter() throws {
        var graph = OperationGraph("odd")
        graph.join("\u{FFFE}")
        graph.join(#"\u{fffe}"#)
        let text = try graph.validated().dot()
        #expect(text.contains(#"  "\u{fffe}" [label="\\u{fffe}"]"# + "\n" + #"  "\\u{fffe}" [label="\\u{fffe}"]"#))
    }
}
