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
        LaunchReport(
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
                .made("early", 0...100, expected: 50, slack: 600),
                .made("late", 0...600, .timedOut, expected: 200, lane: 2, isCritical: true),
                .made("back", 100...300, .fellBack, expected: 400),
                .made("stopped", 300...400, .cancelled, expected: 5000),
                .made("home", 600...800, lane: nil, isCritical: true),
                .made("never", nil, .cancelled, end: 800),
            ]
        )
    }

    @Test("the duration stands at the bar's end, wherever the slack ends; a picture and a page have the same bars")
    func labels() {
        let (picture, page) = (Self.launch().svg(), Self.launch().html())
        for drawing in [picture, page] {
            #expect(drawing.contains(#"<line class="slack" x1="12.5%" x2="87.5%" y1="18" y2="18"/><rect class="bar" x="0%" width="12.5%""#))
        }
        #expect(page.contains(#"<span class="number" style="--at:12.5">100 ms</span>"#))
        #expect(picture.contains(#"<text class="number" x="12.5%" dx="6" y="14">100 ms</text>"#))
    }

    @Test("failed, fallen back, cancelled and never started differ in class, sign and words")
    func outcomes() {
        let page = Self.launch().html(), picture = Self.launch().svg()
        for (node, style, words) in [
            (1, "op critical failed", "✕ 600 ms, timed out"), (2, "op fell-back", "↶ 200 ms, fell back"),
            (3, "op cancelled", "⊘ 100 ms, cancelled"), (5, "op cancelled", "⊘ not started"),
        ] {
            #expect(page.contains("<a class=\"row \(style)\" id=\"op-\(node)\""), "\(words)")
            #expect(page.contains("<tr class=\"\(style)\" id=\"row-\(node)\""), "the table: \(words)")
            for drawing in [page, picture] { #expect(drawing.contains(">\(words)</"), "\(words)") }
        }
        for drawing in [page, picture] {
            #expect(drawing.components(separatedBy: "<line class=\"strike\"").count == 4, "in the legend, on the lane and on the bar")
            #expect(drawing.components(separatedBy: "<rect class=\"half\"").count == 4)
            #expect(drawing.components(separatedBy: "<circle class=\"never\"").count == 3)
        }
    }

    @Test("an operation on the main thread has a sign before its name")
    func mainThread() {
        #expect(Self.launch().html().contains(#"<span class="label">◆ <bdi>home</bdi></span>"#))
        #expect(Self.launch().svg().contains(#"<tspan class="sign">◆ </tspan>home</text>"#))
        for drawing in [Self.launch().html(), Self.launch().svg()] {
            #expect(drawing.components(separatedBy: "◆").count == 3, "and in the legend")
        }
    }

    @Test("the legend has a sample of each thing that this launch has, and of no other")
    func legend() {
        let (page, picture) = (Self.launch().html(), Self.launch().svg())
        let signs: [TimelineSign] = [
            .lane, .main, .failed, .fellBack, .cancelled, .never, .critical, .slack, .expected, .budget, .milestone,
        ]
        for sign in TimelineSign.allCases {
            #expect(picture.contains(">\(sign.text)</text>") == signs.contains(sign), "\(sign)")
            #expect(page.contains("</svg>\(sign.text)</li>") == signs.contains(sign), "\(sign)")
        }
    }

    @Test("the budget and the milestone are lines with names that do not lie over each other")
    func marks() throws {
        for drawing in [Self.launch().html(), Self.launch().svg()] {
            #expect(drawing.contains(#"<text class="mark budget" x="62.5%" y="11" text-anchor="middle">budget 500 ms</text>"#))
            #expect(drawing.contains(#"<text class="mark milestone" x="100%" y="25" text-anchor="end" dx="-5">milestone 800 ms</text>"#))
            #expect(drawing.contains(#"<line class="milestone" x1="100%" x2="100%" y1="0" y2="100%"/>"#))
        }
    }

    @Test("the budget's line stands at its own time plus that of persons, and says so")
    func persons() {
        var report = Self.launch()
        report.budget = BudgetResult(
            budget: .milliseconds(500),
            measured: .milliseconds(650),
            interactive: .milliseconds(150),
            questions: [.milliseconds(100)..<(.milliseconds(250)), .milliseconds(700)..<(.milliseconds(750))],
            isMet: false
        )
        for drawing in [report.html(), report.svg()] {
            #expect(drawing.contains(#"x="81.25%" y="11" text-anchor="end" dx="-5">budget 500 ms + 150 ms of a person</text>"#))
            #expect(drawing.contains(#"<rect class="pause" x="12.5%" width="18.75%""#))
        }
    }

    @Test("the moment at which an operation stopped the launch is marked")
    func takeover() {
        var report = Self.launch()
        report.outcome = .aborted(by: "early", reason: .forceUpdate)
        for drawing in [report.html(), report.svg()] {
            #expect(drawing.contains(">early takes over 100 ms</text>") && drawing.contains(#"<line class="takeover" x1="12.5%""#))
        }
    }

    @Test("the expected end is a mark, below the words where it lies behind the bar; one that is not in the picture, or was met, has none")
    func expected() {
        for drawing in [Self.launch().html(), Self.launch().svg()] {
            #expect(drawing.contains(#"<line class="expected" x1="6.25%" x2="6.25%" y1="2" y2="20"/>"#))
            #expect(drawing.contains(#"<line class="expected" x1="62.5%" x2="62.5%" y1="15" y2="20"/>"#))
            #expect(drawing.components(separatedBy: "<line class=\"expected\"").count == 5, "three, and the legend's")
        }
    }

    @Test("every operation is on its lane, also one without a row")
    func lanes() throws {
        let report = ReportSamples.large(3000)
        for drawing in [report.html(maximumRows: 100), report.svg(maximumRows: 100)] {
            #expect(drawing.components(separatedBy: " data-lane=\"").count - 1 == 100)
            let shapes = drawing.matches(of: /<path class="rest" d="([^"]*z)"/).map { $0.1.count { $0 == "M" } }
            #expect(shapes.count == 10 && shapes.reduce(0, +) == 2900)
            #expect(drawing.contains(">2900 more operations, none longer than 1 ms.<"))
            _ = try Elements(drawing)
        }
    }

    @Test("the table has the gain of each step where it is known, in the order of the timeline")
    func gains() {
        var report = Self.launch()
        let page = report.html(gains: [0: .zero, 1: .milliseconds(500)])
        #expect(page.contains(">Slack</th><th scope=\"col\" class=\"n\">Gain</th>"))
        #expect(page.contains("<td class=\"n\">0 ms</td><td class=\"n\">500 ms</td><td>lane 2</td>"))
        #expect(!report.html().contains(">Gain</th>"))
        // Positions are those of the report, without the time before it.
        report.beforeRun = .milliseconds(100)
        #expect(report.html(gains: [1: .milliseconds(500)]).contains("<td class=\"n\">500 ms</td><td>lane 2</td>"))
    }

    @Test("what failed stands above all that never started because of it, in a scope too; an axis without time has a millisecond")
    func order() {
        var report = Self.launch()
        report.makespan = .zero
        report.operations = [.made("early", nil, .cancelled), .made("culprit", 0...0, .failed)]
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
        #expect(wide.contains("viewBox=\"0 0 2560 ") && wide.contains("<svg x=\"230\"") && wide.contains("width=\"2200\""))
        for (asked, width) in [(400, 400), (1, 280), (Int.max, 20_000)] {
            let picture = report.svg(width: asked)
            #expect(picture.contains("viewBox=\"0 0 \(width) "))
            _ = try Elements(picture)
        }
        let narrow = Self.launch().svg(width: 400)
        // A row is 36 pixels high: the words at 14, the bars from 16.
        let places = narrow.matches(
            of: /<text class="label" x="8" y="([0-9.]+)"[^\n]*\n<text class="number" x="392" y="([0-9.]+)"[^\n]*\n<svg x="8" y="([0-9.]+)"/
        )
        #expect(places.count == 6)
        for place in places { #expect(place.1 == place.2 && Double(place.3) == Double(place.1).map { $0 + 2 }) }
    }

    @Test("in a narrow picture, the verdict and the heading of a scope have two lines, and no time of the axis is cut off")
    func narrow() throws {
        var report = Self.launch()
        report.initialDisplay = "early"
        // What failed or fell back is told in a line of its own.
        report.operations.removeAll { $0.outcome != .succeeded }
        report.scopes = [LaunchReport.Scope(name: "window-of-the-player", start: .zero, report: report)]
        let (narrow, wide) = (report.svg(width: 400), report.svg())
        for words in [
            "fail: 800 ms of 500 ms", "initial display after 100 ms", "window-of-the-player from 0 ms", "completed; 800 ms of 500 ms, fail",
        ] {
            #expect(narrow.contains(">\(words)</text>") && !wide.contains(">\(words)</text>"), "\(words)")
        }
        _ = try Elements(narrow)
        #expect(narrow.contains(/y="44"[^>]*>fail/) && narrow.contains(/y="60"[^>]*>initial/) && !narrow.contains("…"))
        #expect(narrow.contains(#"text-anchor="end">800 ms</text>"#) && narrow.contains(#"text-anchor="start">0 ms</text>"#))
    }
}
