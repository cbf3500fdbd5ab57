import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Reports as SVG", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportSVGTests {
    @Test("a small launch, exactly: wait, work, failure, critical path, budget")
    func small() {
        let text = ReportSamples.small().svg()
        #expect(
            text.hasPrefix(
                #"<svg xmlns="http://www.w3.org/2000/svg" class="timeline" viewBox="0 0 1200 148" width="1200" height="148" role="img">"#
                    + "\n<title>Timeline of small: failed, 3 operations</title>\n<style>\n"
            )
        )
        #expect(
            text.hasSuffix(
                #"""
                <rect width="100%" height="100%" fill="var(--paper)"/>
                <rect class="band" x="0" y="80" width="1200" height="20"/>
                <rect class="band" x="0" y="120" width="1200" height="20"/>
                <g class="axis">
                <line x1="230" y1="28" x2="230" y2="140"/><text x="230" y="24" text-anchor="middle">0 ms</text>
                <line x1="358.6" y1="28" x2="358.6" y2="140"/><text x="358.6" y="24" text-anchor="middle">100 ms</text>
                <line x1="487.1" y1="28" x2="487.1" y2="140"/><text x="487.1" y="24" text-anchor="middle">200 ms</text>
                <line x1="615.7" y1="28" x2="615.7" y2="140"/><text x="615.7" y="24" text-anchor="middle">300 ms</text>
                <line x1="744.3" y1="28" x2="744.3" y2="140"/><text x="744.3" y="24" text-anchor="middle">400 ms</text>
                <line x1="872.9" y1="28" x2="872.9" y2="140"/><text x="872.9" y="24" text-anchor="middle">500 ms</text>
                <line x1="1001.4" y1="28" x2="1001.4" y2="140"/><text x="1001.4" y="24" text-anchor="middle">600 ms</text>
                <line x1="1130" y1="28" x2="1130" y2="140"/><text x="1130" y="24" text-anchor="middle">700 ms</text>
                </g>
                <g class="lanes" aria-hidden="true">
                <text class="number" x="222" y="46" text-anchor="end">main</text>
                <text class="number" x="222" y="62" text-anchor="end">lane 1</text>
                <g class="op critical" data-lane="0"><rect class="bar" x="230" y="53" width="514.3" height="10"><title>a</title></rect></g>
                <g class="op main critical unsuccessful failed" data-lane="1"><rect class="bar" x="872.9" y="37" width="257.1" height="10"><title>b</title></rect></g>
                </g>
                <path class="path" d="M744.3 90V110H872.9"/>
                <g id="links"></g>
                <g class="op critical"><title>a: succeeded, 0 ms to 400 ms (400 ms), expected 300 ms, on the critical path, lane 1</title><rect x="0" y="80" width="1200" height="20" fill="none" pointer-events="all"/><text class="label" x="8" y="94" unicode-bidi="isolate">a</text><rect class="bar" x="230" y="84" width="514.3" height="12" rx="2"/><text class="number" x="750.3" y="94">400 ms</text></g>
                <g class="op main critical unsuccessful failed"><title>b: failed, 500 ms to 700 ms (200 ms), waited 100 ms, on the critical path, main</title><rect x="0" y="100" width="1200" height="20" fill="none" pointer-events="all"/><text class="label" x="8" y="114" unicode-bidi="isolate">b</text><rect class="wait" x="744.3" y="108" width="128.6" height="4"/><rect class="bar" x="872.9" y="104" width="257.1" height="12" rx="2"/><text class="number" x="1196" y="114" text-anchor="end">200 ms, failed</text></g>
                <g class="op unsuccessful"><title>c: skipped, slack 0 ms</title><rect x="0" y="120" width="1200" height="20" fill="none" pointer-events="all"/><text class="label" x="8" y="134" unicode-bidi="isolate">c</text><circle class="never" cx="1130" cy="130" r="3.5"/><text class="number" x="1138" y="134">skipped</text></g>
                <line class="budget" x1="872.9" y1="4" x2="872.9" y2="140"/><text class="budget-label" x="878.9" y="12" text-anchor="start">budget 500 ms</text>
                </svg>
                """#
            )
        )
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
