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
        let page = ReportSamples.small().html()
        let palette = Self.palette(of: page, isDark: isDark)
        func colour(_ name: String) throws -> Colour { try #require(palette[name], "\(name)") }
        let paper = try colour("paper")

        let texts = Set(page.matches(of: /[^a-z-]color: var\(--([a-z-]+)\)/).map { String($0.1) })
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

    /// The colours by name; in the dark, those of the dark scheme count.
    private static func palette(of page: String, isDark: Bool) -> [String: Colour] {
        let schemes = page.components(separatedBy: "@media (prefers-color-scheme: dark)")
        let definitions = (isDark ? page : schemes[0]).matches(of: /--([a-z-]+): #([0-9a-f]{6})/)
        return definitions.reduce(into: [:]) { $0[String($1.1)] = UInt32($1.2, radix: 16).map { Colour($0) } }
    }
}

private struct Colour {
    /// Red, green and blue, 0 to 255.
    let channels: [Double]

    init(_ number: UInt32) { channels = [16, 8, 0].map { Double(number >> $0 & 0xFF) } }

    /// The contrast of two colours, 1 to 21: <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>.
    func contrast(with other: Colour) -> Double {
        (max(luminance, other.luminance) + 0.05) / (min(luminance, other.luminance) + 0.05)
    }

    private var luminance: Double {
        let linear = channels.map { $0 / 255 }.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}
