import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports of launches with scopes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportScopeTests {
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
            let s: String?
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
        // The budget of a scope is none of the launch's tracks.
        #expect(events.filter { $0.name.hasPrefix("budget") }.map(\.s) == ["g", "p", "p"])
    }

    private func count(_ text: String, in drawing: String) -> Int { drawing.components(separatedBy: text).count - 1 }

    @Test("a picture and a page have each scope under a heading, with its operations at the launch's times")
    func drawing() throws {
        let report = nested()
        let (picture, page) = (report.svg(), report.html())
        for drawing in [picture, page] {
            _ = try Elements(drawing)
            #expect(drawing.contains("window from 610 ms: failed") && drawing.contains("window/sync from 630 ms: failed"))
            #expect(drawing.contains("Timeline of small: failed, 3 operations, 1 scope"))
        }
        #expect(count("class=\"label\"", in: picture) == 3 * report.operations.count)
        #expect(count("<text class=\"scope fail\"", in: picture) == 2 && count("<h3 class=\"fail\">", in: page) == 2)
        #expect(count("<a class=\"row ", in: page) == report.operations.count)
        #expect(count("<div class=\"row op", in: page) == 2 * report.operations.count)
        // The last operation ends at 1330 ms, that of the launch itself at 700 ms: a is at 610 ms, and at 630 ms in the scope of the scope.
        for drawing in [picture, page] {
            for place in ["45.865%", "47.368%"] { #expect(drawing.contains("<rect class=\"bar\" x=\"\(place)\" width=\"30.075%\"")) }
        }
        #expect(picture.contains(">1 s</text>") && !ReportSamples.small().svg().contains(">1 s</text>"))
    }

    @Test("scopes as deep as they may be, with any text as a name, are drawn")
    func depth() throws {
        var report = ReportSamples.hostile()
        for text in ReportSamples.hostileTexts.prefix(LaunchReport.Scope.maximumDepth) {
            var outer = ReportSamples.small()
            outer.scopes = [LaunchReport.Scope(name: text, start: .milliseconds(10), report: report)]
            report = outer
        }
        let page = report.html(maximumRows: 100_000)
        let elements = try Elements(page)
        #expect(elements.count("h3", "fail") + elements.count("h3", "pass") == LaunchReport.Scope.maximumDepth)
        #expect(Set(elements.ids).count == elements.ids.count)
        _ = try Elements(report.svg(maximumRows: 100_000))
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
