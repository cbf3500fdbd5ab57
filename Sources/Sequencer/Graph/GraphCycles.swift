/// The circles of a graph, in groups: each operation of a group waits, directly or not, for each other one.
///
/// A group, a strongly connected component, may hold more cycles than anyone reads; the shortest one through the
/// operation that was added first stands for it.
struct GraphCycles {
    struct Cycle {
        /// Each waits for the next, and the last one for the first, which was added first of the group.
        let operations: [Int]
        /// How many further operations of the group there are.
        let others: Int
    }

    private let predecessors: AdjacencyList
    /// The group of each operation that has no place in the order.
    private var groups: [Int?]
    private var sizes: [Int] = []

    /// Kosaraju's algorithm (M. Sharir, "A strong-connectivity algorithm and its applications in data flow analysis",
    /// 1981), without recursion: a circle may be as long as the graph.
    init(_ graph: ValidatedGraph) {
        predecessors = graph.predecessors
        groups = Array(repeating: nil, count: graph.count)
        let isOrdered = graph.order.reduce(into: Array(repeating: false, count: graph.count)) { $0[$1] = true }
        // Each after all that can be reached from it, unless these lead back to it. No operation that has a place in
        // the order waits for one that has none.
        var (isMet, left) = (isOrdered, [Int]())
        for root in groups.indices where !isMet[root] {
            isMet[root] = true
            var trail = [(node: root, rest: graph.successors[root])]
            while let (node, rest) = trail.popLast() {
                guard let next = rest.first?.index else {
                    left.append(node)
                    continue
                }
                trail.append((node, rest.dropFirst()))
                if isMet[next] { continue }
                isMet[next] = true
                trail.append((next, graph.successors[next]))
            }
        }
        for root in left.reversed() where groups[root] == nil {
            let members = predecessors.reachable(from: [root]) { !isOrdered[$0] && groups[$0] == nil }
            for member in members { groups[member] = sizes.count }
            sizes.append(members.count)
        }
    }

    /// A cycle for each group, in the order of their first operations.
    ///
    /// - Complexity: O(operations + dependencies).
    var cycles: [Cycle] {
        var isShown = sizes.map { _ in false }
        var cycles: [Cycle] = []
        for node in groups.indices {
            guard let group = groups[node], !isShown[group] else { continue }
            // One that is alone in its group is in a circle where it waits for itself.
            if sizes[group] == 1, !predecessors[node].contains(where: { $0.index == node }) { continue }
            isShown[group] = true
            let cycle = shortestCycle(through: node)
            cycles.append(Cycle(operations: cycle, others: sizes[group] - cycle.count))
        }
        return cycles
    }

    /// The shortest way from an operation of a group back to itself.
    private func shortestCycle(through first: Int) -> [Int] {
        var cameFrom: [Int: Int] = [:]
        // Breadth first: the first way back that is found is a shortest one.
        var pending = [first]
        var next = 0
        while next < pending.count {
            let node = pending[next]
            next += 1
            for neighbour in predecessors[node].lazy.map(\.index) where groups[neighbour] == groups[first] {
                if neighbour == first { return Array(sequence(first: node) { cameFrom[$0] }).reversed() }
                if cameFrom[neighbour] != nil { continue }
                cameFrom[neighbour] = node
                pending.append(neighbour)
            }
        }
        return [first]
    }
}
