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
        #expect(
            text.hasPrefix(
                #"<svg xmlns="http://www.w3.org/2000/svg" class="timeline" viewBox="0 0 1200 226" width="1200" height="226" role="img">"#
                    + "\n<title>Timeline of small: failed, 3 operations</title>\n<style>\n"
            )
        )
        for part in [
            #"""
            <text class="heading" x="8" y="24" unicode-bidi="isolate">small</text>
            <text class="verdict fail" x="8" y="44">failed</text>
            <g class="legend">
            """#,
            #"""
            <g class="lanes" aria-hidden="true">
            <text class="number" x="222" y="124" text-anchor="end">main</text>
            <g class="op main critical failed" data-lane="1"><rect class="bar" x="830" y="115" width="239" height="10"><title>b</title></rect><path class="cross" d="M1060 117L1066 123M1060 123L1066 117"/></g>
            <text class="number" x="222" y="140" text-anchor="end">lane 1</text>
            <g class="op critical" data-lane="0"><rect class="bar" x="230" y="131" width="479" height="10"><title>a</title></rect></g>
            </g>
            <path class="path" d="M710 168V188H830"/>
            <line class="budget" x1="830" y1="109" x2="830" y2="218"><title>budget 500 ms</title></line><text class="mark budget" x="825" y="89" text-anchor="end">budget 500 ms</text>
            <g class="op critical"><title>a: succeeded, 0 ms to 400 ms (400 ms), expected 300 ms, on the critical path, lane 1</title><rect x="0" y="158" width="1200" height="20" fill="none" pointer-events="all"/><text class="label" x="8" y="172" unicode-bidi="isolate">a</text><rect class="bar" x="230" y="162" width="480" height="12" rx="2"/><line class="expected" x1="590" y1="160" x2="590" y2="177"/><text class="number" x="716" y="172">400 ms</text></g>
            <g class="op main critical failed"><title>b: failed, 500 ms to 700 ms (200 ms), waited 100 ms, on the critical path, main</title><rect x="0" y="178" width="1200" height="20" fill="none" pointer-events="all"/><text class="label" x="8" y="192" unicode-bidi="isolate">b</text><rect class="wait" x="710" y="186" width="120" height="4"/><rect class="bar" x="830" y="182" width="240" height="12" rx="2"/><path class="cross" d="M1061 185L1067 191M1061 191L1067 185"/><text class="number" x="1076" y="192">✕ 200 ms, failed</text></g>
            <g class="op cancelled"><title>c: skipped, slack 0 ms</title><rect x="0" y="198" width="1200" height="20" fill="none" pointer-events="all"/><text class="label" x="8" y="212" unicode-bidi="isolate">c</text><circle class="never" cx="1070" cy="208" r="3.5"/><text class="number" x="1078" y="212">skipped</text></g>
            </svg>
            """#,
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(ReportSamples.small().svg() == text)
    }

    @Test("every report is well-formed XML with a bar an operation", arguments: RandomGraph.many(40, operations: 1...60))
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
        #expect(elements.names == ["svg", "title", "style", "rect", "g", "line", "text", "path", "circle"])
        for id in ReportSamples.hostileTexts { #expect(elements.texts.contains { $0.hasPrefix("\(id): ") }, "\(id)") }
    }

    @Test("a large launch shows what matters and says what is missing")
    func large() throws {
        var document = ReportSamples.large(3000)
        document.operations[2999] = OperationReport(
            id: "late",
            outcome: .failed,
            ready: .zero,
            start: .zero,
            end: .milliseconds(1),
            attempts: 1,
            lane: 1,
            slack: .zero,
            isCritical: false
        )
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
