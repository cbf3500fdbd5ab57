import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// The style sheet of a page, read as a browser reads it.
@Suite("How pages look", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportStyleTests {
    @Test(
        "each text can be read on each ground that it stands on, and bars and lines can be seen, in light and in dark",
        arguments: [false, true]
    )
    func contrast(isDark: Bool) throws {
        let report = ReportSamples.small()
        let sheet = try StyleSheet(of: report.html())
        let palette = try sheet.palette(isDark: isDark)
        func colour(_ name: String) throws -> Colour { try #require(palette["--" + name], "\(name)") }
        let paper = try colour("paper")

        let texts = Set(sheet.rules.compactMap { $0.declarations["color"]?.firstMatch(of: /^var\(--([a-z-]+)\)$/)?.1 }.map(String.init))
        #expect(texts.isSuperset(of: ["ink", "faint", "bad", "good", "critical"]))
        for text in texts where text != "paper" {
            for ground in [paper, try colour("mark")] {
                let contrast = try colour(text).contrast(with: ground)
                // https://www.w3.org/TR/WCAG22/#contrast-minimum
                #expect(contrast >= 4.5, "\(text): \(contrast)")
            }
        }
        // https://www.w3.org/TR/WCAG22/#non-text-contrast
        for shape in ["work", "person", "bad", "fell-back", "critical", "thin", "ink", "stopped", "faint"] {
            let contrasts = [try colour(shape).contrast(with: paper), try colour(shape).contrast(with: colour("pause"))]
            // A person's time is shaded: what lies on it can be seen there, too.
            #expect(contrasts[0] >= 3 && contrasts[1] >= 2.7, "\(shape): \(contrasts)")
        }
        // These kinds of bars differ by nothing but their colour.
        #expect(try colour("work").contrast(with: colour("person")) >= 3)
        // What failed is red.
        let bad = try colour("bad").channels
        #expect(bad[0] > 1.5 * max(bad[1], bad[2]))
    }
}
