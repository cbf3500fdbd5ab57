import Foundation
import SequencerTesting
import StartupOps
import TestSupport
import Testing

@testable import SequencerAnalysis

/// Launches shaped as the built-in ones, whose steps leave something for those that wait for them.
@Suite("Hidden order in the built-in scenarios", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScenarioHiddenOrderTests {
    private struct Missing: Error {}

    /// The launch of a scenario, in which each step needs what all before it have left; one dependency may not be said.
    private func launch(_ shape: ValidatedGraph, without hidden: ValidatedGraph.Edge? = nil) -> OperationGraph {
        let left = Locked<Set<String>>([])
        var graph = OperationGraph(shape.graph.name)
        let needed = Dictionary(grouping: shape.edges, by: \.operation).mapValues { $0.map(\.dependency) }
        for id in shape.topologicalOrder {
            let needs = needed[id] ?? []
            graph.add(id, after: needs.filter { hidden != ValidatedGraph.Edge(id, after: $0) }) {
                try left.withLock { left in
                    guard left.isSuperset(of: needs) else { throw Missing() }
                    left.insert(id)
                }
            }
        }
        return graph
    }

    @Test("a dependency that is not said is found, and named, at the rate of the bound at least", arguments: Scenario.all)
    func hidden(scenario: Scenario) async throws {
        // Without values, whose dependencies a reduced graph keeps though others imply them.
        let shape = try launch(scenario.graph(.simulated()).validated()).validated().reduced()
        let enough = Int((Double(shape.graph.count) * log(100)).rounded(.up))
        // In a large graph, some of them.
        let edges = shape.edges.sorted()
        let chosen = stride(from: 0, to: edges.count, by: max(edges.count / 12, 1)).map { edges[$0] }
        var late = 0
        for edge in chosen {
            let exploration = try await explore(launch(shape, without: edge), orders: 4 * enough)
            let sentence = "\(edge.operation) fails when it runs before \(edge.dependency): undeclared dependency"
            #expect("\(exploration)" == sentence)
            if exploration.orders > enough { late += 1 }
        }
        // The bound of a single one is 99%.
        #expect(late <= 1)
    }

    @Test("where all are said nothing is found", arguments: Scenario.all)
    func intact(scenario: Scenario) async throws {
        let shape = try scenario.graph(.simulated()).validated()
        #expect(try await explore(launch(shape), orders: 100, seed: 1).hidden == nil)
    }

    @Test("nor in 100,000 orders", .nightly)
    func manyOrders() async throws {
        for scenario in Scenario.all {
            let shape = try scenario.graph(.simulated()).validated()
            #expect(try await explore(launch(shape), orders: 100_000 / Scenario.all.count + 1, seed: 2).hidden == nil)
        }
    }
}
