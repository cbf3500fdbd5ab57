import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Validation of identifiers and dependencies", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DependencyValidationTests {
    // MARK: Identifiers

    @Test(
        "identifiers of any script, emoji and inner spaces are fine",
        arguments: [
            "a", "fetch-config", "Fetch config", "設定を取得", "конфигурация", "🚀", "👍🏽 go", "🇨🇭", "❤️", "a.b/c:d",
            String(repeating: "x", count: 256),
        ]
    )
    func validIdentifier(id: String) throws {
        var graph = OperationGraph("graph")
        graph.join(id)
        graph.join("-", after: id)
        #expect(try graph.validated().dependencies(of: "-") == [id])
    }

    @Test(
        "fault G7: identifiers that cannot be read or typed are refused, with their position",
        arguments: [
            ("", "the identifier '' is empty"),
            (" login", "the identifier ' login' begins or ends with white space"),
            ("login ", "the identifier 'login ' begins or ends with white space"),
            ("login\u{3000}", "the identifier 'login\u{3000}' begins or ends with white space"),
            (" ", "the identifier ' ' begins or ends with white space"),
            ("log\tin", "the identifier 'log\\tin' holds a character that cannot be printed, \\t"),
            ("log\nin", "the identifier 'log\\nin' holds a character that cannot be printed, \\n"),
            ("log\u{0}in", "the identifier 'log\\0in' holds a character that cannot be printed, \\0"),
            ("\u{1B}[31mlogin", "the identifier '\\u{1B}[31mlogin' holds a character that cannot be printed, \\u{1B}"),
            ("login\u{7F}", "the identifier 'login\\u{7F}' holds a character that cannot be printed, \\u{7F}"),
            ("log\u{202E}in", "the identifier 'log\\u{202E}in' holds a character that cannot be printed, \\u{202E}"),
            ("log\u{200B}in", "the identifier 'log\\u{200B}in' holds a character that cannot be printed, \\u{200B}"),
            ("log\u{2028}in", "the identifier 'log\\u{2028}in' holds a character that cannot be printed, \\u{2028}"),
            (
                String(repeating: "x", count: 257),
                "the identifier '\(String(repeating: "x", count: 80))…' has 257 bytes; the most is 256"
            ),
            (String(repeating: "é", count: 129), "the identifier '\(String(repeating: "é", count: 80))…' has 258 bytes; the most is 256"),
        ] as [(String, String)]
    )
    func invalidIdentifier(id: String, complaint: String) {
        var graph = OperationGraph("graph")
        graph.join("splash")
        graph.join(id, after: "splash")
        #expect(graph.problems == [GraphProblem(.invalidIdentifier, positions: [1], "operation 2: " + complaint)])
    }

    @Test("identifiers that look the same are the same, however their accents are encoded")
    func canonicalEquivalence() {
        var graph = OperationGraph("graph")
        graph.join("caf\u{E9}")
        graph.join("cafe\u{301}")
        #expect(graph.problems.map(\.code) == [.duplicateIdentifier])
        // The sign for kelvin, and the Greek question mark.
        var singles = OperationGraph("graph")
        singles.join("K")
        singles.join("\u{212A}")
        singles.join("a;b")
        singles.join("after", after: "a\u{37E}b")
        #expect(singles.problems.map(\.code) == [.duplicateIdentifier])
    }

    // MARK: Dependencies

    // MARK: Cycles

    @Test("the message of a very long cycle is cut in the middle; its path is not")
    func longCycle() throws {
        var graph = OperationGraph("graph")
        for step in 0..<1000 { graph.join("s\(step)", after: "s\((step + 1) % 1000)") }
        let problem = try #require(graph.problems.first)
        #expect(graph.problems.count == 1)
        #expect(problem.path == (0..<1000).map { "s\($0)" } + ["s0"])
        #expect(problem.positions == Array(0..<1000))
        #expect(problem.description.hasPrefix("cycle: s0 → s1 → s2 → "))
        #expect(problem.description.contains("s19 → (961 more) → s981"))
        #expect(problem.description.hasSuffix("→ s999 → s0 (each waits for the next)"))
    }

    // MARK: Several problems
}
