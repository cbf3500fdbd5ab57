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
    /// Pairs of a removed and an added operation with the same dependencies and dependents: one took the other's place.
    let replacedSteps: [Replacement]

    /// An operation in another one's place.
    struct Replacement: Sendable, Equatable {
        /// The operation of the old graph.
        let old: String
        /// The operation of the new graph.
        let new: String
    }

    /// Whether both graphs have the same operations and dependencies.
    public var isEmpty: Bool { addedSteps.isEmpty && removedSteps.isEmpty && addedEdges.isEmpty && removedEdges.isEmpty }

    /// A line a change: `+ operation`, `- operation`, `~ old → new`, `+ a after b`, `- a after b`.
    public var description: String {
        let replaced = Set(replacedSteps.flatMap { [$0.old, $0.new] })
        var lines = replacedSteps.map { "~ \($0.old) → \($0.new)" }
        lines += removedSteps.filter { !replaced.contains($0) }.map { "- \($0)" }
        lines += addedSteps.filter { !replaced.contains($0) }.map { "+ \($0)" }
        lines += removedEdges.map { "- \($0)" } + addedEdges.map { "+ \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension ValidatedGraph {
    /// The changes that turn `old` into this graph.
    ///
    /// - Complexity: linear in operations and dependencies of both graphs, but for the sorting of what changed.
    public func difference(from old: ValidatedGraph) -> GraphDifference {
        let added = graph.identifiers.filter { old.position(of: $0) == nil }.sorted()
        let removed = old.graph.identifiers.filter { position(of: $0) == nil }.sorted()

        // By their neighbours; each list from its end, since the first added step in alphabetical order must be taken
        // first.
        var free: [[Set<String>]: [String]] = [:]
        for step in added.reversed() { free[neighbours(of: step), default: []].append(step) }
        let replaced = removed.compactMap { step in
            free[old.neighbours(of: step)]?.popLast().map { GraphDifference.Replacement(old: step, new: $0) }
        }
        let (newEdges, oldEdges) = (edges, old.edges)
        // The edges of an operation in only one of the graphs come and go with it.
        func isShared(_ edge: Edge) -> Bool {
            [edge.operation, edge.dependency].allSatisfy { position(of: $0) != nil && old.position(of: $0) != nil }
        }
        return GraphDifference(
            addedSteps: added,
            removedSteps: removed,
            addedEdges: newEdges.subtracting(oldEdges).filter(isShared).sorted(),
            removedEdges: oldEdges.subtracting(newEdges).filter(isShared).sorted(),
            replacedSteps: replaced
        )
    }

    /// The dependencies and the dependents, as sets: the order in which dependencies were written, and one that was
    /// written twice, change nothing.
    private func neighbours(of id: String) -> [Set<String>] {
        position(of: id).map { node in [predecessors, successors].map { Set($0[node].map { self.id($0.index) }) } } ?? []
    }
}
