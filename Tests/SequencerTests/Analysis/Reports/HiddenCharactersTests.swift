import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Texts of others in drawings and reports", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HiddenCharactersTests {
    @Test("fault J10: no drawing and no report prints what turns the direction of writing, or is not seen")
    func outputs() throws {
        let texts = ["a\u{202E}b", "a\u{200B}\u{2060}b", "a\u{E0041}\u{AD}b", "\u{61C}a\u{FE0F}", "\u{2066}a\u{200D}b"]
        var graph = OperationGraph(texts.joined())
        for (number, text) in texts.enumerated() { graph.join("\(number)", .title(text), .expected(.milliseconds(1))) }
        let valid = try graph.validated()
        let report = ReportSamples.hostile()
        let outputs = [
            valid.dot(), valid.tree(), try valid.mermaid(), try valid.gantt(), valid.json(), report.json(), report.html(), report.svg(),
            report.markdown(), report.chromeTrace(), try report.otlp(),
        ]
        for output in outputs {
            let hidden = judgedScalars(output).first { $0.scalar != "\n" && !$0.isShown }
            #expect(hidden == nil, "\(String(describing: hidden)) in \(output.prefix(40))")
        }
    }
}
