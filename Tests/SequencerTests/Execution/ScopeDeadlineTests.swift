import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("Scopes at the deadline of their launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScopeDeadlineTests {
    /// Without a deadline, as far as that is its own.
    private func endless() -> OperationGraph {
        var graph = OperationGraph("window")
        graph.add("hangs") { step in try await step.sleep(for: .seconds(3_600)) }
        return graph
    }

    private func expectEnd(of report: LaunchReport?, after makespan: Duration) {
        #expect(report?.outcome.name == "failed" && report?.makespan == makespan)
        #expect(report?["hangs"]?.outcome == .timedOut && report?.stragglers == ["hangs"])
        #expect(report?["hangs"]?.message == "still running at the launch's deadline")
    }

    @Test("a scope that runs on when the launch's operations have ended has what is left of the deadline, also within another one")
    func onlyScopes() async throws {
        let inner = endless()
        var outer = endless()
        outer.add("nest") { step in _ = try step.addScope("inner", inner) }
        var empty = OperationGraph("empty")
        empty.add("nest") { step in _ = try step.addScope("inner", inner) }
        let (both, nesting) = (outer, empty)
        var graph = OperationGraph("app")
        graph.add("windows", .milestone) { step in
            try await step.sleep(for: .milliseconds(400))
            try step.addScope("outer", both, options: LaunchOptions(deadline: .seconds(60)))
            try step.addScope("empty", nesting, options: LaunchOptions(deadline: .never))
        }
        let report = try await graph.run(options: .virtual(deadline: .seconds(1))).report
        #expect(report.outcome == .completed && report.makespan == .milliseconds(400) && report.stragglers.isEmpty)
        #expect(report.scopes.map(\.name) == ["outer", "empty"])
        expectEnd(of: report.scopes.first?.report, after: .milliseconds(600))
        // It was stopped with the scope that it is in.
        #expect(report.scopes.first?.report.scopes.map(\.report.outcome) == [.cancelled])
        #expect(report.scopes.last?.report.outcome == .completed)
        expectEnd(of: report.scopes.last?.report.scopes.first?.report, after: .milliseconds(600))
    }

    @Test("a scope that joins when the launch's operations have ended has what is left of the deadline")
    func addedLate() async throws {
        let box = LaunchBox()
        let third = endless()
        var second = OperationGraph("second")
        second.add("open") { step in
            try await step.sleep(for: .milliseconds(300))
            try await box.launch().addScope("window-3", third)
        }
        let opening = second
        var graph = OperationGraph("app")
        graph.add("windows") { step in _ = try step.addScope("window-2", opening) }
        let report = try await box.run(graph, options: .virtual(deadline: .seconds(1))).report
        #expect(report.outcome == .completed && report.scopes.first?.report.outcome == .completed)
        expectEnd(of: report.scopes.last?.report, after: .milliseconds(700))
    }

    @Test("a person who is asked in a scope has that time besides")
    func person() async throws {
        var window = OperationGraph("window")
        let asks = window.add("asks", .interactive) { step in try await step.sleep(for: .seconds(5)) }
        window.add("hangs", after: asks) { step in try await step.sleep(for: .seconds(3_600)) }
        let asking = window
        var graph = OperationGraph("app")
        graph.add("windows") { step in _ = try step.addScope("window-2", asking, options: LaunchOptions(deadline: .never)) }
        let report = try await graph.run(options: .virtual(deadline: .seconds(1))).report
        #expect(report.outcome == .completed)
        expectEnd(of: report.scopes.first?.report, after: .seconds(6))
    }

    @Test("a deadline of its own that comes first counts; without one of the launch there is no other")
    func ownDeadline() async throws {
        let window = endless()
        var graph = OperationGraph("app")
        graph.add("windows") { step in _ = try step.addScope("window-2", window, options: LaunchOptions(deadline: .seconds(2))) }
        for deadline in [Duration.seconds(60), nil] {
            let report = try await graph.run(options: .virtual(deadline: deadline)).report
            expectEnd(of: report.scopes.first?.report, after: .seconds(2))
        }
    }
}
