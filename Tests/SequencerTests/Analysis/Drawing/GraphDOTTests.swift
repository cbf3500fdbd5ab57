import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Graphs as DOT", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphDOTTests {
    @Test("F4: a launch: longest path, implied edge, main thread, interactive and milestone are told apart")
    func launch() throws {
        let graph = try GraphExportSamples.launch()
        #expect(
            graph.dot() == #"""
                digraph "first-launch" {
                  rankdir=LR
                  graph [labelloc=t, fontname="Helvetica", fontsize=11, label=<<TABLE BORDER="0" CELLSPACING="6">
                    <TR><TD COLSPAN="6"><FONT POINT-SIZE="16">first-launch</FONT></TD></TR>
                    <TR><TD BORDER="1" COLOR="#555555" STYLE="ROUNDED">on a lane</TD><TD BORDER="1" COLOR="#555555" STYLE="ROUNDED" BGCOLOR="#dbeafe">on the main thread</TD><TD>cut corners: asks a person</TD><TD>double border: milestone</TD><TD><FONT COLOR="#c0392b">red: longest path</FONT></TD><TD>dashed: implied</TD></TR>
                  </TABLE>>]
                  node [shape=box, style=rounded, color="#555555", fontname="Helvetica"]
                  edge [color="#555555"]
                  "splash" [label="Present splash\n400 ms", style="rounded,filled", fillcolor="#dbeafe", color="#c0392b", penwidth=3]
                  "force-update" [label="force-update\n300 ms"]
                  "fetch-config" [label="fetch-config\n251 ms", color="#c0392b", penwidth=3]
                  "login" [label="login\n700 ms", style="diagonals", color="#c0392b", penwidth=3]
                  "tutorial" [label="tutorial", style="diagonals,filled", fillcolor="#dbeafe", color="#c0392b", penwidth=3]
                  "main-app" [label="main-app\n100 ms", style="rounded,filled", fillcolor="#dbeafe", peripheries=2, color="#c0392b", penwidth=3]
                  { rank=source; "splash"; "force-update" }
                  "splash" -> "fetch-config" [color="#c0392b", penwidth=3]
                  "fetch-config" -> "login" [color="#c0392b", penwidth=3]
                  "login" -> "tutorial" [color="#c0392b", penwidth=3]
                  "splash" -> "main-app" [style=dashed]
                  "force-update" -> "main-app"
                  "tutorial" -> "main-app" [color="#c0392b", penwidth=3]
                }
                """#
        )
        #expect(try graph.dot() == GraphExportSamples.launch().dot())
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
