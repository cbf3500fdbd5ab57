import Foundation
import TestSupport
import Testing

@Suite("graph, scenarios, verify, help", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphCommandTests {
    @Test("F4: a graph in every format")
    func formats() async throws {
        let dot = try await Tool.run("graph", "regular", "--format", "dot")
        #expect(dot.code == 0 && dot.output.contains("digraph"))
        let tree = try await Tool.run("graph", "regular")
        #expect(tree.output.contains("splash") && tree.output.contains("main-app"))
        let json = try await Tool.run("graph", "regular", "--json").json()
        #expect(json["schema"] as? String == "sequencer.graph/1")
    }

    @Test("Where the locale has no other characters, the tree is drawn in ASCII")
    func ascii() async throws {
        let text = try await Tool.run("graph", "regular", environment: ["LC_ALL": "C"]).output
        #expect(text.contains("\n`- tutorial ") && text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
        #expect(try await Tool.run("graph", "regular", environment: ["LC_ALL": "C.UTF-8"]).output.contains("\n└─ tutorial "))
    }

    @Test("--reduce drops what others imply")
    func reduce() async throws {
        let text = scenarioText(#"{ "id": "a" }"#, #"{ "id": "b", "after": ["a"] }"#, #"{ "id": "c", "after": ["a", "b"] }"#)
        func after(_ arguments: String...) async throws -> [String]? {
            let json = try await Tool.run(["graph", "-", "--json"] + arguments, input: Data(text.utf8)).json()
            return (json["operations"] as? [[String: Any]])?.last?["after"] as? [String]
        }
        #expect(try await after() == ["a", "b"])
        #expect(try await after("--reduce") == ["b"])
    }

    @Test("scenarios lists the built-in ones")
    func scenarios() async throws {
        let text = try await Tool.run("scenarios")
        #expect(
            text.output.split(separator: "\n").map { $0.split(separator: " ")[0] } == [
                "first-launch", "regular", "push", "deeplink", "shortcut", "guest", "guest-dismissable", "guest-none", "restore-account",
                "warm-resume", "bootstrap", "background",
            ]
        )
        let rows = try #require(try await Tool.run("scenarios", "--json").json()["scenarios"] as? [[String: Any]])
        #expect(rows.map { $0["operations"] as? Int } == [7, 7, 7, 8, 8, 7, 8, 7, 8, 2, 17, 4])
    }

    @Test("fault G15: verify finds implied dependencies, people asked twice at once, and budgets out of reach")
    func verify() async throws {
        let fine = try await Tool.run("verify", "regular")
        #expect(fine.code == 0)
        #expect(fine.output.hasPrefix("regular: 7 operations, 6 dependencies, no problem found\nbudget 3 s, deadline 30 s\n"))
        let text = scenarioText(
            #"{ "id": "a", "expected": "2s" }"#,
            #"{ "id": "b", "after": ["a"], "work": { "simulate": "4s" } }"#,
            #"{ "id": "c", "after": ["a", "b"], "interactive": true }"#,
            #"{ "id": "d", "interactive": true }"#
        )
        let result = try await Tool.run("verify", "-", input: text)
        #expect(result.code == 3)
        #expect(
            result.output == """
                test: 4 operations, 3 dependencies, 3 warnings
                budget 3 s, deadline 30 s
                warning: c need not wait for a: other dependencies imply it
                warning: c and d can ask the person at the same time; give both the exclusive resource 'ui'
                warning: the longest path alone takes 4 s of 3 s, a person's time not counted: a → b
                note: without an expected duration, which counts as 0 ms: c, d
                note: without work, which takes 0 ms whatever is expected: a

                """
        )
        let json = try await Tool.run("verify", "-", "--json", input: text).json()
        #expect(json["budgetVerdict"] as? String == "fail" && json["withoutExpectation"] as? [String] == ["c", "d"])
        #expect(
            (json["warnings"] as? [[String: String]])?.compactMap { $0["code"] } == [
                "impliedDependency", "overlappingInteraction", "budget",
            ]
        )
    }

    @Test(
        "what has no work takes no time in verify, graph, plan and run, whatever is expected of it",
        arguments: ["", #""exclusive": ["ui"], "#, #""fallback": "x", "#, #""on": "main", "#, #""retry": { "attempts": 2 }, "#]
    )
    func workless(options: String) async throws {
        let text = scenarioText(
            #"{ "id": "join", \#(options)"expected": "2s" }"#,
            #"{ "id": "home", "after": ["join"], "work": { "simulate": "100ms" } }"#,
            head: #""milestone": "home", "budget": "1s", "#
        )
        func run(_ words: String...) async throws -> Tool.Result { try await Tool.run(words, input: Data(text.utf8)) }
        let note = "without work, which takes 0 ms whatever is expected: join\n"
        let (verify, graph, plan) = (try await run("verify", "-"), try await run("graph", "-"), try await run("plan", "-"))
        #expect(verify.code == 0 && verify.output.hasSuffix("\nnote: \(note)") && !verify.output.contains("warning"), "\(verify)")
        #expect(graph.output.contains("longest path 100 ms"), "\(graph)")
        #expect(plan.code == 0 && plan.output.contains("\nPASS  100 ms of 1 s\nlongest path: 100 ms, "), "\(plan)")
        #expect(plan.output.contains(note), "\(plan)")
        #expect(try await run("run", "-", "--clock", "virtual").output.hasSuffix("\nPASS  100 ms of 1 s\n"))
    }

    @Test("where nobody knows how long anything takes, virtual time and plans pass nothing")
    func nothingKnown() async throws {
        let text = scenarioText(
            #"{ "id": "fetch", "work": { "http": { "url": "https://example.com/" } } }"#,
            #"{ "id": "migrate", "after": ["fetch"], "work": { "command": ["migrate"] } }"#
        )
        func run(_ words: String...) async throws -> Tool.Result { try await Tool.run(words, input: Data(text.utf8)) }
        let verdict = "\nUNKNOWN  0 ms of 3 s; nobody knows how long fetch, migrate take\n"
        let (launch, plan) = (try await run("run", "-", "--clock", "virtual"), try await run("plan", "-"))
        #expect(launch.code == 0 && launch.output.hasSuffix(verdict), "\(launch)")
        #expect(try await run("run", "-", "--clock", "virtual", "--strict").code == 5)
        #expect(plan.output.contains("UNKNOWN 0 ms of 3 s\n") && plan.output.contains(verdict) && !plan.output.contains("PASS"), "\(plan)")
        #expect(try await run("plan", "-", "--what-if", "migrate=20ms").output.contains("PASS 20 ms of 3 s"))
    }

    @Test("where nobody knows when an initial display with a budget comes, or all time that is known is a person's, nothing passes")
    func nothingKnownThatCounts() async throws {
        let unknown = #"{ "id": "fetch", "work": { "command": ["fetch"] } }"#
        let files = [
            scenarioText(
                unknown,
                #"{ "id": "main", "work": { "simulate": "50ms" } }"#,
                head: #""initialDisplay": "fetch", "initialDisplayBudget": "100ms", "milestone": "main","#
            ),
            scenarioText(
                #"{ "id": "ask", "interactive": true, "work": { "simulate": "2s" } }"#,
                unknown,
                #"{ "id": "main", "after": ["ask", "fetch"] }"#,
                head: #""milestone": "main","#
            ),
        ]
        for file in files {
            let launch = try await Tool.run("run", "-", "--clock", "virtual", "--strict", input: file)
            #expect(launch.code == 5 && launch.output.contains("\nUNKNOWN ") && launch.output.contains("nobody knows"), "\(launch)")
            let plan = try await Tool.run("plan", "-", input: file)
            #expect(plan.output.contains("UNKNOWN") && !plan.output.contains("PASS"), "\(plan)")
        }
    }

    @Test("fault A1: help is on standard output and a success; asking for nothing shows it as a mistake")
    func help() async throws {
        for arguments in [["--help"], ["help"], ["help", "run"], ["run", "--help"], ["graph", "-h"]] {
            let result = try await Tool.run(arguments)
            #expect(result.code == 0 && result.output.contains("Usage:") && result.messages.isEmpty)
        }
        let nothing = try await Tool.run([])
        #expect(nothing.code == 64 && nothing.output.isEmpty && nothing.messages.contains("Usage:"))
        #expect(try await Tool.run("--version").output.hasPrefix("sequencer-cli "))
    }

    @Test(
        "every example scenario is sound and passes",
        arguments: ["bank-app", "checkout-app", "music-player", "news-reader", "offline-first", "service-startup"]
    )
    func examples(name: String) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appendingPathComponent("Examples/Scenarios/\(name).json").path
        #expect(try await Tool.run("verify", path).code == 0)
        let result = try await Tool.run("run", path, "--clock", "virtual")
        #expect(result.code == 0, "\(result.output)")
    }
}
