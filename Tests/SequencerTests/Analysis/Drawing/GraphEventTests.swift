import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Graphs with events from outside", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphEventTests {
    /// `window` and `config`, and `home` after both.
    private static func graph() -> OperationGraph {
        var graph = OperationGraph("events")
        let window = graph.wait(for: ExternalEvent<Void>("window"), .expected(.seconds(2)))
        let config = graph.add("config", .expected(.seconds(1))) {}
        graph.add("home", .expected(.seconds(1)), after: window, config) {}
        return graph
    }

    @Test("what waits for an event is dashed, and so is the dependency on it; a graph without events says nothing of them")
    func drawings() throws {
        let graph = try Self.graph().validated()
        let dot = graph.dot()
        #expect(dot.contains("<TD>dashed: implied, or an event</TD>"))
        #expect(dot.contains("\"window\" [label=\"window\\n2 s\", style=\"rounded,dashed\""))
        #expect(dot.contains("\"window\" -> \"home\" [color=\"#c0392b\", penwidth=3, style=dashed]\n"))
        #expect(dot.contains("\"config\" -> \"home\"\n"))
        let mermaid = try graph.mermaid()
        #expect(mermaid.contains("\n  n0 -.-> n2\n  n1 --> n2\n"))
        #expect(mermaid.contains("\n  classDef event stroke-dasharray:4\n  class n0 event\n"))
        #expect(graph.tree().contains("  event "))
        var plain = OperationGraph("plain")
        plain.add("home") {}
        #expect(try !plain.validated().dot().contains("event") && !plain.validated().mermaid().contains("event"))
    }

    @Test("a plan gives an event its time, and no lane")
    func plan() async throws {
        let plan = try await Self.graph().plan(PlanOptions(lanes: 1))
        #expect(plan.operations.allSatisfy { $0.outcome == .succeeded })
        #expect(plan.makespan == .seconds(3) && plan.criticalPath == ["window", "home"])
        #expect(plan["window"]?.lane == nil && plan["window"]?.end == .seconds(2) && plan["config"]?.start == .zero)
    }
}
