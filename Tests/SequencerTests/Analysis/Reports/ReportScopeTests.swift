import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports of launches with scopes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportScopeTests {
    @Test("the exports for people name each scope, and take nothing in its name for markup")
    func exports() {
        var report = ReportSamples.small()
        let scope = report
        report.scopes = ["window", "<b>"].map { LaunchReport.Scope(name: $0, start: .milliseconds(610), report: scope) }
        for text in [report.markdown(), report.html()] {
            #expect(text.contains("Scope window from 610 ms"))
            #expect(!text.contains("<b>"))
        }
    }

    /// A launch with a scope at 610 ms, in which there is one 20 ms later.
    private func nested() -> LaunchReport {
        let inner = ReportSamples.small()
        var (outer, report) = (inner, inner)
        outer.scopes = [LaunchReport.Scope(name: "sync", start: .milliseconds(20), report: inner)]
        report.scopes = [LaunchReport.Scope(name: "window", start: .milliseconds(610), report: outer)]
        return report
    }

    private struct OTLP: Decodable {
        struct Resource: Decodable { let scopeSpans: [Spans] }
        struct Spans: Decodable { let spans: [Span] }
        struct Span: Decodable {
            let spanId: String
            let parentSpanId: String?
            let name: String
            let startTimeUnixNano: String
        }

        let resourceSpans: [Resource]
    }

    @Test("in OTLP a scope is a child of the launch, with its operations as children, at the times of the launch")
    func otlp() throws {
        let report = nested()
        let text = try report.otlp(startedAt: Date(timeIntervalSince1970: 1_000_000_000))
        let spans = try JSONDecoder().decode(OTLP.self, from: Data(text.utf8)).resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans)
        #expect(spans.count == 3 * (report.operations.count + 1) && Set(spans.map(\.spanId)).count == spans.count)
        let launch = try #require(spans.first { $0.parentSpanId == nil })
        let window = try #require(spans.first { $0.name == "window" })
        let sync = try #require(spans.first { $0.name == "sync" })
        #expect(window.parentSpanId == launch.spanId && sync.parentSpanId == window.spanId)
        #expect(window.startTimeUnixNano == "1000000000610000000" && sync.startTimeUnixNano == "1000000000630000000")
        let children = spans.filter { $0.parentSpanId == sync.spanId }
        #expect(children.map(\.name) == report.operations.map(\.id))
        #expect(children.map(\.startTimeUnixNano).dropFirst().first == "1000000001130000000")
    }

    @Test("in OTLP a scope that ends beyond the year 2262 is refused, as a launch is")
    func otlpRange() {
        var report = ReportSamples.small()
        report.scopes = [LaunchReport.Scope(name: "late", start: .nanoseconds(Int64.max), report: report)]
        #expect(throws: ExportError.self) { try report.otlp(startedAt: Date(timeIntervalSince1970: 1)) }
    }

    private struct Trace: Decodable {
        struct Event: Decodable {
            let name: String
            let ph: String
            let pid: Int
            let ts: Double?
            let id: Int?
        }

        let traceEvents: [Event]
    }

    @Test("in a Chrome trace a scope is a process of its own, at the times of the launch; no two arrows have one number")
    func chromeTrace() throws {
        let report = nested()
        let events = try JSONDecoder().decode(Trace.self, from: Data(report.chromeTrace().utf8)).traceEvents
        let own = try JSONDecoder().decode(Trace.self, from: Data(ReportSamples.small().chromeTrace().utf8)).traceEvents
        func nanoseconds(_ microseconds: Double) -> Int { Int((microseconds * 1000).rounded()) }
        for (pid, name, start) in [(1, "small", 0.0), (2, "scope window", 610_000), (3, "scope window/sync", 630_000)] {
            let found = events.filter { $0.pid == pid }
            #expect(found.map(\.ph) == own.map(\.ph))
            let expected = own.compactMap(\.ts).map { nanoseconds($0 + start) }
            #expect(found.compactMap(\.ts).map(nanoseconds) == expected)
            let slice = found.first { $0.ph == "X" }
            #expect(slice?.name == name)
        }
        let arrows = events.filter { $0.ph == "s" }.compactMap(\.id)
        #expect(!arrows.isEmpty && Set(arrows).count == arrows.count)
        #expect(events.filter { $0.ph == "f" }.compactMap(\.id).sorted() == arrows.sorted())
    }

    @Test("from the start of the process, a scope began so much later")
    func fromProcessStart() {
        var report = ReportSamples.small()
        report.scopes = [LaunchReport.Scope(name: "window", start: .milliseconds(610), report: report)]
        report.beforeRun = .milliseconds(90)
        #expect(report.fromProcessStart.scopes.map(\.start) == [.milliseconds(700)])
        #expect(report.fromProcessStart.scopes.map(\.report.makespan) == [report.makespan])
    }
}
