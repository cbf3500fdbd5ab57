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
    /// What the engine goes by.
    let urgency: Urgency
    /// The operation whose end matters first.
    let milestone: Int?
    /// The one whose end matters before that.
    let initialDisplay: Int?
    /// What is kept free for both, without a limit of lanes, and with one; none where nothing can be in their way.
    private let reservations: (any: [Reservations], limited: [Reservations])
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
        places = (0..<graph.count).map { node in
            if traits[node] { return .nowhere }
            return graph.isMain(node) ? graph.policy(node).suspends ? .suspended : .main : .lane
        }
        order = graph.order
        path = CriticalPath(of: graph) { durations[$0] }
        // As in the engine: with no expectation at all, the operation that begins the longest chain goes first; and what is expected of a join counts.
        let isKnown = expected.contains { $0 > 0 }
        urgency = Urgency(of: graph, for: goal) { isKnown ? expected[$0] : 1 }
        milestone = goal == .milestone ? graph.milestoneIndex : nil
        initialDisplay = goal == .milestone ? graph.initialDisplayIndex : nil
        reservations = (
            Reservations.all(graph, durations: expected, urgency, hasLanes: false),
            Reservations.all(graph, durations: expected, urgency, hasLanes: true)
        )
        self.processors = urgency.hasLevels ? processors : nil
        keepsThread = processors == nil ? [] : (0..<graph.count).map { !traits[$0] && graph.keepsThread($0) }
    }

    /// What is kept free for the milestone, and for an initial display before it; none where nothing can be in their way.
    func reservations(lanes: Int) -> [Reservations] { lanes < count ? reservations.limited : reservations.any }
}

/// A lower bound that takes into account in which order operations must run: often exact where ``LowerBound`` is not.
///
/// An operation's *head* is the least time before it can start, its *tail* the least time from its end to the end of everything. Of a set of
/// operations with heads of at least `a` and tails of at least `b`, no schedule is shorter than `a + w + b`, where `w` is the least time in which the
/// lanes can do the set's work (J. Carlier, "Scheduling jobs with release dates and tails on identical machines", 1987). Heads themselves grow when
/// the operations before one take longer than its longest path says. Besides the work shared by the lanes, `w` counts operations: of
/// `k · lanes + 1` operations, one lane has to run `k + 1`.
struct HeadsAndTails {
    /// The most operations for which this is worked out: the time it takes grows with the third power of their number.
    static let largest = 150

    private let problem: PlanningProblem
    private let lanes: Int
    private var heads: [Nanoseconds]
    private var tails: [Nanoseconds]

    /// The bound; nil when the graph is too large.
    static func bound(_ problem: PlanningProblem, lanes: Int) -> Nanoseconds? {
        guard problem.count <= largest else { return nil }
        var bound = HeadsAndTails(problem, lanes: lanes)
        bound.heads = bound.grown(problem.order, problem.predecessors)
        bound.tails = bound.grown(problem.order.reversed(), problem.successors)
        return bound.value
    }

    private init(_ problem: PlanningProblem, lanes: Int) {
        self.problem = problem
        self.lanes = lanes
        heads = []
        tails = []
    }

    /// Heads (or, seen from the end, tails) of all operations.
    private func grown(_ order: [Int32], _ before: PlanningProblem.Links) -> [Nanoseconds] {
        let count = problem.count
        var heads = [Nanoseconds](repeating: 0, count: count)
        var ancestors = [[Bool]](repeating: [], count: count)
        for node in order.map(Int.init) {
            var isBefore = [Bool](repeating: false, count: count)
            for neighbour in before[node].map(Int.init) {
                isBefore[neighbour] = true
                for other in 0..<count where ancestors[neighbour][other] { isBefore[other] = true }
                heads[node] = max(heads[node], heads[neighbour] + problem.durations[neighbour])
            }
            ancestors[node] = isBefore
            let set = (0..<count).filter { isBefore[$0] && problem.places[$0] == .lane && problem.durations[$0] > 0 }
            heads[node] = max(heads[node], longest(of: set, by: heads))
        }
        return heads
    }

    /// The least time at which all of a set can have ended, given when each can start.
    private func longest(of set: [Int], by heads: [Nanoseconds]) -> Nanoseconds {
        // The latest starters first: each time the head falls, the set so far begins no earlier.
        let sorted = set.sorted { heads[$0] != heads[$1] ? heads[$0] > heads[$1] : $0 < $1 }
        var lengths = SharedWork(lanes: lanes)
        var result: Nanoseconds = 0
        for (place, node) in sorted.enumerated() {
            lengths.insert(problem.durations[node])
            let isLast = place + 1 == sorted.count || heads[sorted[place + 1]] < heads[node]
            if isLast { result = max(result, heads[node] + lengths.leastTime) }
        }
        return result
    }

    private var value: Nanoseconds {
        let set = (0..<problem.count).filter { problem.places[$0] == .lane && problem.durations[$0] > 0 }
        var result: Nanoseconds = 0
        for node in 0..<problem.count { result = max(result, heads[node] + problem.durations[node] + tails[node]) }
        for tail in Set(set.map { tails[$0] }) {
            result = max(result, tail + longest(of: set.filter { tails[$0] >= tail }, by: heads))
        }
        return result
    }
}

/// The least time in which some lanes can do a growing set of independent operations.
private struct SharedWork {
    let lanes: Int
    private var work: Nanoseconds = 0
    /// Durations, the longest first.
    private var durations: [Nanoseconds] = []

    init(lanes: Int) {
        self.lanes = lanes
    }

    mutating func insert(_ duration: Nanoseconds) {
        work += duration
        durations.insert(duration, at: durations.firstIndex { $0 < duration } ?? durations.count)
    }

    var leastTime: Nanoseconds {
        var least = max(work.dividedRoundingUp(by: Int64(lanes)), durations.first ?? 0)
        // Of the `rounds · lanes + 1` longest, one lane runs `rounds + 1`: at least as long as the shortest of them take.
        var rounds = 1
        while rounds * lanes < durations.count {
            let last = rounds * lanes
            least = max(least, durations[(last - rounds)...last].reduce(0, +))
            rounds += 1
        }
        return least
    }
}

/// What no schedule can be shorter than, for several reasons.
struct LowerBound {
    /// The longest path.
    private(set) var path: Nanoseconds = 0
    /// The work of all lanes, shared by them.
    private(set) var lanes: Nanoseconds = 0
    /// The work of the main thread.
    private(set) var main: Nanoseconds = 0
    /// The work of each exclusive resource's holders, by the resource's number.
    private(set) var resources: [Nanoseconds]

    /// The largest of them.
    var value: Nanoseconds { max(path, lanes, main, resources.max() ?? 0) }

    /// What no schedule can be shorter than.
    init(_ problem: PlanningProblem, lanes: Int?) {
        self.init(problem, lanes: lanes, path: problem.path.length) { _ in true }
    }

    /// - Parameters:
    ///   - lanes: nil when there are as many as it takes.
    ///   - path: the longest path to the end of what is counted.
    ///   - isCounted: the operations that have to end, which are all before them too.
    init(_ problem: PlanningProblem, lanes: Int?, path: Nanoseconds, isCounted: (Int) -> Bool) {
        self.path = path
        resources = [Nanoseconds](repeating: 0, count: problem.resourceNames.count)
        var work: Nanoseconds = 0
        for node in 0..<problem.count where isCounted(node) {
            let duration = problem.durations[node]
            switch problem.places[node] {
            case .lane: work = work.addingSaturated(duration)
            case .main: main = main.addingSaturated(duration)
            case .suspended, .nowhere: break
            }
            for resource in problem.resources[node] {
                resources[Int(resource)] = resources[Int(resource)].addingSaturated(duration)
            }
        }
        if let lanes { self.lanes = work.dividedRoundingUp(by: Int64(lanes)) }
    }
}

extension PlanningProblem {
    /// What an operation cannot end before.
    func bound(endOf last: Int, lanes: Int?) -> Nanoseconds {
        var needed = [Bool](repeating: false, count: count)
        needed[last] = true
        for node in order.lazy.reversed().map(Int.init) where needed[node] {
            for predecessor in predecessors[node] { needed[Int(predecessor)] = true }
        }
        var starts = [Nanoseconds](repeating: 0, count: count)
        var path: Nanoseconds = 0
        for node in order.lazy.map(Int.init) where needed[node] {
            for predecessor in predecessors[node].lazy.map(Int.init) {
                starts[node] = max(starts[node], starts[predecessor].addingSaturated(durations[predecessor]))
            }
            path = max(path, starts[node].addingSaturated(durations[node]))
        }
        return LowerBound(self, lanes: lanes, path: path) { needed[$0] }.value
    }

    /// The best lower bound there is.
    ///
    /// In a shortest schedule that starts everything as early as it can, all times are sums of durations, so multiples of what divides them all.
    func provenBound(lanes: Int?) -> Nanoseconds {
        let bound = max(LowerBound(self, lanes: lanes).value, lanes.flatMap { HeadsAndTails.bound(self, lanes: $0) } ?? 0)
        let unit = durations.reduce(0, greatestCommonDivisor)
        guard unit > 1 else { return bound }
        let (multiple, overflow) = bound.dividedRoundingUp(by: unit).multipliedReportingOverflow(by: unit)
        return overflow ? bound : multiple
    }

    /// Euclid's algorithm.
    private func greatestCommonDivisor(_ first: Nanoseconds, _ second: Nanoseconds) -> Nanoseconds {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return first
    }
}

extension Int64 {
    /// The smallest number that, multiplied by `divisor`, which is positive, is at least this one, which is not negative.
    func dividedRoundingUp(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest > 0 ? quotient + 1 : quotient
    }
}

/// Which lane each operation of a schedule runs on, and how much later it could end.
struct LaneAssignment: Sendable {
    /// From 0; -1 for operations that need no lane.
    private(set) var lanes: [Int32]
    /// How many lanes are used.
    private(set) var count = 0
    private(set) var slack: [Nanoseconds]
    private(set) var isCritical: [Bool]

    /// - Parameter milestone: what counts; nil for the end of the schedule.
    init(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule, until milestone: Int?) {
        lanes = [Int32](repeating: -1, count: problem.count)
        slack = [Nanoseconds](repeating: 0, count: problem.count)
        isCritical = [Bool](repeating: false, count: problem.count)
        assignLanes(problem, schedule)
        computeSlack(problem, schedule, until: milestone)
    }

    private struct End: Comparable {
        let time: Nanoseconds
        let lane: Int

        static func < (left: End, right: End) -> Bool { left.time < right.time }
    }

    /// Each operation takes the lowest lane that is free, as in a launch.
    private mutating func assignLanes(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule) {
        var free = LaneSet(limit: nil)
        var ends = Heap<End>()
        for node in schedule.sequence.lazy.map(Int.init) where problem.places[node] == .lane {
            let start = schedule.starts[node]
            while let ended = ends.first, ended.time <= start {
                free.giveBack(ended.lane)
                _ = ends.pop()
            }
            guard let lane = free.take() else { continue }
            lanes[node] = Int32(lane)
            ends.push(End(time: schedule.ends[node], lane: lane))
        }
        count = free.widest
    }

    /// An operation starts, or, suspended until then, comes back to the main thread and ends.
    private struct Event {
        let time: Nanoseconds
        let node: Int
        let isReturn: Bool
    }

    /// What happens in a schedule, in order: of one moment, what ends comes before what starts.
    private func events(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule) -> [Event] {
        let starts = schedule.sequence.lazy.map(Int.init).map { Event(time: schedule.starts[$0], node: $0, isReturn: false) }
        let returns = schedule.sequence.lazy.map(Int.init).filter { problem.places[$0] == .suspended && problem.durations[$0] > 0 }
            .map { Event(time: schedule.ends[$0], node: $0, isReturn: true) }.sorted { $0.time < $1.time }
        var events: [Event] = []
        var next = 0
        for start in starts {
            while next < returns.count, returns[next].time <= start.time {
                events.append(returns[next])
                next += 1
            }
            events.append(start)
        }
        return events + returns[next...]
    }

    /// Backward from the end: an operation must end before what waits for it can start, and before what comes next where it runs.
    private mutating func computeSlack(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule, until milestone: Int?) {
        // What nothing that is counted waits for may end at any time.
        let end = milestone == nil ? schedule.makespan : .max / 2
        let lastCounted = milestone.map { schedule.ends[$0] } ?? schedule.makespan
        var latestStarts = [Nanoseconds](repeating: end, count: problem.count)
        var nextOnLane = [Nanoseconds](repeating: end, count: count)
        var nextOnMain = end
        var nextHolders = [Nanoseconds](repeating: end, count: problem.resourceNames.count)
        for event in events(problem, schedule).reversed() {
            let node = event.node
            let isBack = problem.places[node] == .suspended && problem.durations[node] > 0
            if isBack, !event.isReturn {
                // Its end is behind it; what comes before it on the main thread has to let it start.
                latestStarts[node] = min(latestStarts[node], nextOnMain)
            } else {
                var latest = node == milestone ? lastCounted : end
                for successor in problem.successors[node] { latest = min(latest, latestStarts[Int(successor)]) }
                for resource in problem.resources[node] { latest = min(latest, nextHolders[Int(resource)]) }
                if problem.places[node] == .main || problem.places[node] == .suspended { latest = min(latest, nextOnMain) }
                if lanes[node] >= 0 { latest = min(latest, nextOnLane[Int(lanes[node])]) }

                let isCounted = latest <= lastCounted
                slack[node] = isCounted ? latest - schedule.ends[node] : max(0, lastCounted - schedule.ends[node])
                isCritical[node] = isCounted && slack[node] == 0
                latestStarts[node] = latest - problem.durations[node]
                if isBack {
                    nextOnMain = latest
                    continue
                }
            }
            let start = latestStarts[node]
            for resource in problem.resources[node] { nextHolders[Int(resource)] = start }
            if problem.places[node] == .main || problem.places[node] == .suspended { nextOnMain = start }
            if lanes[node] >= 0 { nextOnLane[Int(lanes[node])] = start }
        }
    }
}
