import Sequencer

/// For 512 operations, one bit each: whether there is a way to them. A pass over the graph looks at so many at once, so
/// that memory stays linear.
typealias ReachedColumns = SIMD8<UInt64>

extension ReachedColumns {
    static var columns: Int { 512 }

    subscript(column column: Int) -> Bool {
        get { self[column >> 6] >> UInt64(column & 63) & 1 == 1 }
        set { if newValue { self[column >> 6] |= 1 << UInt64(column & 63) } }
    }
}

extension ValidatedGraph {
    /// The dependencies that others imply: removing all of them changes no order and no launch.
    ///
    /// In a graph without cycles these are unique (A. V. Aho, M. R. Garey, J. D. Ullman, "The Transitive Reduction of a
    /// Directed Graph", 1972). A dependency whose value is read is among them too when a longer way leads there: it is
    /// drawn dashed, not dropped. A step with a condition may be skipped before its other dependencies have ended, so
    /// these are not implied for later steps. Nor are the dependencies of a step that competes with others to be first:
    /// it may be cancelled before.
    ///
    /// - Complexity: O(operations + dependencies) time where dependencies are close together, as in layers;
    ///   O(operations · dependencies / 512) where they reach far back everywhere. O(operations + dependencies) memory.
    var impliedEdges: Set<Edge> {
        var implied = Set<Edge>()
        // In most graphs nothing was added before its dependencies: that order keeps dependencies closer together.
        let isSorted = (0..<count).allSatisfy { node in predecessors[node].allSatisfy { $0.index < node } }
        let order = isSorted ? Array(0..<count) : order
        var places = [Int](repeating: 0, count: count)
        for (place, node) in order.enumerated() { places[node] = place }
        let deciders = order.map { self.deciders(of: $0).compactMap(\.self) }
        let racers = Set((0..<count).flatMap { self.racers(of: $0) })
        // By place in the order: the columns that come before the operation there, at least one step.
        var before = [ReachedColumns](repeating: .zero, count: count)
        for first in stride(from: 0, to: count, by: ReachedColumns.columns) {
            let block = first..<min(first + ReachedColumns.columns, count)
            // Operations behind the last dependent of these need not be looked at: most graphs' dependencies are close
            // together.
            guard let last = order[block].lazy.flatMap({ successors[$0] }).map({ places[$0.index] }).max() else { continue }
            func columns(of dependencies: [Int]) -> (direct: ReachedColumns, indirect: ReachedColumns) {
                var direct = ReachedColumns.zero, indirect = ReachedColumns.zero
                for dependency in dependencies where dependency >= first {
                    indirect |= before[dependency]
                    if block.contains(dependency) { direct[column: dependency - first] = true }
                }
                return (direct, indirect)
            }
            for place in first...last {
                let dependencies = predecessors[order[place]].map { places[$0.index] }
                let (direct, indirect) = columns(of: dependencies)
                before[place] = direct | indirect
                // Any of these may skip it.
                for deciders in deciders[place] {
                    let decided = columns(of: dependencies.filter { deciders.contains(order[$0]) })
                    before[place] &= decided.direct | decided.indirect
                }
                if racers.contains(order[place]) { before[place] = .zero }
                guard direct & indirect != .zero else { continue }
                for dependency in dependencies where block.contains(dependency) && indirect[column: dependency - first] {
                    implied.insert(Edge(id(order[place]), after: id(order[dependency])))
                }
            }
        }
        return implied
    }

    /// The same graph without the dependencies that others imply, but for those whose values are read.
    public func reduced() -> ValidatedGraph {
        let implied = impliedEdges
        return leavingOut { node, dependency in implied.contains(Edge(id(node), after: id(dependency))) }
    }
}
