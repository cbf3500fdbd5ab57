/// The neighbours of every operation, in one array.
struct AdjacencyList: Sendable {
    /// `targets[offsets[i]..<offsets[i + 1]]` are the neighbours of operation `i`.
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
        func ends(_ edge: GraphEdge) -> (from: Int, to: Int32) {
            direction == .predecessors ? (Int(edge.node), edge.target) : (Int(edge.target), edge.node)
        }
        // Two places further than where an operation's neighbours begin: filling moves that to the one it belongs in.
        var offsets = [Int32](repeating: 0, count: count + 2)
        for edge in edges { offsets[ends(edge).from + 2] += 1 }
        for index in 0..<count { offsets[index + 2] += offsets[index + 1] }
        // Not `unsafeUninitializedCapacity`: with no edges it writes its count, 0, into the one empty array that all threads share.
        var targets = [Int32](repeating: 0, count: edges.count)
        for edge in edges {
            let (from, to) = ends(edge)
            let place = offsets[from + 1]
            targets[Int(place)] = to << 1 | (edge.needsValue ? 1 : 0)
            offsets[from + 1] = place + 1
        }
        self.offsets = offsets
        self.targets = targets
    }

    /// The neighbours of an operation.
    subscript(index: Int) -> Neighbours {
        Neighbours(targets: targets, startIndex: Int(offsets[index]), endIndex: Int(offsets[index + 1]))
    }

    /// Where an operation's neighbours are, for ``neighbour(at:)``: what is looked at one by one needs no hold on the array.
    @inline(__always)
    func places(of index: Int) -> Range<Int> { Int(offsets[index])..<Int(offsets[index + 1]) }

    @inline(__always)
    func neighbour(at place: Int) -> Neighbour { Neighbour(bits: targets[place]) }

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
