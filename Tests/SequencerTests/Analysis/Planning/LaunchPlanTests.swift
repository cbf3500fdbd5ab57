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
    func unlimited() throws {
        let plan = try regular.plan()
        #expect(plan.faults() == [])
        #expect(plan.makespan == .milliseconds(1100))
        #expect(plan.criticalPath == ["config", "login", "main-app"])
        #expect(plan.criticalPathDuration == .milliseconds(1100))
        #expect(plan.lanes == 2)
        #expect(plan.isShortest)
        #expect(plan.operations.filter(\.isCritical).map(\.id) == ["config", "login", "main-app"])
        #expect(plan["splash"]?.slack == .milliseconds(600))
        #expect(plan["migrate"]?.slack == .milliseconds(700))
        #expect(plan["login"]?.lane == 1)
        #expect(plan["splash"]?.lane == nil)
        #expect(plan["splash"]?.isMain == true)
        #expect(plan["nothing"] == nil)
        #expect(plan.work == .milliseconds(1800))
        #expect(abs(plan.utilization - 1300.0 / 2200) < 1e-9)
        #expect(plan.order.prefix(3).sorted() == ["config", "migrate", "splash"])
    }

    @Test("One lane does one thing after the other, the main thread another meanwhile")
    func oneLane() throws {
        let plan = try regular.plan(PlanOptions(lanes: 1))
        #expect(plan.faults() == [])
        #expect(plan.makespan == .milliseconds(1400))
        #expect(plan.lowerBound == .milliseconds(1300))
        #expect(plan.bounds.lanes == .milliseconds(1300))
        #expect(plan.bounds.main == .milliseconds(500))
        #expect(plan.bounds.criticalPath == .milliseconds(1100))
        // The last operation cannot start before the lane's work is done.
        #expect(plan.provenLowerBound == .milliseconds(1400))
        #expect(plan.isShortest)
    }

    @Test("Time until the milestone counts against a budget, interactive time does not")
    func budget() throws {
        let plan = try regular.plan()
        #expect(plan.milestoneEnd == .milliseconds(1100))
        #expect(plan.interactive == .milliseconds(700))
        #expect(plan.measured == .milliseconds(400))
        #expect(plan.meets(.milliseconds(400)))
        #expect(!plan.meets(.milliseconds(399)))
    }

    @Test("A person's time before the initial display does not count against its budget either")
    func budgetOfInitialDisplay() throws {
        var graph = regular
        graph.add("skeleton", .expected(.milliseconds(50)), .initialDisplay, after: "login") {}
        let plan = try graph.plan()
        #expect(plan.initialDisplayEnd == .milliseconds(1050))
        #expect(plan.measuredToInitialDisplay == .milliseconds(350))
        #expect(plan.meets(Budget(.seconds(3), initialDisplay: .milliseconds(350))))
        #expect(!plan.meets(Budget(.seconds(3), initialDisplay: .milliseconds(349))))
    }

    @Test("The work after an operation is shared by the lanes, unless its longest path takes longer")
    func workAfter() throws {
        var graph = OperationGraph("work")
        graph.add("a") {}
        graph.add("b", after: "a") {}
        graph.add("c", after: "a") {}
        graph.add("d", after: "c") {}
        let problem = PlanningProblem(try graph.validated(), durations: [10, 20, 30, 5])
        #expect(problem.workAfter(lanes: 1) == [65, 20, 35, 5])
        #expect(problem.workAfter(lanes: 2) == [45, 20, 35, 5])
    }

    @Test("A suspended step of the main thread has the slack until what it holds up, and not until what comes after it there")
    func suspendedSlack() throws {
        var graph = OperationGraph("suspended")
        func add(_ id: String, _ milliseconds: Int, suspends: Bool? = nil, _ options: StepOption = .all([]), after: [String] = []) {
            let all = StepOption.all([.expected(.milliseconds(milliseconds)), options])
            if let suspends {
                graph.add(id, all, .suspends(suspends), after: after, on: .main) {}
            } else {
                graph.add(id, all, after: after) {}
            }
        }
        add("splash", 100, suspends: true)
        add("config", 100)
        add("home", 300, suspends: false, .milestone, after: ["config"])
        let home = try graph.plan()
        #expect(home.operations[0].slack == .milliseconds(300) && !home.operations[0].isCritical)
        #expect(home.operations.dropFirst().allSatisfy { $0.slack == .zero && $0.isCritical })

        // It may come back as long as nothing keeps the main thread by then: m3 has it from 22 on, at 26 at the latest.
        graph = OperationGraph("comes-back")
        add("s", 10, suspends: true)
        add("x", 5, after: ["s"])
        add("a", 12)
        add("m2", 8, suspends: false, after: ["a"])
        add("b", 10, after: ["m2"])
        add("c", 22)
        add("m3", 4, suspends: false, after: ["c"])
        add("z", 30)
        let slack = Dictionary(uniqueKeysWithValues: try graph.plan().operations.map { ($0.id, $0.slack) })
        #expect(slack["s"] == .milliseconds(12) && slack["x"] == .milliseconds(15) && slack["m3"] == .milliseconds(4))
    }

    @Test("What if: other durations make another plan")
    func whatIf() throws {
        let plan = try regular.plan(PlanOptions(whatIf: ["login": .milliseconds(50)]))
        #expect(plan.faults() == [])
        #expect(plan.makespan == .milliseconds(500))
        #expect(plan.criticalPath == ["splash", "main-app"])
        #expect(plan["login"]?.duration == .milliseconds(50))
    }

    @Test("Operations that need one resource run one after the other")
    func resources() throws {
        var graph = OperationGraph("resources")
        for id in ["a", "b", "c"] { graph.add(id, .expected(.milliseconds(100)), .exclusive(.userInterface)) {} }
        let plan = try graph.plan()
        #expect(plan.faults() == [])
        #expect(plan.makespan == .milliseconds(300))
        #expect(plan.bounds.resources == [.userInterface: .milliseconds(300)])
        #expect(plan.lowerBound == .milliseconds(300))
    }

    @Test("What nothing is known of takes no time, and is named")
    func unknown() throws {
        var graph = OperationGraph("unknown")
        graph.add("a") {}
        graph.add("b", .expected(.milliseconds(10)), after: "a") {}
        graph.join("all", after: "a", "b")
        #expect(try graph.plan().operationsWithoutExpectation == ["a", "all"])
        #expect(try graph.plan().makespan == .milliseconds(10))
        #expect(try graph.plan(PlanOptions(whatIf: ["a": .milliseconds(5)])).operationsWithoutExpectation == ["all"])
        graph.join("slow", .expected(.seconds(1)), after: "all")
        #expect(try graph.validated().joinsWithExpectation == ["slow"] && graph.plan().makespan == .milliseconds(10))
        let empty = try OperationGraph("empty").plan(PlanOptions(lanes: 2))
        #expect(empty.makespan == .zero)
        #expect(empty.utilization == 0)
        #expect(empty.faults() == [])
    }

    @Test("Options out of range are errors, each with what was expected")
    func invalid() throws {
        let options = PlanOptions(lanes: 0, whatIf: ["logn": .zero, "login": .seconds(-1)], effort: -1)
        let error = try #require(throws: GraphError.self) { try regular.plan(options) }
        #expect(
            error.problems.map(\.message) == [
                "lanes must be 1 to 1024, and are 0",
                "effort must be 0 or more, and is -1",
                "login: a duration must be 0 to 24 hours, and is -1.0 seconds",
                "there is no operation 'logn'; did you mean 'login'?",
            ]
        )
    }

    @Test("A search beats the longest remaining path where that is not the best, and finds the same plan every time")
    func search() throws {
        // On two lanes, 3 3 | 2 2 2 is the only way to end at 6; the longest first leads to 7.
        var graph = OperationGraph("partition")
        for (place, length) in [3, 3, 2, 2, 2].enumerated() { graph.add("op-\(place)", .expected(.milliseconds(length))) {} }
        #expect(try graph.plan(PlanOptions(lanes: 2, effort: 0)).makespan == .milliseconds(7))
        let plan = try graph.plan(PlanOptions(lanes: 2))
        #expect(plan.makespan == .milliseconds(6))
        #expect(plan.faults() == [])
        #expect(try graph.plan(PlanOptions(lanes: 2)).operations == plan.operations)
    }

    @Test("The fewest lanes that make the launch as short as it can be", arguments: [(6, 2), (4, 3), (3, 5)])
    func fewestLanes(longest: Int, lanes: Int) throws {
        var graph = OperationGraph("fewest")
        graph.add("longest", .expected(.milliseconds(longest))) {}
        for (place, length) in [2, 2, 2, 3 - 1, 3 - 1].prefix(longest == 6 ? 3 : 4).enumerated() {
            graph.add("op-\(place)", .expected(.milliseconds(length))) {}
        }
        let plan = try graph.planWithFewestLanes()
        #expect(plan.faults() == [])
        #expect(plan.makespan == .milliseconds(longest))
        #expect(plan.lanes == lanes)
    }

    @Test(
        "The fewest lanes of random graphs: as short as with any number, and not with one less",
        arguments: 0..<Nightly.times(day: 5, night: 15)
    )
    func fewestLanesOfRandomGraphs(seed: Int) throws {
        let graph = RandomPlanGraph(seed: UInt64(seed), operations: 1...20).graph
        let plan = try graph.planWithFewestLanes()
        let unlimited = try graph.plan()
        #expect(plan.faults() == [])
        #expect(plan.makespan <= unlimited.makespan)
        #expect(plan.lanes <= max(unlimited.lanes, 1))
        if plan.lanes > 1 {
            #expect(try graph.plan(PlanOptions(lanes: plan.lanes - 1)).makespan > plan.makespan)
        }
    }
}

@Suite("Launches that follow a plan", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PlannedLaunchTests {
    /// Operations that take as long as expected, in no real time.
    private func randomGraph(seed: UInt64) -> OperationGraph {
        var random = SplitMix64(seed: seed)
        var graph = OperationGraph("seed-\(seed)")
        for node in 0..<24 {
            let duration = Duration.nanoseconds(Int.random(in: 1_000_000...40_000_000, using: &random))
            let dependencies = (0..<node).filter { _ in Int.random(in: 0..<8, using: &random) == 0 }.map { "op\($0)" }
            graph.add("op\(node)", .expected(duration), after: dependencies) { launch in try await launch.sleep(for: duration) }
        }
        return graph
    }

    @Test("A launch starts ready operations in its plan's order, and takes as long as planned")
    func followsPlan() async throws {
        var shorter = 0
        for seed in 1...20 as ClosedRange<UInt64> {
            let graph = randomGraph(seed: seed)
            let plan = try graph.plan(PlanOptions(lanes: 3))
            let planned = try await graph.run(options: LaunchOptions(lanes: 3, order: plan.order, clock: VirtualClock())).report
            #expect(planned.makespan == plan.makespan, "seed \(seed)")
            for operation in plan.operations {
                #expect(planned[operation.id]?.start == operation.start, "seed \(seed), \(operation.id)")
            }
            let unplanned = try await graph.run(options: LaunchOptions(lanes: 3, clock: VirtualClock())).report
            if planned.makespan < unplanned.makespan { shorter += 1 }
            #expect(planned.makespan <= unplanned.makespan, "seed \(seed)")
        }
        #expect(shorter > 0)
    }

    @Test("What the plan does not know comes after what it does")
    func unknownOperations() async throws {
        var graph = OperationGraph("grown")
        for id in ["a", "b"] { graph.add(id, .expected(.milliseconds(1))) { launch in try await launch.sleep(for: .milliseconds(1)) } }
        let plan = try graph.plan(PlanOptions(lanes: 1))
        graph.add("new", .expected(.seconds(1))) { launch in try await launch.sleep(for: .seconds(1)) }
        let report = try await graph.run(options: LaunchOptions(lanes: 1, order: plan.order, clock: VirtualClock())).report
        #expect(report["new"]?.start == .milliseconds(2))
    }
}
