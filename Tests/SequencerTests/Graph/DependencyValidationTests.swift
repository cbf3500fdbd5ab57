import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Validation of identifiers and dependencies", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DependencyValidationTests {
    @Test("an empty graph is valid")
    func empty() throws {
        let graph = try OperationGraph("empty").validated()
        #expect(graph.count == 0)
        #expect(graph.edges.isEmpty && graph.levels.isEmpty && graph.topologicalOrder.isEmpty && graph.criticalPath.isEmpty)
        #expect(graph.milestone == nil)
        #expect(graph.criticalPathDuration == .zero)
        #expect(graph.reduced().count == 0)
    }

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

    @Test(
        "fault G4: an unknown dependency is refused with the nearest name",
        arguments: [
            ("fetch-confg", "login waits for 'fetch-confg', which is not in the graph; did you mean 'fetch-config'?"),
            ("Splash", "login waits for 'Splash', which is not in the graph; did you mean 'splash'?"),
            ("database", "login waits for 'database', which is not in the graph"),
            ("logins", "login waits for 'logins', which is not in the graph"),
            ("spl\u{1B}ash", "login waits for 'spl\\u{1B}ash', which is not in the graph; did you mean 'splash'?"),
        ]
    )
    func unknownDependency(name: String, message: String) {
        var graph = OperationGraph("graph")
        graph.join("splash")
        graph.join("fetch-config")
        graph.join("login", after: name)
        #expect(graph.problems == [GraphProblem(.unknownDependency, positions: [2], message)])
    }

    @Test("a dependency named twice counts once in every answer")
    func repeatedDependency() throws {
        var graph = OperationGraph("graph")
        let splash = graph.join("splash")
        graph.join("login", after: splash, "splash", [splash, splash])
        let valid = try graph.validated()
        #expect(valid.edges == ["login after splash"])
        #expect(valid.topologicalOrder == ["splash", "login"])
        #expect(valid.reduced().graph.dependencies.edges.count == 1)
    }

    // MARK: Cycles

    @Test("fault G1: a cycle is refused with its whole path, from the step that was added first")
    func cycle() {
        var graph = OperationGraph("first-launch")
        graph.join("force-update")
        graph.join("login", after: "fetch-config", "force-update")
        graph.join("fetch-config", after: "splash")
        graph.join("splash", after: "force-update", "login")
        graph.join("main-app", after: "login")
        #expect(
            graph.problems == [
                GraphProblem(
                    .cycle,
                    positions: [1, 2, 3],
                    path: ["login", "fetch-config", "splash", "login"],
                    "cycle: login → fetch-config → splash → login (each waits for the next)"
                )
            ]
        )
        #expect(throws: GraphError(graph: "first-launch", problems: graph.problems)) { try graph.validated() }
    }

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

    @Test("all problems are reported at once, in the order of the steps they are about, a line each")
    func severalProblems() {
        var graph = OperationGraph("bad\u{1B}name")
        graph.join("login", .timeout(.zero), after: "logout")
        graph.join("", after: "login")
        graph.join("a", .milestone, after: "b")
        graph.join("b", .milestone, after: "a")
        graph.join("login")
        graph.addDependency("login", to: "nowhere")
        do {
            _ = try graph.validated()
            Issue.record("valid")
        } catch {
            #expect(
                error.description == """
                    bad\\u{1B}name: operations 1 and 5 have the same identifier 'login'; each needs its own
                    bad\\u{1B}name: login: a timeout must be more than 0 and at most 24 hours, and is 0.0 seconds
                    bad\\u{1B}name: login waits for 'logout', which is not in the graph
                    bad\\u{1B}name: operation 2: the identifier '' is empty
                    bad\\u{1B}name: 'a' and 'b' are both marked as milestone; there can be one
                    bad\\u{1B}name: cycle: a → b → a (each waits for the next)
                    bad\\u{1B}name: there is no operation 'nowhere' to wait for 'login'
                    """
            )
        }
    }
}
