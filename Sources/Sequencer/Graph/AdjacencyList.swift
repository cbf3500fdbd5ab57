/// The neighbours of every operation, in one array.
struct AdjacencyList: Sendable {
    /// `targets[offsets[i]..<offsets[i + 1]]` are the neighbours of operation `i`; one more offset than operations.
    private let offsets: [Int32]
    private let targets: [Int32]

    enum Direction {
        /// From an operation to those it waits for.
        case predecessors
        /// From an operation to those that wait for it.
        case successors
    }

    /// Sorts edges, all of whose ends are known, by counting. Neighbours keep the order the edges were written in.
    ///
    /// - Complexity: O(`count` + edges).
    init(count: Int, edges: [GraphEdge], _ direction: Direction) {
        var offsets = [Int32](repeating: 0, count: count + 1)
        for edge in edges { offsets[Int(direction == .predecessors ? edge.node : edge.target) + 1] += 1 }
        for index in 0..<count { offsets[index + 1] += offsets[index] }
        var next = offsets
        // Not `unsafeUninitializedCapacity`: with no edges it writes its count, 0, into the one empty array that all threads share.
        var targets = [Int32](repeating: 0, count: edges.count)
        for edge in edges {
            let (from, to) = direction == .predecessors ? (edge.node, edge.target) : (edge.target, edge.node)
            targets[Int(next[Int(from)])] = to << 1 | (edge.needsValue ? 1 : 0)
            next[Int(from)] += 1
        }
        self.offsets = offsets
        self.targets = targets
    }

    /// The neighbours of an operation.
    subscript(index: Int) -> Neighbours {
        Neighbours(targets: targets, startIndex: Int(offsets[index]), endIndex: Int(offsets[index + 1]))
    }

    func degree(_ index: Int) -> Int32 { offsets[index + 1] - offsets[index] }

    /// A neighbour, and whether the value that flows along this edge must exist.
    struct Neighbour {
        fileprivate let bits: Int32
        var index: Int { Int(bits >> 1) }
        var needsValue: Bool { bits & 1 == 1 }
    }

    struct Neighbours: RandomAccessCollection {
        fileprivate let targets: [Int32]
        let startIndex: Int
        let endIndex: Int
        subscript(position: Int) -> Neighbour { Neighbour(bits: targets[position]) }
    }
}
