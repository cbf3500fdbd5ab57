import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports as SVG", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportSVGTests {
    @Test("a small launch, exactly: title, verdict, wait, work, failure, expected end, critical path, budget")
    func small() {
        let text = ReportSamples.small().svg()
        #expect(text.hasPrefix(#"<svg xmlns="http://www.w3.org/2000/svg" class="timeline" viewBox="0 0 1200 "#))
        #expect(text.contains("role=\"img\">\n<title>Timeline of small: failed, 3 operations</title>\n<style>\n"))
        for part in [
            #"""
            <text class="heading" x="8" y="24" text-anchor="start" unicode-bidi="isolate">small</text>
            <text class="verdict fail" x="8" y="44" text-anchor="start" unicode-bidi="isolate">failed</text>
            """#,
            #">main</text>"#, #">lane 1</text>"#,
            #"<g class="op main critical failed" data-lane="1"><title>b</title><rect class="bar" x="71.429%" width="28.571%" y="3" height="10"/>"#,
            #"<line class="path" x1="57.143%" x2="57.143%" y1="18" y2="38"/><line class="path" x1="57.143%" x2="71.429%" y1="38" y2="38"/>"#,
            #"<g class="op critical"><title>a: succeeded, 0 ms to 400 ms (400 ms), expected 300 ms, on the critical path, lane 1</title>"#,
            #"<rect class="bar" x="0%" width="57.143%" y="4" height="11"/><rect class="way" x="0%" width="57.143%" y="17" height="2"/>"#,
            #"<line class="expected" x1="42.857%" x2="42.857%" y1="2" y2="20"/><text class="number" x="57.143%" dx="6" y="14">400 ms</text>"#,
            #"<rect class="wait" x="57.143%" width="14.286%" y="8" height="4"/><rect class="bar" x="71.429%" width="28.571%" y="4" height="11"/>"#,
            #"<line class="strike" x1="71.429%" x2="100%" y1="9.5" y2="9.5"/>"#, #">✕ 200 ms, failed</text>"#,
            #"<circle class="never" cx="100%" cy="10" r="3.5"/><text class="number" x="100%" dx="8" y="14">skipped</text>"#,
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(ReportSamples.small().svg() == text)
    }

    @Test("every report is well-formed XML with a bar an operation", arguments: RandomGraph.many(14, operations: 1...60))
    func random(graph: RandomGraph) async throws {
        let document = try await ReportSamples.random(graph)
        let elements = try Elements(document.svg())
        #expect(elements.count("rect", "bar") - elements.lanes == document.operations.filter { $0.start != nil }.count)
        #expect(elements.count("circle", "never") == document.operations.filter { $0.start == nil }.count)
        #expect(elements.count("line", "slack") == document.operations.filter { $0.start != nil && $0.slack > .zero }.count)
        #expect(elements.count("rect", "wait") == document.operations.filter { $0.wait > .zero }.count)
        #expect(elements.names.isDisjoint(with: ["script", "image", "use", "a"]))
    }

    @Test("no name breaks out of its place")
    func hostile() throws {
        let document = ReportSamples.hostile()
        let elements = try Elements(document.svg())
        #expect(elements.names == ["svg", "title", "style", "rect", "g", "line", "text", "tspan", "circle"])
        for id in ReportSamples.hostileTexts { #expect(elements.texts.contains { $0.hasPrefix("\(id): ") }, "\(id)") }
    }

    @Test("a large launch shows what matters and says what is missing")
    func large() throws {
        var document = ReportSamples.large(3000)
        document.operations[2999] = .made("late", 0...1, .failed)
        let text = document.svg(maximumRows: 302)
        let elements = try Elements(text)
        #expect(elements.count("rect", "bar") - elements.lanes == 302)
        #expect(text.contains(">2698 more operations, none longer than 1 ms.</text>"))
        #expect(elements.texts.contains { $0.hasPrefix("late: failed") })
        #expect(stride(from: 0, to: 3000, by: 10).allSatisfy { id in elements.texts.contains { $0.hasPrefix("op-\(id): ") } })
        #expect(document.selection(limit: 302).prefix(4) == [0, 1, 10, 20])
    }

    @Test("nothing at all is a drawing too, and so are times at the edge of what can be said")
    func extremes() async throws {
        _ = try Elements(try await ReportSamples.empty().svg())
        var document = ReportSamples.small()
        document.makespan = Duration.nanoseconds(Int64.max)
        document.operations[0] = OperationReport(
            id: "for ever",
            outcome: .succeeded,
            ready: Duration.nanoseconds(Int64.min),
            start: Duration.nanoseconds(Int64.min),
            end: Duration.nanoseconds(Int64.max),
            attempts: .max,
            lane: .max,
            slack: Duration.nanoseconds(Int64.max),
            isCritical: true
        )
        _ = try Elements(document.svg())
        _ = try Elements(document.html())
        _ = document.markdown()
        _ = try JSONSerialization.jsonObject(with: Data(document.chromeTrace().utf8))
        #expect(throws: ExportError.self) { try document.otlp() }
    }
}
