import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Sketches of many machines", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SketchReaderTests {
    private static func summary(_ lines: [String]) -> LinesSummary {
        var summary = LinesSummary()
        for line in lines { _ = Array(line.utf8).withUnsafeBufferPointer { summary.add($0) } }
        _ = summary.finish()
        return summary
    }

    private static func otlp(_ summary: LinesSummary) -> String { LaunchSketch.otlp(summary, time: 0) }

    private static func merged(_ documents: [String]) throws -> LinesSummary {
        var reader = SketchReader()
        for document in documents { try reader.read(Array(document.utf8), file: "sketches.json") }
        return reader.summary
    }

    /// All that `stats` prints of a summary.
    private static func outputs(_ summary: LinesSummary) -> [String] {
        [summary.json(attribute: nil), otlp(summary), LaunchSketch.all(summary.statistics).map(\.clickHouseLine).joined()]
    }

    private static func line(_ random: inout SplitMix64) -> String {
        func one(of words: [String]) -> String { words[random.index(below: words.count)] }
        if random.index(below: 30) == 0 { return "not a report" }
        let scenario = one(of: ["regular", "regular", "push", "(other)", "Zürich", "a\\tb", ""])
        let version = one(of: ["", #","version":"""#, #","version":"2.3""#, #","version":"2.4""#, #","version":"2.4""#])
        if random.index(below: 10) == 0 {
            let operation = one(of: ["", #","operation":"login""#, #","operation":"(other)""#])
            return #"{"schema":"sequencer.crash/1","scenario":"\#(scenario)"\#(version)\#(operation)}"#
        }
        let time = one(of: ["0", "0.0000004", "0.000001", "1e12", "\(Double(random.index(below: 1_000_000_000)) / 1_000_003)"])
        let verdicts = ["pass", "fail"].map { #","initialDisplayBudget":{"limitMs":250,"verdict":"\#($0)"}"# }
        let limit = one(of: [""] + verdicts)
        let display = one(of: ["", limit, #","initialDisplayMs":\#(random.index(below: 500))\#(limit)"#])
        let (outcome, verdict) = (one(of: ["completed", "completed", "failed", "aborted"]), one(of: ["pass", "pass", "fail"]))
        return #"{"schema":"sequencer.report/1","scenario":"\#(scenario)"\#(version),"outcome":"\#(outcome)","#
            + #""budget":{"measuredMs":\#(time),"verdict":"\#(verdict)"}\#(display)}"#
    }

    @Test("The sketches of parts, in any order and merged in any groups, give what all launches at one place give")
    func merging() throws {
        var random = SplitMix64(seed: 43)
        for round in 0..<Nightly.times(day: 4, night: 40) {
            var parts = [[String]](repeating: [], count: 1 + random.index(below: 6))
            for _ in 0..<random.index(below: 120) {
                let line = Self.line(&random)
                parts[random.index(below: parts.count)].append(line)
            }
            let expected = Self.outputs(Self.summary(parts.flatMap(\.self)))
            let documents = parts.map { Self.otlp(Self.summary($0)) }.shuffled(using: &random)
            #expect(Self.outputs(try Self.merged(documents)) == expected, "round \(round)")
            let middle = random.index(below: documents.count + 1)
            let halves = [documents[..<middle], documents[middle...]].map { Self.otlp((try? Self.merged(Array($0))) ?? LinesSummary()) }
            #expect(Self.outputs(try Self.merged(halves)) == expected, "round \(round), in two steps")
            // All in one file, of several lines.
            #expect(Self.outputs(try Self.merged([documents.joined(separator: "\n")])) == expected, "round \(round), in one file")
        }
    }

    @Test("However many scenarios the machines have, no launch is lost, and all further ones stay one group")
    func tooMany() throws {
        let documents = [0..<700, 400..<1000].map { numbers in
            Self.otlp(Self.summary(numbers.map { #"{"schema":"sequencer.crash/1","scenario":"\#($0)"}"# }))
        }
        let summary = try Self.merged(documents)
        #expect(summary.statistics.groups.count == LaunchStatistics.groupLimit + 1 && summary.statistics.total.crashes == 1300)
        #expect(summary.statistics.sortedGroups.last?.isOther == true)
        #expect(try Self.merged([Self.otlp(summary)]).json(attribute: nil) == summary.json(attribute: nil))
    }

    private static let sketches = otlp(
        summary([
            #"{"schema":"sequencer.report/1","scenario":"a","outcome":"completed","budget":{"measuredMs":800,"verdict":"pass"},"initialDisplayBudget":{"limitMs":100,"verdict":"pass"}}"#,
            #"{"schema":"sequencer.report/1","scenario":"a","outcome":"completed","budget":{"measuredMs":3200,"verdict":"fail"}}"#,
            #"{"schema":"sequencer.crash/1","scenario":"a","operation":"login"}"#,
        ])
    )

    @Test(
        "fault J55: a broken sketch is refused, with its line and what was expected",
        arguments: [
            (#""scale":6"#, #""scale":5"#, ".dataPoints[0].scale: expected a scale of 6: other buckets do not add up with these"),
            (#""count":"2""#, #""count":"3""#, ".dataPoints[0]: expected a 'count' of 2, as many as its buckets have"),
            (#""asInt":"1""#, #""asInt":"-1""#, ".asInt: expected a whole number from 0 to 9007199254740992, found '-1'"),
            (#""asInt":"1""#, #""asInt":true"#, ".asInt: expected a whole number in quotes, found true"),
            (#""asInt":"1""#, #""asInt":"9007199254740992""#, "more launches than 9007199254740992"),
            (#""asInt":"1""#, #""asInt":"4""#, "scenario 'a' has more budget misses than launches"),
            (#""pass""#, #""passed""#, "unknown verdict 'passed'; expected 'pass' or 'fail'"),
            (SketchAttribute.displayVerdict, "x", "the attribute 'sequencer.initial_display.budget.verdict' is missing"),
            (#""offset":617"#, #""offset":2400"#, ".bucketCounts[0]: expected no launch in a bucket of times that no launch takes"),
            (#""offset":617"#, #""offset":9e18"#, ".offset: expected a whole number from -100000 to 100000, found 9e18"),
            (#""min":800"#, #""least":800"#, "missing key 'min'"),
            (#""min":800"#, #""min":3201"#, "expected 'min' to be at most 'max'"),
            ("sequencer.outcome", "sequencer.result", "the attribute 'sequencer.outcome' is missing"),
            ("sequencer.scenario", "sequencer.scene", "the attribute 'sequencer.scenario' is missing"),
            ("\"completed\"", "\"complete\"", "unknown outcome 'complete'; expected"),
            ("sequencer.launch.crashes", "x", "the metric 'sequencer.launch.crashes' is missing; expected the sketches that"),
            ("resourceMetrics", "resourceSpans", "missing key 'resourceMetrics'; expected the sketches that"),
            (#""positive":{"#, #""positive":{,"#, "unexpected ','; expected a key in double quotes"),
        ]
    )
    func broken(_ text: String, _ wrong: String, _ expected: String) throws {
        #expect(Self.sketches.contains(text))
        let broken = Self.sketches.replacing(text, with: wrong)
        // Behind one that is whole, on a line of its own.
        let error = #expect(throws: ScenarioError.self) { try Self.merged([Self.sketches + "\n" + broken]) }
        let message = error?.description ?? ""
        #expect(message.hasPrefix("sketches.json:3:") && message.contains(expected), "\(message)")
    }

    @Test("Sketches of before initial displays had a budget say nothing of it; one with more verdicts than launches is refused")
    func displayVerdicts() throws {
        let name = SketchMetric.displayVerdicts.rawValue
        let old = Self.sketches.replacing(name, with: "unknown")
        #expect(try Self.merged([old]).statistics.total.displayVerdicts.launches == 0)
        let total = try Self.merged([old, Self.sketches, Self.sketches]).statistics.total
        #expect(total.displayVerdicts.launches == 2 && total.displayVerdicts.misses == 0 && total.misses == 3)
        let parts = Self.sketches.split(separator: name, maxSplits: 1).map { String($0) }
        let rest = parts[1].replacing(#""asInt":"1""#, with: #""asInt":"3""#, maxReplacements: 1)
        let error = #expect(throws: ScenarioError.self) { try Self.merged([parts[0] + name + rest]) }
        #expect(error?.description.contains("scenario 'a' has more verdicts on initial displays than launches") == true)
    }

    @Test("What is no sketch is refused at its beginning", arguments: ["", "a\t2.4\tcompleted\t2\t0261", "\n"])
    func others(_ text: String) {
        let error = #expect(throws: ScenarioError.self) { try Self.merged([text]) }
        #expect(error?.description == "sketches.json:1:1: expected the sketches that 'stats --sketches otlp' writes")
    }

    @Test("What a collector leaves out, since Protocol Buffers write no 0 and nothing empty, and what it adds, changes nothing")
    func collected() throws {
        let left = Self.sketches.replacing(#","zeroCount":"0""#, with: "").replacing(#""asInt":"1""#, with: #""asInt":1"#)
            .replacing(#""metrics":["#, with: #""metrics":[{"name":"process.cpu.time","sum":{"dataPoints":[{}]}},"#)
        #expect(left.utf8.count != Self.sketches.utf8.count)
        #expect(Self.outputs(try Self.merged([left])) == Self.outputs(try Self.merged([Self.sketches])))
        let nothing = Self.otlp(LinesSummary())
        #expect(Self.outputs(try Self.merged([nothing.replacing(#","dataPoints":[]"#, with: "")])) == Self.outputs(LinesSummary()))
    }

    @Test("stats --merge prints what stats prints of the launches themselves, also of gzipped sketches; a broken one is exit 65")
    func command() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var random = SplitMix64(seed: 7)
        let texts = (0..<2).map { _ in (0..<100).map { _ in Self.line(&random) + "\n" }.joined() }
        let files = [try folder.write(texts[0], to: "1.jsonl"), try folder.write(texts[1], to: "2.jsonl")]
        let sketches = files.map { $0 + ".json" }
        for (file, sketch) in zip(files, sketches) {
            #expect(try await Tool.run("stats", file, "--sketches", "otlp", "-o", sketch).code == 0)
        }
        #expect(try await Tool.shell("gzip '\(sketches[1])'").code == 0)
        for options in [[], ["--json"], ["--sketches", "clickhouse"]] {
            let merged = try await Tool.run(["stats", "--merge", sketches[0], sketches[1] + ".gz"] + options)
            #expect(merged.code == 0 && merged.messages.isEmpty, "\(merged.messages)")
            #expect(merged.output == (try await Tool.run(["stats"] + files + options).output), "\(options)")
        }
        let broken = try await Tool.run("stats", "--merge", sketches[0], "-", input: "\n{\"resourceMetrics\":7}")
        #expect(broken.code == 65 && broken.output.isEmpty)
        #expect(broken.messages == "sequencer-cli: <stdin>:2:20: resourceMetrics: expected an array, found a number\n")
        #expect(try await Tool.run("stats", "--merge", sketches[0], "--by", "operation").code == 64)
    }
}
