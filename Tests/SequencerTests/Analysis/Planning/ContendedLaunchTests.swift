import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// Launches whose operations wait for a processor, as their reports explain them.
@Suite("Launches with too few processors", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ContendedLaunchTests {
    /// An operation from the start of the launch.
    private func operation(_ id: String, took: Int, ran: Int?, waited: Int?) -> OperationReport {
        OperationReport(
            id: id,
            outcome: .succeeded,
            ready: .zero,
            start: .zero,
            end: .milliseconds(took),
            attempts: 1,
            lane: 1,
            processorTime: ran.map { .milliseconds($0) },
            runnableTime: waited.map { .milliseconds($0) }
        )
    }

    private func report(_ operations: [OperationReport], others: Duration = .zero) -> LaunchReport {
        let end = operations.map(\.end).max() ?? .zero
        return LaunchReport(
            scenario: "launch",
            outcome: .completed,
            budget: BudgetResult(budget: nil, measured: end, interactive: .zero, isMet: true),
            milestone: "db",
            makespan: end,
            work: operations.reduce(.zero) { $0 + $1.duration },
            criticalPathDuration: end,
            criticalPath: ["db"],
            lanes: operations.count,
            operations: operations,
            otherProcessorTime: others,
            processors: 2
        )
    }

    private func milliseconds(_ gains: [Int: Duration]) -> [Int] {
        gains.sorted { $0.key < $1.key }.map { Int($0.value.milliseconds.rounded()) }
    }

    /// Four operations of 400 ms each on two processors.
    private var four: LaunchReport {
        report(["db", "sdk0", "sdk1", "sdk2"].map { operation($0, took: 800, ran: 400, waited: 400) })
    }

    @Test("an operation that the milestone does not wait for gains what it leaves of the processors")
    func gains() async throws {
        // Without one of the four, three share two processors: 600 ms.
        #expect(milliseconds(await four.gains(of: 0..<4)) == [800, 200, 200, 200])
    }

    @Test("time in which an operation is blocked leaves the processors to others, and takes as long as ever")
    func blocked() async throws {
        // `db` computes half of its time, and has a processor whenever it wants one: `sdk0` alone has waited.
        var contended = operation("sdk0", took: 800, ran: 400, waited: 400)
        contended.end = .milliseconds(900)
        let report = report([operation("db", took: 800, ran: 400, waited: 0), contended])
        #expect(milliseconds(await report.gains(of: 0..<2)) == [800, 0])
    }

    @Test("waits that no operation explains stay: other programs had the processors")
    func otherPrograms() async throws {
        let other = operation("sdk0", took: 10, ran: 10, waited: 0)
        let report = report([operation("db", took: 800, ran: 400, waited: 400), other])
        #expect(milliseconds(await report.gains(of: 0..<2)) == [800, 0])
    }

    @Test("threads that are no operation's take their part of the processors")
    func otherThreads() async throws {
        // They keep one processor all the time: two operations of 400 ms share the other.
        let operations = ["db", "sdk0"].map { operation($0, took: 800, ran: 400, waited: 400) }
        // Three on two take 600 ms for 400 ms of work each, so that other programs had the rest of the 800 ms: alone
        // beside these threads, an operation would take two thirds of it.
        let gains = milliseconds(await report(operations, others: .milliseconds(800)).gains(of: 0..<2))
        #expect(gains == [800, 267])
    }

    @Test("a report without processor times has the gains that it always had")
    func unmeasured() async throws {
        let report = report(["db", "sdk0", "sdk1"].map { operation($0, took: 800, ran: nil, waited: nil) })
        #expect(milliseconds(await report.gains(of: 0..<3)) == [800, 0, 0])
    }

    @Test("a sentence says what had the processors while an operation waited")
    func words() {
        let text =
            "db took 800 ms, of which it ran 400 ms and waited 400 ms for a processor, "
            + "while sdk0, sdk1 and sdk2 used 1.2 s"
        #expect(four.processorTexts().first == text)
        #expect(four.operations[0].timesText() == "800 ms, 400 ms of it waiting for a processor")
        #expect(four.html().contains(text))
        let other = report([operation("db", took: 100, ran: 50, waited: 0)], others: .milliseconds(40))
        #expect(other.processorTexts() == ["other threads of the process used 40 ms of processor time"])
        #expect(report([operation("db", took: 100, ran: nil, waited: nil)]).processorTexts() == [])
    }
}
