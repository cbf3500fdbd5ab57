/// The operations put aside for the milestone, and for an initial display before it.
struct ReservationKeepers: Sendable {
    /// The most urgent first.
    private var keepers: [ReservationKeeper]

    /// - Parameter lanes: nil for no limit.
    /// - Returns: nil where there is nothing to keep free.
    init?(_ reservations: [Reservations], lanes: Int?) {
        if reservations.isEmpty { return nil }
        keepers = reservations.map { ReservationKeeper($0, lanes: lanes ?? .max) }
    }

    var isEmpty: Bool { keepers.isEmpty }

    /// When to look again at operations that were put aside, even if nothing has ended by then; nil if none was put aside.
    var nextLook: Nanoseconds? { keepers.lazy.compactMap(\.nextLook).min() }

    /// An operation is ready.
    mutating func becameReady(_ node: Int, at time: Nanoseconds) {
        for place in keepers.indices { keepers[place].becameReady(node, at: time) }
    }

    /// An operation has started.
    mutating func started(_ node: Int, at time: Nanoseconds) {
        for place in keepers.indices { keepers[place].started(node, at: time) }
    }

    /// An operation that has run pauses, and starts once more at a later time.
    mutating func paused(_ node: Int, until time: Nanoseconds) {
        for place in keepers.indices { keepers[place].paused(node, until: time) }
    }

    /// The fallback of an operation is being computed.
    mutating func fellBack(_ node: Int, at time: Nanoseconds) {
        for place in keepers.indices { keepers[place].fellBack(node, at: time) }
    }

    /// An operation has ended, or runs no longer.
    mutating func ended(_ node: Int) {
        for place in keepers.indices { keepers[place].ended(node) }
    }

    /// Puts an operation aside that could start now, if it would be in the way of a more urgent one.
    ///
    /// - Parameters:
    ///   - takesLastLane: whether no lane would be free after it has started.
    ///   - startsReady: whether the ready operations on the way are about to start.
    /// - Returns: whether it did.
    mutating func putAside(
        _ node: Int,
        onMain isMain: Bool,
        at time: Nanoseconds,
        takesLastLane: Bool,
        startsReady: Bool = false
    ) -> Bool {
        // The most urgent goal first: room is made for that before any other.
        for place in keepers.indices {
            let limit = keepers[place].obstacle(to: node, at: time, takesLastLane: takesLastLane, startsReady: startsReady)
            guard let limit else { continue }
            keepers[place].putAside(node, onMain: isMain, until: limit)
            return true
        }
        return false
    }

    /// Takes back those that may start now, among the shortest.
    ///
    /// - Parameter takesLastLane: whether one lane at most is free.
    mutating func takeBack(at time: Nanoseconds, takesLastLane: Bool) -> [Int] {
        var free: [Int] = []
        for place in keepers.indices { free += keepers[place].takeBack(at: time, takesLastLane: takesLastLane) }
        return free
    }

    /// Takes back the operations that were put aside for others more urgent than a level, which have ended.
    mutating func takeAll(above level: UInt8) -> [Int] {
        var nodes: [Int] = []
        // They are in the order of their levels, the highest first.
        while let first = keepers.indices.first, keepers[first].level > level {
            nodes += keepers[first].takeAll()
            keepers.removeFirst()
        }
        return nodes
    }
}

/// The operations that run, those that wait on the milestone's way, and those put aside for them.
struct ReservationKeeper: Sendable {
    /// One that runs, is to go on when its pause is over, or has its fallback computed.
    private struct Running: Sendable {
        let node: Int
        /// When it is expected to end.
        let end: Nanoseconds
        var hasLane = true
    }

    /// One that is ready.
    private struct Waiting: Sendable {
        let node: Int
        let resources: UInt16
        /// The latest time until which others wait for it, if the end of its own wait is unknown.
        let limit: Nanoseconds
    }

    /// How many operations are looked at, of those that run or are ready: more would cost more than they save.
    private static let maximumAwaited = 64

    private let reservations: Reservations
    private let lanes: Int
    var level: UInt8 { reservations.level }
    /// On the milestone's way: the operations that run, and those that are ready.
    private var running: [Running] = []
    private var waiting: [Waiting] = []
    /// By machine: what keeps the main thread, and each resource.
    private var holders: [Running?]
    private var onLanes: [Running] = []
    /// For lanes, and for the main thread.
    private var aside = PutAside(places: 2)
    /// When to look again at operations that were put aside, even if nothing has ended by then; nil if none was put aside.
    var nextLook: Nanoseconds? { aside.nextLook }

    /// - Parameter lanes: `.max` for no limit.
    init(_ reservations: Reservations, lanes: Int) {
        self.reservations = reservations
        self.lanes = lanes
        holders = [Running?](repeating: nil, count: reservations.machineCount)
    }

    /// An operation is ready.
    mutating func becameReady(_ node: Int, at time: Nanoseconds) {
        guard reservations.isOnTheWay(node), waiting.count < Self.maximumAwaited else { return }
        // One that has waited for a resource becomes ready once more.
        if waiting.contains(where: { $0.node == node }) { return }
        let limit = time.addingSaturated(reservations.longestWait)
        waiting.append(Waiting(node: node, resources: reservations.resources(of: node), limit: limit))
    }

    /// An operation has started.
    mutating func started(_ node: Int, at time: Nanoseconds) {
        let one = noteRunning(node, from: time)
        for machine in reservations.keeps[node].bits {
            if machine != Reservations.Machine.lane {
                holders[machine] = one
            } else if onLanes.count < Self.maximumAwaited {
                onLanes.append(one)
            }
        }
    }

    /// An operation that has run pauses, and starts once more at a later time: until then it keeps nothing.
    mutating func paused(_ node: Int, until time: Nanoseconds) {
        _ = noteRunning(node, from: time)
    }

    /// The fallback of an operation is being computed, on no lane and without its resources. Nobody knows for how long: it may end at any
    /// time.
    mutating func fellBack(_ node: Int, at time: Nanoseconds) {
        ended(node)
        guard reservations.hasUsesBehind(node), running.count < Self.maximumAwaited else { return }
        running.append(Running(node: node, end: time, hasLane: false))
    }

    private mutating func noteRunning(_ node: Int, from time: Nanoseconds) -> Running {
        // It may have been said of its pause.
        ended(node)
        let one = Running(node: node, end: time.addingSaturated(reservations.durations[node]))
        if reservations.isAwaited(node), running.count < Self.maximumAwaited { running.append(one) }
        return one
    }

    /// An operation has ended, or runs no longer.
    mutating func ended(_ node: Int) {
        stopWaiting(node)
        remove(node, from: &running)
        for machine in reservations.keeps[node].bits {
            if machine == Reservations.Machine.lane {
                remove(node, from: &onLanes)
            } else if let holder = holders[machine], holder.node == node {
                holders[machine] = nil
            }
        }
    }

    private func remove(_ node: Int, from list: inout [Running]) {
        guard let place = list.firstIndex(where: { $0.node == node }) else { return }
        // Nothing depends on the order, and moving one is cheaper than moving all behind it.
        list.swapAt(place, list.count - 1)
        list.removeLast()
    }

    private mutating func stopWaiting(_ node: Int) {
        guard let place = waiting.firstIndex(where: { $0.node == node }) else { return }
        // The order does not matter, as in `remove(_:from:)`.
        waiting.swapAt(place, waiting.count - 1)
        waiting.removeLast()
    }

    /// - Parameters:
    ///   - takesLastLane: whether no lane would be free after it has started.
    ///   - startsReady: whether the ready operations on the way are about to start.
    /// - Returns: until when an operation that could start now has to wait at the longest; nil when it may start.
    func obstacle(to node: Int, at time: Nanoseconds, takesLastLane: Bool, startsReady: Bool = false) -> Nanoseconds? {
        let machines = reservations.machines(of: node, takesLastLane: takesLastLane)
        if machines == 0 { return nil }
        let duration = reservations.durations[node]
        let end = time.addingSaturated(duration)
        func keepsWaiting(behind other: Int, hasLane: Bool = true, endingAt otherEnd: Nanoseconds) -> Bool {
            reservations.usesBehind(other, hasLane: hasLane, endingAt: otherEnd, anyOf: machines, before: end)
        }
        var limit: Nanoseconds?
        for other in running {
            // An expectation that was wrong: nothing waits for it for longer than its own time, or than it would wait for this one.
            let otherLimit = other.end.addingSaturated(max(reservations.durations[other.node], duration))
            guard otherLimit > time else { continue }
            guard keepsWaiting(behind: other.node, hasLane: other.hasLane, endingAt: max(other.end, time)) else { continue }
            limit = max(limit ?? 0, otherLimit)
        }
        let lane = onLanes.count < lanes ? nil : onLanes.min { ($0.end, $0.node) < ($1.end, $1.node) }
        for other in waiting {
            let node = other.node
            let obstacle = obstacle(before: node, firstFree: lane)
            if case .known(let holder) = obstacle {
                // It gives its own lane back at that moment.
                let isOnLane = reservations.keeps[holder.node] & 1 << UInt16(Reservations.Machine.lane) != 0
                let taken = isOnLane ? machines & ~(1 << UInt16(Reservations.Machine.lane)) : machines
                let otherLimit = holder.end.addingSaturated(max(reservations.durations[holder.node], duration))
                let start = max(holder.end, time)
                let otherEnd = start.addingSaturated(reservations.durations[node])
                if otherLimit > time,
                    start < end && reservations.uses[node] & taken != 0 || keepsWaiting(behind: node, endingAt: otherEnd)
                {
                    limit = max(limit ?? 0, otherLimit)
                    continue
                }
            }
            guard other.limit > time else { continue }
            let isAboutToStart = if startsReady, case .none = obstacle { true } else { false }
            let otherEnd = time.addingSaturated(reservations.durations[node])
            // A ready operation may need several resources, and wait for another one of them.
            guard other.resources & machines != 0 || isAboutToStart && keepsWaiting(behind: node, endingAt: otherEnd) else { continue }
            limit = max(limit ?? 0, other.limit)
        }
        return limit
    }

    /// The operation that a ready one waits for.
    private enum Obstacle {
        case none
        /// Nobody knows when it ends, as with a person.
        case unknown
        /// Of the operations that keep something it needs, the one that is expected to end last.
        case known(Running)
    }

    /// - Parameter lane: the lane that is free first; nil if one is free.
    private func obstacle(before node: Int, firstFree lane: Running?) -> Obstacle {
        var last: Running?
        for machine in reservations.uses[node].bits {
            guard let holder = machine == Reservations.Machine.lane ? lane : holders[machine] else { continue }
            if !reservations.isKnown[holder.node] { return .unknown }
            if holder.end > last?.end ?? -1 { last = holder }
        }
        return last.map { .known($0) } ?? .none
    }

    /// - Parameter limit: the result of ``obstacle(to:at:takesLastLane:startsReady:)``.
    mutating func putAside(_ node: Int, onMain isMain: Bool, until limit: Nanoseconds) {
        aside.put(node, at: isMain ? 1 : 0, for: reservations.durations[node], until: limit)
    }

    /// Takes back those that may start now, among the shortest.
    ///
    /// - Parameter takesLastLane: whether one lane at most is free.
    mutating func takeBack(at time: Nanoseconds, takesLastLane: Bool) -> [Int] {
        if aside.isEmpty { return [] }
        // Out of here meanwhile, since obstacles are looked for here.
        var aside = PutAside(places: 0)
        swap(&aside, &self.aside)
        defer { self.aside = aside }
        // By then the operations that those which were not looked at wait for will have ended, if nothing holds these up.
        return aside.takeBack(unseenBy: time.addingSaturated(max(reservations.longestWait, 1)), isLatest: false) { node, place in
            obstacle(to: node, at: time, takesLastLane: place == 0 && takesLastLane)
        }
    }

    /// All that were put aside.
    mutating func takeAll() -> [Int] { aside.takeAll() }
}
