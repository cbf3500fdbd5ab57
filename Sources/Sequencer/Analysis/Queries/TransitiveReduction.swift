import Sequencer

extension ValidatedGraph {
    /// The dependencies that others imply: removing all of them changes no order and no launch.
    ///
    /// In a graph without cycles these are unique (A. V. Aho, M. R. Garey, J. D. Ullman, "The Transitive Reduction of a Directed Graph",
    /// 1972). A dependency whose value is read is among them too when a longer way leads there: it is drawn dashed, not dropped.
    ///
    /// - Complexity: O(operations + dependencies) time where dependencies are close together, as in layers; O(operations · dependencies / 512) where they
    ///   reach far back everywhere. O(operations + dependencies) memory.
    package var impliedEdges: Set<Edge> {
        var implied = Set<Edge>()
        forEachImpliedEdge { node, dependency in implied.insert(Edge(id(node), after: id(dependency))) }
        return implied
    }

    /// The same graph without the dependencies that others imply, but for those whose values are read.
    public func reduced() -> ValidatedGraph {
        var implied = Set<Int64>()
        // Both in one number, which is cheaper to hash than two identifiers.
        forEachImpliedEdge { node, dependency in implied.insert(Int64(node) << 32 | Int64(dependency)) }
        return leavingOut { node, dependency in implied.contains(Int64(node) << 32 | Int64(dependency)) }
    }

    /// Calls `body` with each operation and each of its dependencies that another one implies.
    ///
    /// - Parameter looks: how many looks at a dependency the search may take, for each operation and dependency there is.
    func forEachImpliedEdge(looks: Int = 64, _ body: (_ node: Int, _ dependency: Int) -> Void) {
        let undecided = searchImpliedEdges(of: order, looks: looks, body)
        if undecided.contains(true) { findImpliedEdges(of: undecided, body) }
    }

    /// Looks, for each operation, from its dependencies back to where the earliest of them can be: most graphs' dependencies are close together.
    ///
    /// An operation's depth is the length of the longest way to it. Nothing of the same depth, or deeper, comes before it.
    ///
    /// - Returns: the operations that are left when that has taken too long, as it does where dependencies reach far back everywhere.
    private func searchImpliedEdges(
        of nodes: some Sequence<Int>,
        looks: Int,
        _ body: (_ node: Int, _ dependency: Int) -> Void
    ) -> [Bool] {
        var depths = [Int32](repeating: 0, count: count)
        var edges = 0
        for node in nodes {
            for dependency in predecessors[node] { depths[node] = max(depths[node], depths[dependency.index] + 1) }
            edges += predecessors[node].count
        }
        // One dependency alone is implied by no other.
        var isUndecided = degrees.map { $0 > 1 }
        var looksLeft = looks * (count + edges)
        // By operation: the operation whose search last reached it, and last went on from it.
        var reachedFor = [Int32](repeating: -1, count: count)
        var leftFor = [Int32](repeating: -1, count: count)
        var stack: [Int] = []
        for node in nodes where isUndecided[node] && looksLeft > 0 {
            let dependencies = predecessors[node].lazy.map(\.index)
            let least = dependencies.map { depths[$0] }.min() ?? 0
            stack.removeAll(keepingCapacity: true)
            stack += dependencies.filter { depths[$0] > least }
            while looksLeft > 0, let next = stack.popLast() {
                guard leftFor[next] != node else { continue }
                leftFor[next] = Int32(node)
                for dependency in predecessors[next].lazy.map(\.index) where depths[dependency] >= least {
                    reachedFor[dependency] = Int32(node)
                    if depths[dependency] > least { stack.append(dependency) }
                }
                looksLeft -= predecessors[next].count + 1
            }
            // Stopped half-way: this one and those after it are left to the other search.
            guard stack.isEmpty else { break }
            for dependency in dependencies where reachedFor[dependency] == node { body(node, dependency) }
            isUndecided[node] = false
        }
        return isUndecided
    }

    /// One bit says "this operation comes at least one step before that one"; 512 columns are looked at in one pass over the graph, so that
    /// memory stays linear.
    private func findImpliedEdges(of isUndecided: [Bool], _ body: (_ node: Int, _ dependency: Int) -> Void) {
        typealias Block = SIMD8<UInt64>
        var before = [Block](repeating: .zero, count: count)
        var isNeeded = [Bool](repeating: false, count: count)
        for node in 0..<count where isUndecided[node] {
            for dependency in predecessors[node] { isNeeded[dependency.index] = true }
        }
        for first in stride(from: 0, to: count, by: 512) {
            let columns = first..<min(first + 512, count)
            guard columns.contains(where: { isNeeded[$0] }) else { continue }
            for node in order {
                var direct = Block.zero
                var indirect = Block.zero
                for dependency in predecessors[node] {
                    indirect |= before[dependency.index]
                    if columns.contains(dependency.index) {
                        direct[(dependency.index - first) >> 6] |= 1 << UInt64((dependency.index - first) & 63)
                    }
                }
                before[node] = direct | indirect
                guard isUndecided[node], direct & indirect != .zero else { continue }
                for dependency in predecessors[node] where columns.contains(dependency.index) {
                    let offset = dependency.index - first
                    if indirect[offset >> 6] >> UInt64(offset & 63) & 1 == 1 { body(node, dependency.index) }
                }
            }
        }
    }
}
