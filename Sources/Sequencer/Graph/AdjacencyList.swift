/// The neighbours of every operation, in one array: a graph may have millions of edges, and a list for each operation
/// costs an allocation each.
package struct AdjacencyList: Sendable {
    /// A neighbour, and whether the value that flows along this edge must exist.
    package struct Neighbour: Sendable {
        package let index: Int
        let needsValue: Bool
    }

    /// `neighbours[offsets[i]..<offsets[i + 1]]` are those of operation `i`.
    private let offsets: [Int]
    private let neighbours: [Neighbour]

    /// From each operation to those it waits for; or, `forwards`, to those that wait for it. Sorts edges by counting.
    /// Neighbours keep the order the edges were written in.
    ///
    /// - Complexity: O(`count` + edges).
    init(count: Int, edges: [GraphEdge], forwards isForwards: Bool = false) {
        // Two places further than where an operation's neighbours begin: filling moves that to the one it belongs in.
        var offsets = [Int](repeating: 0, count: count + 2)
        for edge in edges { offsets[(isForwards ? edge.target : edge.node) + 2] += 1 }
        for index in 0..<count { offsets[index + 2] += offsets[index + 1] }
        var neighbours = [Neighbour](repeating: Neighbour(index: 0, needsValue: false), count: edges.count)
        for edge in edges {
            let (from, to) = isForwards ? (edge.target, edge.node) : (edge.node, edge.target)
            neighbours[offsets[from + 1]] = Neighbour(index: to, needsValue: edge.needsValue)
            offsets[from + 1] += 1
        }
        (self.offsets, self.neighbours) = (offsets, neighbours)
    }

    /// The neighbours of an operation.
    package subscript(index: Int) -> ArraySlice<Neighbour> { neighbours[offsets[index]..<offsets[index + 1]] }

    /// The operations that there is a way to from `start`: itself only where the edges have a circle.
    package func reachable(from start: Int) -> Set<Int> { reachable(from: self[start].map(\.index)) }

    /// These operations, and all that there is a way to from them by way of operations that are followed.
    func reachable(from nodes: some Sequence<Int>, following isFollowed: (Int) -> Bool = { _ in true }) -> Set<Int> {
        // A list in place of recursion: a chain may be as long as the graph (G17).
        var (reached, pending): (Set<Int>, [Int]) = ([], Array(nodes))
        while let node = pending.popLast() {
            guard reached.insert(node).inserted else { continue }
            for next in self[node] where isFollowed(next.index) { pending.append(next.index) }
        }
        return reached
    }
}
