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
        for text in texts {
            for ground in ["paper", "band", "mark"] {
                let contrast = try colour(text).contrast(with: colour(ground))
                // https://www.w3.org/TR/WCAG22/#contrast-minimum
                #expect(contrast >= 4.5, "\(text) on \(ground): \(contrast)")
            }
        }
        for shape in ["work", "main", "interactive", "bad", "fell-back", "critical", "slack", "ink"] {
            let contrast = try colour(shape).contrast(with: paper)
            // https://www.w3.org/TR/WCAG22/#non-text-contrast
            #expect(contrast >= 3, "\(shape): \(contrast)")
        }
        // A label hides the lines behind it, on the colour that its row has beside it.
        let row = try colour("row").over(paper).channels
        for (shown, behind) in zip(row, try colour("band").channels) { #expect(abs(shown - behind) < 1) }
        // What failed is red.
        let bad = try colour("bad").channels
        #expect(bad[0] > 1.5 * max(bad[1], bad[2]))
        #expect(sheets[1].declarations(".timeline .failed .bar")["fill"] == "var(--bad)")
    }

    @Test("each class of a page and of a picture has a rule, and each rule is for a class and an element that can be there")
    func rules() async throws {
        let launches = try await Self.launches()
        let pages = launches.map { $0.html(maximumRows: 45) }, pictures = launches.map { $0.svg(maximumRows: 45) }
        let page = try StyleSheet(of: pages[0]), picture = try StyleSheet(of: pictures[0])

        let script = HTMLScript.javaScript
        let added = script.matches(of: /(?:classList\.(?:toggle|add)\(|className = |mark\(.*, )'([a-z]+)'/).map { String($0.1) }
        #expect(added.contains("chosen") && added.contains("filtered"))
        let shown = Self.classes(of: pages)
        #expect(shown.union(added).subtracting(page.names(behind: ".")).isEmpty)
        // In the script, any text may become a class.
        let texts = script.matches(of: /'([a-z]+(?: [a-z]+)*)'/).flatMap { $0.1.split(separator: " ").map(String.init) }
        #expect(page.names(behind: ".").subtracting(shown).subtracting(texts).isEmpty)
        let ids = Set(pages.flatMap { $0.matches(of: /\ id="([a-z]+)"/).map { String($0.1) } })
        #expect(page.names(behind: "#").subtracting(ids).isEmpty)

        // These name a part of the picture for those who style it themselves.
        let parts: Set = ["op", "lane", "lanes", "rest"]
        #expect(Self.classes(of: pictures).subtracting(picture.names(behind: ".")) == parts)
        #expect(picture.names(behind: ".").subtracting(Self.classes(of: pictures)).isEmpty)
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
        let own = page.matches(of: /(?:;|")(--[a-z]+):/).map { String($0.1) }
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
        let usual = sheet.declarations(".timeline .bar")
        func shape(_ style: String) -> [String: String] {
            usual.merging(sheet.declarations(".timeline \(style)")) { $1 }.mapValues { $0.replacing(/var\(--[a-z-]+\)/, with: "a colour") }
        }
        // In a picture, what failed has a cross, which is a shape of its own.
        let styles = [".bar", ".fell-back .bar", ".cancelled .bar", ".critical .bar"] + (isPage ? [".failed .bar"] : [])
        #expect(Set(styles.map(shape)).count == styles.count)
        #expect(shape(".main .bar") == shape(".bar"))
        if isPage {
            for style in ["failed", "fell-back", "cancelled", "main", "interactive"] {
                let sample = sheet.declarations(".swatch.\(style)"), bar = sheet.declarations(".timeline .\(style) .bar")
                #expect(!bar.isEmpty && sample == bar, "the legend's \(style)")
            }
        } else {
            #expect(sheet.declarations(".timeline .legend .critical .bar")["fill"] == "none", "a border, on any lane")
            #expect(sheet.declarations(".timeline .cancelled .bar")["fill"] == "var(--paper)")
        }
    }

    @Test("what lies over what: the box of the chosen operation over the timeline, names and numbers over the lines")
    func layers() throws {
        let sheet = try StyleSheet(of: ReportSamples.small().html())
        func number(_ property: String, _ selector: String) throws -> Int {
            let value = try #require(sheet.declarations(selector)[property], "\(selector)")
            return try #require(value.firstMatch(of: /-?[0-9]+/).flatMap { Int($0.0) }, "\(value)")
        }
        // The layers of the timeline end with the element that scrolls it: otherwise the names, the highest, would lie over the box.
        #expect(sheet.declarations(".scroll")["isolation"] == "isolate")
        #expect(try number("z-index", "#details") > 0)
        #expect(sheet.declarations("#details")["position"] == "sticky")
        for line in ["budget", "milestone", "display"] {
            for text in ["label", "number"] {
                #expect(try number("z-index", ".timeline .\(text)") > number("z-index", ".timeline .lines > .\(line)"))
            }
        }
        #expect(try number("z-index", ".timeline .head") > number("z-index", ".timeline .label"))
        for text in ["label", "number"] { #expect(sheet.declarations(".timeline .\(text)")["background"] == "var(--under)") }
        let odd = try #require(sheet.rules.first { $0.selectors.contains { $0.hasPrefix("#rows a:nth-child(odd") } })
        #expect(odd.declarations == ["--under": "var(--band)", "background": "var(--row)"])
        // A name ends before the circle of an operation that never started, which lies around its place.
        #expect(try number("width", ".timeline .label") > -number("margin-left", ".timeline .never"))
        // A bar that is scrolled to stops below the names of three marks and the axis.
        #expect(try number("scroll-margin", ".timeline .row .bar") >= 4 * number("height", ".timeline .head > div"))
    }

    @Test("a table of many rows is laid out when its rows are seen")
    func largeTable() throws {
        // The browser lays out 5,000 rows of a table that is none for its layout in a third of the time.
        let sheet = try StyleSheet(of: ReportSamples.small().html())
        for part in ["thead", "tbody"] { #expect(sheet.declarations("#operations \(part)")["display"] == "block") }
        #expect(sheet.declarations(".tall #operations tbody tr")["content-visibility"] == "auto")
    }
}
