extension ValidatedGraph {
    /// The dependencies that others imply: removing all of them changes neither what waits for what nor any launch.
    ///
    /// In a graph without cycles these are unique (A. V. Aho, M. R. Garey, J. D. Ullman, "The Transitive Reduction of a Directed Graph",
    /// 1972). A dependency whose value is read is among them too when a longer way leads there: it is drawn dashed, not dropped.
    ///
    /// - Complexity: O(operations · dependencies / 64) time, O(operations) memory.
    public var impliedEdges: Set<Edge> {
        var implied = Set<Edge>()
        forEachImpliedEdge { node, dependency in implied.insert(Edge(id(node), after: id(dependency))) }
        return implied
    }

    /// The same graph without the dependencies that others imply, but for those whose values are read.
    public func reduced() -> ValidatedGraph {
        var implied = Set<Int64>()
        forEachImpliedEdge { node, dependency in implied.insert(Int64(node) << 32 | Int64(dependency)) }
        var reduced = graph
        reduced.names = []
        reduced.edges = []
        for node in 0..<count {
            let inputs = Set(policy(node).inputs.compactMap { graph.position(of: $0.id, in: positions) })
            // A dependency may have been said twice, `using:` and `after:`. One is kept: the one that needs the value.
            let needed = Set(predecessors[node].lazy.filter(\.needsValue).map(\.index))
            var seen = Set<Int>()
            for dependency in predecessors[node].lazy.map(\.index) where seen.insert(dependency).inserted {
                let edge = GraphEdge(node: Int32(node), target: Int32(dependency), needsValue: needed.contains(dependency))
                if inputs.contains(edge.target) || !implied.contains(Int64(node) << 32 | Int64(dependency)) { reduced.edges.append(edge) }
            }
        }
        // Not validated once more: that would bring back the dependencies that Foundation operations have among themselves.
        return ValidatedGraph(
            graph: reduced,
            positions: positions,
            edges: reduced.edges,
            degrees: reduced.edges.degrees(count),
            successors: AdjacencyList(count: count, edges: reduced.edges, .successors),
            order: order
        )
    }

    /// Calls `body` with each operation and each of its dependencies that another one implies.
    ///
    /// One bit says "this operation comes at least one step before that one"; 512 columns are looked at in one pass over the graph, so that
    /// memory stays linear.
    private func forEachImpliedEdge(_ body: (_ node: Int, _ dependency: Int) -> Void) {
        typealias Block = SIMD8<UInt64>
        var before = [Block](repeating: .zero, count: count)
        var isNeeded = [Bool](repeating: false, count: count)
        for node in 0..<count where degrees[node] > 1 {
            for dependency in predecessors[node] { isNeeded[dependency.index] = true }
        }
        for first in stride(from: 0, to: count, by: 512) {
            let columns = first..<min(first + 512, count)
            guard columns.contains(where: { isNeeded[$0] }) else { continue }
            for node in order.lazy.map(Int.init) {
                var direct = Block.zero
                var indirect = Block.zero
                for dependency in predecessors[node] {
                    indirect |= before[dependency.index]
                    if columns.contains(dependency.index) {
                        direct[(dependency.index - first) >> 6] |= 1 << UInt64((dependency.index - first) & 63)
                    }
                }
                before[node] = direct | indirect
                guard direct & indirect != .zero else { continue }
                for dependency in predecessors[node] where columns.contains(dependency.index) {
                    let offset = dependency.index - first
                    if indirect[offset >> 6] >> UInt64(offset & 63) & 1 == 1 { body(node, dependency.index) }
                }
            }
        }
    }
}
