import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// A cut costs the operation's work, so it is made only where it can save the budget; and a launch that is a little late is cut all the same.
@Suite("Cuts that cannot save the budget", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LostBudgetTests {
    private struct Failure: Error {}

    /// `slow` is cut where the budget can be kept, or takes 1.5 s.
    private func expectCut(_ isCut: Bool, _ graph: OperationGraph, _ limit: Duration, lanes: Int? = nil)
        async throws
    {
        let report = try await graph.run(budget: Budget(limit), options: .virtual(lanes: lanes)).report
        #expect(report["slow"]?.isCut == isCut && report["slow"]?.outcome == (isCut ? .fellBack : .succeeded))
        #expect(report.outcome == .completed)
    }

    private func slow(_ graph: inout OperationGraph, _ seconds: Double = 1.5) -> Step<Int> {
        graph.add("slow", .cuttable, .expected(.milliseconds(100)), fallback: 0) { launch in
            try await launch.sleep(for: .seconds(seconds))
            return 1
        }
    }

    @Test(
        "an operation that is tried again needs its time once more",
        arguments: [(milliseconds: 300, isCut: false), (200, true)]
    )
    func triedAgain(attempt: (milliseconds: Int, isCut: Bool)) async throws {
        // 0          300 failed  350                 650
        // ├── x ─────┤           ├── x, once more ───┤ main
        // ├── slow ──────────────────────── 490: a cut would save nothing
        var graph = OperationGraph("again")
        let attempts = Locked(0)
        let time = Duration.milliseconds(attempt.milliseconds)
        let x = graph.add("x", .expected(time), .retry(attempts: 2, backoff: .milliseconds(50), jitter: 0)) { launch in
            try await launch.sleep(for: time)
            if attempts.withLock({
                $0 += 1; return $0 == 1
            }) {
                throw Failure()
            }
        }
        graph.add("main", .milestone, after: x, slow(&graph)) {}
        try await expectCut(attempt.isCut, graph, .milliseconds(500))
    }

    @Test(
        "an operation that has begun late ends late",
        arguments: [(milliseconds: 400, isCut: false), (100, true)]
    )
    func begunLate(start: (milliseconds: Int, isCut: Bool)) async throws {
        // Two lanes: x is ready at 1 ms, and waits for the lane of an operation that nobody knows anything of.
        var graph = OperationGraph("late")
        graph.wait("other", start.milliseconds)
        let slow = slow(&graph)
        let first = graph.add("first", .expected(.milliseconds(1)), on: .main) { launch in try await launch.sleep(for: .milliseconds(1)) }
        let x = graph.wait("x", 300, .expected(.milliseconds(300)), after: first)
        graph.add("main", .milestone, after: x, slow) {}
        try await expectCut(start.isCut, graph, .milliseconds(500), lanes: 2)
    }

    @Test(
        "an operation that waits for a held resource ends after the one that holds it",
        arguments: [(milliseconds: 600, isCut: false), (400, true)]
    )
    func waitsForResource(time: (milliseconds: Int, isCut: Bool)) async throws {
        // 0              500       600              1,200
        // ├── x1, with the store ──┤── x2 ──────────┤ main, by 1,000 ms
        // ├── slow ──────┤ behind which there are 500 ms to do
        var graph = OperationGraph("resource")
        let store = ExclusiveResource("store")
        let duration = Duration.milliseconds(time.milliseconds)
        let x1 = graph.wait("x1", time.milliseconds, .expected(duration), .exclusive(store))
        let x2 = graph.wait("x2", time.milliseconds, .expected(duration), .exclusive(store))
        let behind = graph.wait("behind", 500, .expected(.milliseconds(500)), after: slow(&graph))
        graph.add("main", .milestone, .expected(.zero), after: x1, x2, behind) {}
        try await expectCut(time.isCut, graph, .seconds(1))
    }

    @Test("an operation that has less to do than the launch is late goes on, and is cut if it takes longer", arguments: [5, 20, 100, 400])
    func takesLonger(late milliseconds: Int) async throws {
        // first    ├── late by so much ──┤ parse ──────────────────┤ main
        // second   ├───────────────────────┤ fetch ── 10 ms expected when its cut is due, takes 20 s
        var graph = OperationGraph("longer")
        let first = graph.wait("first", 1510 + milliseconds, .expected(.milliseconds(1510)))
        let parse = graph.wait("parse", 1480, .expected(.milliseconds(1480)), after: first)
        let second = graph.wait("second", 1990, .expected(.milliseconds(1990)))
        let fetch = graph.add("fetch", .cuttable, .expected(.seconds(1)), after: second, fallback: 0) { launch in
            try await launch.sleep(for: .seconds(20))
            return 1
        }
        graph.wait("main", 10, .milestone, .expected(.milliseconds(10)), after: parse, fetch)
        let report = try await graph.run(budget: .seconds(3), options: .virtual()).report
        // A tenth of the budget is too much to be made up for.
        #expect(report["fetch"]?.isCut == (milliseconds < 300))
        if milliseconds < 300 { #expect(report.budget.measured == .milliseconds(3000 + max(milliseconds, 0))) }
    }

    @Test("two operations in a row that can be cut, behind one that is late, are both cut")
    func twoInARow() async throws {
        var graph = OperationGraph("row")
        let late = graph.wait("late", 700, .expected(.milliseconds(100)))
        let first = graph.add("first", .cuttable, .expected(.milliseconds(200)), after: late, fallback: 0) { launch in
            try await launch.sleep(for: .seconds(1))
            return 1
        }
        let second = graph.add("second", .cuttable, .expected(.milliseconds(200)), using: .context, first, fallback: 0) { launch, _ in
            try await launch.sleep(for: .seconds(1))
            return 1
        }
        graph.add("main", .milestone, .expected(.milliseconds(10)), using: .context, second) { launch, _ in
            try await launch.sleep(for: .milliseconds(10))
        }
        let report = try await graph.run(budget: .milliseconds(800), options: .virtual()).report
        #expect(report["first"]?.isCut == true && report["second"]?.isCut == true)
        #expect(report.budget.measured == .milliseconds(790))
    }

    @Test("what is kept for operations without an expectation is a tenth of the budget at most, however many come in a row")
    func allowance() throws {
        for (count, limit, allowance) in [(1, 500, 20_000), (2, 500, 20_000), (1, 20, 2000), (10, 500, 5000), (10_000, 500, 5)] {
            var graph = OperationGraph("row")
            var last = graph.add("first", .expected(.zero)) {}
            for number in 1...count { last = graph.add("step-\(number)", after: last) {} }
            graph.join("main", .milestone, after: last)
            let ends = LatestEnds(try graph.validated(), limit: Nanoseconds(limit) * 1_000_000)
            #expect(ends.allowance == Nanoseconds(allowance) * 1000)
            #expect(ends.last(0) == ends.limit - ends.allowance * Nanoseconds(count))
        }
    }
}
