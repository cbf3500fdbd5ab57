import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports as Chrome traces", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportChromeTraceTests {
    private struct Event: Decodable {
        let name: String
        let ph: String
        let tid: Int
        let ts: Double?
        let dur: Double?
        let id: Int?
        let bp: String?

        /// In nanoseconds.
        var start: Int { Int(((ts ?? 0) * 1000).rounded()) }
        var end: Int { start + Int(((dur ?? 0) * 1000).rounded()) }
    }

    private struct Trace: Decodable { let traceEvents: [Event] }

    private func events(_ document: LaunchReport) throws -> [Event] {
        try JSONDecoder().decode(Trace.self, from: Data(document.chromeTrace().utf8)).traceEvents
    }

    @Test("a small launch, exactly")
    func small() {
        let text = ReportSamples.small().chromeTrace()
        let expected =
            #"{"displayTimeUnit":"ms","traceEvents":["#
            + #"{"name":"process_name","ph":"M","pid":1,"tid":1,"args":"#
            + #"{"name":"small"}},"#
            + #"{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":"#
            + #"{"name":"launch"}},"#
            + #"{"name":"thread_sort_index","ph":"M","pid":1,"tid":1,"args":{"sort_index":0}},"#
            + #"{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":"#
            + #"{"name":"main"}},"#
            + #"{"name":"thread_sort_index","ph":"M","pid":1,"tid":2,"args":{"sort_index":1}},"#
            + #"{"name":"thread_name","ph":"M","pid":1,"tid":3,"args":"#
            + #"{"name":"lane 1"}},"#
            + #"{"name":"thread_sort_index","ph":"M","pid":1,"tid":3,"args":{"sort_index":2}},"#
            + #"{"name":"thread_name","ph":"M","pid":1,"tid":4,"args":"#
            + #"{"name":"not started"}},"#
            + #"{"name":"thread_sort_index","ph":"M","pid":1,"tid":4,"args":{"sort_index":3}},"#
            + #"{"name":"small","ph":"X","pid":1,"tid":1,"ts":0,"dur":700000,"args":{"outcome":"Failed at b: no \"route\"","verdict":"failed","critical path":["a","b"]}},"#
            + #"{"name":"budget 500 ms","ph":"i","pid":1,"tid":1,"ts":500000,"s":"g"},"#
            + #"{"name":"a","ph":"X","pid":1,"tid":3,"ts":0,"dur":400000,"cat":"critical","args":{"title":"Load <a>","outcome":"succeeded","wait":"0 ms","slack":"0 ms","expected":"300 ms","attempts":1,"marks":["critical"],"notes":["from the cache"]}},"#
            + #"{"name":"b","ph":"X","pid":1,"tid":2,"ts":500000,"dur":200000,"cat":"critical","args":{"outcome":"failed","wait":"100 ms","slack":"0 ms","attempts":2,"marks":["critical"],"message":"no \"route\""}},"#
            + #"{"name":"after","ph":"s","pid":1,"tid":3,"ts":399999.999,"cat":"dependency","id":1},"#
            + #"{"name":"after","ph":"f","pid":1,"tid":2,"ts":500000,"bp":"e","cat":"dependency","id":1},"#
            + #"{"name":"c","ph":"i","pid":1,"tid":4,"ts":700000,"s":"t","args":{"outcome":"skipped","slack":"0 ms","attempts":0,"message":"b failed"}}],"otherData":{"scenario":"small","startedAt":"2023-11-14T22:13:20.000Z","verdict":"failed"}}"#
        #expect(text == expected)
    }

    @Test(
        "slices are as long as operations took, share no place, and arrows go forward, from inside a slice to the begin of another",
        arguments: RandomGraph.many(Nightly.times(day: 21, night: 140), operations: 1...80)
    )
    func random(graph: RandomGraph) async throws {
        let document = try await ReportSamples.random(graph)
        try check(document)
    }

    @Test("even where nothing takes time, where lanes are shared, and where a file holds nonsense")
    func hostile() throws {
        try check(ReportSamples.hostile())
        var document = ReportSamples.large(300)
        for (index, operation) in document.operations.enumerated() {
            // All at once on one lane, each after the one before; the last two wait for each other.
            let after = index == 0 ? [] : index == 298 ? ["op-299", "op-297", "nobody"] : ["op-\(index - 1)", "op-\(index - 1)"]
            document.operations[index] = .made(operation.id, 1...1, after: after)
        }
        try check(document)
        let tracks = Set(try events(document).filter { $0.ph == "X" }.map(\.tid))
        #expect(tracks.count <= 3)
    }

    private func check(_ document: LaunchReport) throws {
        let events = try events(document)
        let slices = events.filter { $0.ph == "X" && $0.tid != 1 }
        let byName = Dictionary(slices.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(slices.count == document.operations.filter { $0.start != nil }.count)
        #expect(events.filter { $0.ph == "i" && $0.tid != 1 }.count == document.operations.filter { $0.start == nil }.count)
        // An empty slice lasts a nanosecond, and moves others by as much.
        let most = document.operations.count + Int(ChromeTrace.tolerance)
        for operation in document.operations {
            guard let start = operation.start else { continue }
            let slice = try #require(byName[operation.id])
            #expect((0...most).contains(slice.start - Int(start.nanoseconds)))
            #expect((0...most).contains(slice.end - Int(operation.end.nanoseconds)))
            #expect(slice.end > slice.start)
        }
        for track in Dictionary(grouping: slices, by: \.tid).values {
            let ordered = track.sorted { $0.start < $1.start }
            for (left, right) in zip(ordered, ordered.dropFirst()) { #expect(left.end <= right.start, "\(left.name), \(right.name)") }
        }
        let begins = events.filter { $0.ph == "s" }
        let ends = Dictionary(uniqueKeysWithValues: events.filter { $0.ph == "f" }.map { ($0.id ?? 0, $0) })
        #expect(begins.count == ends.count && Set(begins.map { $0.id ?? 0 }) == Set(ends.keys) && !ends.keys.contains(0))
        var arrows: Set<String> = []
        for begin in begins {
            let end = try #require(ends[begin.id ?? 0])
            let from = try #require(slices.first { $0.tid == begin.tid && $0.end == begin.start + 1 })
            let to = try #require(slices.first { $0.tid == end.tid && $0.start == end.start })
            #expect(begin.start >= from.start && begin.start < end.start && end.bp == "e")
            arrows.insert("\(to.name) after \(from.name)")
        }
        #expect(arrows.count == begins.count)
        #expect(
            arrows.isSubset(of: document.operations.flatMap { operation in operation.dependencies.map { "\(operation.id) after \($0)" } })
        )
    }

    @Test("what else is said of a launch stands apart from what the trace says itself")
    func attributes() {
        var report = ReportSamples.small()
        report.attributes = ["start.type": "cold", "scenario": "another"]
        #expect(report.chromeTrace().hasSuffix(#""verdict":"failed","attributes":{"scenario":"another","start.type":"cold"}}}"#))
    }

    @Test("a retry that gave its lane away has a second track")
    func overlap() throws {
        var document = ReportSamples.small()
        document.operations[1] = .made("b", 100...200, attempts: 2)
        #expect(document.chromeTrace().contains(#""args":{"name":"lane 1 (2)"}"#))
    }

    @Test("no text ends with two backslashes", arguments: ["\\", "a\\", "\\\\", "\\\"", "\"", "a\\b", "\\\\\\"])
    func backslashes(text: String) throws {
        var document = ReportSamples.small()
        document.scenario = text
        #expect(!document.chromeTrace().contains(#"\\","#))
        #expect(try events(document).first { $0.ph == "X" }?.name == text)
    }
}
