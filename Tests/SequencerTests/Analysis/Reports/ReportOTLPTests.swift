import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports as OTLP", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportOTLPTests {
    @Test("a small launch, exactly")
    func small() throws {
        let expected =
            #"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"sequencer"}}]},"scopeSpans":[{"scope":{"name":"sequencer"},"spans":["#
            + #"{"traceId":"1b8e9eecd04b730aa4c2ca83bf290cdc","spanId":"46265cdfc1e1d1c5","name":"small","kind":1,"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000700000000","attributes":[{"key":"sequencer.outcome","value":{"stringValue":"failed"}},{"key":"sequencer.failure.operation","value":{"stringValue":"b"}},{"key":"sequencer.failure.message","value":{"stringValue":"no \"route\""}},{"key":"sequencer.verdict","value":{"stringValue":"fail"}},{"key":"sequencer.budget.verdict","value":{"stringValue":"fail"}},{"key":"sequencer.budget.limit_ms","value":{"doubleValue":500}},{"key":"sequencer.budget.measured_ms","value":{"doubleValue":700}},{"key":"sequencer.budget.interactive_ms","value":{"doubleValue":0}},{"key":"sequencer.budget.causes","value":{"arrayValue":{"values":[{"stringValue":"a"}]}}},{"key":"sequencer.critical_path","value":{"arrayValue":{"values":[{"stringValue":"a"},{"stringValue":"b"}]}}},{"key":"sequencer.critical_path_ms","value":{"doubleValue":600}},{"key":"sequencer.work_ms","value":{"doubleValue":600}},{"key":"sequencer.lanes","value":{"intValue":"1"}}],"status":{"message":"b: no \"route\"","code":2}},"#
            + #"{"traceId":"1b8e9eecd04b730aa4c2ca83bf290cdc","spanId":"76e08a231dee19ee","parentSpanId":"46265cdfc1e1d1c5","name":"a","kind":1,"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000400000000","attributes":[{"key":"sequencer.outcome","value":{"stringValue":"succeeded"}},{"key":"sequencer.wait_ms","value":{"doubleValue":0}},{"key":"sequencer.slack_ms","value":{"doubleValue":0}},{"key":"sequencer.critical","value":{"boolValue":true}},{"key":"sequencer.lane","value":{"stringValue":"lane 1"}},{"key":"sequencer.attempts","value":{"intValue":"1"}},{"key":"sequencer.expected_ms","value":{"doubleValue":300}},{"key":"sequencer.title","value":{"stringValue":"Load <a>"}},{"key":"sequencer.notes","value":{"arrayValue":{"values":[{"stringValue":"from the cache"}]}}}]},"#
            + #"{"traceId":"1b8e9eecd04b730aa4c2ca83bf290cdc","spanId":"a704f87bb438079f","parentSpanId":"46265cdfc1e1d1c5","name":"b","kind":1,"startTimeUnixNano":"1700000000500000000","endTimeUnixNano":"1700000000700000000","attributes":[{"key":"sequencer.outcome","value":{"stringValue":"failed"}},{"key":"sequencer.wait_ms","value":{"doubleValue":100}},{"key":"sequencer.slack_ms","value":{"doubleValue":0}},{"key":"sequencer.critical","value":{"boolValue":true}},{"key":"sequencer.lane","value":{"stringValue":"main"}},{"key":"sequencer.attempts","value":{"intValue":"2"}},{"key":"sequencer.message","value":{"stringValue":"no \"route\""}}],"links":["#
            + #"{"traceId":"1b8e9eecd04b730aa4c2ca83bf290cdc","spanId":"76e08a231dee19ee","attributes":[{"key":"sequencer.after","value":{"stringValue":"a"}}]}],"status":{"message":"no \"route\"","code":2}},"#
            + #"{"traceId":"1b8e9eecd04b730aa4c2ca83bf290cdc","spanId":"04b02342c622c4fe","parentSpanId":"46265cdfc1e1d1c5","name":"c","kind":1,"startTimeUnixNano":"1700000000700000000","endTimeUnixNano":"1700000000700000000","attributes":[{"key":"sequencer.outcome","value":{"stringValue":"skipped"}},{"key":"sequencer.slack_ms","value":{"doubleValue":0}},{"key":"sequencer.critical","value":{"boolValue":false}},{"key":"sequencer.attempts","value":{"intValue":"0"}},{"key":"sequencer.message","value":{"stringValue":"b failed"}}],"links":["#
            + #"{"traceId":"1b8e9eecd04b730aa4c2ca83bf290cdc","spanId":"a704f87bb438079f","attributes":[{"key":"sequencer.after","value":{"stringValue":"b"}}]}]}]}]}]}"#
        #expect(try ReportSamples.small().otlp() == expected)
    }

    @Test("what else is said of a launch is an attribute of the resource, in order; the service's own name stands")
    func attributes() throws {
        var report = ReportSamples.small()
        report.attributes = ["start.type": "cold", "os.name": "iOS", "service.name": "another"]
        let expected =
            #"{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"sequencer"}},"#
            + #"{"key":"os.name","value":{"stringValue":"iOS"}},{"key":"start.type","value":{"stringValue":"cold"}}]}"#
        #expect(try report.otlp().contains(expected))
    }

    @Test("an app's name and version are attributes of the resource; an attribute without a name is not written")
    func versionAttribute() throws {
        var report = ReportSamples.small()
        report.attributes = ["service.version": "3.1", "": "nameless"]
        let text = try report.otlp()
        #expect(text.contains(#"{"key":"service.version","value":{"stringValue":"3.1"}}]}"#) && !text.contains("nameless"))
        report.version = "2.0"
        let versioned = try report.otlp(service: "app")
        let resource =
            #"{"key":"service.name","value":{"stringValue":"app"}},"#
            + #"{"key":"service.version","value":{"stringValue":"2.0"}}]}"#
        #expect(versioned.contains(resource) && !versioned.contains("3.1"))
    }

    @Test("identifiers are all different, and the same again", arguments: RandomGraph.many(14))
    func identifiers(graph: RandomGraph) async throws {
        let document = try await ReportSamples.random(graph)
        let text = try document.otlp()
        #expect(try document.otlp() == text)
        let spans = text.matches(of: /"spanId":"([0-9a-f]{16})","(?:parentSpanId|name)"/).map { String($0.1) }
        #expect(spans.count == document.operations.count + 1 && Set(spans).count == spans.count)
        let traces = Set(text.matches(of: /"traceId":"([0-9a-f]{32})"/).map { String($0.1) })
        #expect(traces.count == 1 && !traces.contains(String(repeating: "0", count: 32)))
        let links = text.components(separatedBy: "sequencer.after").count - 1
        #expect(links == document.operations.reduce(0) { $0 + $1.dependencies.count })
        var other = document
        other.startedAt = document.startedAt?.addingTimeInterval(1)
        #expect(try !other.otlp().contains(traces.first ?? ""))
    }

    @Test("a launch in virtual time needs a begin, and takes the one it is given")
    func start() async throws {
        let document = try await ReportSamples.empty()
        let error = #expect(throws: ExportError.self) { try document.otlp() }
        #expect(error?.code == .unknownStart)
        #expect(
            error?.description == ": OTLP needs to know when the launch began, and a launch in virtual time has no such moment; give one"
        )
        #expect(try document.otlp(startedAt: Date(timeIntervalSince1970: 1.5)).contains(#""startTimeUnixNano":"1500000000""#))
        #expect(try ReportSamples.small().otlp(startedAt: Date(timeIntervalSince1970: 2)).contains(#""startTimeUnixNano":"2000000000""#))
    }

    @Test("times that nanoseconds cannot count are refused", arguments: [-1, 1e10, .infinity, .nan, -.infinity, 9.3e9] as [Double])
    func range(seconds: Double) {
        let error = #expect(throws: ExportError.self) { try ReportSamples.small().otlp(startedAt: Date(timeIntervalSince1970: seconds)) }
        #expect(error?.code == .timeOutOfRange)
    }
}
