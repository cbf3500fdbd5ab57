import SequencerAnalysis
import TestSupport
import Testing

@testable import Sequencer

/// What the milestone needs goes first, however long the rest takes.
@Suite("The milestone first", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MilestoneOrderTests {
    /// ```
    /// a ──▶ b ──▶ home (the milestone)      150 ms each
    /// other-0 ... other-5                   300 ms each, which nobody waits for
    /// ```
    private static func graph() -> OperationGraph {
        var graph = OperationGraph("first-screen")
        for number in 0..<6 { add("other-\(number)", .milliseconds(300), to: &graph) }
        add("a", .milliseconds(150), to: &graph)
        add("b", .milliseconds(150), to: &graph, after: "a")
        add("home", .milliseconds(150), .milestone, to: &graph, after: "b")
        return graph
    }

    private static func add(_ id: String, _ duration: Duration, _ options: StepOption..., to graph: inout OperationGraph, after: String...)
    {
        graph.add(id, .all(options + [.expected(duration)]), after: after) { launch in try await launch.sleep(for: duration) }
    }

    @Test("however few lanes there are, the milestone ends when its chain does, as if nothing else were there", arguments: [1, 2, 3])
    func order(lanes: Int) async throws {
        let report = try await Self.graph().run(options: LaunchOptions(lanes: lanes, clock: VirtualClock())).report
        #expect(report["home"]?.end == .milliseconds(450))
        #expect(report.outcome == .completed)
    }

    @Test("a plan ends the milestone first, then everything, also without a search", arguments: [0, 1])
    func plan(effort: Int) throws {
        for lanes in 1...3 {
            let plan = try Self.graph().plan(PlanOptions(lanes: lanes, effort: effort))
            #expect(plan.milestoneEnd == .milliseconds(450))
            // 2,250 ms of work.
            #expect(plan.makespan <= .milliseconds([2_250, 1_350, 900][lanes - 1]), "\(lanes) lanes: \(plan.makespan)")
        }
    }

    @Test("what the milestone needs has a higher rank than all else, and each the order of its own longest path")
    func ranks() throws {
        let graph = try Self.graph().validated()
        let ranks = graph.ranks
        let ids = (0..<graph.count).sorted { ranks[$0] > ranks[$1] }.map(graph.id)
        #expect(ids.prefix(3) == ["a", "b", "home"])
        let urgency = Urgency(of: graph) { graph.expectedDurations[$0] }
        #expect(urgency.isNeeded.count { $0 } == 3)
        #expect(try urgency.paths[graph.index(of: "a")] == Duration.milliseconds(450).nanoseconds)
    }

    @Test("without a milestone, and where all leads to it, the longest remaining path goes first")
    func longestPath() throws {
        var graph = OperationGraph("plain")
        graph.add("short", .expected(.milliseconds(1))) {}
        graph.add("long", .expected(.milliseconds(9))) {}
        var validated = try graph.validated()
        #expect(validated.ranks == validated.expectedPath.remaining)
        graph.add("home", .milestone, after: "short", "long") {}
        validated = try graph.validated()
        #expect(validated.ranks == validated.expectedPath.remaining)
    }
}
