import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports as HTML", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportHTMLTests {
    @Test("a small launch: header and table, exactly")
    func small() {
        let text = ReportSamples.small().html()
        #expect(
            text.contains(
                #"""
                <header>
                <h1><bdi>small</bdi></h1>
                <p class="verdict fail">failed</p>
                <p id="outcome">Failed at b: no &quot;route&quot;.</p>
                <p id="reason">200 ms over: <bdi>a</bdi> (400 ms, 300 ms expected).</p>
                <p>Critical path, 600 ms: <bdi>a</bdi>, <bdi>b</bdi>.</p>
                </header>
                """#
            )
        )
        #expect(
            text.contains(
                #"""
                <tr class="op critical" id="row-0" data-op="0"><th scope="row"><a href="#op-0"><bdi>a</bdi></a><small><bdi>Load &lt;a&gt;</bdi></small></th><td class="outcome">succeeded, critical</td><td class="n">0 ms</td><td class="n">0 ms</td><td class="n">400 ms</td><td class="n">0 ms</td><td class="n">400 ms</td><td class="n">300 ms</td><td class="n">0 ms</td><td>lane 1</td><td class="n">1</td><td></td><td><bdi>from the cache</bdi></td></tr>
                <tr class="op main critical failed" id="row-1" data-op="1"><th scope="row"><a href="#op-1"><bdi>b</bdi></a></th><td class="outcome">failed, critical</td><td class="n">400 ms</td><td class="n">500 ms</td><td class="n">700 ms</td><td class="n">100 ms</td><td class="n">200 ms</td><td class="n"></td><td class="n">0 ms</td><td>main</td><td class="n">2</td><td><a href="#row-0"><bdi>a</bdi></a></td><td><bdi>no &quot;route&quot;</bdi></td></tr>
                <tr class="op cancelled" id="row-2" data-op="2"><th scope="row"><a href="#op-2"><bdi>c</bdi></a></th><td class="outcome">skipped</td><td class="n"></td><td class="n"></td><td class="n">700 ms</td><td class="n"></td><td class="n"></td><td class="n"></td><td class="n">0 ms</td><td></td><td class="n">0</td><td><a href="#row-1"><bdi>b</bdi></a></td><td><bdi>b failed</bdi></td></tr>
                """#
            )
        )
    }

    @Test(
        "every report is well-formed, with a row an operation, and every link leads somewhere",
        arguments: RandomGraph.many(14, operations: 1...60)
    )
    func random(graph: RandomGraph) async throws {
        let document = try await ReportSamples.random(graph)
        let text = document.html()
        let elements = try Elements(text)
        let targets = Set(elements.ids)
        #expect(targets.count == elements.ids.count)
        for node in document.operations.indices { #expect(targets.isSuperset(of: ["row-\(node)", "op-\(node)"])) }
        for link in text.matches(of: /href="#([^"]+)"/) { #expect(targets.contains(String(link.1))) }
        let dependencies = document.dependencyPositions
        // The table links the operations that each one waited for.
        let links = text.matches(of: /<a href="#row-\d+"><bdi>/).count
        #expect(links == dependencies.reduce(0) { $0 + $1.count })
    }

    @Test("no name or message becomes markup, loads anything or turns the text around")
    func hostile() throws {
        let text = ReportSamples.hostile().html()
        let elements = try Elements(text)
        #expect(elements.names.isDisjoint(with: ["img", "b", "i", "iframe", "object", "link", "base"]))
        #expect(elements.attributes.isDisjoint(with: ["src", "onerror", "onload", "onclick", "srcdoc", "action"]))
        #expect(text.components(separatedBy: "<script").count == 2)
        #expect(text.components(separatedBy: "</script").count == 2)
        #expect(text.components(separatedBy: "</style").count == 2)
        #expect(judgedScalars(text).allSatisfy { $0.scalar == "\n" || ($0.isShown && !$0.scalar.properties.isNoncharacterCodePoint) })
        for link in text.matches(of: /href="([^"]*)"/) { #expect(link.1.hasPrefix("#")) }
        for id in ReportSamples.hostileTexts { #expect(elements.texts.contains(id), "\(id)") }
    }

    @Test("nothing is loaded from anywhere, and the page says so itself")
    func alone() {
        let text = ReportSamples.small().html()
        #expect(
            text.contains(
                #"http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'""#
            )
        )
        let addresses = text.matches(of: /https?:[^"' ]+/).map { String($0.0) }
        #expect(Set(addresses) == ["http://www.w3.org/1999/xhtml"], "a name, from where nothing is loaded")
        #expect(!text.contains("@import") && !text.contains("url("))
    }

    @Test("of 10,000 operations each has a row in the table, and a thousand one in the timeline")
    func large() throws {
        let text = ReportSamples.large().html()
        #expect(text.components(separatedBy: " id=\"row-").count - 1 == 10_000)
        #expect(text.components(separatedBy: " id=\"op-").count - 1 == 1000)
    }

    @Test("what else is said of a launch is a figure each, 20 at most, and nothing in it becomes markup")
    func attributes() {
        var report = ReportSamples.small()
        report.attributes = ["start.type": "cold", "<b>": "</dd><i>"]
        #expect(
            report.html().contains(
                #"""
                <div><dt><bdi>&lt;b&gt;</bdi></dt><dd><bdi>&lt;/dd&gt;&lt;i&gt;</bdi></dd></div>
                <div><dt><bdi>start.type</bdi></dt><dd><bdi>cold</bdi></dd></div>
                </dl>
                """#
            )
        )
        for number in 0..<22 { report.attributes["a\(number)"] = "x" }
        #expect(report.html().contains("<div><dt>Other attributes</dt><dd><bdi>4</bdi></dd></div>\n</dl>"))
    }

    @Test("causes, stragglers and anomalies are told, and an empty launch is a page")
    func others() async throws {
        var document = ReportSamples.small()
        document.stragglers = ["b"]
        document.anomalies = [Anomaly(kind: .finishedAgain, operation: "a", duration: nil, description: "a finished more than once")]
        let text = document.html()
        #expect(text.contains("<p>Still running when the launch ended: <bdi>b</bdi>.</p>"))
        #expect(text.contains("<summary>1 anomaly</summary>\n<ul>\n<li><bdi>a finished more than once</bdi></li>"))
        _ = try Elements(try await ReportSamples.empty().html())
    }

    @Test(
        "escapes",
        arguments: [
            ("a<b", "a&lt;b"), ("</script>", "&lt;/script&gt;"), ("&lt;", "&amp;lt;"), ("\"'", "&quot;&#39;"), ("\u{202E}x", "\\u{202E}x"),
            ("\u{0}", "\\0"), ("a\nb", "a\\nb"), ("\u{FFFE}", "\\u{FFFE}"), ("אבג", "אבג"), ("漢字 👩🏽", "漢字 👩🏽"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("", ""),
        ]
    )
    func escapes(text: String, escaped: String) {
        #expect(Markup.text(text) == escaped)
    }
}
