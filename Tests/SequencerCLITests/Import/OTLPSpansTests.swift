import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// Spans of OpenTelemetry.
@Suite("OTLP spans", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OTLPSpansTests {
    private func file(_ text: String) throws -> ImportedFile { try ImportedFile(Array(text.utf8), file: "f") }

    private func report(_ text: String) throws -> LaunchReport { try #require(try file(text).launches.first).report() }

    /// `id start end lane after...` in milliseconds.
    private func rows(_ report: LaunchReport) -> [String] {
        report.operations.map { operation in
            let times = [operation.start ?? .zero, operation.end].map { "\($0.nanoseconds / 1_000_000)" }
            return ([operation.id] + times + ["\(operation.lane ?? 0)"] + operation.dependencies).joined(separator: " ")
        }
    }

    private func span(_ id: String, _ parent: String, _ start: Int, _ end: Int, _ rest: String = "", trace: String = "00") -> String {
        let times = [start, end].map { "\"\(1_700_000_000_000 + $0)000000\"" }
        return """
            {"traceId":"\(trace)","spanId":"\(id)","parentSpanId":"\(parent)","name":"\(id)","kind":1,"startTimeUnixNano":\(times[0]),\
            "endTimeUnixNano":\(times[1])\(rest)}
            """
    }

    private func document(_ spans: String...) -> String {
        let resource = #"{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},{"key":"n","value":{"kvlistValue":{}}}]}"#
        return #"{"resourceSpans":[{"resource":\#(resource),"scopeSpans":[{"spans":[\#(spans.joined(separator: ","))]}]}]}"#
    }

    @Test("Spans of another program: the root is the launch, links and parents that had ended are dependencies, errors are failures")
    func spans() throws {
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
    }

    @Test("A span without an identifier is nobody's parent")
    func withoutIdentifier() throws {
        let times = #""startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000001000000""#
        let child = try report(document(#"{"name":"lost","parentSpanId":"root","traceId":"00",\#(times)}"#, span("root", "", 0, 100)))
        #expect(child.scenario == "root" && child.operations.map(\.id) == ["lost"])
        let lost = try report(document(#"{"name":"lost","traceId":"00",\#(times)}"#, span("only", "", 5, 9)))
        #expect(lost.operations.map(\.dependencies) == [[], []])
    }

    @Test("A span that has others in it takes the time in which none of them runs, however many run at once")
    func nested() throws {
        let found = try report(
            document(
                span("AppStart", "", 0, 1000),
                span("bootstrap", "AppStart", 0, 900),
                span("config", "bootstrap", 0, 400),
                span("login", "bootstrap", 300, 800),
                span("first frame", "AppStart", 900, 1000),
                span("image", "first frame", 950, 1100)
            )
        )
        // One of them ends after the root, which is an operation then.
        #expect(
            rows(found) == [
                "AppStart 0 0 1", "bootstrap 0 100 1", "config 0 400 2", "login 300 800 1", "first frame 900 950 1", "image 950 1100 1",
            ]
        )
        #expect(found.makespan == .milliseconds(1100) && found.criticalPath == ["login"] && found["login"]?.slack == .zero)
    }

    @Test("Each trace is a launch of its own")
    func traces() throws {
        let found = try file(
            document(
                span("start", "", 0, 100, trace: "11"),
                span("other", "", 5000, 5200, trace: "22"),
                span("config", "start", 0, 40, trace: "11"),
                span("config", "other", 5000, 5090, trace: "22")
            )
        )
        #expect(found.launches.map(\.trace) == ["11", "22"] && found.summary == "read spans: 4")
        let reports = try found.launches.map { try $0.report() }
        #expect(reports.map(\.scenario) == ["start", "other"])
        #expect(reports.map(rows) == [["config 0 40 1"], ["config 0 90 1"]])
    }

    @Test("Spans that are left out are counted by their reasons")
    func leftOut() throws {
        let events = #","events":[{"name":"x"},{"timeUnixNano":1}],"links":[{"spanId":"a"}]"#
        let times = #","startTimeUnixNano":"-1","endTimeUnixNano":"-1""#
        let found = try file(
            document(span("a", "", 0, 9), span("b", "", 5, 0), #"{"name":"c"}"#, #"{"name":"d"\#(times)}"#, span("e", "", 3, 5, events))
        )
        let reasons = "events of spans: 2, spans without a begin and an end: 3"
        #expect(found.summary == "read spans: 2; left out \(reasons)")
        let error = #expect(throws: ScenarioError.self) { try file(#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":1}]}]}]}"#) }
        #expect(error?.description.hasSuffix("resourceSpans[0].scopeSpans[0].spans[0].name: expected a string, found a number") == true)
    }
}
