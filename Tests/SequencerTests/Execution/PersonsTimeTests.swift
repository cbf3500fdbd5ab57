import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// Only a person's time is a person's time: a question is on the screen, and not answered yet.
@Suite("Only a person's time", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PersonsTimeTests {
    private func run(_ graph: OperationGraph, budget: Budget = .seconds(3)) async throws -> LaunchReport {
        try await graph.run(budget: budget, options: .virtual()).report
    }

    /// Asks after a request, and sends the answer.
    private func login(server: Duration, _ options: StepOption...) -> OperationGraph {
        var graph = OperationGraph("login")
        graph.add("login", .all([.interactive, .saysWhenItAsks, .expected(.milliseconds(600))] + options)) { launch in
            try await launch.sleep(for: server)
            try await launch.waitForPerson { try await launch.sleep(for: .seconds(60)) }
            try await launch.sleep(for: server)
        }
        return graph
    }

    @Test("after an abort nobody is asked any more, also by a step that takes no notice of its cancellation", arguments: [1, 2])
    func afterAbort(lanes: Int) async throws {
        let shown = Locked<[Int]>([])
        var graph = OperationGraph("pages")
        graph.add("tutorial", on: .main) { step in
            for page in 1...3 {
                try? await step.waitForPerson {
                    shown.withLock { $0.append(page) }
                    try? await step.sleep(for: .seconds(2))
                }
            }
        }
        graph.add("force-update") { step in
            try await step.sleep(for: .seconds(1))
            step.abort(.forceUpdate) {}
        }
        var options = LaunchOptions.virtual()
        options.lanes = lanes
        let report = try await graph.run(options: options).report
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(shown.withLock { $0 } == [1])
    }

    @Test("A29: of a step that says when it asks, the questions are the person's time, and a slow server is not")
    func server() async throws {
        let fast = try await run(login(server: .milliseconds(100)))
        #expect(fast.budget.isMet && fast.budget.measured == .milliseconds(200) && fast.budget.interactive == .seconds(60))
        #expect(fast["login"]?.isInteractive == true && fast["login"]?.interactive == .seconds(60))
        #expect(fast.budget.questions == [.milliseconds(100)..<(.milliseconds(60_100))])

        let slow = try await run(login(server: .seconds(15)))
        #expect(!slow.budget.isMet && slow.budget.measured == .seconds(30) && slow.budget.interactive == .seconds(60))
        #expect(slow.budget.causes == ["login"])
        #expect(BudgetClock(slow).pauses == [15_000_000_000..<75_000_000_000] && BudgetClock(slow).limit == 3_000_000_000)
    }

    @Test(
        "A29: a step that could have asked, and did not, had none of the person's time; what waits for a server is not said to wait for a person"
    )
    func notAsked() async throws {
        var graph = OperationGraph("known")
        graph.add("login", .interactive, .saysWhenItAsks) { launch in try await launch.sleep(for: .seconds(30)) }
        let report = try await run(graph)
        #expect(!report.budget.isMet && report.budget.interactive == .zero && report.budget.causes == ["login"])
        #expect(report["login"]?.isInteractive == false && report.budget.questions.isEmpty)
    }

    @Test("A29: a step that never started asked nobody, though it would have")
    func notStarted() async throws {
        var graph = OperationGraph("skipped")
        graph.add("tutorial", .interactive, .when { false }) {}
        graph.add("login", .interactive) { launch in try await launch.sleep(for: .seconds(30)) }
        let report = try await run(graph)
        #expect(report["tutorial"]?.isInteractive == false && report["tutorial"]?.start == nil)
        #expect(report["login"]?.isInteractive == true)
    }

    @Test("A29: past launches tell what a step takes without the person: that is expected of the next one, and counts in its plan")
    func history() async throws {
        var graph = login(server: .milliseconds(100))
        #expect(try await graph.plan().report.budget.measured == .zero && graph.validated().budgetedPath.duration == .zero)
        var history = LaunchHistory()
        history.record(try await run(graph))
        graph.expect(history)
        let plan = try await graph.plan()
        #expect(plan.report.budget.measured == .milliseconds(200) && plan.report.budget.interactive == .zero)
        #expect(plan["login"]?.duration == .milliseconds(200))
        #expect(try graph.validated().budgetedPath.duration == .milliseconds(200))
    }

    @Test("A29: a fault in an interactive step is not the person's time; the step's own is, and its timeout goes on as before")
    func fault() async throws {
        var graph = OperationGraph("file")
        graph.wait("login", 700, .interactive, .timeout(.seconds(40)))
        let plain = try await run(graph)
        #expect(plain.budget.measured == .zero && plain.budget.interactive == .milliseconds(700))

        var slow = graph
        try slow.inject(.delay(.seconds(30)), into: "login")
        let late = try await run(slow)
        #expect(!late.budget.isMet && late.budget.measured == .seconds(30) && late.budget.interactive == .milliseconds(700))
        #expect(late["login"]?.isInteractive == true && late.budget.causes == ["login"])
        try slow.inject(.delay(.seconds(9.5)), into: "login")
        let later = try await run(slow)
        #expect(later["login"]?.outcome == .timedOut && later["login"]?.end == .seconds(40))
        #expect(later.budget.interactive == .milliseconds(500))

        var failing = graph
        try failing.inject(.fail, into: "login")
        #expect(try await run(failing)["login"]?.isInteractive == false)
    }

    @Test("Questions that overlap, or follow each other at once, are one interval; of more than a hundred, the last holds the rest")
    func intervals() {
        var clock = InteractiveClock()
        for (begin, end) in [(10, 20), (20, 30), (40, 40), (50, 60)] as [(Int64, Int64)] {
            clock.begin(at: begin)
            clock.end(at: end)
        }
        #expect(clock.intervals == [10..<30, 50..<60] && clock.lastEnd == 60)
        for number in 1...200 as ClosedRange<Int64> {
            clock.begin(at: number * 100)
            clock.end(at: number * 100 + 1)
        }
        #expect(clock.intervals.count == 100 && clock.intervals.last == 9_800..<20_001 && clock.total(at: 30_000) == 230)
    }

    @Test("A wait for a person that its step leaves behind ends with the step, and the deadline goes on from there")
    func leftBehindByStep() async throws {
        var graph = OperationGraph("left")
        let asks = graph.add("asks") { launch in
            let waits = Gate()
            Task {
                try await launch.waitForPerson {
                    waits.open()
                    try await launch.sleep(for: .seconds(3600))
                }
            }
            await waits.wait()
            try await launch.sleep(for: .seconds(1))
        }
        graph.add("hangs", after: asks) { launch in try await launch.sleep(for: .seconds(7200)) }
        let options = LaunchOptions(deadline: .seconds(5), grace: .zero, clock: VirtualClock())
        let report = try await graph.run(options: options).report
        #expect(report["hangs"]?.end == .seconds(6), "\(report.operations)")
    }
}
