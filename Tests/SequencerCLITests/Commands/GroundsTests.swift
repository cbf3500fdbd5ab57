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
        let doubt = "1 of 2 ran in real time beside those in virtual time: their times say nothing about each other"
        #expect(stats.contains("\n  \(doubt)\n"), "\(stats)")
        #expect(try await Tool.run(["stats", "-"], input: Data(virtual.output.utf8)).output.contains("beside") == false)
    }
}
