import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Timelines of launches with scopes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TimelineScopeTests {
    private func text(_ report: LaunchReport) -> String {
        TimelineText(report, style: TextStyle(isColored: false, isUnicode: true), width: 72).text
    }

    @Test("Each scope has a line, twenty at most")
    func lines() async throws {
        let scope = try await TimelineFixtures.run(TimelineFixtures.regular())
        var report = scope
        report.scopes = [LaunchReport.Scope(name: "window-2", start: .milliseconds(610), report: scope)]
        #expect(text(report).contains("\nscope window-2 from 610 ms: completed; 887 ms of 3 s, pass\nPASS"))
        report.scopes = (1...22).map { LaunchReport.Scope(name: "window-\($0)", start: .zero, report: scope) }
        #expect(text(report).contains("\nscope window-20 from 0 ms: completed; 887 ms of 3 s, pass\nand 2 more scopes\nPASS"))
    }
}
