/// Schedules operations in order of time: whenever a lane is free, the ready operation that comes first by its key gets it.
///
/// This is list scheduling (R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", 1969), and what the engine does with the longest
/// remaining path as key. No lane idles while an operation could run on it. An operation whose resources are held is passed over until one
/// of them is free; of many that wait for the same one, the first by its key is looked at again, so that ten thousand cost no more than others.
///
/// One scheduler is used for any number of schedules, so that none of them allocates.
struct ListScheduler {
    private struct Candidate: Comparable {
        let key: Int64
        let node: Int32

        static func < (left: Candidate, right: Candidate) -> Bool {
            left.key != right.key ? left.key < right.key : left.node < right.node
        }
    }

    /// Lanes and the main thread each take their own first: what waits for the other one must not hold up either.
    private struct Parking {
        var forLanes = Heap<Candidate>()
        var forMain = Heap<Candidate>()
    }

    let problem: PlanningProblem
    let lanes: Int
    /// When each operation starts in the last schedule; in a backward one, counted back from the end to the operation's own end.
    private(set) var starts: [Nanoseconds]
    /// The operations in the order in which they started in the last schedule.
    private(set) var sequence: [Int32] = []

    private var waiting: [Int32]
    private var readyForLanes = Heap<Candidate>()
    private var readyForMain = Heap<Candidate>()
    /// Joins that are ready.
    private var readyJoins: [Int32] = []
    /// Of operations that run: when each ends.
    private var ends = Heap<Candidate>()
    private var freeLanes = 0
    private var isMainFree = true
    private var isHeld: [Bool]
    /// By resource: those that wait for it. For each free one, the first of them are ready or there are none.
    private var parked: [Parking]
    private var time: Nanoseconds = 0

    /// - Parameter lanes: how many operations can run at the same time, besides one on the main thread.
    init(_ problem: PlanningProblem, lanes: Int) {
        self.problem = problem
        self.lanes = lanes
        starts = [Nanoseconds](repeating: 0, count: problem.count)
        waiting = [Int32](repeating: 0, count: problem.count)
        isHeld = [Bool](repeating: false, count: problem.resourceNames.count)
        parked = [Parking](repeating: Parking(), count: problem.resourceNames.count)
        sequence.reserveCapacity(problem.count)
    }

    func end(_ node: Int) -> Nanoseconds { starts[node].addingSaturated(problem.durations[node]) }

    /// Makes a schedule; of ready operations the one with the smallest key goes first, of equal ones the one that was added first.
    ///
    /// - Parameter isBackward: schedules from the end: an operation starts once all that depend on it have ended.
    /// - Returns: the makespan.
    /// - Complexity: O(dependencies + operations · log operations), if no operation needs several contended resources.
    mutating func schedule(_ keys: [Int64], isBackward: Bool = false) -> Nanoseconds {
        let before = isBackward ? problem.successors : problem.predecessors
        let after = isBackward ? problem.predecessors : problem.successors
        sequence.removeAll(keepingCapacity: true)
        (time, freeLanes, isMainFree) = (0, lanes, true)
        for node in 0..<problem.count {
            waiting[node] = Int32(before.range(node).count)
            if waiting[node] == 0 { enqueue(Int32(node), keys) }
        }
        while true {
            startReady(keys, after)
            guard let next = ends.first else { break }
            time = next.key
            while let ended = ends.first, ended.key == time {
                _ = ends.pop()
                release(ended.node, keys)
                complete(ended.node, keys, after)
            }
        }
        return time
    }

    private mutating func startReady(_ keys: [Int64], _ after: PlanningProblem.Links) {
        while true {
            if let join = readyJoins.popLast() {
                starts[Int(join)] = time
                sequence.append(join)
                complete(join, keys, after)
            } else if freeLanes > 0, let candidate = readyForLanes.pop() {
                start(candidate.node, keys, after)
            } else if isMainFree, let candidate = readyForMain.pop() {
                start(candidate.node, keys, after)
            } else {
                return
            }
        }
    }

    private mutating func start(_ node: Int32, _ keys: [Int64], _ after: PlanningProblem.Links) {
        let index = Int(node)
        let needed = problem.resources.range(index)
        for place in needed {
            let resource = Int(problem.resources.targets[place])
            if isHeld[resource] {
                park(node, at: resource, keys)
                return
            }
        }
        starts[index] = time
        sequence.append(node)
        let duration = problem.durations[index]
        guard duration > 0 else {
            // It gives back at once what it takes.
            for place in needed { wake(Int(problem.resources.targets[place])) }
            complete(node, keys, after)
            return
        }
        for place in needed { isHeld[Int(problem.resources.targets[place])] = true }
        if problem.places[index] == .main { isMainFree = false } else { freeLanes -= 1 }
        ends.push(Candidate(key: time.addingSaturated(duration), node: node))
    }

    private mutating func release(_ node: Int32, _ keys: [Int64]) {
        if problem.places[Int(node)] == .main { isMainFree = true } else { freeLanes += 1 }
        for place in problem.resources.range(Int(node)) {
            let resource = Int(problem.resources.targets[place])
            isHeld[resource] = false
            wake(resource)
        }
    }

    /// Lets an operation wait for a resource that is held. Those that wait for another one of its resources, and were left to it, come next there.
    private mutating func park(_ node: Int32, at resource: Int, _ keys: [Int64]) {
        let candidate = Candidate(key: keys[Int(node)], node: node)
        if problem.places[Int(node)] == .main {
            parked[resource].forMain.push(candidate)
        } else {
            parked[resource].forLanes.push(candidate)
        }
        for place in problem.resources.range(Int(node)) {
            let other = Int(problem.resources.targets[place])
            if !isHeld[other] { wake(other) }
        }
    }

    /// Makes the first of those that wait for a free resource ready once more.
    private mutating func wake(_ resource: Int) {
        if let candidate = parked[resource].forLanes.pop() { readyForLanes.push(candidate) }
        if let candidate = parked[resource].forMain.pop() { readyForMain.push(candidate) }
    }

    /// Lets operations that waited for this one become ready.
    private mutating func complete(_ node: Int32, _ keys: [Int64], _ after: PlanningProblem.Links) {
        for place in after.range(Int(node)) {
            let next = Int(after.targets[place])
            waiting[next] -= 1
            if waiting[next] == 0 { enqueue(Int32(next), keys) }
        }
    }

    private mutating func enqueue(_ node: Int32, _ keys: [Int64]) {
        switch problem.places[Int(node)] {
        case .lane: readyForLanes.push(Candidate(key: keys[Int(node)], node: node))
        case .main: readyForMain.push(Candidate(key: keys[Int(node)], node: node))
        case .nowhere: readyJoins.append(node)
        }
    }
}
