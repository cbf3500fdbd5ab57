import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Timelines in pages and pictures", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TimelineTests {
    /// early ▇ ── back ▇▇ ── stopped ▇       budget 500 ms, milestone 800 ms
    /// late  ▇▇▇▇▇▇ ── home ▇▇               never
    static func launch() -> LaunchReport {
        func operation(
            _ id: String,
            _ outcome: Outcome,
            _ times: ClosedRange<Int>?,
            expected: Int? = nil,
            lane: Int? = 1,
            slack: Int = 0,
            isCritical: Bool = false
        ) -> OperationReport {
            OperationReport(
                id: id,
                outcome: outcome,
                ready: times.map { Duration.milliseconds($0.lowerBound) },
                start: times.map { Duration.milliseconds($0.lowerBound) },
                end: .milliseconds(times?.upperBound ?? 800),
                expected: expected.map { Duration.milliseconds($0) },
                attempts: times == nil ? 0 : 1,
                lane: times == nil ? nil : lane,
                isMain: lane == nil,
                slack: .milliseconds(slack),
                isCritical: isCritical
            )
        }
        return LaunchReport(
            scenario: "launch",
            outcome: .completed,
            budget: BudgetResult(
                budget: .milliseconds(500),
                measured: .milliseconds(800),
                interactive: .zero,
                isMet: false,
                causes: ["late", "gone"]
            ),
            milestone: "home",
            makespan: .milliseconds(800),
            work: .milliseconds(1200),
            criticalPathDuration: .milliseconds(800),
            criticalPath: ["late", "home"],
            lanes: 2,
            operations: [
                operation("early", .succeeded, 0...100, expected: 50, slack: 600),
                operation("late", .timedOut, 0...600, expected: 200, lane: 2, isCritical: true),
                operation("back", .fellBack, 100...300, expected: 400),
                operation("stopped", .cancelled, 300...400, expected: 5000),
                operation("home", .succeeded, 600...800, lane: nil, isCritical: true),
                operation("never", .cancelled, nil),
            ]
        )
    }

    @Test("the duration stands at the bar's end, wherever the slack ends")
    func labels() {
        let page = Self.launch().html()
        #expect(
            page.contains(#"<span class="slack" style="left:12.5%;width:75%"></span><span class="bar" style="left:0%;width:12.5%"></span>"#)
        )
        #expect(page.contains(#"<span class="number" style="left:12.5%">100 ms</span>"#))
        // 840 pixels for 800 ms, from 230.
        #expect(Self.launch().svg().contains(#"<text class="number" x="341" "#))
    }

    @Test("failed, fallen back, cancelled and never started differ in class, sign and words")
    func outcomes() {
        let page = Self.launch().html(), picture = Self.launch().svg()
        for (node, style, words) in [
            (1, "op critical failed", "✕ 600 ms, timed out"), (2, "op fell-back", "↶ 200 ms, fell back"),
            (3, "op cancelled", "⊘ 100 ms, cancelled"), (5, "op cancelled", "⊘ not started"),
        ] {
            #expect(page.contains("<a class=\"row \(style)\" id=\"op-\(node)\""), "\(words)")
            let colour = style.split(separator: " ").last ?? ""
            #expect(page.contains("</th><td class=\"\(colour)\">"), "the table: \(words)")
            for drawing in [page, picture] { #expect(drawing.contains(">\(words)</"), "\(words)") }
        }
        #expect(picture.components(separatedBy: "<path class=\"cross\"").count == 4, "in the legend, on the lane and on the bar")
        #expect(picture.components(separatedBy: "<rect class=\"half\"").count == 4)
        #expect(picture.components(separatedBy: "<circle class=\"never\"").count == 3)
    }

    @Test("the legend has a sample of each thing that this launch has, and of no other")
    func legend() {
        let page = Self.launch().html()
        let swatches = page.matches(of: /<span class="swatch ([a-z-]+)"><\/span>/).map { String($0.1) }
        #expect(
            swatches == [
                "lane", "main", "failed", "fell-back", "cancelled", "never", "critical", "slack", "expected", "budget", "milestone",
            ]
        )
        let picture = Self.launch().svg()
        for entry in LegendEntry.allCases {
            #expect(picture.contains(">\(entry.text)</text>") == swatches.contains(entry.rawValue), "\(entry)")
        }
    }

    @Test("the budget and the milestone are lines with names that do not lie over each other")
    func marks() throws {
        let page = Self.launch().html()
        #expect(page.contains(#"<div><span class="mark budget before" style="left:62.5%">budget 500 ms</span></div>"#))
        #expect(page.contains(#"<div><span class="mark milestone before" style="left:100%">milestone 800 ms</span></div>"#))
        #expect(page.contains(#"<span class="milestone" style="left:100%"></span>"#))
        let picture = Self.launch().svg()
        #expect(picture.contains(#"<line class="milestone" x1="1070" "#))
        let heights = picture.matches(of: /<text class="mark [a-z]+" x="[0-9.]+" y="([0-9.]+)"/).compactMap { Double($0.1) }
        #expect(heights.count == 2 && abs(heights[0] - heights[1]) >= 12)
    }

    @Test("the expected end is a mark, below the words where it lies behind the bar; one that is not in the picture has none")
    func expected() {
        let page = Self.launch().html()
        #expect(page.contains(#"<span class="expected" style="left:6.25%"></span>"#))
        #expect(page.contains(#"<span class="expected later" style="left:62.5%"></span>"#))
        #expect(page.components(separatedBy: "<span class=\"expected").count == 4)
        #expect(Self.launch().svg().components(separatedBy: "<line class=\"expected\"").count == 5, "three, and the legend's")
    }

    @Test("the reason of a miss is that of the terminal, and a launch that was stopped says how far it came")
    func reason() {
        var report = Self.launch()
        #expect(report.html().contains(#"<p id="reason">300 ms over: <bdi>late</bdi> (600 ms, 200 ms expected), <bdi>gone</bdi>.</p>"#))
        report.budget = BudgetResult(
            budget: .milliseconds(500),
            measured: .milliseconds(800),
            interactive: .zero,
            isMet: false,
            causes: (0..<7).map { "c\($0)" }
        )
        #expect(report.html().contains("<bdi>c3</bdi>, <bdi>c4</bdi> and 2 more.</p>"), "as on a terminal")
        report.outcome = .cancelled
        #expect(report.html().contains(#"<p id="outcome">Cancelled; 3 of 6 operations done, 1 not started.</p>"#))
        report.budget = BudgetResult(budget: nil, measured: .milliseconds(800), interactive: .zero, isMet: true)
        #expect(!report.html().contains("id=\"reason\""))
    }

    @Test("every operation is on its lane, also one without a row")
    func lanes() throws {
        let report = ReportSamples.large(3000)
        for drawing in [report.html(maximumRows: 100), report.svg(maximumRows: 100)] {
            #expect(drawing.components(separatedBy: " data-lane=\"").count - 1 == 100)
            let shapes = drawing.matches(of: /<path (class="bar" )?d="([^"]*z)"/).map { $0.2.count { $0 == "M" } }
            #expect(shapes.count == 10 && shapes.reduce(0, +) == 2900)
            _ = try Elements(drawing)
        }
        #expect(report.html(maximumRows: 100).contains("2900 more operations, none longer than 1 ms: on the lanes and in the table"))
    }

    @Test("of more than 16 lanes, it is said how many are left out")
    func manyLanes() throws {
        var report = ReportSamples.large(20)
        report.operations = (1...20).map { (lane: Int) in
            OperationReport(
                id: "op-\(lane)",
                outcome: .succeeded,
                ready: .zero,
                start: .zero,
                end: .milliseconds(1),
                attempts: 1,
                lane: lane,
                slack: .zero,
                isCritical: false
            )
        }
        #expect(report.html().contains("<p class=\"omission\">4 more lanes.</p>"))
        #expect(report.svg().contains(">4 more lanes.</text>"))
    }

    @Test("search, sorting and magnification wait for the script; a page without it has all but these")
    func tools() throws {
        let page = Self.launch().html()
        let elements = try Elements(page)
        #expect(page.contains(#"<div id="tools" hidden="hidden">"#))
        for id in ["search", "found", "sort", "closer", "farther", "whole", "view", "grid", "axis", "links", "rows"] {
            #expect(elements.ids.contains(id), "\(id)")
            #expect(HTMLScript.javaScript.contains("getElementById('\(id)')"), "\(id)")
        }
        #expect(elements.texts.contains("never") && page.contains("@media (max-width: 700px)"))
    }

    @Test("what failed stands above all that never started because of it, in a scope too; an axis without time has a millisecond")
    func order() {
        func operation(_ id: String, _ outcome: Outcome, start: Duration?) -> OperationReport {
            OperationReport(
                id: id,
                outcome: outcome,
                ready: start,
                start: start,
                end: .zero,
                attempts: 1,
                lane: start == nil ? nil : 1,
                slack: .zero,
                isCritical: false
            )
        }
        var report = Self.launch()
        report.makespan = .zero
        report.operations = [operation("early", .cancelled, start: nil), operation("culprit", .failed, start: .zero)]
        report.scopes = [LaunchReport.Scope(name: "window", start: .zero, report: report)]
        for drawing in [report.html(), report.svg()] {
            let names = drawing.matches(of: /class="label"[^>]*>(?:<bdi>)?(early|culprit)</).map { String($0.1) }
            #expect(names == ["culprit", "early", "culprit", "early"])
            #expect(drawing.contains(">1 ms<") && !drawing.contains(">1 ns<"))
        }
    }

    @Test("a picture has any width; in a narrow one, names and durations stand above the bars and do not meet")
    func widths() throws {
        let report = Self.launch()
        let wide = report.svg(width: 2560)
        #expect(wide.contains("viewBox=\"0 0 2560 ") && wide.contains("<line class=\"milestone\" x1=\"2430\" "))
        for (asked, width) in [(400, 400), (1, 280), (Int.max, 20_000)] {
            let picture = report.svg(width: asked)
            #expect(picture.contains("viewBox=\"0 0 \(width) "))
            _ = try Elements(picture)
        }
        let narrow = Self.launch().svg(width: 400)
        // A row is 36 pixels high: the words at 14, the bar from 20.
        let places = narrow.matches(
            of: /<text class="label" x="8" y="([0-9.]+)" [^>]*>[a-z]+<\/text><rect class="bar" x="[0-9.]+" y="([0-9.]+)"/
        )
        #expect(places.count >= 3)
        for place in places { #expect(Double(place.2) == Double(place.1).map { $0 + 6 }) }
        #expect(narrow.components(separatedBy: #"<text class="number" x="392""#).count == 7)
    }

    @Test("in a narrow picture, the verdict and the heading of a scope have two lines, and no time of the axis is cut off")
    func narrow() throws {
        var report = Self.launch()
        report.initialDisplay = "early"
        report.scopes = [LaunchReport.Scope(name: "window-of-the-player", start: .zero, report: report)]
        let (narrow, wide) = (report.svg(width: 400), report.svg())
        for words in [
            "fail: 800 ms of 500 ms", "initial display after 100 ms", "window-of-the-player from 0 ms", "completed; 800 ms of 500 ms, fail",
        ] {
            #expect(narrow.contains(">\(words)</text>") && !wide.contains(">\(words)</text>"), "\(words)")
        }
        _ = try Elements(narrow)
        #expect(narrow.contains(#"y="44">fail"#) && narrow.contains(#"y="60">initial"#) && !narrow.contains("…"))
        #expect(narrow.contains(#"text-anchor="end">800 ms</text>"#) && wide.contains(#"text-anchor="middle">800 ms</text>"#))
    }

    @Test("names are cut off where they would leave their place")
    func names() {
        #expect(Markup.shortened("load-settings", toWidth: 214) == "load-settings")
        for name in [String(repeating: "W", count: 80), String(repeating: "漢", count: 80), String(repeating: "i", count: 80)] {
            let shown = Markup.shortened(name, toWidth: 214)
            #expect(shown.hasSuffix("…") && Markup.width(of: shown) <= 214)
        }
        #expect(Markup.shortened("abc", toWidth: 5) == "…")
    }

    @Test(
        "parts of a hundred",
        arguments: [
            (0.0, "0%"), (12.5, "12.5%"), (100.0 / 3, "33.333%"), (5.05, "5.05%"), (0.001, "0.001%"), (0.0001, "0%"), (100.0, "100%"),
            (101.0, "100%"),
            (-1.0, "0%"),
        ]
    )
    func parts(value: Double, text: String) {
        #expect(percent(value) == text)
    }
}
