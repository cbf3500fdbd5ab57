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

    @Test("Time until the milestone counts against a budget, interactive time does not")
    func budget() async throws {
        let plan = try await regular.plan()
        #expect(plan.milestoneEnd == .milliseconds(1100))
        #expect(plan.report.budget.interactive == .milliseconds(700))
        #expect(plan.report.budget.measured == .milliseconds(400))
        #expect(plan.meets(.milliseconds(400)))
        #expect(!plan.meets(.milliseconds(399)))
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

    @Test("What nothing is known of takes no time, and is named")
    func unknown() async throws {
        var graph = OperationGraph("unknown")
        graph.add("a") {}
        graph.add("b", .expected(.milliseconds(10)), after: "a") {}
        graph.join("all", after: "a", "b")
        let plan = try await graph.plan()
        #expect(plan.operationsWithoutExpectation == ["a", "all"] && plan.makespan == .milliseconds(10))
        #expect(try await graph.plan(PlanOptions(whatIf: ["a": .milliseconds(5)])).operationsWithoutExpectation == ["all"])
        graph.join("slow", .expected(.seconds(1)), after: "all")
        #expect(try await graph.plan().makespan == .milliseconds(10))
        #expect(try await graph.plan(PlanOptions(whatIf: ["slow": .seconds(2)])).makespan == .milliseconds(10))
        let empty = try await OperationGraph("empty").plan(PlanOptions(lanes: 2))
        #expect(empty.makespan == .zero && empty.utilization == 0 && empty.operations.isEmpty)
    }

    @Test("What has no work takes no time, whatever is expected of it: in paths, drawings, plans and launches", arguments: [false, true])
    func workless(isExclusive: Bool) async throws {
        var graph = OperationGraph("workless")
        graph.join("join", .expected(.seconds(2)), isExclusive ? .exclusive(.userInterface) : .all([]))
        graph.add("home", .milestone, .expected(.milliseconds(100)), after: "join") { try await $0.sleep(for: .milliseconds(100)) }
        let (valid, plan) = (try graph.validated(), try await graph.plan())
        let time = Duration.milliseconds(100)
        #expect(valid.criticalPathDuration == time && valid.budgetedPath.duration == time)
        #expect(plan.makespan == time && plan.lowerBound == time && plan.criticalPathDuration == time)
        #expect(try await graph.run(options: .virtual()).report.makespan == time)
        #expect(!valid.tree().contains("2 s") && !valid.json().contains("2000"))
    }

    @Test("A step that is switched off is skipped in a plan, as it is in a launch; with it, its milestone and its display")
    func switchedOff() async throws {
        func plan(_ options: StepOption) async throws -> LaunchPlan {
            var graph = OperationGraph("off")
            graph.add("config", .expected(.milliseconds(100))) {}
            graph.add("off", options, .expected(.milliseconds(50)), .switchedOff, after: "config") {}
            graph.add("home", .expected(.milliseconds(10)), after: "off") {}
            return try await graph.plan(PlanOptions(whatIf: ["off": .seconds(1)]))
        }
        let some = try await plan(.all([]))
        #expect(some["off"]?.outcome == .skipped && some["off"]?.lane == nil && some.lanes == 1 && some.makespan == .milliseconds(110))
        #expect(some.meets(.seconds(1)) && some.graph.switchedOff == ["off"])
        #expect(!(try await plan(.milestone).meets(.seconds(1))))
        let display = try await plan(.initialDisplay)
        #expect(display.meets(.seconds(1)) && !display.meets(Budget(.seconds(1), initialDisplay: .milliseconds(500))))
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

    @Test("What is expected to take longer than its timeout times out in a plan, as it does in the launch; a person's time is not in that")
    func timeouts() async throws {
        func graph(_ options: StepOption..., fallback: String? = nil) -> OperationGraph {
            var graph = OperationGraph("late")
            let slow = StepOption.all([.expected(.milliseconds(400)), .timeout(.milliseconds(50))] + options)
            let config = graph.add("config", slow, fallback: fallback) { launch -> String in
                try await launch.sleep(for: .milliseconds(400))
                return "new"
            }
            graph.add("home", .milestone, .expected(.milliseconds(10)), using: config.optional) { launch, _ in
                try await launch.sleep(for: .milliseconds(10))
            }
            return graph
        }
        let budget = Budget(.seconds(1))
        let failing = try await graph().plan()
        #expect(!failing.meets(budget) && failing.makespan == .milliseconds(50) && failing["config"]?.outcome == .timedOut)
        #expect("\(failing)".hasPrefix("late: planned to take 50 ms on 1 lane; fails: config: "), "\(failing)")
        for graph in [graph(), graph(.onFailure(.continue)), graph(.onFailure(.skipDependents)), graph(fallback: "old")] {
            let (plan, launch) = (
                try await graph.plan(), try await graph.run(budget: budget, options: LaunchOptions(clock: VirtualClock()))
            )
            #expect(plan.operations.map(\.outcome) == launch.report.operations.map(\.outcome))
            #expect(
                plan.operations.map(\.end) == launch.report.operations.map(\.end) && plan.meets(budget) == launch.report.isWithinBudgets
            )
        }
        #expect(failing.lowerBound <= failing.makespan)
        let person = try await graph(.interactive).plan()
        #expect(person.makespan == .milliseconds(410) && !person.operations.contains { $0.outcome == .timedOut })
        let faster = try await graph().plan(PlanOptions(whatIf: ["config": .milliseconds(50)]))
        #expect(faster.meets(budget) && faster.makespan == .milliseconds(60))
    }

    @Test("With its budget, a plan puts off and cuts what the launch does")
    func keptBudget() async throws {
        func options(_ milliseconds: Int, _ others: StepOption...) -> StepOption { .all(others + [.expected(.milliseconds(milliseconds))]) }
        @Sendable func pass(_ step: StepContext, _ milliseconds: Int) async throws -> Int {
            try await step.sleep(for: .milliseconds(milliseconds))
            return milliseconds
        }
        var graph = OperationGraph("kept")
        let load = graph.add("load", options(300)) { try await pass($0, 300) }
        let tips = graph.add("tips", options(980, .deferrable)) { try await pass($0, 980) }
        let images = graph.add("images", options(2_000, .cuttable), after: load, fallback: 0) { try await pass($0, 2_000) }
        graph.add("home", .milestone, options(100), using: tips.optional, after: images) { step, _ in _ = try await pass(step, 100) }
        let budget = Budget(.seconds(1))
        let (plan, report) = (
            try await graph.plan(PlanOptions(budget: budget)), try await graph.run(budget: budget, options: .virtual()).report
        )
        #expect(plan.meets(budget) && report.isWithinBudgets)
        #expect(plan.operations.map(\.end) == report.operations.map(\.end))
        #expect(plan.operations.map(\.outcome) == report.operations.map(\.outcome))
        #expect(plan.operations.filter(\.isDeferred).map(\.id) == ["tips"] && plan.operations.filter(\.isCut).map(\.id) == ["images"])
        #expect(plan.criticalPath == ["load", "images", "home"])
        #expect(try await !graph.plan().meets(budget))
    }
}
