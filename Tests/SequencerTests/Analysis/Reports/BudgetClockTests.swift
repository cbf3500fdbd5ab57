import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("The budget on a timeline", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BudgetClockTests {
    /// - Parameter interactive: the times, in milliseconds, in which interactive operations ran.
    private func clock(_ interactive: [(Int, Int)], limit: Int = 1000, fromProcessStart: Bool = false) -> BudgetClock {
        var document = ReportSamples.small()
        document.budget = BudgetResult(
            budget: Budget(.milliseconds(limit), fromProcessStart: fromProcessStart),
            measured: .milliseconds(900),
            interactive: .milliseconds(100),
            isMet: true
        )
        document.operations = interactive.enumerated().map { index, span in
            Self.interactive("\(index)", from: span.0, to: span.1)
        }
        return BudgetClock(document)
    }

    private static func interactive(_ id: String, from start: Int, to end: Int) -> OperationReport {
        .made(id, start...end, isInteractive: true)
    }

    @Test(
        "stands still while a person is waited for",
        arguments: [
            ([], 1000), ([(100, 300)], 1200), ([(100, 300), (200, 400)], 1300), ([(200, 400), (100, 300), (150, 160)], 1300),
            ([(1000, 2000)], 1000),
            ([(999, 2000)], 2001), ([(0, 500), (1400, 1600)], 1700), ([(0, 500), (1500, 1600)], 1500), ([(5, 5)], 1000),
        ] as [([(Int, Int)], Int)]
    )
    func limit(interactive: [(Int, Int)], end: Int) {
        #expect(clock(interactive).limit == Int64(end) * 1_000_000)
    }

    @Test(
        "stands still while a person is asked, and not while the operation that asked does something else, where the report says when that was"
    )
    func questions() {
        var document = ReportSamples.small()
        document.operations = [Self.interactive("asks", from: 100, to: 2_000)]
        document.budget = BudgetResult(
            budget: .seconds(1),
            measured: .milliseconds(900),
            interactive: .milliseconds(100),
            questions: [.milliseconds(500)..<(.milliseconds(600))],
            isMet: true
        )
        #expect(BudgetClock(document).pauses == [500_000_000..<600_000_000])
        #expect(BudgetClock(document).limit == 1_100_000_000)
    }

    @Test("is not drawn when it began before the launch")
    func processStart() {
        #expect(clock([], fromProcessStart: true).limit == nil)
    }

    @Test(
        "ticks are round, few, and reach the end",
        arguments: [1, 7, 10, 11, 99, 1234, 700_000_000, 3_000_000_000, 61_000_000_001, .max] as [Int64]
    )
    func ticks(extent: Int64) {
        var report = ReportSamples.small()
        report.operations = []
        report.budget = BudgetResult(budget: nil, measured: .zero, interactive: .zero, isMet: true)
        report.makespan = .nanoseconds(extent)
        let ticks = roundTimes(upTo: Timeline(report).extent, atMost: 10)
        #expect(ticks.first == 0 && (2...11).contains(ticks.count))
        let step = ticks[1]
        #expect(extent - (ticks.last ?? 0) < step)
        let digits = String(step)
        #expect("125".contains(digits.prefix(1)) && digits.dropFirst().allSatisfy { $0 == "0" })
    }
}
