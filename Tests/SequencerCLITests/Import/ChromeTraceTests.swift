import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// Traces of other tools, and broken ones.
@Suite("Chrome traces", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ChromeTraceTests {
    private func report(_ text: String, _ format: ImportFormat? = nil) throws -> LaunchReport {
        try importLaunch(Array(text.utf8), file: "t.json", format: format).report()
    }

    /// `id start end lane after...` in microseconds.
    private func rows(_ report: LaunchReport) -> [String] {
        report.operations.map { operation in
            let times = [operation.start ?? .zero, operation.end].map { "\($0.nanoseconds / 1000)" }
            return ([operation.id] + times + ["\(operation.lane ?? 0)"] + operation.dependencies).joined(separator: " ")
        }
    }

    private func complaint(_ text: String, _ format: ImportFormat? = .chrome) -> String? {
        do {
            _ = try importLaunch(Array(text.utf8), file: "t.json", format: format)
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
             {"name":"process_name","ph":"M","pid":1,"args":{"name":"browser"}},
             {"ph":"C","name":"memory","args":{"kb":[1,{"x":null}]}}]
            """
        )
        #expect(found.scenario == "browser" && found.makespan == .microseconds(20) && found.outcome == .completed)
        #expect(rows(found) == ["a 0 10 1", "a (2) 4 14 2", "a (2) (2) 20 20 3"])
        #expect(found.operations.allSatisfy { $0.wait == .zero && $0.outcome == .succeeded })
        #expect(found.criticalPath == ["a"] && found.criticalPathDuration == .microseconds(10))
    }

    @Test(
        "A begin and the next end of its thread are a slice, nested ones too; an end alone is none, and what never ended ends with the trace"
    )
    func pairs() throws {
        let found = try report(
            """
            [{"ph":"E","pid":1,"tid":1,"ts":1},{"name":"out","ph":"B","pid":1,"tid":1,"ts":2},{"name":"in","ph":"B","pid":1,"tid":1,"ts":3},
             {"name":"other","ph":"B","pid":1,"tid":2,"ts":4},{"ph":"E","pid":1,"tid":1,"ts":5},{"ph":"E","pid":1,"tid":1,"ts":9}]
            """
        )
        #expect(rows(found) == ["in 1 3 1", "out 0 7 1", "other 2 7 2"])
    }

    @Test("An array may end early, as in a trace of a program that still runs")
    func cut() throws {
        for end in ["", ",", ",\n", "]", ",]"] {
            #expect(try rows(report(#"[{"name":"a","ph":"X","pid":1,"tid":1,"ts":1,"dur":2}"# + end)) == ["a 0 2 1"])
        }
    }

    @Test("An arrow from a slice to one that began after its end is a dependency; in steps too, and into the next slice where it says so")
    func arrows() throws {
        let found = try report(
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
        #expect(rows(found) == ["a 0 10 1", "inner 2 5 1", "b 10 15 2 a", "c 20 25 2 inner b", "d 4 54 3"])
        #expect(found["b"]?.wait == .zero && found["c"]?.wait == .microseconds(5) && found["d"]?.wait == .zero)
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
        let launch = try importLaunch(Array("[\(events.joined(separator: ","))]".utf8), file: "f")
        let ids = launch.report().operations.map(\.id)
        #expect(Array(ids.prefix(3)) == [#"a\u{1B}[2K\nb"#, "unnamed", "unnamed (2)"])
        #expect(ids[3].utf8.count == 255 && ids[3].hasSuffix("ä…") && ids[4].hasSuffix("ä… (2)") && ids[4].utf8.count <= 256)
        #expect(try parseScenario(Array(launch.scenario().utf8), file: "f").operations.map(\.id) == ids)
    }

    @Test("A mistake has its line, its column and what was expected")
    func mistakes() {
        #expect(complaint("{\"traceEvents\": 1}") == "t.json:1:17: unexpected '1'; expected an array of events")
        // Only the array alone may end behind a comma.
        #expect(complaint("{\"traceEvents\": [{\"ph\":\"X\",\"ts\":1}, ]}") == "t.json:1:37: unexpected ']'; expected an event")
        #expect(complaint("[{\"ph\":\"X\",\"ts\":1}, ]") == nil)
        #expect(complaint("{}") == "t.json:1:1: missing key 'traceEvents'")
        #expect(complaint("[\n{\"ph\":\"X\"}]") == "t.json:2:1: missing key 'ts' in an event with the phase 'X'")
        #expect(complaint("[{\"ph\":\"X\",\"ts\":true}]")?.hasPrefix("t.json:1:17: unexpected 't'; expected a string or a number") == true)
        #expect(complaint("[{\"ph\":\"X\",\"ts\":\"soon\"}]")?.hasPrefix("t.json:1:17: 'soon' is no time") == true)
        #expect(complaint("[{\"ph\":\"X\",\"ts\":1,\"dur\":-1}]")?.hasSuffix("ended before it started") == true)
        #expect(complaint("[{\"ph\":\"X\",\"ts\":99999999999999999999}]")?.contains("is no time") == true)
        #expect(complaint("[{\"ph\":\"X\",\"ts\":1}] x") == "t.json:1:21: unexpected 'x'; expected nothing after the trace")
        #expect(complaint("[{\"ph\":\"X\" \"ts\":1}]") == "t.json:1:12: unexpected '\"'; expected ',' or '}'")
        #expect(complaint("[1, 2", nil)?.hasPrefix("t.json:1:1: unknown format; expected one of: Chrome trace events, ") == true)
        #expect(
            complaint(#"{"schema":"sequencer.report/1"}"#, nil)?.hasSuffix("this is a file of this tool already; it needs no import")
                == true
        )
    }
}
