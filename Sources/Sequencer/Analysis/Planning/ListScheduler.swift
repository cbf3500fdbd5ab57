import Sequencer

/// Schedules operations in order of time: the ready operation that comes first by its key gets the free place, a lane or the main thread.
///
/// It is what the engine does in virtual time, see `VirtualScheduler+Rest.swift`: all that ends at one moment ends before anything starts at it.
///
/// This is list scheduling (R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", 1969), and what the engine does with the longest
/// remaining path as key. No lane idles while an operation could run on it, but to keep it free for the milestone or, in a launch that is given its order,
/// for the operations that come first in it (``Reservations``). An operation whose resources are held is passed over until one of them is free; of many that wait for the same one, the first by its key is looked at again, so that ten thousand cost no more than others.
///
/// One scheduler is used for any number of schedules: its arrays are made once.
struct ListScheduler {
    private struct Candidate: Comparable {
        let key: Int64
        let node: Int32

        static func < (left: Candidate, right: Candidate) -> Bool {
            left.key != right.key ? left.key < right.key : left.node < right.node
        }
    }

    /// Lanes and the main thread each take their own first: operations that wait for the other one must not hold up either.
    private struct Parking {
        var forLanes = ParkedOperations<Candidate>()
        var forMain = ParkedOperations<Candidate>()
    }

    let problem: PlanningProblem
    let lanes: Int
    /// When each operation starts in the last schedule; in a backward one, counted back from the end to the operation's own end.
    private(set) var starts: [Nanoseconds]
    /// When each ends: later than its duration says where it is suspended, and finds the main thread taken when it comes back.
    private(set) var ends: [Nanoseconds]
    /// The operations in the order in which they started in the last schedule.
    private(set) var sequence: [Int32] = []

    private var waiting: [Int32]
    private var readyForLanes = Heap<Candidate>()
    private var readyForMain = Heap<Candidate>()
    /// Joins that are ready.
    private var readyJoins: [Int32] = []
    /// Of operations that run: when each ends.
    private var running = Heap<Candidate>()
    private var freeLanes = 0
    private var isMainFree = true
    /// Suspended operations that come back as soon as the main thread is free.
    private var returning: [Int32] = []
    /// By resource: how many more operations may hold it.
    private var free: [Int]
    /// By resource: the operations that wait for it. The first ones of a free resource have been made ready, if any waited.
    private var parked: [Parking]
    private var time: Nanoseconds = 0
    /// Nil where nothing can be in the way of the operations that room is kept for, when they have ended, and in a backward schedule.
    private var keeper: ReservationKeepers?
    private let reservations: [Reservations]
    /// Those of a launch that is given its order; empty where nothing can be in the way of another.
    private let orderReservations: [Reservations]
    /// The level (``Urgency``) of the current goal.
    private var soughtLevel: UInt8 = 0
    /// Nil where processors do not matter, when the milestone has ended, and in a backward schedule.
    private var processors: ProcessorShare?
    private var lastEnd: Nanoseconds = 0

    /// - Parameters:
    ///   - lanes: how many operations can run at the same time, besides one on the main thread.
    ///   - keepsFree: whether what the milestone needs is kept free for it.
    init(_ problem: PlanningProblem, lanes: Int, keepsFree: Bool = true) {
        self.problem = problem
        self.lanes = lanes
        reservations = keepsFree ? problem.reservations(lanes: lanes) : []
        orderReservations = keepsFree ? problem.orderReservations(lanes: lanes) : []
        starts = [Nanoseconds](repeating: 0, count: problem.count)
        ends = starts
        waiting = [Int32](repeating: 0, count: problem.count)
        free = problem.limits
        parked = [Parking](repeating: Parking(), count: problem.resourceNames.count)
        sequence.reserveCapacity(problem.count)
    }

    /// Whether a launch that is given its order keeps places free for the operations that come first in it.
    var canKeepOrder: Bool { !orderReservations.isEmpty }

    /// Makes a schedule; of ready operations the one with the smallest key goes first, of equal ones the one that was added first.
    ///
    /// - Parameters:
    ///   - isBackward: schedules from the end: an operation starts once all that depend on it have ended.
    ///   - keepsOrder: whether the main thread, the last lane and resources are kept free for operations with smaller keys, as in a launch that is given its order.
    /// - Returns: the makespan.
    /// - Complexity: O(dependencies + operations · log operations), if no operation needs several contended resources.
    mutating func schedule(_ keys: [Int64], isBackward: Bool = false, keepsOrder: Bool = false) -> Nanoseconds {
        let before = isBackward ? problem.successors : problem.predecessors
        let after = isBackward ? problem.predecessors : problem.successors
        // Its memory stays: a search makes thousands of schedules.
        sequence.removeAll(keepingCapacity: true)
        (time, freeLanes, isMainFree) = (0, lanes, true)
        // Room is kept for operations that start later; from the end, time runs the other way.
        keeper = isBackward ? nil : ReservationKeepers(keepsOrder ? orderReservations : reservations, lanes: lanes, keys: keys)
        soughtLevel = problem.urgency.highest
        processors = isBackward ? nil : problem.processors.map { ProcessorShare(processors: $0) }
        lastEnd = 0
        for node in 0..<problem.count {
            waiting[node] = Int32(before.range(node).count)
            if waiting[node] == 0 { enqueue(Int32(node), keys) }
        }
        while true {
            startReady(keys, after)
            let nextEnd = running.first?.key
            let (keeperLook, processorLook) = (keeper?.nextLook, processors?.nextLook(after: lastEnd))
            if case let look = min(keeperLook ?? .max, processorLook ?? .max), look < nextEnd ?? .max {
                time = look
                if keeperLook == look { takeBack(keys) }
                if processorLook == look { processors?.lookAgain(at: time) }
                continue
            }
            guard let nextEnd else { break }
            time = nextEnd
            while let ended = running.first, ended.key == time {
                _ = running.pop()
                // One that comes back to the main thread waits for others that end at this moment, and may free it.
                if problem.places[Int(ended.node)] == .suspended { returning.append(ended.node) } else { end(ended.node, keys, after) }
            }
            if isMainFree {
                for node in returning { end(node, keys, after) }
                returning.removeAll(keepingCapacity: true)
            }
        }
        return time
    }

    private mutating func end(_ node: Int32, _ keys: [Int64], _ after: PlanningProblem.Links) {
        ends[Int(node)] = time
        release(node)
        let level = problem.urgency.levels[Int(node)]
        if processors != nil, problem.keepsThread[Int(node)] { processors?.ended(level) }
        lookAgain(after: node, keys)
        complete(node, keys, after)
    }

    private mutating func startReady(_ keys: [Int64], _ after: PlanningProblem.Links) {
        while true {
            if processors != nil { offerProcessors(keys) }
            // Joins first: they need no place, and may make others ready at this moment.
            if let join = readyJoins.popLast() {
                starts[Int(join)] = time
                sequence.append(join)
                if case let duration = problem.durations[Int(join)], duration > 0 {
                    // It waits for an event.
                    keeper?.started(Int(join), at: time)
                    running.push(Candidate(key: time.addingSaturated(duration), node: join))
                    continue
                }
                ends[Int(join)] = time
                complete(join, keys, after)
            } else if let candidate = nextReady() {
                start(candidate.node, keys, after)
            } else {
                return
            }
        }
    }

    /// The first of those that wait for a free place, a lane or the main thread.
    private mutating func nextReady() -> Candidate? {
        guard isMainFree, let main = readyForMain.first else { return freeLanes > 0 ? readyForLanes.pop() : nil }
        if freeLanes > 0, let other = readyForLanes.first, other < main { return readyForLanes.pop() }
        return readyForMain.pop()
    }

    private mutating func start(_ node: Int32, _ keys: [Int64], _ after: PlanningProblem.Links) {
        let index = Int(node)
        // In the engine's order (`takeNext(forMain:)`), or a launch would part from its plan.
        if processors != nil, yieldsProcessor(node, keys) { return }
        if keeper != nil, isHeldBack(node) { return }
        // All or none, as in the engine.
        let needed = problem.resources.range(index)
        for place in needed {
            let resource = Int(problem.resources.targets[place])
            if free[resource] == 0 {
                park(node, at: resource, keys)
                return
            }
        }
        starts[index] = time
        sequence.append(node)
        let duration = problem.durations[index]
        let level = problem.urgency.levels[index]
        if processors != nil, problem.keepsThread[index], duration > 0 { processors?.started(level) }
        guard duration > 0 else {
            ends[index] = time
            // It gives its resources back at once.
            for place in needed { wake(Int(problem.resources.targets[place])) }
            lookAgain(after: node, keys)
            complete(node, keys, after)
            return
        }
        for place in needed { free[Int(problem.resources.targets[place])] -= 1 }
        switch problem.places[index] {
        case .lane: freeLanes -= 1
        case .main: isMainFree = false
        // A suspended operation leaves the main thread to others.
        case .suspended, .nowhere: break
        }
        keeper?.started(index, at: time)
        running.push(Candidate(key: time.addingSaturated(duration), node: node))
    }

    /// Puts an operation aside that would take processor time from the milestone.
    private mutating func yieldsProcessor(_ node: Int32, _ keys: [Int64]) -> Bool {
        let index = Int(node)
        let level = problem.urgency.levels[index]
        guard problem.keepsThread[index], level < soughtLevel, processors?.hasRoom(for: level) == false else { return false }
        let isMain = problem.places[index] != .lane
        processors?.putAside(index, of: level, onMain: isMain, key: keys[index])
        wakeFreeResources(of: node, above: level)
        return true
    }

    private mutating func offerProcessors(_ keys: [Int64]) {
        for isMain in [false, true] {
            var others = ProcessorShare.Counts()
            while let node = processors?.takeBack(onMain: isMain, besides: others) {
                enqueue(Int32(node), keys)
                others.add(1, of: problem.urgency.levels[node])
            }
        }
    }

    /// Puts an operation aside that would be in the milestone's way.
    private mutating func isHeldBack(_ node: Int32) -> Bool {
        let index = Int(node)
        let isOnLane = problem.places[index] == .lane
        let isAside = keeper?.putAside(index, onMain: !isOnLane, at: time, takesLastLane: isOnLane && freeLanes == 1)
        guard isAside == true else { return false }
        wakeFreeResources(of: node)
        return true
    }

    /// Offers the resources that an operation turns down, when it is put aside, to those that wait for them.
    ///
    /// - Parameter level: its own, if it waits for a processor: as in the engine, others that may have to do so go on waiting, unless they are more urgent.
    private mutating func wakeFreeResources(of node: Int32, above level: UInt8? = nil) {
        for place in problem.resources.range(Int(node)) {
            let resource = Int(problem.resources.targets[place])
            if free[resource] > 0 { wake(resource, above: level) }
        }
    }

    private mutating func lookAgain(after node: Int32, _ keys: [Int64]) {
        guard keeper != nil else { return }
        keeper?.ended(Int(node))
        takeBack(keys)
    }

    private mutating func takeBack(_ keys: [Int64]) {
        let time = time
        let isLastLane = freeLanes <= 1
        for node in keeper?.takeBack(at: time, takesLastLane: isLastLane) ?? [] { enqueue(Int32(node), keys) }
    }

    private mutating func release(_ node: Int32) {
        switch problem.places[Int(node)] {
        case .lane: freeLanes += 1
        case .main: isMainFree = true
        case .suspended, .nowhere: break
        }
        for place in problem.resources.range(Int(node)) {
            let resource = Int(problem.resources.targets[place])
            free[resource] += 1
            wake(resource)
        }
    }

    /// Lets an operation wait for a resource that is held. Those that wait for another one of its resources, and were left to it, come next there.
    private mutating func park(_ node: Int32, at resource: Int, _ keys: [Int64]) {
        let candidate = Candidate(key: keys[Int(node)], node: node)
        let level = problem.urgency.levels[Int(node)]
        let yields = processors != nil && problem.keepsThread[Int(node)] && level < problem.urgency.highest
        if problem.places[Int(node)] == .lane {
            parked[resource].forLanes.push(candidate, yieldsAt: yields ? level : nil)
        } else {
            parked[resource].forMain.push(candidate, yieldsAt: yields ? level : nil)
        }
        for place in problem.resources.range(Int(node)) {
            let other = Int(problem.resources.targets[place])
            if free[other] > 0 { wake(other) }
        }
    }

    /// Makes the first of those that wait for a free resource ready once more.
    private mutating func wake(_ resource: Int, above level: UInt8? = nil) {
        if let candidate = parked[resource].forLanes.pop(above: level) { readyForLanes.push(candidate) }
        if let candidate = parked[resource].forMain.pop(above: level) { readyForMain.push(candidate) }
    }

    /// Lets operations that waited for this one become ready.
    private mutating func complete(_ node: Int32, _ keys: [Int64], _ after: PlanningProblem.Links) {
        lastEnd = time
        if Int(node) == problem.milestone { endReservations(above: 0, keys) }
        if Int(node) == problem.initialDisplay { endReservations(above: problem.urgency.highest - 1, keys) }
        for place in after.range(Int(node)) {
            let next = Int(after.targets[place])
            waiting[next] -= 1
            if waiting[next] == 0 { enqueue(Int32(next), keys) }
        }
    }

    /// The operations more urgent than `level` have ended: nobody waits for them any more.
    private mutating func endReservations(above level: UInt8, _ keys: [Int64]) {
        guard soughtLevel > level else { return }
        soughtLevel = level
        for node in (keeper?.takeAll(above: level) ?? []) + (processors?.takeAll() ?? []) { enqueue(Int32(node), keys) }
        if keeper?.isEmpty == true { keeper = nil }
        if level == 0 { processors = nil }
    }

    private mutating func enqueue(_ node: Int32, _ keys: [Int64]) {
        let place = problem.places[Int(node)]
        // A join takes no place that could be kept for it.
        if place != .nowhere { keeper?.becameReady(Int(node), at: time) }
        switch place {
        case .lane: readyForLanes.push(Candidate(key: keys[Int(node)], node: node))
        case .main, .suspended: readyForMain.push(Candidate(key: keys[Int(node)], node: node))
        case .nowhere: readyJoins.append(node)
        }
    }
}
