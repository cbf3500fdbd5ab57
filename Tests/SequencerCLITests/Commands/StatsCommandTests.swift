import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("stats", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StatsCommandTests {
    private static let launches = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Examples/Reports/launches.jsonl").standardized

    @Test("What it prints; broken lines are named, counted, and passed over")
    func text() async throws {
        let result = try await Tool.run(["stats", "-"], input: try Data(contentsOf: Self.launches), environment: ["COLUMNS": "400"])
        #expect(result.code == 0)
        #expect(
            result.messages == """
                sequencer-cli: <stdin>:5:89: unexpected end of the text; expected ',' or '}'
                sequencer-cli: <stdin>:11:1: expected an object

                """
        )
        #expect(
            result.output == """
                <stdin>  8 launches, 3 of them crashed; 2 of 11 lines could not be read

                  scenario  version  outcome    launches      p50      p75      p90      p95      p99     max
                  regular   1.0.0    completed         3   904 ms  too few  too few  too few  too few   3.2 s
                  regular   1.1.0    aborted           1  too few  too few  too few  too few  too few  300 ms
                  regular   1.1.0    failed            1  too few  too few  too few  too few  too few     2 s
                  all                completed         3   904 ms  too few  too few  too few  too few   3.2 s
                  all                aborted           1  too few  too few  too few  too few  too few  300 ms
                  all                failed            1  too few  too few  too few  too few  too few     2 s

                  scenario  version  over budget  at most  aborted  failed  cancelled  crashed
                  push      1.1.0                           0 of 1  0 of 1     0 of 1   1 of 1
                  regular   1.0.0         1 of 3    86.5%   0 of 3  0 of 3     0 of 3   0 of 3
                  regular   1.1.0         1 of 2    97.5%   1 of 4  1 of 4     0 of 4   2 of 4
                  all                     2 of 5    81.1%   1 of 8  1 of 8     0 of 8   3 of 8

                  scenario  version  crashed in       launches
                  push      1.1.0    connect-speaker         1
                  regular   1.1.0    login                   2
                  all                login                   2
                  all                connect-speaker         1

                  percentiles are within 0.55% of the exact ones; the true rate of misses is below 'at most' with 95% confidence

                """
        )
    }

    @Test("The times to the initial display, of the reports that say one")
    func initialDisplays() async throws {
        let lines = ["completed", "failed", "completed"].enumerated().map { number, outcome in
            #"{"schema":"sequencer.report/1","scenario":"a","outcome":"\#(outcome)","budget":{"measuredMs":600,"verdict":"pass"}"#
                + (number < 2 ? #","initialDisplayMs":200}"# : "}") + "\n"
        }
        let input = Data(lines.joined().utf8)
        let row = try await Tool.run(["stats", "-"], input: input, environment: ["COLUMNS": "400"]).output.split(separator: "\n").first {
            $0.contains("initial display")
        }
        let few = Array(repeating: ["too", "few"], count: 4).flatMap(\.self)
        #expect(row?.split(separator: " ").suffix(13).map(String.init) == ["2", "200", "ms"] + few + ["200", "ms"], "\(row ?? "")")
        let total = try await Tool.run(["stats", "-", "--json"], input: input).json()["total"] as? [String: Any]
        let displays = try #require(total?["initialDisplay"] as? [String: Any])
        #expect(displays["launches"] as? Int == 2 && displays["p50Ms"] as? Double == 200)
        #expect(displays["p90Ms"] is NSNull && displays["maxMs"] as? Double == 200)
    }

    @Test("No statistic of one launch, in no format: nothing but its time, and rates of twenty launches and more")
    func leastNumbers() async throws {
        let line =
            #"{"schema":"sequencer.report/1","scenario":"a","outcome":"completed","budget":{"measuredMs":600,"verdict":"fail"}}"# + "\n"
        func total(_ count: Int) async throws -> [String: Any] {
            let input = String(repeating: line, count: count)
            return try #require(try await Tool.run("stats", "-", "--json", input: input).json()["total"] as? [String: Any])
        }
        let one = try await total(1)
        let times = try #require((one["outcomes"] as? [[String: Any]])?.first)
        #expect(["p50Ms", "p75Ms", "p90Ms", "p95Ms", "p99Ms"].allSatisfy { times[$0] is NSNull } && times["maxMs"] as? Double == 600)
        #expect(["budgetMissRate", "abortRate", "failureRate", "cancelRate", "crashRate"].allSatisfy { one[$0] is NSNull })
        let many = try await total(20)
        #expect(many["budgetMissRate"] as? Double == 1 && many["crashRate"] as? Double == 0)
    }

    @Test("A launch that missed the budget of its initial display has missed a budget; those with a verdict on it are counted")
    func initialDisplayBudgets() async throws {
        let verdicts: [(String, String?)] = [("pass", "pass"), ("pass", "fail"), ("fail", "fail"), ("pass", nil), ("fail", nil)]
        let lines = verdicts.map { verdict, display in
            let displayBudget = display.map { #","initialDisplayBudget":{"limitMs":100,"verdict":"\#($0)"}"# } ?? ""
            return #"{"schema":"sequencer.report/1","scenario":"a","outcome":"completed","budget":{"measuredMs":600,"#
                + #""verdict":"\#(verdict)"}\#(displayBudget)}"# + "\n"
        }
        let input = Data(lines.joined().utf8)
        let rows = try await Tool.run(["stats", "-"], input: input, environment: ["COLUMNS": "400"]).output.split(separator: "\n")
        #expect(rows.contains { $0.contains("over budget  at most  initial display over its own  at most  aborted") }, "\(rows)")
        let row = rows.last { $0.contains("%") && !$0.contains("within") }?.split(separator: " ").joined(separator: " ") ?? ""
        #expect(row.hasPrefix("a 3 of 5 ") && row.contains("% 2 of 3 ") && row.hasSuffix("% 0 of 5 0 of 5 0 of 5 0 of 5"), "\(rows)")
        let total = try await Tool.run(["stats", "-", "--json"], input: input).json()["total"] as? [String: Any]
        #expect(total?["budgetMisses"] as? Int == 3 && total?["budgetMissRate"] is NSNull)
        let displays = try #require(total?["initialDisplayBudget"] as? [String: Any])
        #expect(displays["launches"] as? Int == 3 && displays["misses"] as? Int == 2 && displays["missRate"] is NSNull)
        #expect(displays["missRateUpperBound"] as? Double ?? 0 > 0.666667)
    }

    @Test("The same from a file, as JSON")
    func json() async throws {
        let stats = try await Tool.run("stats", Self.launches.path, "--json").json()
        #expect(stats["schema"] as? String == "sequencer.stats/1")
        #expect(stats["lines"] as? Int == 11 && stats["brokenLines"] as? Int == 2)
        let groups = try #require(stats["groups"] as? [[String: Any]])
        #expect(groups.compactMap { $0["version"] as? String } == ["1.1.0", "1.0.0", "1.1.0"])
        let regular = try #require(groups.last)
        #expect(regular["launches"] as? Int == 4 && regular["crashes"] as? Int == 2 && regular["crashRate"] is NSNull)
        #expect(regular["abortRate"] is NSNull && regular["failureRate"] is NSNull)
        #expect(regular["budgetMisses"] as? Int == 1)
    }

    @Test("The times of operations, by scenario and version, the longest median first")
    func operations() async throws {
        let lines = [100, 300, 200].map { duration in
            #"{"schema":"sequencer.report/1","scenario":"a","outcome":"completed","budget":{"measuredMs":600,"verdict":"pass"},"operations":["#
                + #"{"id":"load","startMs":0,"durationMs":\#(duration)},{"id":"login","startMs":0,"durationMs":500},{"id":"no","startMs":null}]}"#
        }
        let input = lines.joined(separator: "\n")
        let text = try await Tool.run("stats", "-", "--by", "operation", input: input, environment: ["COLUMNS": "400"]).output
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let heads = rows.filter { ["login", "load", "no"].contains($0.dropFirst().first ?? "") }.map { Array($0.prefix(4)) }
        #expect(heads == [["a", "login", "3", "500"], ["a", "load", "3", "201"]], "\(text)")
        let json = try await Tool.run("stats", "-", "--by", "operation", "--json", input: input).json()
        let total = try #require(json["total"] as? [String: Any])
        let operations = try #require(total["operations"] as? [[String: Any]])
        #expect(operations.map { $0["operation"] as? String } == ["login", "load"])
        #expect(operations.last?["maxMs"] as? Double == 300 && operations.last?["launches"] as? Int == 3)
        let plain = try await Tool.run("stats", "-", "--json", input: input).json()["total"] as? [String: Any]
        #expect(plain?["operations"] == nil && plain?["launches"] as? Int == 3)
    }

    @Test("How operations ended: counts of those that did not always succeed, also of those that never started")
    func operationOutcomes() async throws {
        let text = scenarioText(
            #"{ "id": "config", "onFailure": "skipDependents", "work": { "simulate": "10ms" } }"#,
            #"{ "id": "news", "after": ["config"], "work": { "simulate": "10ms" } }"#,
            #"{ "id": "main", "work": { "simulate": "10ms" } }"#
        )
        let run = try await Tool.run("run", "-", "--clock", "virtual", "--inject", "config=fail", "--json-lines", input: text)
        let input = String(repeating: run.output, count: 6)
        let output = try await Tool.run("stats", "-", "--by", "operation", input: input, environment: ["COLUMNS": "400"]).output
        let rows = output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(rows.contains("scenario version operation launches fell back failed timed out cancelled skipped"), "\(output)")
        #expect(rows.contains("test config 6 0 of 6 6 of 6 0 of 6 0 of 6 0 of 6"), "\(output)")
        #expect(rows.contains("test news 6 0 of 6 0 of 6 0 of 6 0 of 6 6 of 6"), "\(output)")
        let json = try await Tool.run("stats", "-", "--by", "operation", "--json", input: input).json()
        let outcomes = try #require((json["total"] as? [String: Any])?["operationOutcomes"] as? [[String: Any]])
        #expect(outcomes.map { $0["operation"] as? String } == ["config", "news", "main"])
        #expect(outcomes.map { $0["outcomes"] as? [String: Int] } == [["failed": 6], ["skipped": 6], ["succeeded": 6]])
        let plain = try await Tool.run("stats", "-", "--json", input: input).json()["total"] as? [String: Any]
        #expect(plain?["operationOutcomes"] == nil)
    }

    @Test("By an attribute of the reports, each of its values by itself; with operations, too")
    func attributes() async throws {
        let attribute = #","attributes":[{"name":"os.name","value":"iOS"},{"name":"os.version","value":"26.1"}]"#
        let lines = [attribute, "", attribute].map { attributes in
            #"{"schema":"sequencer.report/1","scenario":"a","outcome":"completed","budget":{"measuredMs":600,"verdict":"pass"}\#(attributes)"#
                + #","operations":[{"id":"load","startMs":0,"durationMs":100}]}"#
        }
        let input = lines.joined(separator: "\n")
        let text = try await Tool.run("stats", "-", "--by", "os.version", input: input, environment: ["COLUMNS": "400"]).output
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.contains { $0.prefix(5) == ["scenario", "version", "os.version", "outcome", "launches"] }, "\(text)")
        #expect(rows.contains { $0.prefix(5) == ["a", "26.1", "completed", "2", "600"] }, "\(text)")
        let json = try await Tool.run("stats", "-", "--by", "os.version", "--json", input: input).json()
        #expect(json["attribute"] as? String == "os.version")
        let groups = try #require(json["groups"] as? [[String: Any]])
        #expect(groups.map { $0["attributeValue"] as? String } == [nil, "26.1"])
        #expect(groups.map { $0["launches"] as? Int } == [1, 2] && groups.allSatisfy { $0["operations"] == nil })
        let both = try await Tool.run("stats", "-", "--by", "operation,os.version", "--json", input: input).json()
        let last = try #require((both["groups"] as? [[String: Any]])?.last)
        #expect((last["operations"] as? [[String: Any]])?.map { $0["launches"] as? Int } == [2])
        let slip = try await Tool.run("stats", "-", "--by", "os.versoin", input: input)
        #expect(slip.code == 0 && slip.messages == "sequencer-cli: no report has the attribute 'os.versoin'\n", "\(slip.messages)")
    }

    @Test("Several files are summed up as one; each has lines of its own")
    func files() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (first, second) = (try folder.write("x\n", to: "first.jsonl"), try folder.write("{\n", to: "second.jsonl"))
        let result = try await Tool.run(
            ["stats", first, Self.launches.path, "-", second],
            input: try Data(contentsOf: Self.launches)
        )
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("4 files  16 launches, 6 of them crashed; 6 of 24 lines could not be read\n"), "\(result.output)")
        let messages = result.messages.split(separator: "\n")
        #expect(messages.count == 6 && messages.last?.contains("second.jsonl:1:") == true, "\(result.messages)")
        let both = try await Tool.run("stats", Self.launches.path, Self.launches.path, "--json").json()
        let one = try await Tool.run("stats", Self.launches.path, "--json").json()
        #expect((both["groups"] as? [[String: Any]])?.count == (one["groups"] as? [[String: Any]])?.count)
        #expect(both["lines"] as? Int == 22 && (both["total"] as? [String: Any])?["launches"] as? Int == 16)
        #expect(try await Tool.run("stats", Self.launches.path, "no-such-file.jsonl").code == 66)
    }

    @Test("A file that gzip has compressed counts as the file itself, whatever its name is, also as standard input")
    func compressed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // More than a pipe holds.
        let text = String(repeating: String(decoding: try Data(contentsOf: Self.launches), as: UTF8.self), count: 500)
        let plain = try folder.write(text, to: "launches.jsonl")
        let archive = plain + ".old"
        #expect(try await Tool.shell("gzip -c '\(plain)' > '\(archive)'").code == 0)
        let expected = try await Tool.run("stats", plain, "--json").output
        #expect(try await Tool.run("stats", archive, "--json").output == expected)
        #expect(try await Tool.shell("\"$TOOL\" stats - --json < '\(archive)'").output == expected)
        #expect(try await Tool.shell("gzip -dc '\(archive)' | \"$TOOL\" stats - --json").output == expected)
        let both = try await Tool.run("stats", archive, plain, "--json").json()["total"] as? [String: Any]
        #expect(both?["launches"] as? Int == 8000)
    }

    @Test("fault J54: a compressed file that is cut off, comes through a pipe, or has no gzip to read it is refused with the reason")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let archive = folder.url.appendingPathComponent("launches.gz")
        #expect(try await Tool.shell("gzip -c '\(Self.launches.path)' > '\(archive.path)'").code == 0)
        let short = folder.url.appendingPathComponent("short.gz")
        try Data(contentsOf: archive).dropLast(6).write(to: short)
        let cut = try await Tool.run("stats", short.path)
        #expect(cut.code == 65 && cut.output.isEmpty)
        #expect(cut.messages.contains("it is compressed; gzip ended with status 1"), "\(cut.messages)")
        let pipe = try await Tool.shell("cat '\(archive.path)' | \"$TOOL\" stats -")
        #expect(pipe.code == 65 && pipe.messages.contains("read the output of 'gzip -dc' with '-'"), "\(pipe.messages)")
        let without = try await Tool.run("stats", archive.path, environment: ["PATH": folder.url.path])
        #expect(without.code == 65 && without.messages.contains("it is compressed; no such command: gzip"), "\(without.messages)")
    }

    @Test("A report that has broken off keeps nothing from those around it")
    func brokenOff() async throws {
        let report = try await Tool.run("run", "regular", "--clock", "virtual", "--json").output
        // Broken off within the budget, whatever stands before it.
        let head = String(report.prefix(upTo: try #require(report.range(of: "\"budget\"")).lowerBound)) + "\"budget\": {\n"
        let line = #"{"schema":"sequencer.crash/1","scenario":"regular"}"#
        let result = try await Tool.run("stats", "-", input: "\(line)\n\(head)\n\(report)\(line)\n{\n")
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("<stdin>  3 launches, 2 of them crashed; 15 of "), "\(result.output)")
        #expect(
            result.messages
                == "sequencer-cli: <stdin>:15:14: unexpected end of the text; expected a key in double quotes\n",
            "\(result.messages)"
        )
    }

    @Test("The reports that the tool itself saves, one a line")
    func ownReports() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let report = try await Tool.run("run", "regular", "--clock", "virtual", "--json").json()
        let line = String(decoding: try JSONSerialization.data(withJSONObject: report), as: UTF8.self) + "\n"
        let path = try folder.write(String(repeating: line, count: 3000), to: "many.jsonl")
        let stats = try await Tool.run("stats", path, "--json").json()
        let total = try #require(stats["total"] as? [String: Any])
        #expect(total["launches"] as? Int == 3000 && stats["brokenLines"] as? Int == 0)
        let median = try #require((total["outcomes"] as? [[String: Any]])?.first?["p50Ms"] as? Double)
        #expect(median == 800)
    }

    @Test("No line of use is exit 65, no line at all is an answer, no file is 66")
    func edges() async throws {
        #expect(try await Tool.run("stats", "-", input: "nothing\n").code == 65)
        let empty = try await Tool.run("stats", "-", input: "")
        #expect(empty.code == 0 && empty.output == "<stdin>  0 launches, 0 of them crashed\n")
        let one = try await Tool.run("stats", "-", input: #"{"schema":"sequencer.crash/1","scenario":"a"}"#)
        #expect(one.code == 0 && one.output.hasPrefix("<stdin>  1 launch, 1 of them crashed\n"), "\(one.output)")
        #expect(try await Tool.run("stats", "no-such-file.jsonl").code == 66)
        let scenario = try await Tool.run("stats", "-", input: scenarioText(#"{ "id": "main" }"#))
        #expect(
            scenario.code == 65 && scenario.messages.contains("schema: unknown schema 'sequencer.scenario/1'; expected"),
            "\(scenario.messages)"
        )
        let many = try await Tool.run("stats", "-", input: String(repeating: "x\n", count: 100))
        #expect(many.messages == "sequencer-cli: <stdin>:1:1: expected an object\n")
        #expect(many.output.contains("100 of 100 lines could not be read"))
    }
}
