/// What has to change in one graph to make it another: operations by identifier, dependencies by their ends.
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
    public let replacedSteps: [Replacement]

    /// An operation in another one's place.
    public struct Replacement: Sendable, Equatable {
        /// The operation of the old graph.
        public let old: String
        /// The operation of the new graph.
        public let new: String

        /// `new` in the place of `old`.
        public init(old: String, new: String) {
            self.old = old
            self.new = new
        }
    }

    /// Whether both graphs have the same operations and dependencies.
    public var isEmpty: Bool { addedSteps.isEmpty && removedSteps.isEmpty && addedEdges.isEmpty && removedEdges.isEmpty }

    /// A line a change: `+ operation`, `- operation`, `~ old → new`, `+ a after b`, `- a after b`.
    public var description: String {
        var lines = replacedSteps.map { "~ \($0.old) → \($0.new)" }
        lines += removedSteps.filter { step in !replacedSteps.contains { $0.old == step } }.map { "- \($0)" }
        lines += addedSteps.filter { step in !replacedSteps.contains { $0.new == step } }.map { "+ \($0)" }
        lines += removedEdges.map { "- \($0)" } + addedEdges.map { "+ \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension ValidatedGraph {
    /// What has to change in `old` to make it this graph.
    public func difference(from old: ValidatedGraph) -> GraphDifference {
        let (newSteps, oldSteps) = (Set(identifiers), Set(old.identifiers))
        let (newEdges, oldEdges) = (edges, old.edges)
        let added = newSteps.subtracting(oldSteps).sorted()
        let removed = oldSteps.subtracting(newSteps).sorted()
        var free = added
        var replaced: [GraphDifference.Replacement] = []
        for step in removed {
            guard let place = free.firstIndex(where: { neighbours(of: $0) == old.neighbours(of: step) }) else { continue }
            replaced.append(GraphDifference.Replacement(old: step, new: free.remove(at: place)))
        }
        let shared = newSteps.intersection(oldSteps)
        func isShared(_ edge: Edge) -> Bool { shared.contains(edge.operation) && shared.contains(edge.dependency) }
        return GraphDifference(
            addedSteps: added, removedSteps: removed,
            addedEdges: newEdges.subtracting(oldEdges).filter(isShared).sorted(),
            removedEdges: oldEdges.subtracting(newEdges).filter(isShared).sorted(),
            replacedSteps: replaced)
    }

    private func neighbours(of id: String) -> [Set<String>]? {
        guard let node = try? index(of: id) else { return nil }
        return [Set(predecessors[node].map { self.id($0.index) }), Set(successors[node].map { self.id($0.index) })]
    }
}
