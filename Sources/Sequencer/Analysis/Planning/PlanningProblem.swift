import Sequencer

/// A graph as the planner sees it: numbers in flat arrays, nothing that a schedule does not depend on.
struct PlanningProblem: Sendable {
    /// Where an operation runs.
    enum Place: UInt8, Sendable {
        /// On one of the lanes.
        case lane
        /// On the main thread, which does one thing at a time, for all of its time.
        case main
        /// Begins and ends on the main thread, and is suspended in between.
        case suspended
        /// Nowhere: it joins others and takes no time, or waits for an event.
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
    /// How many operations may hold each resource at the same time.
    let limits: [Int]
    /// Every operation after those it waits for.
    let order: [Int32]
    /// The engine's order.
    let urgency: Urgency
    /// The operation whose end matters first.
    let milestone: Int?
    /// The one whose end matters before that.
    let initialDisplay: Int?
    /// The reservations for both, without a limit of lanes, and with one; empty if nothing can be in their way.
    private let reservations: (any: [Reservations], limited: [Reservations])
    /// Likewise those of a launch that is given its order, if its goal is the makespan.
    private let orderReservations: (any: [Reservations], limited: [Reservations])
    /// The processors, which what the milestone does not need leaves to it; nil where they do not matter.
    let processors: Int?
    /// Whether each operation keeps its thread.
    let keepsThread: [Bool]
    /// The longest path by these durations.
    let path: CriticalPath

    var count: Int { durations.count }

    /// The problem of scheduling `graph` when each operation takes as long as `durations` says.
    init(_ graph: ValidatedGraph, durations: [Nanoseconds], goal: LaunchGoal = .milestone, processors: Int? = nil) {
        let traits = (0..<graph.count).map { graph.isJoin($0) }
        let expected = durations
        // A join ends when it is ready, even with an expectation.
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
        limits = names.map { graph.limit(of: $0) }
        places = (0..<graph.count).map { node in
            if traits[node] || graph.isEvent(node) { return .nowhere }
            return graph.isMain(node) ? graph.policy(node).suspends ? .suspended : .main : .lane
        }
        order = graph.order
        path = CriticalPath(of: graph) { durations[$0] }
        // As in the engine: with no expectation at all, the operation that begins the longest chain goes first; and the expectation of a join counts.
        let isKnown = expected.contains { $0 > 0 }
        urgency = Urgency(of: graph, for: goal) { isKnown ? expected[$0] : 1 }
        milestone = goal == .milestone ? graph.milestoneIndex : nil
        initialDisplay = goal == .milestone ? graph.initialDisplayIndex : nil
        // Both at once: one problem is planned with many numbers of lanes.
        reservations = (
            Reservations.all(graph, durations: expected, urgency, hasLanes: false),
            Reservations.all(graph, durations: expected, urgency, hasLanes: true)
        )
        orderReservations =
            goal == .makespan
            ? (
                Reservations.inOrder(graph, durations: expected, hasLanes: false),
                Reservations.inOrder(graph, durations: expected, hasLanes: true)
            ) : ([], [])
        self.processors = urgency.hasLevels ? processors : nil
        // Looked at only where processors matter.
        keepsThread = processors == nil ? [] : (0..<graph.count).map { !traits[$0] && graph.keepsThread($0) }
    }

    /// The reservations for the milestone, and for an initial display before it; empty if nothing can be in their way.
    func reservations(lanes: Int) -> [Reservations] { lanes < count ? reservations.limited : reservations.any }

    /// The reservations of a launch that is given its order, if its goal is the makespan; empty if nothing can be in the way of another.
    func orderReservations(lanes: Int) -> [Reservations] { lanes < count ? orderReservations.limited : orderReservations.any }
}
