import Testing

@testable import Sequencer

@Suite("Launches that follow a plan", .serialized, .timeLimit(.minutes(10)))
struct PlannedLaunchTests {
    /// Operations that take as long as expected, in no real time. No two of them end at the same time: of two that do, a launch sees one end first,
    /// and gives its lane away before it knows what the other one's end makes ready.
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
        for seed in 1...60 as ClosedRange<UInt64> {
            let graph = randomGraph(seed: seed)
            let plan = try graph.plan(PlanOptions(lanes: 3))
            let planned = try await Sequencer(graph, options: LaunchOptions(lanes: 3, plan: plan, clock: VirtualClock())).run()
            #expect(planned.makespan == plan.makespan, "seed \(seed)")
            for operation in plan.operations {
                #expect(planned[operation.id]?.start == operation.start, "seed \(seed), \(operation.id)")
            }
            let unplanned = try await Sequencer(graph, options: LaunchOptions(lanes: 3, clock: VirtualClock())).run()
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
        let report = try await Sequencer(graph, options: LaunchOptions(lanes: 1, plan: plan, clock: VirtualClock())).run()
        #expect(report["new"]?.start == .milliseconds(2))
    }
}
