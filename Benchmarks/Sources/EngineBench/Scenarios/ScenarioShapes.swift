import Sequencer
import SequencerAnalysis
import StartupOps

extension ShapeFamily {
    /// The graphs of the built-in scenarios, with empty operations: the sizes that apps have.
    static let scenarios = ShapeFamily("scenarios", "the graphs of the built-in scenarios") { (_: [Int]) in
        Scenario.all.compactMap(shape)
    }

    private static func shape(of scenario: Scenario) -> Shape? {
        guard let graph = try? scenario.graph(.simulated()).validated() else { return nil }
        let order = graph.topologicalOrder
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return Shape(scenario.name, count: order.count, identifiers: order) { node in
            ((try? graph.dependencies(of: order[node])) ?? []).compactMap { places[$0] }.sorted()
        }
    }
}
