import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// How a launch ended comes first; what it made of its budget follows where its milestone was reached.
@Suite("Verdicts of reports", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportVerdictTests {
    struct Row: Sendable {
        let outcome: LaunchReport.Outcome
        let reachesMilestone: Bool
        let verdict: String
        let colour: String
        let line: String

        init(_ outcome: LaunchReport.Outcome, _ isReached: Bool, _ verdict: String, _ colour: String, _ line: String) {
            (self.outcome, self.reachesMilestone, self.verdict) = (outcome, isReached, verdict)
            (self.colour, self.line) = (colour, line)
        }
    }

    private static let aborted = LaunchReport.Outcome.aborted(by: "main", reason: .forceUpdate)
    private static let failed = LaunchReport.Outcome.failed(operation: "main", message: "no")

    static let rows = [
        Row(.completed, true, "pass: 125 ms of 3 s", "pass", "completed; 125 ms of 3 s, pass"),
        Row(aborted, false, "aborted", "stopped", "aborted by main (force-update)"),
        Row(
            aborted,
            true,
            "aborted; milestone after 125 ms of 3 s",
            "stopped",
            "aborted by main (force-update); milestone after 125 ms of 3 s"
        ),
        Row(failed, false, "failed", "fail", "failed at main: no"),
        Row(failed, true, "failed; milestone after 125 ms of 3 s", "fail", "failed at main: no; milestone after 125 ms of 3 s"),
        Row(.cancelled, false, "cancelled", "stopped", "cancelled"),
    ]

    @Test("The same in Markdown, HTML, SVG, Chrome's format and the one line", arguments: rows)
    func verdict(_ row: Row) {
        let report = report(row)
        #expect(report.markdown().hasPrefix("### launch: \(row.verdict)\n"))
        let page = report.html()
        #expect(page.contains("<title>launch: \(row.verdict)</title>"))
        #expect(page.contains("<p class=\"verdict \(row.colour)\">\(row.verdict)</p>"))
        #expect(report.svg().contains("<title>Timeline of launch: \(row.verdict), 1 operation</title>"))
        #expect(report.chromeTrace().contains("\"verdict\":\"\(row.verdict)\""))
        #expect(report.description == "launch: \(row.line)")
    }

    @Test("What failed or timed out is red, what was cancelled or skipped is pale")
    func failedOperation() {
        for outcome in Outcome.allCases {
            let isRed = outcome == .failed || outcome == .timedOut
            let drawing = report(Self.rows[3], ending: outcome).svg()
            #expect(drawing.contains(" failed\"><title>") == isRed, "\(outcome)")
        }
    }

    private func report(_ row: Row, ending outcome: Outcome? = nil) -> LaunchReport {
        LaunchReport(
            scenario: "launch",
            outcome: row.outcome,
            budget: BudgetResult(budget: .seconds(3), measured: .milliseconds(125), interactive: .zero, isMet: row.colour != "fail"),
            milestone: "main",
            makespan: .milliseconds(125),
            work: .milliseconds(125),
            criticalPathDuration: .milliseconds(125),
            criticalPath: ["main"],
            lanes: 1,
            operations: [
                .made("main", 0...125, outcome ?? (row.reachesMilestone ? .succeeded : .cancelled), isCritical: true)
            ]
        )
    }
}
