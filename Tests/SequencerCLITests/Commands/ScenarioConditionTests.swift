import Foundation
import TestSupport
import Testing

/// What a scenario file says of dependencies and facts, and what its launches do then.
@Suite("Dependencies and facts of scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScenarioConditionTests {
    /// How each operation of a launch in virtual time ended.
    private func outcomes(_ text: String, _ options: String..., code: Int32 = 0) async throws -> [String: String] {
        let result = try await Tool.run(["run", "-", "--clock", "virtual", "--json"] + options, input: Data(text.utf8))
        #expect(result.code == code, "\(result.messages)")
        let operations = try #require(try result.json()["operations"] as? [[String: Any]])
        var outcomes: [String: String] = [:]
        for operation in operations {
            guard let id = operation["id"] as? String else { continue }
            outcomes[id] = operation["outcome"] as? String
        }
        return outcomes
    }

    /// An operation, those that wait for it in each way there is, and one behind one of these.
    private static func waiting(for members: String) -> String {
        scenarioText(
            #"{ "id": "x", \#(members), "work": { "simulate": "1ms" } }"#,
            #"{ "id": "plain", "after": ["x"], "work": { "simulate": "1ms" } }"#,
            #"{ "id": "skips", "after": [{ "id": "x", "onFailure": "skip" }], "work": { "simulate": "1ms" } }"#,
            #"{ "id": "goes-on", "after": [{ "id": "x", "onFailure": "continue" }], "on": "main", "work": { "simulate": "1ms" } }"#,
            #"{ "id": "behind", "after": ["skips"] }"#,
            #"{ "id": "home", "after": ["goes-on"], "work": { "simulate": "1ms" } }"#,
            head: #""milestone": "home","#
        )
    }

    @Test(
        "A dependency says what a failure means for the one that waits, whatever it means for others",
        arguments: [("continue", "succeeded"), ("skipDependents", "skipped")]
    )
    func policies(policy: String, plain: String) async throws {
        let text = Self.waiting(for: #""onFailure": "\#(policy)", "timeout": "5ms""#)
        for (fault, outcome) in [("fail", "failed"), ("hang", "timedOut")] {
            let outcomes = try await outcomes(text, "--inject", "x=\(fault)")
            let others = ["skips": "skipped", "goes-on": "succeeded", "behind": "skipped", "home": "succeeded"]
            #expect(outcomes == others.merging(["x": outcome, "plain": plain]) { $1 }, "\(fault)")
        }
        #expect(Set(try await outcomes(text).values) == ["succeeded"])
        // One that is left out by its condition has not failed.
        let absent = try await outcomes(Self.waiting(for: #""onFailure": "\#(policy)", "when": false"#))
        #expect(absent.filter { $0.value != "succeeded" } == ["x": "skipped"])
    }

    @Test("A milestone that is skipped because of such a dependency fails the launch")
    func lostMilestone() async throws {
        let text = scenarioText(
            #"{ "id": "x", "onFailure": "continue", "work": { "simulate": "1ms" } }"#,
            #"{ "id": "home", "after": [{ "id": "x", "onFailure": "skip" }], "work": { "simulate": "1ms" } }"#,
            head: #""milestone": "home","#
        )
        #expect(try await outcomes(text, "--inject", "x=fail", code: 1) == ["x": "failed", "home": "skipped"])
        #expect(try await outcomes(text) == ["x": "succeeded", "home": "succeeded"])
    }

    @Test("An operation that may be absent is waited for where it is there")
    func optional() async throws {
        let home = #"{ "id": "home", "after": [{ "id": "login", "optional": true }], "work": { "simulate": "1ms" } }"#
        let login = #"{ "id": "login", "work": { "simulate": "1ms" } }"#
        for (text, edges) in [(scenarioText(home), [String]()), (scenarioText(login, home), ["login"])] {
            let graph = try await Tool.run("graph", "-", "--json", input: text)
            let operations = try #require(try graph.json()["operations"] as? [[String: Any]])
            #expect(operations.last?["after"] as? [String] == edges)
            #expect(try await outcomes(text).values.allSatisfy { $0 == "succeeded" })
        }
    }

    private static let facts = scenarioText(
        #"{ "id": "login", "when": { "account": "unknown" }, "work": { "simulate": "1s" } }"#,
        #"{ "id": "restore", "when": { "account": ["known", "expired"], "network": "up" }, "work": { "simulate": "10ms" } }"#,
        #"{ "id": "home", "after": ["login", "restore"], "work": { "simulate": "100ms" } }"#,
        head: #""milestone": "home", "facts": { "account": ["known", "unknown", "expired"], "network": ["up", "down"] },"#
    )

    @Test(
        "A fact has its first value unless --fact gives another; the conditions on facts have to hold together",
        arguments: [
            ([], ["login"]), (["account=unknown"], ["restore"]), (["account=expired"], ["login"]),
            (["account=expired", "network=down"], ["login", "restore"]), (["network=up"], ["login"]),
        ] as [([String], [String])]
    )
    func conditions(given: [String], skipped: [String]) async throws {
        let words = ["run", "-", "--clock", "virtual", "--json"] + given.flatMap { ["--fact", $0] }
        let result = try await Tool.run(words, input: Data(Self.facts.utf8))
        #expect(result.code == 0, "\(result.messages)")
        let operations = try #require(try result.json()["operations"] as? [[String: Any]])
        let found = operations.filter { $0["outcome"] as? String == "skipped" }.compactMap { $0["id"] as? String }
        #expect(found == skipped)
    }

    @Test(
        "A plan takes as long as a launch with the same facts",
        arguments: [("account=known", 110.0), ("account=unknown", 1100), ("network=down", 100)]
    )
    func plan(fact: String, makespan: Double) async throws {
        let input = Data(Self.facts.utf8)
        let plan = try await Tool.run(["plan", "-", "--lanes", "2", "--json", "--fact", fact], input: input).json()
        #expect((plan["plans"] as? [[String: Any]])?.first?["makespanMs"] as? Double == makespan)
        let run = try await Tool.run(["run", "-", "--clock", "virtual", "--json", "--fact", fact], input: input).json()
        #expect(run["makespanMs"] as? Double == makespan)
    }

    @Test("An operation that is switched off is on no longest path, and its time counts for none")
    func switchedOff() async throws {
        let text = scenarioText(
            #"{ "id": "config", "work": { "simulate": "20ms" } }"#,
            #"{ "id": "consent", "after": ["config"], "when": false, "timeout": "1m", "work": { "simulate": "300ms" } }"#,
            #"{ "id": "home", "after": ["consent"], "work": { "simulate": "50ms" } }"#,
            head: #""milestone": "home", "budget": "60ms", "#
        )
        let plan = try await Tool.run("plan", "-", "--lanes", "2", "--json", input: text).json()
        #expect(plan["criticalPath"] as? [String] == ["config", "home"] && plan["criticalPathMs"] as? Double == 70)
        let graph = try await Tool.run("graph", "-", "--json", input: text).json()
        #expect(graph["criticalPath"] as? [String] == ["config", "home"])
        let tree = try await Tool.run("graph", "-", input: text).output.split(separator: "\n").map(String.init)
        #expect(
            tree.contains { $0.contains("config") && $0.contains("*") } && !tree.contains { $0.contains("consent") && $0.contains("*") }
        )
        let verified = try await Tool.run("verify", "-", input: text).output
        #expect(
            verified.contains(
                "1 warning\nbudget 60 ms, deadline 30 s\nwarning: the longest path alone takes 70 ms of 60 ms: config → home\n"
            )
        )
    }

    @Test("What an operation took in launches with other facts is not expected of one that leaves it out")
    func history() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(Self.facts)
        let history = ["--history", folder.file("history.json").path]
        #expect(try await Tool.run(["run", path, "--clock", "virtual", "--fact", "account=unknown"] + history).code == 0)
        for (fact, makespan) in [("account=known", 110.0), ("account=unknown", 1100)] {
            let plan = try await Tool.run(["plan", path, "--lanes", "2", "--json", "--fact", fact] + history).json()
            #expect((plan["plans"] as? [[String: Any]])?.first?["makespanMs"] as? Double == makespan, "\(fact)")
        }
    }

    @Test("verify warns of an optional dependency that is absent where an operation has a similar name")
    func misspelled() async throws {
        let home = #"{ "id": "home", "after": [{ "id": "consnet", "optional": true }, { "id": "absent", "optional": true }] }"#
        let result = try await Tool.run("verify", "-", "--json", input: scenarioText(#"{ "id": "consent" }"#, home))
        let warnings = try #require(try result.json()["warnings"] as? [[String: String]])
        let message = "home does not wait for consnet, which the file lacks; did you mean 'consent'?"
        #expect(result.code == 0 && warnings == [["code": "absentDependency", "message": message]])
    }

    @Test(
        "A fact that there is not, and a value that it cannot have, are wrong usage",
        arguments: [
            (["--fact", "acount=known"], "unknown fact 'acount'; expected 'account' or 'network'; did you mean 'account'?"),
            (["--fact", "network=dwon"], "unknown value of 'network' 'dwon'; expected 'up' or 'down'; did you mean 'down'?"),
            (["--fact", "account"], "'account' is not of the form NAME=VALUE, such as account=known"),
            (["--fact", "=known"], "'=known' is not of the form NAME=VALUE, such as account=known"),
            (["--fact", "network=up", "--fact", "network=down"], "the fact 'network' is given twice"),
        ]
    )
    func mistakes(words: [String], message: String) async throws {
        for command in ["run", "plan", "graph", "verify", "bench"] {
            let result = try await Tool.run([command, "-"] + words, input: Data(Self.facts.utf8))
            #expect(result.code == 64 && result.output.isEmpty)
            #expect(result.messages.hasPrefix("sequencer-cli: option '--fact': \(message)\n"), "\(result.messages)")
        }
    }

    @Test("Only scenario files that have facts can be given some")
    func noFacts() async throws {
        for command in ["run", "plan", "graph", "verify", "bench"] {
            let words = ["--fact", "account=known"] + (["run", "bench"].contains(command) ? ["--clock", "virtual"] : [])
            let builtIn = try await Tool.run([command, "regular"] + words)
            #expect(builtIn.code == 64)
            #expect(builtIn.messages == "sequencer-cli: option '--fact' is for scenario files; a built-in scenario has no facts\n")
            let file = try await Tool.run([command, "-"] + words, input: Data(scenarioText(#"{ "id": "a" }"#).utf8))
            #expect(file.code == 64 && file.messages == "sequencer-cli: option '--fact': <stdin> has no facts\n", "\(file.messages)")
        }
    }
}
