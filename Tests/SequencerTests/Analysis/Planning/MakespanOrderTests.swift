import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Where the goal is the makespan, operations make room for those before them in the order that a launch is given.
@Suite("Room for what comes first in the order", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MakespanOrderTests {
    private static func add(
        _ id: String,
        _ milliseconds: Int,
        takes real: Int? = nil,
        _ options: StepOption...,
        to graph: inout OperationGraph,
        after: String...,
        onMain: Bool = false
    ) {
        let duration = Duration.milliseconds(real ?? milliseconds)
        let options = StepOption.all(options + [.expected(.milliseconds(milliseconds))])
        if onMain {
            graph.add(id, options, after: after, on: .main) { launch in try await launch.compute(for: duration) }
        } else {
            graph.add(id, options, after: after) { launch in try await launch.sleep(for: duration) }
        }
    }

    private static func run(_ graph: OperationGraph, _ order: [String]?) async throws -> LaunchReport {
        var options = LaunchOptions(lanes: 3, order: order, clock: VirtualClock())
        options.goal = .makespan
        return try await graph.run(options: options).report
    }

    private static func planOptions(lanes: Int?, effort: Int? = nil) -> PlanOptions {
        var options = PlanOptions(lanes: lanes)
        options.goal = .makespan
        if let effort { options.effort = effort }
        return options
    }

    /// ```
    /// config (10) ──▶ a (50) ──▶ upload (300)      b (100)
    /// ```
    /// `a` and `b` need the same. A launch that begins `b` at once, because nothing else could start there, ends 90 ms later.
    @Test("a plan keeps the main thread or a resource free for what comes soon; so does a launch by its order", arguments: [true, false])
    func idle(onMain: Bool) async throws {
        var graph = OperationGraph("idle")
        Self.add("config", 10, to: &graph)
        let resources: [ExclusiveResource] = onMain ? [] : ["database"]
        Self.add("a", 50, .exclusive(resources), to: &graph, after: "config", onMain: onMain)
        Self.add("b", 100, .exclusive(resources), to: &graph, onMain: onMain)
        Self.add("upload", 300, to: &graph, after: "a")
        let plan = try graph.plan(Self.planOptions(lanes: 3))
        #expect(plan.makespan == .milliseconds(360) && plan["b"]?.start == .milliseconds(60) && plan.isShortest)
        #expect(plan.faults() == [])
        let report = try await Self.run(graph, plan.order)
        #expect(report.makespan == .milliseconds(360) && report["b"]?.start == .milliseconds(60))
        #expect(try await Self.run(graph, nil).makespan == .milliseconds(450))
        // The order decides: nothing waits for what comes after it.
        #expect(try await Self.run(graph, ["config", "b", "a", "upload"]).makespan == .milliseconds(450))
    }

    @Test("what comes first, and is late, is waited for only as long as it would have to wait itself")
    func late() async throws {
        var graph = OperationGraph("late")
        Self.add("config", 10, takes: 500, to: &graph)
        Self.add("a", 50, to: &graph, after: "config", onMain: true)
        Self.add("b", 100, to: &graph, onMain: true)
        let report = try await Self.run(graph, ["config", "a", "b"])
        #expect(report["b"]?.start == .milliseconds(110) && report["a"]?.start == .milliseconds(500))
    }

    /// ```
    /// config (10) ──▶ a (50)      images (20) ──▶ c (40)      b (100)
    /// ```
    /// `a`, `b` and `c` need the main thread.
    @Test("of several that it has to wait for, one after the other is waited for, and it may start when none is left")
    func several() throws {
        var graph = OperationGraph("several")
        graph.add("config", .expected(.nanoseconds(10))) {}
        graph.add("a", .expected(.nanoseconds(50)), after: "config", on: .main) {}
        graph.add("images", .expected(.nanoseconds(20))) {}
        graph.add("c", .expected(.nanoseconds(40)), after: "images", on: .main) {}
        graph.add("b", .expected(.nanoseconds(100)), on: .main) {}
        let validated = try graph.validated()
        let (config, images, b) = (0, 2, 4)
        let all = Reservations.inOrder(validated, durations: validated.expectedDurations, hasLanes: false)
        var keeper = ReservationKeeper(try #require(all.first), lanes: .max, keys: [0, 1, 2, 3, 4])
        keeper.started(config, at: 0)
        keeper.started(images, at: 0)
        #expect(keeper.obstacle(to: b, at: 0, takesLastLane: false) == 110)
        #expect(keeper.obstacle(to: b, at: 110, takesLastLane: false) == 120)
        #expect(keeper.obstacle(to: b, at: 120, takesLastLane: false) == nil)
    }

    @Test("searching makes no plan longer, and the same launch has the same plan", arguments: Nightly.cases(0..<40, each: 5))
    func search(seed: Int) throws {
        let sample = RandomPlanGraph(seed: UInt64(seed), operations: 1...20)
        let graph = try sample.graph.validated()
        let first = try graph.plan(Self.planOptions(lanes: sample.lanes, effort: 0))
        let plan = try graph.plan(Self.planOptions(lanes: sample.lanes))
        #expect(plan.faults() == [])
        #expect(first.evaluations == 1 && plan.makespan <= first.makespan)
        #expect(try graph.plan(Self.planOptions(lanes: sample.lanes)).operations == plan.operations)
    }
}
