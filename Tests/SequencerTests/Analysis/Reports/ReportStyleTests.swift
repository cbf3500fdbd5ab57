import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// The style sheets, read out of pages and pictures as a browser reads them.
@Suite("How pages and pictures look", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportStyleTests {
    /// Launches that have everything between them that a page or a picture can show.
    private static func launches() async throws -> [LaunchReport] {
        var regular = try await ReportSamples.regular()
        regular.initialDisplay = "splash"
        regular.scopes = [LaunchReport.Scope(name: "window", start: .zero, report: ReportSamples.small())]
        var stopped = ReportSamples.small()
        stopped.outcome = .cancelled
        return [regular, stopped, TimelineTests.launch(), ReportSamples.hostile(), ReportSamples.large(50)]
    }

    private static func classes(of documents: [String]) -> Set<String> {
        Set(documents.flatMap { $0.matches(of: /class="([^"]*)"/).flatMap { $0.1.split(separator: " ").map(String.init) } })
    }

    @Test(
        "each text can be read on each ground that it stands on, and bars and lines can be seen, in light and in dark",
        arguments: [false, true]
    )
    func contrast(isDark: Bool) throws {
        let report = ReportSamples.small()
        let sheets = [try StyleSheet(of: report.html()), try StyleSheet(of: report.svg())]
        let palette = try sheets[0].palette(isDark: isDark)
        func colour(_ name: String) throws -> Colour { try #require(palette["--" + name], "\(name)") }
        let paper = try colour("paper")

        let texts = Set(sheets[0].rules.compactMap { $0.declarations["color"]?.firstMatch(of: /^var\(--([a-z-]+)\)$/)?.1 }.map(String.init))
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
        #expect(sheets[1].declarations(".failed .bar")["fill"] == "var(--bad)")
    }

    @Test("each class of a page and of a picture has a rule, and each rule is for a class and an element that can be there")
    func rules() async throws {
        let launches = try await Self.launches()
        let pages = launches.map { $0.html(maximumRows: 45) }, pictures = launches.map { $0.svg(maximumRows: 45) }
        let page = try StyleSheet(of: pages[0]), picture = try StyleSheet(of: pictures[0])

        // In the script, any text may become a class.
        let texts = Set(PageScript.javaScript.matches(of: /'([a-z]+)'/).map { String($0.1) })
        // These name a part for those who style it themselves, or for the script.
        let parts: Set = ["op", "legend", "sign", "grid"]
        #expect(Self.classes(of: pages).subtracting(page.names(behind: ".")).isSubset(of: parts.union(["main", "lane"])))
        #expect(page.names(behind: ".").subtracting(Self.classes(of: pages)).isSubset(of: texts.union(["takeover"])))
        let ids = Set(pages.flatMap { $0.matches(of: /\ id="([a-z]+)"/).map { String($0.1) } })
        #expect(page.names(behind: "#").subtracting(ids).isEmpty)
        #expect(Self.classes(of: pictures).subtracting(picture.names(behind: ".")).isSubset(of: parts.union(["main", "lane"])))
        #expect(picture.names(behind: ".").subtracting(Self.classes(of: pictures)).isSubset(of: ["takeover"]))
    }

    @Test("each colour and length that a style sheet takes by name has a value, and each that has one is taken")
    func values() throws {
        let report = ReportSamples.small()
        let page = report.html()
        let sheets = [try StyleSheet(of: page), try StyleSheet(of: report.svg())]
        let taken = sheets.map { sheet in
            Set(sheet.rules.flatMap(\.declarations.values).joined(separator: " ").matches(of: /var\((--[a-z-]+)\)/).map { String($0.1) })
        }
        let given = sheets.map { sheet in Set(sheet.rules.flatMap(\.declarations.keys).filter { $0.hasPrefix("--") }) }
        // Those of an element of its own stand in the element.
        let own = Set(page.matches(of: /(?:;|")(--[a-z]+):/).map { String($0.1) } + ["--zoom"])
        #expect(taken[0].subtracting(given[0]).subtracting(own).isEmpty)
        #expect(taken[1].subtracting(given[1]).isEmpty)
        #expect(given[0].union(given[1]).subtracting(taken[0]).subtracting(taken[1]).isEmpty)
        let dark = try #require(sheets[0].rules.first { $0.media.contains("dark") })
        let light = try sheets[0].palette(isDark: false)
        #expect(Set(dark.declarations.keys) == Set(light.keys))
    }

    @Test(
        "bars that failed, fell back or were cancelled differ from others and from each other in more than colour",
        arguments: [true, false]
    )
    func shapes(isPage: Bool) throws {
        let report = ReportSamples.small()
        let sheet = try StyleSheet(of: isPage ? report.html() : report.svg())
        let usual = sheet.declarations(".bar")
        func shape(_ style: String) -> [String: String] {
            usual.merging(sheet.declarations("\(style) .bar")) { $1 }.mapValues { $0.replacing(/var\(--[a-z-]+\)/, with: "a colour") }
        }
        // Failed bars are struck through, which is a shape of its own, as is the half of a fallback.
        #expect(
            shape(".cancelled") != usual.mapValues { _ in "a colour" } && sheet.declarations(".cancelled .bar")["fill"] == "var(--paper)"
        )
        #expect(
            sheet.declarations(".cancelled .bar")["stroke-dasharray"] != nil
                && sheet.declarations(".fell-back .bar")["stroke-dasharray"] == nil
        )
        #expect(sheet.declarations(".strike")["stroke"] == "var(--paper)" && sheet.declarations(".half")["fill"] == "var(--fell-back)")
        #expect(sheet.declarations(".main .bar").isEmpty, "a sign stands before the name")
    }

    @Test("a table of many rows is laid out when its rows are seen")
    func largeTable() throws {
        // The browser lays out 5,000 rows of a table that is none for its layout in a third of the time.
        let sheet = try StyleSheet(of: ReportSamples.small().html())
        for part in ["thead", "tbody"] { #expect(sheet.declarations("#operations \(part)")["display"] == "block") }
        #expect(sheet.declarations(".tall #operations tbody tr")["content-visibility"] == "auto")
    }
}
