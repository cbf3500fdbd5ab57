import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Sketches for other engines", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SketchExportTests {
    private static func sketch(_ values: [Double]) -> QuantileSketch {
        values.reduce(into: QuantileSketch()) { $0.insert($1) }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02X", $0) }.joined()
    }

    /// What chdb says to `SELECT hex(quantilesDDState(0.005415159415902577, 0.5)(v))`.
    @Test("The state of quantilesDD is ClickHouse's own, byte for byte, with few buckets, in a row or not, and with none")
    func clickHouse() {
        #expect((1 + QuantileSketch.accuracy) / (1 - QuantileSketch.accuracy) == QuantileSketch.growth)
        #expect(QuantileSketch.accuracy == 0.005415159415902577)
        let head = "026180773E9A2CF03F000000000000000001"
        let tail = "030C00FEFFFFFF0F02040000000000000000"
        #expect(
            Self.hexadecimal(Self.sketch([800, 900.5, 3200]).clickHouseState)
                == head + "0403D209000000000000F03F16000000000000F03FEA01000000000000F03F" + tail
        )
        #expect(Self.hexadecimal(Self.sketch([10]).clickHouseState) == head + "0C01A80302000000000000F03F" + tail)
        #expect(Self.hexadecimal(QuantileSketch().clickHouseState) == head + "0C00FEFFFFFF0F02" + tail)
        #expect(Self.hexadecimal(Self.sketch([0, 0]).clickHouseState).hasSuffix("040000000000000040"))
    }

    private static let lines = [
        #"{"schema":"sequencer.report/1","scenario":"a\tb","version":"2.4","outcome":"completed","budget":{"measuredMs":800,"verdict":"pass"}}"#,
        #"{"schema":"sequencer.report/1","scenario":"a\tb","version":"2.4","outcome":"completed","budget":{"measuredMs":0,"verdict":"pass"}}"#,
        #"{"schema":"sequencer.report/1","scenario":"c","outcome":"failed","budget":{"measuredMs":3200,"verdict":"fail"},"initialDisplayMs":10}"#,
    ].map { $0 + "\n" }.joined()

    @Test("Lines for ClickHouse, one for each group and outcome")
    func lines() async throws {
        let result = try await Tool.run(["stats", "-", "--sketches", "clickhouse"], input: Data(Self.lines.utf8))
        let rows = result.output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        let heads = [["a\\tb", "2.4", "completed", "2"], ["c", "", "failed", "1"], ["c", "", "initial-display", "1"]]
        #expect(rows.map { Array($0.prefix(4)) } == heads)
        #expect(rows.map { $0.last ?? "" }.allSatisfy { $0.hasPrefix("026180773E9A2CF03F") && $0.count % 2 == 0 })
        #expect(rows.last?.last == Self.hexadecimal(Self.sketch([10]).clickHouseState))
    }

    @Test("Exponential histograms of scale 6 in OTLP")
    func otlp() async throws {
        let json = try await Tool.run(["stats", "-", "--sketches", "otlp"], input: Data(Self.lines.utf8)).json()
        let scopes = ((json["resourceMetrics"] as? [[String: Any]])?.first?["scopeMetrics"] as? [[String: Any]])?.first
        let metric = try #require((scopes?["metrics"] as? [[String: Any]])?.first)
        #expect(metric["name"] as? String == "sequencer.launch.duration" && metric["unit"] as? String == "ms")
        let points = try #require((metric["exponentialHistogram"] as? [String: Any])?["dataPoints"] as? [[String: Any]])
        #expect(points.map { $0["count"] as? String } == ["2", "1", "1"])
        let first = try #require(points.first)
        #expect(first["scale"] as? Int == 6 && first["zeroCount"] as? String == "1")
        #expect(first["min"] as? Double == 0 && first["max"] as? Double == 800)
        let positive = try #require(first["positive"] as? [String: Any])
        // From 2^(617/64) to 2^(618/64): 798.2 to 806.9.
        #expect(positive["offset"] as? Int == 617 && positive["bucketCounts"] as? [String] == ["1"])
        #expect((first["timeUnixNano"] as? String).flatMap { Int64($0) } ?? 0 > 1_700_000_000_000_000_000)
    }

    @Test("Sketches take the place of the summary, and so of its JSON")
    func exclusive() async throws {
        #expect(try await Tool.run("stats", "-", "--json", "--sketches", "otlp", input: "").code == 64)
        #expect(try await Tool.run("stats", "-", "--sketches", "parquet", input: "").code == 64)
    }
}
