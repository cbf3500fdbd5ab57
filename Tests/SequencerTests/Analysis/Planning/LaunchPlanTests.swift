import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Plans", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchPlanTests {
    /// ```
    /// splash 400 (main) ──▶ main-app 100 (main)
    /// config 300 ──▶ login 700 ──▶ main-app
    /// migrate 300 ────────────────▶ main-app
    /// ```
    private var regular: OperationGraph {
        var graph = OperationGraph("regular")
        graph.add("splash", .expected(.milliseconds(400)), on: .main) {}
        graph.add("config", .expected(.milliseconds(300))) {}
        graph.add("login", .expected(.milliseconds(700)), .interactive, after: "config") {}
        graph.add("migrate", .expected(.milliseconds(300))) {}
        graph.add("main-app", .expected(.milliseconds(100)), .milestone, after: "splash", "login", "migrate", on: .main) {}
        return graph
    }

    @Test("With lanes enough, a plan is as long as the longest path")
    func unlimited() async throws {
        let plan = try await regular.plan()
        #expect(plan.makespan == .milliseconds(1100))
        #expect(plan.criticalPath == ["config", "login", "main-app"])
        #expect(plan.criticalPathDuration == .milliseconds(1100))
        #expect(plan.lanes == 2)
        #expect(plan.lowerBound == .milliseconds(1100))
        #expect(plan.operations.filter(\.isCritical).map(\.id) == ["config", "login", "main-app"])
        #expect(plan["splash"]?.slack == .milliseconds(600))
        #expect(plan["migrate"]?.slack == .milliseconds(700))
        #expect(plan["login"]?.lane == 1)
        #expect(plan["splash"]?.lane == nil)
        #expect(plan["splash"]?.isMain == true)
        #expect(plan["nothing"] == nil)
        #expect(abs(plan.utilization - 1300.0 / 2200) < 1e-9)
    }

    @Test("A person's time before the initial display does not count against its budget either")
    func budgetOfInitialDisplay() async throws {
        var graph = regular
        graph.add("skeleton", .expected(.milliseconds(50)), .initialDisplay, after: "login") {}
        let plan = try await graph.plan()
        #expect(plan.initialDisplayEnd == .milliseconds(1050))
        #expect(plan.report.timeToInitialDisplay == .milliseconds(350))
        #expect(plan.meets(Budget(.seconds(3), initialDisplay: .milliseconds(350))))
        #expect(!plan.meets(Budget(.seconds(3), initialDisplay: .milliseconds(349))))
    }

    @Test("Options out of range are errors, each with what was expected")
    func invalid() async throws {
        func problems(_ options: PlanOptions) async throws -> [String] {
            let error = try await #require(throws: GraphError.self) { try await regular.plan(options) }
            return error.problems.map(\.description)
        }
        #expect(try await problems(PlanOptions(lanes: 0)) == ["lanes must be 1 to 1024, and are 0"])
        #expect(
            try await problems(PlanOptions(whatIf: ["logn": .zero, "login": .seconds(-1)])) == [
                "login: a duration must be 0 to 24 hours, and is -1.0 seconds",
                "there is no operation 'logn'; did you mean 'login'?",
            ]
        )
    }

    @Test("A chain of 100,000 joins and steps is planned; one of more than a hundred years is an error", .nightly)
    func chain() async throws {
        func plan(each: Int) async throws -> LaunchPlan {
            try await RandomGraph(seed: 7, operations: 100_000...100_000, shape: .chain).graph(
                options: { $0.isMultiple(of: each) ? [.expected(.seconds(86_400))] : [] },
                work: { $0.isMultiple(of: each) ? .synchronous { _ in } : .nothing }
            ).plan(PlanOptions(lanes: 2))
        }
        #expect(try await plan(each: 10).makespan == .seconds(864_000_000))
        await #expect(throws: GraphError.self) { try await plan(each: 2) }
    }

    @Test("Conditions hold in a plan, the prologue comes first, nothing is done of the work, and the graph can run later")
    func noWork() async throws {
        let calls = Locked(0)
        let call: @Sendable () -> Void = { calls.withLock { $0 += 1 } }
        var graph = OperationGraph("work")
        graph.addPrologue("prologue", .expected(.milliseconds(5))) { call() }
        graph.add("fails", .expected(.milliseconds(10)), .when { false }, .retry(attempts: 3)) { call() }
        graph.add(BlockOperation { call() }, id: "operation", .expected(.milliseconds(20)), .timeout(.milliseconds(20)))
        let plan = try await graph.plan()
        #expect(plan.operations.map(\.end) == [.milliseconds(5), .milliseconds(15), .milliseconds(25)])
        #expect(plan.operations.allSatisfy { $0.outcome == .succeeded } && calls.withLock { $0 } == 0)
        _ = try await MainActor.run { [graph] in try graph.start() }.end()
        #expect(calls.withLock { $0 } == 2)
    }
}
