import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// `plan`, `blame`, `critical-chain`, `report` and `completions`, as a person sees them.
@Suite("Looking into launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AnalysisCommandTests {
    // MARK: plan

    @Test("plan: an unknown operation is named with the nearest one; lanes are whole numbers")
    func planGate() async throws {
        let unknown = try await Tool.call("plan", "regular", "--what-if", "lgoin=3s")
        #expect(unknown.code == 65 && unknown.messages.contains("did you mean 'login'?"), "\(unknown.messages)")
        for lanes in ["0", "1,,2", "x", "1,2000"] {
            let result = try await Tool.call("plan", "regular", "--lanes", lanes)
            #expect(result.code == 64 && result.messages.hasPrefix("sequencer-cli: option '--lanes'"), "\(lanes)")
        }
    }

    @Test("--history: what launches took is expected of the next ones, and shown beside it; launches with a fault are not kept")
    func history() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let history = folder.file("history.json").path
        let path = try folder.write(
            scenarioText(#"{ "id": "load", "expected": "1s", "work": { "simulate": "250ms" } }"#)
        )
        #expect(try await Tool.run("plan", path, "--lanes", "1").output.contains("test: expected to take 1 s"))
        #expect(try await Tool.run("run", path, "--clock", "virtual", "--history", history).code == 0)
        #expect(try await Tool.run("run", path, "--clock", "virtual", "--history", history, "--inject", "load=delay:9s").code == 3)
        let plan = try await Tool.run("plan", path, "--lanes", "1", "--history", history)
        #expect(plan.output.contains("test: expected to take 250 ms"), "\(plan.output)")
        #expect(plan.output.contains("load         250 ms     250 ms        0 ms         1"), "\(plan.output)")
    }

    @Test("What an operation took in launches with other facts is not expected of one that leaves it out")
    func historyOfFacts() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(
            scenarioText(
                #"{ "id": "login", "when": { "account": "unknown" }, "work": { "simulate": "1s" } }"#,
                #"{ "id": "home", "after": ["login"], "work": { "simulate": "100ms" } }"#,
                head: #""milestone": "home", "facts": { "account": ["known", "unknown"] },"#
            )
        )
        let history = ["--history", folder.file("history.json").path]
        #expect(try await Tool.call(["run", path, "--clock", "virtual", "--fact", "account=unknown"] + history).code == 0)
        for (fact, makespan) in [("account=known", 100.0), ("account=unknown", 1100)] {
            let plan = try await Tool.call(["plan", path, "--lanes", "2", "--json", "--fact", fact] + history).json()
            #expect((plan["plans"] as? [[String: Any]])?.first?["makespanMs"] as? Double == makespan, "\(fact)")
        }
    }

    @Test("fault J50: --history in a folder that is missing is said before the launch, with a code of its own", .timeLimit(.minutes(30)))
    func historyWithoutFolder() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let missing = folder.url.appendingPathComponent("missing").path
        let path = try folder.write(scenarioText(#"{ "id": "load", "work": { "simulate": "250ms" } }"#))
        for command in [["run", path, "--clock", "virtual"], ["plan", path]] {
            let result = try await Tool.run(command + ["--history", missing + "/history.json"])
            #expect(result.code == 66 && result.output.isEmpty, "\(result.code) \(result.output)")
            let expected = "the history in \(missing)/history.json: there is no folder \(missing); make it, or choose another path"
            #expect(result.messages.contains(expected), "\(result.messages)")
        }
    }

    // MARK: blame and critical-chain

    // MARK: report

    @Test("report: a saved report reads back as what it was", arguments: ["first-launch", "push"])
    func report(scenario: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("report.json").path
        #expect(try await Tool.run("run", scenario, "--clock", "virtual", "--json", "-o", path).code == 0)
        #expect(try await Tool.run("report", path).output == Tool.run("run", scenario, "--clock", "virtual").output)
        #expect(try await Tool.run("report", path, "--json").output == String(contentsOfFile: path, encoding: .utf8))
    }

    @Test("graph draws from left to right, or down; the other formats have no direction")
    func direction() async throws {
        for (format, line) in [("dot", "rankdir=TB"), ("mermaid", "flowchart TB")] {
            let result = try await Tool.call("graph", "first-launch", "--format", format, "--direction", "TB")
            #expect(result.code == 0 && result.output.contains(line), "\(result.messages)")
        }
        for format in [[], ["--format", "gantt"], ["--json"]] {
            let result = try await Tool.call(["graph", "first-launch", "--direction", "TB"] + format)
            #expect(result.code == 64 && result.messages.contains("'--direction' is for"), "\(result.messages)")
        }
    }

    @Test("report --format html has the gain of each step")
    func gains() async throws {
        let result = try await Tool.call("report", "first-launch", "--format", "html")
        #expect(result.code == 0 && result.output.contains(">Gain</th>"))
        #expect(result.output.contains("<td class=\"n\">450 ms</td><td>lane 1</td>"), "what fetch-config takes, all would gain")
    }

    // MARK: completions

    @Test("every command and every option is completed, with what it is for")
    func candidates() async throws {
        let commands = try await Tool.run("--complete", "").output
        for command in Commands.all { #expect(commands.contains("\(command.name)\t\(command.summary)\n")) }
        let options = try await Tool.run("--complete", "bench", "-").output
        for option in BenchCommand.declaredOptions { #expect(options.contains("--\(option.name)\t\(option.help)\n")) }
        #expect(try await Tool.run("--complete", "bench", "--save", "").output == ":files\n")
        #expect(try await Tool.run("--complete", "nobody", "").output.isEmpty)
    }

    @Test("bash completes commands, scenarios, options and their words")
    func bash() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("completions").path
        #expect(try await Tool.run("completions", "bash", "-o", path).code == 0)
        func complete(_ words: String...) async throws -> [String] {
            let list = words.map { "\"\($0)\"" }.joined(separator: " ")
            let line = """
                cd \(folder.url.path) && bash -c 'source "\(path)"; COMP_WORDS=("$TOOL" \(list)); \
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sequencer_cli; printf "%s\\n" "${COMPREPLY[@]}"'
                """
            return try await Tool.shell(line).output.split(separator: "\n").map(String.init)
        }
        #expect(try await complete("be") == ["bench"])
        #expect(try await complete("run", "reg") == ["regular"])
        #expect(try await complete("run", "--cl") == ["--clock"])
        #expect(try await complete("run", "--clock", "v") == ["virtual"])
        #expect(try await complete("run", "--clock", "=", "v") == ["virtual"])
        #expect(try await complete("verify", "comp") == ["completions"])
        #expect(try await complete("bench", "--inject", "login") == [])
    }
}
