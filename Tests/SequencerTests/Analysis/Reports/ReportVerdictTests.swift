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
    }

    static let rows = [
        Row(
            outcome: .completed,
            reachesMilestone: true,
            verdict: "pass: 125 ms of 3 s",
            colour: "pass",
            line: "completed; 125 ms of 3 s, pass"
        ),
        Row(
            outcome: .aborted(by: "main", reason: .forceUpdate),
            reachesMilestone: false,
            verdict: "aborted",
            colour: "stopped",
            line: "aborted by main (force-update)"
        ),
        Row(
            outcome: .aborted(by: "main", reason: .forceUpdate),
            reachesMilestone: true,
            verdict: "aborted; milestone after 125 ms of 3 s",
            colour: "stopped",
            line: "aborted by main (force-update); milestone after 125 ms of 3 s"
        ),
        Row(
            outcome: .failed(operation: "main", message: "no"),
            reachesMilestone: false,
            verdict: "failed",
            colour: "fail",
            line: "failed at main: no"
        ),
        Row(
            outcome: .failed(operation: "main", message: "no"),
            reachesMilestone: true,
            verdict: "failed; milestone after 125 ms of 3 s",
            colour: "fail",
            line: "failed at main: no; milestone after 125 ms of 3 s"
        ),
        Row(outcome: .cancelled, reachesMilestone: false, verdict: "cancelled", colour: "stopped", line: "cancelled"),
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
