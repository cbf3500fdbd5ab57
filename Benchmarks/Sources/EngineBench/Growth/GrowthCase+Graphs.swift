import Foundation
import Sequencer
import SequencerAnalysis

extension GrowthCase {
    /// What can be done with a graph besides running it.
    static let graphs: [GrowthCase] = [
        work("validated", on: { OperationGraph(named: $0) }) { _ = try $0.validated() },
        work("validated, unknown names", on: broken { id, _ in id + "-that-is-not-there" }) { try expectError($0) },
        work(
            "validated, one name for all",
            on: { OperationGraph(named: Shape($0.name, count: $0.count, identifiers: $0.identifiers.map { _ in "n" }) { _ in [] }) }
        ) {
            try expectError($0)
        },
        work("validated, a circle of all", on: broken { _, next in next }) { try expectError($0) },
        change("remove") { graph, shape in
            for node in 1...10 { graph.remove(shape.identifiers[shape.count * node / 11]) }
            _ = try graph.validated()
        },
        change("replace") { graph, shape in
            for node in 1...10 {
                let step = graph.add("new \(node)") { _ in }
                try graph.replace(shape.identifiers[shape.count * node / 11], with: step.id)
            }
            _ = try graph.validated()
        },
        change("addDependency") { graph, shape in
            for node in 1..<shape.count { graph.addDependency(shape.identifiers[node - 1], to: shape.identifiers[node]) }
            _ = try graph.validated()
        },
        change("note") { graph, shape in
            for id in shape.identifiers { try graph.note("noted", on: id) }
        },
        work("levels and edges", on: valid) { graph in
            if graph.levels.isEmpty || graph.edges.isEmpty || graph.topologicalOrder.isEmpty { throw EngineFailure("there is nothing") }
        },
        work("ancestors and descendants", on: valid) { graph in
            let order = graph.topologicalOrder
            for id in [order[0], order[order.count - 1]] {
                if try graph.ancestors(of: id).count + graph.descendants(of: id).count == 0 { throw EngineFailure("there is nothing") }
            }
        },
        work("reduced", on: valid) { _ = $0.reduced() },
        work("difference", on: { (try await valid($0), try OperationGraph(named: $0).validated()) }) { _ = $0.0.difference(from: $0.1) },
        work("critical path", on: valid) { graph in
            if graph.criticalPath.isEmpty || graph.budgetedPath.path.isEmpty { throw EngineFailure("there is no path") }
        },
        work(
            "a hundred interactive",
            on: { shape in
                try OperationGraph(named: shape) { $0 % max(shape.count / 100, 1) == 0 ? .interactive : .all([]) }.validated()
            }
        ) { _ = $0.overlappingInteractions(maximum: 1000) },
        GrowthCase(name: "plan") { shape in
            let graph = try await valid(shape)
            let begin = processorTime()
            _ = try await graph.plan(PlanOptions(lanes: 4))
            return processorTime() - begin
        },
        change("history") { graph, shape in
            var history = LaunchHistory()
            let durations = Dictionary(uniqueKeysWithValues: shape.identifiers.map { ($0, Duration.milliseconds(1)) })
            for _ in 0..<3 { history.record(durations, in: shape.name) }
            graph.expect(history)
            if history.json().isEmpty { throw EngineFailure("there is no history") }
        },
        GrowthCase(name: "history of launches") { shape in
            let report = try await OperationGraph(named: shape).run(options: LaunchOptions(lanes: 2)).report
            let begin = processorTime()
            var history = LaunchHistory()
            for _ in 0..<3 { history.record(report) }
            return processorTime() - begin
        },
    ]

    /// Something that is done to a graph; only the doing is measured.
    private static func change(_ name: String, _ change: @escaping @Sendable (inout OperationGraph, Shape) throws -> Void) -> GrowthCase {
        GrowthCase(name: name) { shape in
            var graph = OperationGraph(named: shape)
            let begin = processorTime()
            try change(&graph, shape)
            return processorTime() - begin
        }
    }

    @Sendable
    static func valid(_ shape: Shape) async throws -> ValidatedGraph {
        try OperationGraph(named: shape) { .all([.expected(.microseconds($0 % 50)), shape.milestone($0)]) }.validated()
    }

    /// A graph in which each step waits for the name that `dependency` makes of its own and the next one's.
    private static func broken(_ dependency: @escaping @Sendable (String, String) -> String)
        -> @Sendable (Shape) async throws -> OperationGraph
    {
        { shape in
            var graph = OperationGraph(named: shape)
            for node in 0..<shape.count {
                let (id, next) = (shape.identifiers[node], shape.identifiers[(node + 1) % shape.count])
                graph.addDependency(dependency(id, next), to: id)
            }
            return graph
        }
    }

    private static func expectError(_ graph: OperationGraph) throws {
        do {
            _ = try graph.validated()
        } catch {
            return
        }
        throw EngineFailure("the graph is valid")
    }
}
