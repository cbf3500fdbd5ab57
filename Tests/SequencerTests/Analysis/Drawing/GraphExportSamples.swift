@testable import Sequencer
@testable import SequencerAnalysis

/// The graphs that exports are compared on.
enum GraphExportSamples {
    /// splash ── fetch-config ── login ── tutorial ─┬─ main-app
    ///   └──────────────────────────────────────────┤
    /// force-update ────────────────────────────────┘
    static func launch() throws -> ValidatedGraph {
        var graph = OperationGraph("first-launch")
        let splash = graph.add("splash", .title("Present splash"), .expected(.milliseconds(400)), on: .main) {}
        let update = graph.add(
            "force-update",
            .expected(.milliseconds(300)),
            .onFailure(.continue),
            .timeout(.seconds(1)),
            .retry(attempts: 3)
        ) { () throws in }
        let config = graph.add("fetch-config", .expected(.microseconds(250_500)), after: splash) { "CH" }
        let login = graph.add("login", .interactive, .expected(.milliseconds(700)), using: config, fallback: 1) { country in
            country.count
        }
        // The value is read, and waited for once more.
        let tutorial = graph.add("tutorial", .interactive, .exclusive(.userInterface), using: login, after: login, on: .main) { _ in }
        graph.add("main-app", .milestone, .expected(.milliseconds(100)), after: splash, update, tutorial, on: .main) {}
        return try graph.validated()
    }

    /// Names that mean something to Graphviz, to a terminal, or to JSON; each waits for the one before.
    static let hostileIdentifiers = [
        #"quote"quote"#, #"back\slash\"#, #"back\\"#, "<b>html</b>", "&lt;&amp;", "node", "%percent", #"\%percent"#, "a:b", "a -> b", "漢字",
        "👩🏽", "-1", ";}",
        "//", "\\N",
    ]

    static let hostileTitles = [
        "", "   ", "two\nlines", "carriage\r\nreturn", "\u{1B}[31mred", "ends with \\", "\\n \\l \\N \\G", "R&D &lt; &#955;",
        "\u{202E}reversed", "<i>",
        "\"]; evil [", "tab\tbell\u{7}\u{0}", "\u{2028}", "می\u{200C}خواهم", String(repeating: "x", count: 100), "*/ //",
    ]

    static func hostile() throws -> ValidatedGraph {
        var graph = OperationGraph("\"}\n<b>&lt;\\")
        var previous: [String] = []
        for (id, title) in zip(hostileIdentifiers, hostileTitles) {
            graph.join(id, .title(title), after: previous)
            previous = [id]
        }
        return try graph.validated()
    }
}
