/// The circles of a graph, in groups: each operation of a group waits, directly or not, for each other one.
///
/// A group, a strongly connected component, may hold more cycles than anyone reads; the shortest one through the operation that was added first stands for it.
struct GraphCycles {
    struct Cycle {
        /// Each waits for the next, and the last one for the first, which was added first of the group.
        let operations: [Int]
        /// How many further operations of the group there are.
        let others: Int
    }

    private let predecessors: AdjacencyList
    /// The group of each operation that is in one.
    private var groups: [Int?]
    private var sizes: [Int] = []

    /// - Parameter order: the operations that have a place in an order: none of them is in a circle.
    init(count: Int, outside order: [Int], _ predecessors: AdjacencyList) {
        self.predecessors = predecessors
        groups = Array(repeating: nil, count: count)
        findGroups(isOrdered: order.reduce(into: Array(repeating: false, count: count)) { $0[$1] = true })
    }

    /// One for each group, in the order of their first operations.
    ///
    /// - Complexity: O(operations + dependencies).
    var cycles: [Cycle] {
        var isShown = Array(repeating: false, count: sizes.count)
        var cycles: [Cycle] = []
        for node in groups.indices {
            guard let group = groups[node], !isShown[group] else { continue }
            isShown[group] = true
            let cycle = shortestCycle(through: node)
            cycles.append(Cycle(operations: cycle, others: sizes[group] - cycle.count))
        }
        return cycles
    }

    /// Tarjan's algorithm (R. Tarjan, "Depth-first search and linear graph algorithms", 1972), with a stack of its own: a circle may be as long as the graph.
    private mutating func findGroups(isOrdered: [Bool]) {
        /// When the search met each operation, and the earliest one that can be reached from it that has no group yet; 0 for one not met.
        var met = [Int](repeating: 0, count: groups.count), low = met
        var isOpen = isOrdered.map { _ in false }
        var stack: [Int] = [], trail: [(node: Int, next: Int)] = []
        var time = 0
        func enter(_ node: Int) {
            time += 1
            (met[node], low[node], isOpen[node]) = (time, time, true)
            stack.append(node)
            trail.append((node, predecessors[node].startIndex))
        }
        for root in groups.indices where !isOrdered[root] && met[root] == 0 {
            enter(root)
            while let (node, place) = trail.last {
                if place < predecessors[node].endIndex {
                    trail[trail.count - 1].next += 1
                    let next = predecessors[node][place].index
                    if isOrdered[next] { continue }
                    // One that has its group does not lead back here.
                    if met[next] == 0 { enter(next) } else if isOpen[next] { low[node] = min(low[node], met[next]) }
                    continue
                }
                trail.removeLast()
                if let waiting = trail.last?.node { low[waiting] = min(low[waiting], low[node]) }
                // From the end of the stack: as many looks as the group has members.
                guard low[node] == met[node], let start = stack.lastIndex(of: node) else { continue }
                // One alone is in no circle: a step that waits for itself is another problem.
                if stack.count - start > 1 {
                    for member in stack[start...] { groups[member] = sizes.count }
                    sizes.append(stack.count - start)
                }
                for member in stack[start...] { isOpen[member] = false }
                stack.removeSubrange(start...)
            }
        }
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
                if neighbour == first { return way(to: node, cameFrom) }
                if cameFrom[neighbour] != nil { continue }
                cameFrom[neighbour] = node
                pending.append(neighbour)
            }
        }
        return [first]
    }

    private func way(to last: Int, _ cameFrom: [Int: Int]) -> [Int] {
        Array(sequence(first: last) { cameFrom[$0] }).reversed()
    }
}
