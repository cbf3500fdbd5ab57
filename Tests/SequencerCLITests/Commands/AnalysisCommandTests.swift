import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// `plan`, `blame`, `critical-chain`, `report` and `completions`, as a person sees them.
@Suite("Looking into launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AnalysisCommandTests {
    /// A diamond with a slow side, and something on the side.
    private static let diamond = scenarioText(
        #"{ "id": "config", "work": { "simulate": "200ms" } }"#,
        #"{ "id": "login", "after": ["config"], "work": { "simulate": "600ms" } }"#,
        #"{ "id": "images", "after": ["config"], "work": { "simulate": "450ms" } }"#,
        #"{ "id": "main", "after": ["login", "images"], "on": "main", "work": { "simulate": "100ms" } }"#,
        #"{ "id": "statistics", "work": { "simulate": "300ms" } }"#
    )

    // MARK: plan

    @Test(
        "plan and a launch in virtual time agree on what fits: work that computes keeps the main thread, other work leaves it",
        arguments: ["compute", "simulate"]
    )
    func planOfTheMainThread(work: String) async throws {
        let steps = ["a", "b"].map { "{ \"id\": \"\($0)\", \"on\": \"main\", \"work\": { \"\(work)\": \"500ms\" } }" }
        let text = scenarioText(steps[0], steps[1])
        let makespan = work == "compute" ? 1_000.0 : 500
        let plan = try await Tool.call("plan", "-", "--lanes", "2", "--budget", "800ms", "--json", input: text)
        let plans = try #require(plan.json()["plans"] as? [[String: Any]])
        #expect(plans[0]["makespanMs"] as? Double == makespan)
        let run = try await Tool.call("run", "-", "--clock", "virtual", "--budget", "800ms", "--json", input: text)
        #expect(try run.json()["makespanMs"] as? Double == makespan)
        #expect(plan.code == (work == "compute" ? 3 : 0) && run.code == plan.code)
    }

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

    @Test("blame and critical-chain: of a scenario and of a saved report the same")
    func blame() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(Self.diamond)
        let report = folder.file("report.json").path
        #expect(try await Tool.call("run", path, "--clock", "virtual", "--json", "-o", report).code == 0)
        for source in [path, report] {
            let rows = try #require(try await Tool.call("blame", source, "--json").json()["operations"] as? [[String: Any]])
            #expect(rows.map { $0["gainMs"] as? Double } == [150, 0, 0, 200, 100], "\(rows)")
            let chain = try #require(try await Tool.call("critical-chain", source, "--json").json()["chain"] as? [[String: Any]])
            #expect(chain.map { $0["id"] as? String } == ["config", "login", "main"])
        }
    }

    @Test("fault O46: a scenario whose milestone may be put off until after itself is refused, with its place", .timeLimit(.minutes(30)))
    func deferrableMilestone() async throws {
        let text = scenarioText(#"{ "id": "main", "deferrable": true }"#, head: #""milestone": "main","#)
        let message =
            "operations[0].deferrable: a milestone cannot be deferrable: put off until the milestone has ended, it would wait for itself"
        for command in ["run", "plan", "graph"] {
            let result = try await Tool.call(command, "-", input: text)
            #expect(result.code == 65 && result.messages.contains(message), "\(command): \(result.messages)")
        }
    }

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

    @Test(
        "report in the formats of others: each operation is there, of a saved report and of a scenario alike",
        arguments: ["html", "svg", "markdown", "chrome", "otlp"]
    )
    func formats(format: String) async throws {
        let saved = SnapshotTests.folder.appendingPathComponent("launch.report.json").path
        for (source, ids) in [(saved, ["splash"]), ("first-launch", ["splash", "force-update", "tutorial", "main-app"])] {
            let result = try await Tool.call("report", source, "--format", format)
            #expect(result.code == 0 && ids.allSatisfy { result.output.contains($0) }, "\(format): \(result.messages)")
            if ["chrome", "otlp"].contains(format) { _ = try result.json() }
        }
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

    @Test(
        "what is wrong with a saved report is named with its place",
        arguments: [
            (#"{ "schema": "sequencer.report/1" }"#, "missing key 'operations'"),
            (#"{ "schema": "sequencer.report/2" }"#, "sequencer.report/2"),
            (#"{ "schema": "sequencer.report/1", "operations": [ { "id": 1 } ] }"#, "operations[0].id: expected a string, found a number"),
            ("", "the text is empty"),
        ]
    )
    func brokenReport(text: String, said: String) async throws {
        for command in ["report", "blame", "critical-chain"] {
            let result = try await Tool.call(command, "-", input: text)
            let isPlaced = result.messages.hasPrefix("sequencer-cli: <stdin>:")
            #expect(result.code == 65 && isPlaced && result.messages.contains(said), "\(result.messages)")
        }
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

    @Test("the shells that are here can read their scripts", arguments: Shell.allCases)
    func completions(shell: Shell) async throws {
        let result = try await Tool.run("completions", shell.rawValue)
        #expect(result.code == 0)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(result.output, to: "completions")
        let check = try await Tool.shell("if command -v \(shell.rawValue) > /dev/null; then \(shell.rawValue) -n \(path); fi")
        #expect(check.code == 0 && check.messages.isEmpty, "\(check.messages)")
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
