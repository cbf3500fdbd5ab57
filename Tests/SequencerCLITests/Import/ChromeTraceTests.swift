import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// Traces of other tools, and broken ones.
@Suite("Chrome traces", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ChromeTraceTests {
    private func file(_ text: String) throws -> ImportedFile { try ImportedFile(Array(text.utf8), file: "t.json") }

    private func report(_ text: String) throws -> LaunchReport { try #require(try file(text).launches.first).report() }

    /// `id start end lane after...` in microseconds.
    private func rows(_ report: LaunchReport) -> [String] {
        report.operations.map { operation in
            let times = [operation.start ?? .zero, operation.end].map { "\($0.nanoseconds / 1000)" }
            return ([operation.id] + times + ["\(operation.lane ?? 0)"] + operation.dependencies).joined(separator: " ")
        }
    }

    private func complaint(_ text: String, _ format: ImportFormat? = nil) -> String? {
        do {
            _ = try ImportedFile(Array(text.utf8), file: "t.json", format: format)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("Times count from the first slice, each thread is a lane, and a name that comes again gets a number")
    func slices() throws {
        let found = try report(
            """
            [{"name":"a","ph":"X","pid":1,"tid":1,"ts":1000.5,"dur":10},
             {"name":"a","ph":"X","pid":1,"tid":"2","ts":1005,"dur":1e1,"args":{"outcome":"failed","marks":1}},
             {"name":"a (2)","ph":"X","pid":2,"tid":1,"ts":"1020.5"},
             {"name":"process_name","ph":"M","pid":1,"args":{"name":"browser"}}]
            """
        )
        #expect(found.scenario == "browser" && found.makespan == .microseconds(20) && found.outcome == .completed)
        #expect(rows(found) == ["a 0 10 1", "a (2) 4 14 2", "a (2) (2) 20 20 3"])
        #expect(found.operations.allSatisfy { $0.wait == .zero && $0.outcome == .succeeded })
        #expect(found.criticalPath == ["a"] && found.criticalPathDuration == .microseconds(10))
    }

    @Test("A slice that has others in it takes the time in which none of them runs: a thread has no more work than time")
    func nested() throws {
        let found = try report(
            """
            [{"name":"compile","ph":"X","pid":1,"tid":1,"ts":0,"dur":411},{"name":"parse","ph":"X","pid":1,"tid":1,"ts":0,"dur":200},
             {"name":"header","ph":"X","pid":1,"tid":1,"ts":20,"dur":30},{"name":"header","ph":"X","pid":1,"tid":1,"ts":50,"dur":50},
             {"name":"emit","ph":"X","pid":1,"tid":1,"ts":200,"dur":200},{"name":"late","ph":"X","pid":1,"tid":1,"ts":390,"dur":10},
             {"name":"Total parse","ph":"X","pid":1,"tid":9,"ts":0,"dur":200,"args":{"count":1,"avg ms":0}}]
            """
        )
        #expect(
            rows(found) == ["compile 0 11 1", "parse 0 120 1", "header 20 50 1", "header (2) 50 100 1", "emit 200 390 1", "late 390 400 1"]
        )
        #expect(found.work == .microseconds(411) && found.makespan == .microseconds(411))
    }

    @Test(
        "A begin and the next end of its thread are a slice, nested ones too; an end alone is none, and what never ended ends with the trace"
    )
    func pairs() throws {
        let trace = try file(
            """
            [{"ph":"E","pid":1,"tid":1,"ts":1},{"name":"out","ph":"B","pid":1,"tid":1,"ts":2},{"name":"in","ph":"B","pid":1,"tid":1,"ts":3},
             {"name":"other","ph":"B","pid":1,"tid":2,"ts":4},{"ph":"E","pid":1,"tid":1,"ts":5},{"ph":"E","pid":1,"tid":1,"ts":9}]
            """
        )
        #expect(try rows(trace.launches[0].report()) == ["out 0 5 1", "in 1 3 1", "other 2 7 2"])
        #expect(trace.summary == "read slices: 3; left out ends alone: 1")
    }

    @Test("An array may end early, as in a trace of a program that still runs")
    func cut() throws {
        for end in ["", ",", ",\n", "]", ",]", "\n]\n"] {
            #expect(try rows(report(#"[{"name":"a","ph":"X","pid":1,"tid":1,"ts":1,"dur":2}"# + end)) == ["a 0 2 1"])
        }
    }

    @Test("An arrow from a slice to one that began after its end is a dependency; in steps too, and into the next slice where it says so")
    func arrows() throws {
        let trace = try file(
            """
            {"traceEvents":[
             {"name":"a","ph":"X","pid":1,"tid":1,"ts":0,"dur":10},{"name":"inner","ph":"X","pid":1,"tid":1,"ts":2,"dur":3},
             {"name":"b","ph":"X","pid":1,"tid":2,"ts":10,"dur":5},{"name":"c","ph":"X","pid":1,"tid":2,"ts":20,"dur":5},
             {"name":"d","ph":"X","pid":1,"tid":3,"ts":4,"dur":50},
             {"ph":"s","cat":"x","id":1,"pid":1,"tid":1,"ts":9},{"ph":"t","cat":"x","id":1,"pid":1,"tid":2,"ts":11},
             {"ph":"f","bp":"e","cat":"x","id":1,"pid":1,"tid":2,"ts":21},
             {"ph":"s","cat":"x","id":"0x2","pid":1,"tid":1,"ts":3},{"ph":"f","cat":"x","id":"0x2","pid":1,"tid":2,"ts":16},
             {"ph":"s","cat":"y","id":1,"pid":1,"tid":1,"ts":3},{"ph":"f","bp":"e","cat":"y","id":1,"pid":1,"tid":3,"ts":5},
             {"ph":"f","bp":"e","cat":"z","id":1,"pid":1,"tid":3,"ts":5},{"ph":"s","cat":"z","id":9,"pid":7,"tid":7,"ts":5}
            ],"otherData":{"scenario":"not ours"},"displayTimeUnit":"ms"}
            """
        )
        let found = try trace.launches[0].report()
        #expect(rows(found) == ["a 0 7 1", "inner 2 5 1", "b 10 15 2 a", "c 20 25 2 inner b", "d 4 54 3"])
        #expect(found["b"]?.wait == .zero && found["c"]?.wait == .microseconds(5))
        #expect(trace.summary.hasPrefix("read arrows: 3, slices: 5; left out arrows between what ran at once: 1, "))
        #expect(trace.summary.hasSuffix("ends of arrows that lead nowhere: 2"))
    }

    @Test("Arrows in a circle leave no circle")
    func circle() throws {
        let found = try report(
            """
            [{"name":"a","ph":"X","pid":1,"tid":1,"ts":5,"dur":0},{"name":"b","ph":"X","pid":1,"tid":2,"ts":5,"dur":0},
             {"ph":"s","id":1,"pid":1,"tid":1,"ts":5},{"ph":"f","bp":"e","id":1,"pid":1,"tid":2,"ts":5},
             {"ph":"s","id":2,"pid":1,"tid":2,"ts":5},{"ph":"f","bp":"e","id":2,"pid":1,"tid":1,"ts":5}]
            """
        )
        #expect(rows(found) == ["a 0 0 1", "b 0 0 2 a"])
    }

    @Test("Names are fit for a line and for a scenario file: control characters are shown, long ones cut, empty ones named")
    func names() throws {
        let long = String(repeating: "ä", count: 1000)
        let events = ["a\\u001b[2K\\nb", "", " ", long, long].map { #"{"name":"\#($0)","ph":"X","pid":1,"tid":1,"ts":1,"dur":1}"# }
        let launch = try #require(try file("[\(events.joined(separator: ","))]").launches.first)
        let ids = try launch.report().operations.map(\.id)
        #expect(Array(ids.prefix(3)) == [#"a\u{1B}[2K\nb"#, "unnamed", "unnamed (2)"])
        #expect(ids[3].hasSuffix("ä…") && ids[4] == ids[3] + " (2)" && ids[4].utf8.count <= 256)
        #expect(try parseScenario(Array(launch.scenario().utf8), file: "f").operations.map(\.id) == ids)
    }

    @Test("Events that are not slices or arrows are counted by their reasons")
    func leftOut() throws {
        let trace = try file(
            """
            {"traceEvents":[{"name":"GC","ph":"X","pid":1,"tid":1,"ts":10,"dur":5},{"name":"a","ph":"b","id":1,"ts":0},{"ph":"e","id":1,"ts":9},
             {"ph":"C","name":"memory","args":{"kb":[1,{"x":null}]}},{"ph":"i","ts":3},{"ph":"?","ts":3},{"ts":3},
             {"ph":"X"},{"ph":"X","ts":"soon"},{"ph":"X","ts":1,"dur":-1},{"ph":"X","ts":99999999999999999999},{"ph":"X","ts":true}]}
            """
        )
        let reasons = "asynchronous events: 2, counters: 1, events without a time: 5, instants: 1, other events: 2"
        #expect(trace.summary == "read slices: 1; left out \(reasons)")
        #expect(try file(#"[{"name":"a","ph":"b","id":1,"ts":0}]"#).launches.isEmpty)
    }

    @Test("A mistake has its line, its column and what was expected")
    func mistakes() throws {
        #expect(complaint("{\"traceEvents\": 1}") == "t.json:1:17: traceEvents: expected an array, found a number")
        #expect(complaint("[{\"ph\":\"X\",\"ts\":1}] x")?.hasPrefix("t.json:1:21: ") == true)
        #expect(complaint("[{\"ph\":\"X\" \"ts\":1}]") == "t.json:1:12: unexpected '\"'; expected ',' or '}'")
        #expect(complaint("[1, 2") == "t.json:1:2: [0]: expected an object, found a number")
        #expect(
            complaint("{}")?.hasPrefix("t.json:1:1: unknown format; expected an array of events, or an object with 'traceEvents'") == true
        )
        #expect(complaint("[]", .otlp) == "t.json:1:1: this file has the format 'chrome', not 'otlp'")
        let own = #"{"schema":"sequencer.report/1"}"#
        #expect(complaint(own) == "t.json:1:1: this is a file of this tool already; it needs no import")
    }
}
