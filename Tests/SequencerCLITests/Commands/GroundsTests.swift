import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// What each result says of the operations that did not do their work, and of what it rests on.
@Suite("What results say of their grounds", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GroundsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Config falls back, tips may fail, and news fall back after the milestone; no work at all is done by what is switched off.
    private func scenario() throws -> String {
        try folder.write(
            scenarioText(
                #"{ "id": "config", "fallback": "bundled", "work": { "simulate": "30ms" } }"#,
                #"{ "id": "tips", "onFailure": "continue", "work": { "simulate": "20ms" } }"#,
                #"{ "id": "badge", "when": false, "work": { "simulate": "20ms" } }"#,
                #"{ "id": "home", "after": ["config", "tips"], "onFailure": "continue", "work": { "simulate": "50ms" } }"#,
                #"{ "id": "news", "after": ["home"], "fallback": "none", "work": { "simulate": "20ms" } }"#,
                head: #""milestone": "home", "budget": "1s", "#
            ),
            to: "launch.json"
        )
    }

    /// A saved report of it.
    private func report(_ faults: String...) async throws -> String {
        let path = folder.file("report.json").path
        let words = ["run", try scenario(), "--clock", "virtual", "--json", "-o", path]
        _ = try await Tool.run(words + faults.flatMap { ["--inject", $0 + "=fail"] })
        return path
    }

    @Test("every form of a report says beside its verdict what failed or fell back, and what did so after the milestone")
    func trouble() async throws {
        defer { folder.remove() }
        let report = try await report("config", "tips", "news")
        for format in ["markdown", "html", "svg", "chrome"] {
            let text = try await Tool.run("report", report, "--format", format).output.replacing("`", with: "")
            let words = "pass: 50 ms of 1 s; fell back: config; failed: tips; after the milestone fell back: news"
            #expect(text.contains(words), "\(format): \(text)")
        }
        let text = try await Tool.run("report", report).output
        #expect(text.contains("\n1 operation ran on after the milestone, to 50 ms; fell back: news\n"), "\(text)")
        #expect(text.hasSuffix("\nPASS  50 ms of 1 s; fell back: config; failed: tips\n"), "\(text)")
        let bench = ["bench", try scenario(), "--clock", "virtual", "--runs", "2", "--inject", "tips=fail"]
        let action = try await Tool.run(bench + ["--format", "github-action-benchmark"]).output
        #expect(action.contains("budget of 1 s; tips: 2 failed, badge: 2 skipped; controlled: time; not: "), "\(action)")
    }

    @Test("all JSON of launches in virtual time says what was controlled and what was not, as do the exports")
    func controlled() async throws {
        defer { folder.remove() }
        let (scenario, report) = (try scenario(), try await report())
        let bench = folder.file("bench.json").path
        let virtual = ["--clock", "virtual"]
        let commands = [
            ["run", scenario] + virtual, ["bench", scenario, "--runs", "2", "--save", bench] + virtual, ["blame", report],
            ["critical-chain", report], ["compare", bench, bench], ["stats", report], ["report", report], ["plan", scenario],
        ]
        for words in commands {
            let json = try await Tool.run(words + ["--json"]).json()
            #expect((json["controlled"] as? [String])?.isEmpty == false, "\(words)")
            #expect((json["notControlled"] as? [String])?.isEmpty == false, "\(words)")
        }
        for format in ["text", "markdown", "html", "svg", "chrome"] {
            let text = try await Tool.run("report", report, "--format", format).output
            #expect(text.contains("controlled: time; not: real work, threads, processors"), "\(format)")
        }
        #expect(try await Tool.run("report", report, "--format", "otlp").output.contains(#""sequencer.not_controlled""#))
        #expect(try await Tool.run("stats", report).output.contains("\n  1 in virtual time, controlled: time; "))
        // In real time nothing is.
        let real = try await Tool.run("run", "-", "--json", input: scenarioText(#"{ "id": "a" }"#)).json()
        #expect(real["controlled"] == nil && real["clock"] == nil)
    }

    @Test("blame and critical-chain say that the milestone failed, in words and in JSON")
    func failedMilestone() async throws {
        defer { folder.remove() }
        let report = try await report("home")
        for command in ["blame", "critical-chain"] {
            let result = try await Tool.run(command, report)
            #expect(result.output.contains("\nFAIL  ") && result.output.contains("; milestone failed"), "\(result.output)")
        }
        #expect(try await Tool.run("blame", report).output.contains(" (failed) "))
        let rows = try #require(try await Tool.run("blame", report, "--json").json()["operations"] as? [[String: Any]])
        #expect(rows.first { $0["id"] as? String == "home" }?["outcome"] as? String == "failed")
        let chain = try #require(try await Tool.run("critical-chain", report, "--json").json()["chain"] as? [[String: Any]])
        #expect(chain.contains { $0["outcome"] as? String == "failed" })
    }

    @Test("only what the milestone waits for makes its time known; what nobody knows is named beside PASS, too, and in every form")
    func unknownTimes() async throws {
        defer { folder.remove() }
        func scenario(_ time: String) -> String {
            scenarioText(
                #"{ "id": "tips", "onFailure": "continue", "work": { "simulate": "1ms" } }"#,
                #"{ "id": "fetch", "work": { "command": ["fetch"] } }"#,
                #"{ "id": "home", "after": ["fetch"], "work": \#(time) }"#,
                head: #""milestone": "home", "budget": "1s", "#
            )
        }
        let cases = [
            (#"{ "command": ["home"] }"#, "unknown", "0 ms of 1 s; nobody knows how long fetch, home take"),
            (#"{ "simulate": "9ms" }"#, "pass", "9 ms of 1 s; nobody knows how long fetch takes"),
        ]
        for (work, word, words) in cases {
            let launch = try folder.write(scenario(work), to: "launch.json"), report = folder.file("report.json").path
            let run = try await Tool.run("run", launch, "--clock", "virtual", "--strict")
            #expect(run.output.hasSuffix("\n\(word.uppercased())  \(words)\n") && run.code == (word == "pass" ? 0 : 5), "\(run)")
            let plan = try await Tool.run("plan", launch).output
            #expect(plan.contains("\n\(word.uppercased())  \(words)\n"), "\(plan)")
            _ = try await Tool.run("run", launch, "--clock", "virtual", "--json", "-o", report)
            for format in ["markdown", "html", "svg", "chrome"] {
                let text = try await Tool.run("report", report, "--format", format).output.replacing("`", with: "")
                #expect(text.contains("\(word): \(words)"), "\(format): \(text)")
            }
            let total = try #require(try await Tool.run("stats", report, "--json").json()["total"] as? [String: Any])
            #expect(total["unknownTimes"] as? Int == (word == "pass" ? nil : 1))
            #expect((total["outcomes"] as? [Any])?.count == (word == "pass" ? 1 : 0))
            let bench = ["bench", launch, "--clock", "virtual", "--strict"]
            let (text, action) = (try await Tool.run(bench), try await Tool.run(bench + ["--format", "github-action-benchmark"]))
            let names = word == "pass" ? "fetch takes\n" : "fetch, home take: the times tell nothing\n"
            #expect(text.output.contains("\n  unknown   nobody knows how long \(names)"), "\(text)")
            #expect(text.code == run.code && text.output.contains("\n  budget") == (word == "pass"), "\(text)")
            #expect(action.output.contains((word == "pass" ? "" : "unknown: ") + "nobody knows how long fetch"), "\(action)")
            let otlp = try await Tool.run("report", report, "--format", "otlp").output
            #expect(otlp.contains(#""sequencer.unknown""#) && otlp.contains(#""stringValue":"\#(word)""#), "\(otlp)")
            for command in ["blame", "critical-chain"] {
                #expect(try await Tool.run(command, report).output.contains("\n\(word.uppercased())  \(words)\n"))
            }
        }
    }

    @Test("two reports as JSON are one document, an array; one alone is no array, and lines stay lines")
    func oneDocument() async throws {
        defer { folder.remove() }
        let report = try String(contentsOfFile: try await report(), encoding: .utf8)
        let two = try folder.write(report + report, to: "two.json")
        let text = try await Tool.run("report", two, "--json").output
        let documents = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(documents.count == 2 && documents.allSatisfy { $0["schema"] as? String == "sequencer.report/1" })
        // The tool reads what it writes.
        let lines = try await Tool.run(["report", "-", "--json-lines"], input: Data(text.utf8)).output
        #expect(lines.split(separator: "\n").count == 2)
    }

    @Test("no outlier is named of fewer runs than can have one", arguments: [1, 3, 5, 6])
    func leastForOutliers(runs: Int) async throws {
        defer { folder.remove() }
        var lines = ""
        for run in 1...runs {
            let time = run == runs ? 900 : 99 + run
            let text = scenarioText(#"{ "id": "home", "work": { "simulate": "\#(time)ms" } }"#)
            lines += try await Tool.run("run", "-", "--clock", "virtual", "--json-lines", input: text).output
        }
        let document = try parseBench(Array(lines.utf8), file: "launches.jsonl")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(document.json().utf8)) as? [String: Any])
        let summary = try #require((json["scenarios"] as? [[String: Any]])?.first?["summary"] as? [String: Any])
        #expect(summary["outlierRuns"] as? [Int] == (runs == 6 ? [6] : nil))
        #expect(summary["outlierRuns"] is NSNull == (runs < 6))
        let text = BenchText(document: document, style: TextStyle(isColored: false, isUnicode: true), requested: runs).text
        #expect(text.contains("\n  outliers") == (runs == 6), "\(text)")
    }

    @Test("stats says where virtual and real time stand in one table; a report says in JSON that only its initial display was late")
    func mixedClocksAndDisplay() async throws {
        defer { folder.remove() }
        let operations = [
            #"{ "id": "splash", "work": { "simulate": "80ms" } }"#,
            #"{ "id": "home", "after": ["splash"], "work": { "simulate": "20ms" } }"#,
        ]
        let head = #""milestone": "home", "initialDisplay": "splash", "initialDisplayBudget": "50ms", "budget": "1s", "#
        let launch = try folder.write(scenarioText(operations[0], operations[1], head: head), to: "launch.json")
        let virtual = try await Tool.run("run", launch, "--clock", "virtual", "--json-lines")
        #expect(virtual.code == 3 && virtual.output.contains(#""verdict":"pass","initialDisplayVerdict":"fail""#), "\(virtual)")
        let real = virtual.output.replacing(#""clock":"virtual","#, with: "")
        let stats = try await Tool.run("stats", try folder.write(virtual.output + real, to: "both.jsonl"), environment: ["COLUMNS": "400"])
            .output
        #expect(stats.contains("\n  1 in real time beside those in virtual time: their times say nothing about each other\n"), "\(stats)")
        #expect(try await Tool.run(["stats", "-"], input: Data(virtual.output.utf8)).output.contains("beside") == false)
    }

    @Test("graph --json names what is switched off, and reads that again")
    func switchedOff() async throws {
        defer { folder.remove() }
        let graph = try await Tool.run("graph", try scenario(), "--json")
        let operations = try #require(try graph.json()["operations"] as? [[String: Any]])
        #expect(operations.filter { $0["switchedOff"] as? Bool == true }.compactMap { $0["id"] as? String } == ["badge"])
        let plan = try await Tool.run(["plan", "-", "--json"], input: Data(graph.output.utf8)).json()
        #expect(plan["switchedOff"] as? [String] == ["badge"])
    }
}
