import Sequencer

/// The changes that turn one graph into another: operations by identifier, dependencies by their ends.
public struct GraphDifference: Sendable, Equatable, CustomStringConvertible {
    /// Operations that only the new graph has, in alphabetical order.
    public let addedSteps: [String]
    /// Operations that only the old graph has, in alphabetical order.
    public let removedSteps: [String]
    /// Dependencies between operations of both graphs that only the new one has.
    public let addedEdges: [ValidatedGraph.Edge]
    /// Dependencies between operations of both graphs that only the old one has.
    public let removedEdges: [ValidatedGraph.Edge]

    /// Whether both graphs have the same operations and dependencies.
    public var isEmpty: Bool { addedSteps.isEmpty && removedSteps.isEmpty && addedEdges.isEmpty && removedEdges.isEmpty }

    /// A line a change: `+ operation`, `- operation`, `+ a after b`, `- a after b`.
    public var description: String {
        let steps = removedSteps.map { "- \($0)" } + addedSteps.map { "+ \($0)" }
        return (steps + removedEdges.map { "- \($0)" } + addedEdges.map { "+ \($0)" }).joined(separator: "\n")
    }
}

extension ValidatedGraph {
    /// The changes that turn `old` into this graph.
    ///
    /// - Complexity: linear in operations and dependencies of both graphs, but for the sorting of what changed.
    public func difference(from old: ValidatedGraph) -> GraphDifference {
        let added = graph.identifiers.filter { old.position(of: $0) == nil }.sorted()
        let removed = old.graph.identifiers.filter { position(of: $0) == nil }.sorted()
        let (newEdges, oldEdges) = (edges, old.edges)
        // The edges of an operation in only one of the graphs come and go with it.
        func isShared(_ edge: Edge) -> Bool {
            [edge.operation, edge.dependency].allSatisfy { position(of: $0) != nil && old.position(of: $0) != nil }
        }
        return GraphDifference(
            addedSteps: added,
            removedSteps: removed,
            addedEdges: newEdges.subtracting(oldEdges).filter(isShared).sorted(),
            removedEdges: oldEdges.subtracting(newEdges).filter(isShared).sorted()
        )
    }
}
