extension OperationGraph {
    /// Kahn's algorithm (A. B. Kahn, "Topological sorting of large networks", 1962); operations that come first were added first.
    ///
    /// - Parameter degrees: how many dependencies each operation has.
    func topologicalOrder(_ degrees: [Int32], _ successors: AdjacencyList) -> [Int32] {
        var waiting = degrees
        var order: [Int32] = []
        order.reserveCapacity(count)
        for node in 0..<count where waiting[node] == 0 { order.append(Int32(node)) }
        var next = 0
        while next < order.count {
            for successor in successors[Int(order[next])] {
                waiting[successor.index] -= 1
                if waiting[successor.index] == 0 { order.append(Int32(successor.index)) }
            }
            next += 1
        }
        return order
    }

    /// Cycles among the operations that have no place in `order`: each of them waits for another one, so walking back must return.
    ///
    /// - Returns: at least one, when there is such an operation, and no two with an operation in common. Each begins, as a reader would, with
    ///   the operation that was added first, each waits for the next, and the last one for the first.
    /// - Complexity: O(operations + dependencies).
    func cycles(outside order: [Int32], _ predecessors: AdjacencyList) -> [[Int]] {
        var isOrdered = [Bool](repeating: false, count: count)
        for node in order { isOrdered[Int(node)] = true }
        // For each operation the walk that met it, and its place on that walk.
        var visits = [(walk: Int, place: Int)](repeating: (-1, 0), count: count)
        var cycles: [[Int]] = []
        for start in 0..<count where !isOrdered[start] && visits[start].walk < 0 {
            var path: [Int] = []
            var node = start
            while visits[node].walk < 0 {
                visits[node] = (start, path.count)
                path.append(node)
                guard let next = predecessors[node].first(where: { !isOrdered[$0.index] }) else { break }
                node = next.index
            }
            // The walk ended on its own trail, or on that of an earlier one, whose cycle is known.
            guard visits[node].walk == start else { continue }
            let cycle = path[visits[node].place...]
            let first = cycle.indices.min { cycle[$0] < cycle[$1] } ?? cycle.startIndex
            cycles.append(Array(cycle[first...] + cycle[..<first]))
        }
        return cycles
    }
}
