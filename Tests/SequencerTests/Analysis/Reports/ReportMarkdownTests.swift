import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports as Markdown", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportMarkdownTests {
    @Test("what else is said of a launch is a paragraph, 20 at most, and nothing in it is structure")
    func attributes() {
        var report = ReportSamples.small()
        report.attributes = ["start.type": "cold", "@a": "<b>|"]
        #expect(report.markdown().contains("\n\n<code>&#64;<!-- -->a</code>: &#60;b&#62;&#124;; `start.type`: cold.\n\n"))
        for number in 0..<22 { report.attributes["a\(number)"] = "x" }
        #expect(report.markdown().contains("`: x and 4 more.\n\n"))
    }

    @Test("no text is structure: every row has eight cells, and only our own tags are there")
    func hostile() {
        let text = ReportSamples.hostile().markdown()
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
        #expect(rows.count == ReportSamples.hostileTexts.count + 2)
        for row in rows { #expect(row.count(where: { $0 == "|" }) == 9, "\(row)") }
        let tags = Set(text.matches(of: /<[^>]*>/).map { String($0.0) })
        #expect(tags == ["<code>", "</code>", "<br>", "<!-- -->"])
        #expect(judgedScalars(text).allSatisfy { $0.scalar == "\n" || $0.isShown })
        let outsideCode = text.replacing(/`[^`]*`/, with: "")
        for syntax in ["@", "](", "://", "www.", "**", "`", "~~"] { #expect(!outsideCode.contains(syntax), "\(syntax)") }
    }

    @Test(
        "escapes",
        arguments: [
            ("plain text, 1.5 s (ok)", "plain text, 1.5 s (ok)"), ("a|b", "a&#124;b"), ("*_`", "&#42;&#95;&#96;"),
            ("@me", "&#64;<!-- -->me"),
            ("#1", "&#35;<!-- -->1"), ("<b>", "&#60;b&#62;"), ("two\nlines", "two&#92;nlines"), ("www.x", "www<!-- -->.x"), ("é", "é"),
            ("\u{202E}", "&#92;u&#123;202E&#125;"),
        ]
    )
    func escapes(text: String, escaped: String) {
        #expect(Markdown.text(text) == escaped)
    }

    @Test(
        "identifiers are code",
        arguments: [("fetch-config", "`fetch-config`"), ("a b", "<code>a b</code>"), ("`", "<code>&#96;</code>"), ("", "<code></code>")]
    )
    func code(id: String, text: String) {
        #expect(Markdown.code(id) == text)
    }

    @Test("a large launch fits into a comment and says what is missing")
    func large() {
        let text = ReportSamples.large().markdown()
        #expect(text.utf8.count < 65_536)
        #expect(text.hasSuffix("\n\n9900 more operations, none longer than 1 ms.\n"))
        #expect(text.contains(" and 980 more.\n"))
    }

    @Test("an empty launch has no table")
    func empty() async throws {
        #expect(
            try await ReportSamples.empty().markdown()
                == "### : pass: 0 ms of 3 s\n\nCompleted in 0 ms; 0 ms interactive; 0 ms of work on 0 lanes.\n\n"
                + "In virtual time, controlled: time; not: real work, threads, processors.\n"
        )
    }
}
