/// The neighbours of every operation, in one array, which costs two allocations for a whole graph. "running, allocations" in
/// `Benchmarks/instructions.json` pays for it.
package struct AdjacencyList: Sendable {
    /// `targets[offsets[i]..<offsets[i + 1]]` are the neighbours of operation `i`.
    @usableFromInline
    let offsets: [Int32]
    @usableFromInline
    let targets: [Int32]

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
            // The lowest bit has the kind of the edge, so that a neighbour is four bytes.
            targets[Int(place)] = to << 1 | (edge.needsValue ? 1 : 0)
            offsets[from + 1] = place + 1
        }
        self.offsets = offsets
        self.targets = targets
    }

    /// The neighbours of an operation. Inlinable, as they are, for SequencerAnalysis goes through all of a graph again and again.
    @inlinable
    package subscript(index: Int) -> Neighbours {
        Neighbours(targets: targets, startIndex: Int(offsets[index]), endIndex: Int(offsets[index + 1]))
    }

    /// The operations that there is a way to from `start`: itself only where the edges have a circle.
    package func reachable(from start: Int) -> Set<Int> {
        var found: Set<Int> = []
        // A list in place of recursion: a chain may be as long as the graph (G17).
        var pending = [start]
        while let node = pending.popLast() {
            for neighbour in self[node] where found.insert(neighbour.index).inserted { pending.append(neighbour.index) }
        }
        return found
    }

    /// Where an operation's neighbours are, for ``neighbour(at:)``: reading them one by one does not retain the array.
    @inline(__always)
    func places(of index: Int) -> Range<Int> { Int(offsets[index])..<Int(offsets[index + 1]) }

    @inline(__always)
    func neighbour(at place: Int) -> Neighbour { Neighbour(bits: targets[place]) }

    /// A neighbour, and whether the value that flows along this edge must exist.
    package struct Neighbour {
        @usableFromInline
        let bits: Int32
        @inlinable
        init(bits: Int32) { self.bits = bits }
        @inlinable
        package var index: Int { Int(bits >> 1) }
        @inlinable
        package var needsValue: Bool { bits & 1 == 1 }
    }

    package struct Neighbours: RandomAccessCollection {
        @usableFromInline
        let targets: [Int32]
        package let startIndex: Int
        package let endIndex: Int
        @inlinable
        init(targets: [Int32], startIndex: Int, endIndex: Int) {
            self.targets = targets
            self.startIndex = startIndex
            self.endIndex = endIndex
        }
        @inlinable
        package subscript(position: Int) -> Neighbour { Neighbour(bits: targets[position]) }
    }
}

/// Where steps are in a graph, by identifier, for who asks for one after the other: found once, and checked at each answer.
///
/// Nobody has to tell it of steps that are added, removed or replaced.
struct StepPositions: Sendable {
    private var positions: [String: Int] = [:]
    /// How many of the graph's steps it has looked at.
    private var known = 0

    /// - Complexity: O(1), but for steps that were added since the last call; linear after steps were removed, and for an unknown identifier.
    mutating func position(of id: String, in nodes: [GraphNode]) -> Int? {
        learn(nodes)
        if let position = positions[id], position < nodes.count, nodes[position].id == id { return position }
        // A step was removed or replaced: those behind it may all be somewhere else.
        self = StepPositions()
        learn(nodes)
        return positions[id]
    }

    private mutating func learn(_ nodes: [GraphNode]) {
        guard known < nodes.count else { return }
        // Of several with one identifier the first counts, as in `IdentifierIndex`.
        for position in known..<nodes.count where positions[nodes[position].id] == nil { positions[nodes[position].id] = position }
        known = nodes.count
    }
}

extension OperationGraph {
    /// Kahn's algorithm (A. B. Kahn, "Topological sorting of large networks", 1962); operations that come first were added first.
    ///
    /// - Parameter degrees: how many dependencies each operation has.
    func topologicalOrder(_ degrees: [Int32], _ successors: AdjacencyList) -> [Int32] {
        var waiting = degrees
        var order: [Int32] = []
        order.reserveCapacity(count)
        for node in 0..<count where waiting[node] == 0 { order.append(Int32(node)) }
        // The order is its own queue: taking from its front would move all others.
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
}
