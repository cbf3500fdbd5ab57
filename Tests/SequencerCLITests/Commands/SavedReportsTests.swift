import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// What `run --json` writes, one report or three, each in many lines or in one, is read by every command that reads reports.
@Suite("Saved reports, in every layout", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SavedReportsTests {
    /// A file of so many reports, each in many lines.
    private func write(_ count: Int, in folder: TemporaryFolder) async throws -> String {
        let report = try await Tool.call("run", "regular", "--clock", "virtual", "--json")
        return try folder.write(String(repeating: report.output, count: count), to: "reports.json")
    }

    @Test("compare", arguments: [1, 3])
    func compare(count: Int) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try await write(count, in: folder)
        let slow = folder.file("slow.json").path
        let inject = ["--inject", "connect-speaker=delay:500ms"]
        let slower = try await Tool.call(["run", "regular", "--clock", "virtual", "--json"] + inject)
        _ = try folder.write(slower.output + slower.output, to: "slow.json")
        let same = try await Tool.run("compare", path, path)
        #expect(
            same.code == 0 && same.output.hasPrefix("regular  \(count) against \(count) completed runs\n"),
            "\(same.messages)"
        )
        // One launch is too little for any verdict.
        let isEnough = count > 1
        let worse = try await Tool.run("compare", path, slow)
        #expect(worse.code == (isEnough ? 4 : 0) && worse.output.contains("connect-speaker *  +500 ms"), "\(worse.output)\(worse.messages)")
        let bench = folder.file("bench.json").path
        #expect(try await Tool.call("bench", "regular", "--clock", "virtual", "--runs", "2", "--save", bench).code == 0)
        // In virtual time machines do not matter.
        let few = "INCONCLUSIVE  too few runs: 2 against 1; measure at least 2 after"
        let verdict = isEnough ? "SAME  neither faster nor slower by more than 5%" : few
        #expect(try await Tool.run("compare", bench, path).output.hasSuffix(verdict + "\n"))
    }

    @Test("report --format otlp --service names the app")
    func service() async throws {
        let path = SnapshotTests.folder.appendingPathComponent("launch.report.json").path
        let result = try await Tool.call("report", path, "--format", "otlp", "--service", "shop")
        #expect(result.code == 0 && result.output.contains(#"{"key":"service.name","value":{"stringValue":"shop"}}"#), "\(result.messages)")
    }

    @Test("report --format svg --width draws a picture of that width")
    func width() async throws {
        let path = SnapshotTests.folder.appendingPathComponent("launch.report.json").path
        let result = try await Tool.call("report", path, "--format", "svg", "--width", "400")
        #expect(result.code == 0 && result.output.contains(#"viewBox="0 0 400 "#), "\(result.messages)")
    }

    @Test("report: one after the other where the form allows that", arguments: [1, 3])
    func report(count: Int) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try await write(count, in: folder)
        for (format, mark) in [("text", "PASS  800 ms of 3 s"), ("markdown", "### regular: pass"), ("json", "\"schema\": ")] {
            let result = try await Tool.run("report", path, "--format", format)
            #expect(
                result.code == 0 && result.output.components(separatedBy: mark).count == count + 1,
                "\(format): \(result.messages)"
            )
        }
        for format in ["html", "svg", "chrome", "otlp"] {
            let result = try await Tool.call("report", path, "--format", format)
            #expect(result.code == (count == 1 ? 0 : 65), "\(format): \(result.messages)")
            if count > 1 { #expect(result.messages.contains("holds 3 reports, and \(format) shows one"), "\(result.messages)") }
        }
        let blame = try await Tool.call("blame", path)
        #expect(blame.code == (count == 1 ? 0 : 65), "\(blame.messages)")
    }

    @Test("Arrays, several reports in a line, other line ends and other indentations are layouts, too")
    func anyLayout() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let report = try await Tool.call("run", "regular", "--clock", "virtual", "--json").output
        let line = try await Tool.call("run", "regular", "--clock", "virtual", "--json-lines").output
        let words = report.split(separator: "\n").map { $0.drop { $0 == " " } }
        let (joined, flat) = (words.joined(separator: ""), words.joined(separator: "\n"))
        let layouts: [String] = [
            "[\(report),\(report)]", "[\n\(joined),\n\(line)]\n", joined + joined, "\(joined)\n\(report)", "\(flat)\n\(flat)\n",
            String(repeating: words.joined(separator: "\r\n\t"), count: 2),
        ]
        for text in layouts {
            let path = try folder.write(text, to: "reports.json")
            let stats = try await Tool.run("stats", path, "--json")
            let total = try stats.json()["total"] as? [String: Any]
            #expect(total?["launches"] as? Int == 2 && stats.messages.isEmpty, "\(stats.messages)\(text.prefix(100))")
            let compared = try await Tool.run("compare", path, path)
            #expect(compared.output.hasPrefix("regular  2 against 2 completed runs\n"), "\(compared.messages)\(text.prefix(100))")
            let lines = try await Tool.run("report", path, "--json-lines")
            #expect(lines.code == 0 && lines.output == line + line, "\(lines.messages)")
        }
    }

    @Test("A mistake in one of many is told with its place in the file")
    func mistake() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try await write(3, in: folder)
        var lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        let second = try #require(lines.indices.filter { lines[$0] == "{" }.dropFirst().first)
        lines[second + 2] = #"  "scenario": 7,"#
        let broken = try folder.write(lines.joined(separator: "\n"), to: "broken.json")
        for command in ["report", "blame"] {
            let result = try await Tool.call(command, broken)
            #expect(result.code == 65)
            #expect(
                result.messages.hasPrefix("sequencer-cli: \(broken):\(second + 3):15: scenario: expected a string"),
                "\(result.messages)"
            )
        }
    }

    @Test("Brackets and quotes in texts end no report; a file that is cut is refused with the place")
    func texts() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let regular = try String(contentsOfFile: try await write(3, in: folder), encoding: .utf8)
        let text = regular.replacingOccurrences(of: #""scenario": "regular""#, with: #""scenario": "}{ ][ \"} \\""#)
        #expect(text != regular)
        let whole = try folder.write(text, to: "texts.json")
        let result = try await Tool.run("report", whole, "--format", "json")
        #expect(result.code == 0 && result.output.components(separatedBy: "\"schema\": ").count == 4, "\(result.messages)")
        let cut = try folder.write(String(text.dropLast(3)), to: "cut.json")
        let refused = try await Tool.run("report", cut, "--format", "json")
        #expect(refused.code == 65 && refused.messages.hasPrefix("sequencer-cli: \(cut):"), "\(refused.messages)")
    }

    @Test("Reports say when they ran: those in turns are compared as such, and those one after the other as taken apart")
    func spans() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let report = try await Tool.run("run", "regular", "--clock", "virtual", "--json").json()
        func write(_ seconds: [Int], to name: String) throws -> String {
            let lines = try seconds.map { second in
                let fields = report.merging(["startedAt": "2026-11-21T10:00:\(second).000Z"]) { $1 }
                return String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
            }
            return try folder.write(lines.joined(separator: "\n"), to: name)
        }
        let first = try write([10, 20, 30, 40, 50], to: "first.jsonl")
        let turns = try await Tool.run("compare", first, write([15, 25, 35, 45, 55], to: "turns.jsonl"))
        #expect(turns.code == 0 && !turns.output.contains("apart"), "\(turns.output)\(turns.messages)")
        let later = try await Tool.run("compare", first, write([54, 55, 56, 57, 58], to: "later.jsonl"))
        #expect(
            later.code == 0 && later.output.contains("\n  apart   taken 3.2 s apart, not in turns: "),
            "\(later.output)\(later.messages)"
        )
    }

    @Test("The verdict of a report is computed from its time, its budget and how its milestone and its display ended, not believed")
    func contradictions() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = scenarioText(
            #"{ "id": "splash", "work": { "simulate": "100ms" } }"#,
            #"{ "id": "home", "after": ["splash"], "onFailure": "continue", "work": { "simulate": "200ms" } }"#,
            head: #""milestone": "home", "initialDisplay": "splash", "initialDisplayBudget": "150ms", "budget": "1s", "#
        )
        let line = try await Tool.call("run", "-", "--clock", "virtual", "--json-lines", input: text).output
        let home = #""id":"home","outcome":"#
        let edits = [
            (#""measuredMs":300"#, #""measuredMs":2000"#, "FAIL  2 s of 1 s"),
            (home + #""succeeded""#, home + #""failed""#, "; milestone failed"),
            (
                #""initialDisplayBudget":{"limitMs":150"#, #""initialDisplayBudget":{"limitMs":50"#,
                "initial display after 100 ms of 50 ms, fail"
            ),
        ]
        for (old, new, words) in edits {
            let edited = line.replacing(old, with: new)
            #expect(line.contains(#""verdict":"pass""#) && edited != line && !edited.contains(#""verdict":"fail""#))
            let path = try folder.write(edited, to: "edited.jsonl")
            let report = try await Tool.run("report", path).output
            #expect(report.contains("\nFAIL  ") && report.contains(words), "\(report)")
            let total = try #require(try await Tool.call("stats", path, "--json").json()["total"] as? [String: Any])
            #expect(total["budgetMisses"] as? Int == 1, "\(total)")
        }
        for (old, new, words) in [
            (#""id":"home""#, #""id":"main""#, "milestone: there is no operation"),
            (#""criticalPath":["#, #""path":["#, "missing key 'criticalPath'"),
        ] {
            let path = try folder.write(line.replacing(old, with: new), to: "broken.jsonl")
            let result = try await Tool.run("compare", path, path)
            #expect(result.code == 65 && result.messages.contains(words), "\(result)")
        }
    }

    @Test("Launches in virtual time and others are not compared as one")
    func clocks() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var report = try await Tool.run("run", "regular", "--clock", "virtual", "--json").json()
        let virtual = String(decoding: try JSONSerialization.data(withJSONObject: report), as: UTF8.self)
        report["startedAt"] = "2026-11-21T10:00:00.000Z"
        let wall = String(decoding: try JSONSerialization.data(withJSONObject: report), as: UTF8.self)
        let mixed = try folder.write(virtual + "\n" + wall + "\n", to: "mixed.jsonl")
        let result = try await Tool.run("compare", mixed, mixed)
        #expect(result.code == 65 && result.messages.contains("some of these launches ran in virtual time"), "\(result.messages)")
    }
}
