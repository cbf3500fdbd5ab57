/// A graph as the planner sees it: numbers in flat arrays, nothing that a schedule does not depend on.
struct PlanningProblem: Sendable {
    /// Where an operation runs.
    enum Place: UInt8, Sendable {
        /// On one of the lanes.
        case lane
        /// On the main thread, which does one thing at a time.
        case main
        /// Nowhere: it joins others and takes no time.
        case nowhere
    }

    /// The neighbours of every operation, in one array: `targets[offsets[i]..<offsets[i + 1]]` are those of operation `i`.
    struct Links: Sendable {
        private(set) var offsets: [Int32] = [0]
        private(set) var targets: [Int32] = []

        subscript(node: Int) -> ArraySlice<Int32> { targets[range(node)] }

        @inline(__always)
        func range(_ node: Int) -> Range<Int> { Int(offsets[node])..<Int(offsets[node + 1]) }

        mutating func append(_ neighbours: some Sequence<Int32>) {
            targets.append(contentsOf: neighbours)
            offsets.append(Int32(targets.count))
        }
    }

    let durations: [Nanoseconds]
    let places: [Place]
    let predecessors: Links
    let successors: Links
    /// The exclusive resources each operation holds, by number.
    let resources: Links
    /// The resources' names, by number.
    let resourceNames: [ExclusiveResource]
    /// Every operation after those it waits for.
    let order: [Int32]
    /// The longest path from each operation's start to the end, itself included: what the engine goes by.
    let ranks: [Nanoseconds]
    /// The longest path by these durations.
    let path: CriticalPath

    var count: Int { durations.count }

    /// The problem of scheduling `graph` when each operation takes as long as `durations` says.
    init(_ graph: ValidatedGraph, durations: [Nanoseconds]) {
        let traits = (0..<graph.count).map { graph.isJoin($0) }
        // A join ends when it is ready, whatever was expected of it.
        let durations = durations.indices.map { traits[$0] ? 0 : max(durations[$0], 0) }
        var (predecessors, successors, resources) = (Links(), Links(), Links())
        var names: [ExclusiveResource] = []
        var numbers: [ExclusiveResource: Int32] = [:]
        for node in 0..<graph.count {
            predecessors.append(graph.predecessors[node].lazy.map { Int32($0.index) })
            successors.append(graph.successors[node].lazy.map { Int32($0.index) })
            resources.append(
                graph.policy(node).exclusive.map { resource in
                    if let number = numbers[resource] { return number }
                    let number = Int32(names.count)
                    numbers[resource] = number
                    names.append(resource)
                    return number
                }
            )
        }
        self.durations = durations
        self.predecessors = predecessors
        self.successors = successors
        self.resources = resources
        resourceNames = names
        places = (0..<graph.count).map { traits[$0] ? .nowhere : graph.graph.nodes[$0].work.isMain ? .main : .lane }
        order = graph.order
        path = CriticalPath(of: graph) { durations[$0] }
        // As in the engine: with no expectation at all, the operation that begins the longest chain goes first.
        let isKnown = durations.contains { $0 > 0 }
        ranks = isKnown ? path.remaining : CriticalPath(of: graph) { _ in 1 }.remaining
    }
}

extension ValidatedGraph {
    /// Whether an operation only joins others: it then ends when it is ready, without a lane.
    func isJoin(_ node: Int) -> Bool {
        guard case .nothing = graph.nodes[node].work else { return false }
        let policy = policy(node)
        return policy.condition == nil && policy.exclusive.isEmpty
    }
}
