import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// Logs of Ninja, starts of systemd, spans of OpenTelemetry.
@Suite("Imported logs and spans", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LogImportTests {
    private func report(_ text: String) throws -> LaunchReport { try importLaunch(Array(text.utf8), file: "f").report() }

    /// `id start end lane after...` in milliseconds.
    private func rows(_ report: LaunchReport) -> [String] {
        report.operations.map { operation in
            let times = [operation.start ?? .zero, operation.end].map { "\($0.nanoseconds / 1_000_000)" }
            return ([operation.id] + times + ["\(operation.lane ?? 0)"] + operation.dependencies).joined(separator: " ")
        }
    }

    private func complaint(_ text: String, _ format: ImportFormat) -> String? {
        do {
            _ = try importLaunch(Array(text.utf8), file: "f", format: format)
            return nil
        } catch {
            return error.description
        }
    }

    // MARK: Ninja

    @Test("The last build of a log of Ninja, its commands on as many lanes as it had processes", arguments: [5, 6, 7])
    func ninja(version: Int) throws {
        let found = try report(
            """
            # ninja log v\(version)
            0\t9000\t1\told.o\tabc
            0\t300\t17\ta.o\taa
            10\t400\t17\tb.h\tbb
            10\t400\t17\tb.cc\tbb
            10\t400\t17\tb.txt\tbb
            310\t500\t0\tc.o\tcc
            500\t800\t0\tapp\tdd

            """
        )
        #expect(rows(found) == ["a.o 0 300 1", "b.h 10 400 2", "c.o 310 500 1", "app 500 800 1"])
        #expect(found.makespan == .milliseconds(800) && found.lanes == 2 && found["b.h"]?.title == "b.h and 2 more")
    }

    @Test("The last line of a build that was killed does not count; any other broken one is told with its place")
    func brokenNinja() throws {
        #expect(try rows(report("# ninja log v5\r\n1\t2\t3\ta\tb\r\n4\t5")) == ["a 1 2 1"])
        #expect(complaint("# ninja log v4\n", .ninja) == "f:1:1: version 4 of a log of Ninja is not known; expected 5 to 7")
        #expect(complaint("1\t2\t3\ta\tb\n", .ninja)?.hasPrefix("f:1:1: expected '# ninja log v5'") == true)
        #expect(complaint("# ninja log v5\n1\t2\n", .ninja) == "f:2:1: expected 5 fields with tabs between them, found 2")
        #expect(complaint("# ninja log v5\n1\t2\t3\t4\t5\t6\t7\n", .ninja) == "f:2:1: expected 5 fields with tabs between them, found 6")
        #expect(complaint("# ninja log v5\n1\tx\t3\ta\tb\n", .ninja) == "f:2:3: expected the end in whole milliseconds, found 'x'")
        #expect(complaint("# ninja log v5\n3\t2\t3\ta\tb\n", .ninja) == "f:2:3: the end is before the start")
    }

    // MARK: npm

    @Test("Packages of npm come after those that Node.js finds for them, in circles too; each takes a millisecond")
    func npm() throws {
        let launch = try importLaunch(
            Array(
                """
                {"name":"app","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{
                 "":{"name":"app","version":"1.0.0","dependencies":{"a":"^1","w":"*"},"devDependencies":{"b":"^1"},"workspaces":["packages/*"]},
                 "node_modules/a":{"version":"1.1.0","dependencies":{"b":"^2","c":"1"},"peerDependencies":{"absent":"1"}},
                 "node_modules/a/node_modules/b":{"version":"2.0.0","dependencies":{"c":"1"}},
                 "node_modules/b":{"version":"1.0.0","optionalDependencies":{"c":"1"}},
                 "node_modules/c":{"version":"1.0.0","dependencies":{"d":"1"}},
                 "node_modules/d":{"version":"1.0.0","dependencies":{"c":"1"}},
                 "node_modules/w":{"resolved":"packages/w","link":true},
                 "packages/w":{"version":"0.1.0","dependencies":{"b":"1"}}}}
                """.utf8
            ),
            file: "f"
        )
        #expect(
            rows(launch.report()) == [
                "app@1.0.0 5 6 1 a@1.1.0 w b@1.0.0", "a@1.1.0 3 4 1 b@2.0.0 c@1.0.0", "b@2.0.0 2 3 1 c@1.0.0",
                "b@1.0.0 2 3 2 c@1.0.0", "c@1.0.0 1 2 1 d@1.0.0", "d@1.0.0 0 1 1", "w 4 5 1 packages/w@0.1.0",
                "packages/w@0.1.0 3 4 2 b@1.0.0",
            ]
        )
        #expect(launch.remark == "1 dependency that would close a circle left out")
        #expect(complaint(#"{"lockfileVersion":1,"dependencies":{}}"#, .npm)?.contains("missing key 'packages'") == true)
    }

    // MARK: GitHub

    @Test("Jobs of a workflow come after those that they need; each takes a millisecond")
    func github() throws {
        let path = SnapshotTests.folder.appendingPathComponent("../Corpus/import/workflow.json").standardized.path
        let found = try importLaunch(try readInput(path), file: "f").report()
        #expect(rows(found) == ["lint 0 1 1", "test 0 1 2", "coverage 1 2 1 test", "release 2 3 1 lint coverage"])
        #expect(found.scenario == "CI" && found["release"]?.title == "Release" && found.criticalPath == ["test", "coverage", "release"])
        #expect(complaint(#"{"on":"push"}"#, .github) == "f:1:1: missing key 'jobs'")
        let unknown = #"{"jobs":{"build":{},"test":{"needs":["biuld"]}}}"#
        #expect(complaint(unknown, .github) == "f:1:28: 'test' needs 'biuld', which is not a job; did you mean 'build'?")
        let circle = #"{"jobs":{"a":{"needs":"b"},"b":{"needs":"a"}}}"#
        #expect(try importLaunch(Array(circle.utf8), file: "f").remark == "1 dependency that would close a circle left out")
    }

    // MARK: systemd

    @Test("Units with their times; dependencies only where somebody has added them, and the chain through them")
    func systemd() throws {
        let found = try report(
            """
            [{"name":"a.service","activated":3000000,"activating":1000000,"time":2000000,"deactivated":0,"deactivating":0},
             {"name":"b.service","activated":3500000,"activating":3100000,"time":400000,"after":["a.service","absent.service"]},
             {"name":"c.device","activated":900000,"activating":900000,"time":null}]
            3 Units listed.
            """
        )
        #expect(rows(found) == ["a.service 1000 3000 1", "b.service 3100 3500 1 a.service", "c.device 900 900 1"])
        #expect(found.scenario == "boot" && found.makespan == .milliseconds(3500))
        #expect(found.criticalPath == ["a.service", "b.service"] && found["a.service"]?.wait == .zero)
        #expect(complaint("[{\"activating\":1}]", .systemd) == "f:1:2: missing key 'name'")
        #expect(complaint("[{\"name\":\"a\"}]", .systemd)?.hasPrefix("f:1:2: missing key 'activating'") == true)
    }

    @Test("Green lines of 'systemd-analyze dot' are dependencies; other colours, and units that were not started, are not")
    func systemdDot() throws {
        let plot = #"""
            [{"name":"a.service","activated":2000,"activating":1000,"time":1000},
             {"name":"b.service","activated":5000,"activating":3000,"time":2000},
             {"name":"dev-disk\\x2d1.device","activated":900,"activating":900,"time":null}]
            """#
        let dot = #"""
            digraph systemd {
            \t"b.service"->"a.service" [color="green"];
            \t"b.service"->"dev-disk\x2d1.device" [color="green"];
            \t"b.service"->"absent.target" [color="green"];
            \t"a.service"->"dev-disk\x2d1.device" [color="black"];
            \t"a.service"->"shutdown.target" [color="red"];
            }
            """#
        var launch = try importLaunch(Array(plot.utf8), file: "f")
        try addSystemdDependencies(from: Array(dot.replacing("\\t", with: "\t").utf8), file: "d", to: &launch)
        let found = launch.report()
        #expect(found["b.service"]?.dependencies == ["a.service", #"dev-disk\x2d1.device"#])
        #expect(found["a.service"]?.dependencies == [])
        let error = #expect(throws: ScenarioError.self) { try addSystemdDependencies(from: Array(plot.utf8), file: "d", to: &launch) }
        #expect(error?.description.hasPrefix(#"d:1:1: no line of the form '"b.service"->"a.service" [color="green"];'; expected"#) == true)
    }

    // MARK: OTLP

    @Test("Spans of another program: the root is the launch, links and parents that had ended are dependencies, errors are failures")
    func otlp() throws {
        func span(_ id: String, _ parent: String, _ start: Int, _ end: Int, _ rest: String = "") -> String {
            let times = [start, end].map { "\"\(1_700_000_000_000 + $0)000000\"" }
            return """
                {"traceId":"00","spanId":"\(id)","parentSpanId":"\(parent)","name":"\(id)","kind":1,"startTimeUnixNano":\(times[0]),\
                "endTimeUnixNano":\(times[1])\(rest)}
                """
        }
        func document(_ spans: String...) -> String {
            let resource = #"{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},{"key":"n","value":{"kvlistValue":{}}}]}"#
            return #"{"resourceSpans":[{"resource":\#(resource),"scopeSpans":[{"spans":[\#(spans.joined(separator: ","))]}]}]}"#
        }
        let failed = #","status":{"code":2,"message":"no answer"}"#
        let text = document(
            span("cc", "bb", 60, 90, failed),
            span("root", "", 0, 100),
            span("aa", "root", 10, 40),
            span("bb", "aa", 40, 50)
        )
        let found = try report(
            text + "\n" + document(span("dd", "root", 90, 100, #","links":[{"traceId":"00","spanId":"cc"},{"spanId":"zz"}]"#))
        )
        #expect(found.scenario == "root" && found.makespan == .milliseconds(100))
        #expect(rows(found) == ["cc 60 90 1 bb", "aa 10 40 1", "bb 40 50 1 aa", "dd 90 100 1 cc"])
        #expect(found["cc"]?.outcome == .failed && found["cc"]?.message == "no answer")
        #expect(found.startedAt == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(found.criticalPath == ["aa", "bb", "cc", "dd"])
        #expect(try report(document(span("only", "", 0, 5))).scenario == "shop")
        // A span without an identifier is nobody's parent.
        let times = #""startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000001000000""#
        let child = try report(document(#"{"name":"lost","parentSpanId":"root",\#(times)}"#, span("root", "", 0, 100)))
        #expect(child.scenario == "root" && child.operations.map(\.id) == ["lost"])
        let lost = try report(document(#"{"name":"lost",\#(times)}"#, span("only", "", 5, 9)))
        #expect(lost.operations.map(\.dependencies) == [[], []])
        #expect(complaint(document(span("a", "", 5, 0)), .otlp)?.hasSuffix("the span 'a' ended before it started") == true)
        #expect(
            complaint(#"{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}"#, .otlp)?.contains("missing key 'startTimeUnixNano'") == true
        )
    }
}
