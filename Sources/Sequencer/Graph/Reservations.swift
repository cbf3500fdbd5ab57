/// What other operations must not take just before the milestone needs it: the main thread, a lane, a resource.
///
/// An operation runs to its end once it has started. One that nobody waits for, started on the main thread a moment before one that the milestone waits
/// for, delays that by all of its time. So it waits, when something that runs is expected to let the milestone's next operation begin there sooner than
/// it would end itself. The milestone's way is known from expected durations; without any, nothing is kept free.
///
/// This is a schedule with inserted idle time, which no list schedule has (J. J. Kanet, V. Sridharan, "Scheduling with inserted idle time", 2000).
package struct Reservations: Sendable {
    /// What is used by one operation at a time, and the lanes: by number.
    private enum Machine {
        static let main = 0
        static let lane = 1
        /// The second of two lanes that are used at the same time: an operation that ends leaves the first one its own.
        static let secondLane = 2
        static let firstResource = 3
    }

    /// The most resources that are kept free: those that most operations on the milestone's way use.
    private static let mostResources = 16 - Machine.firstResource

    /// For each operation that the milestone needs and each machine: the time from the operation's end to the first use by another one behind it, `.max`
    /// if there is none. Empty rows are left out: `rows` says where each operation's begins, -1 for those without.
    private let near: [Nanoseconds]
    private let rows: [Int32]
    /// The machines of each operation, as bits.
    private let uses: [UInt16]
    /// The machines that an operation must not take too early, as bits; 0 for those of the milestone's way.
    private let contested: [UInt16]
    /// Expected durations.
    private let durations: [Nanoseconds]
    /// What the milestone needs, but for a person's time: when that is over, nobody knows.
    private let isAwaited: [Bool]
    /// The longest that is expected of anything that the milestone needs.
    private let longest: Nanoseconds

    /// - Parameters:
    ///   - durations: expected of each operation; 0 where nothing is.
    ///   - hasLanes: whether lanes are limited.
    /// - Returns: nil where no operation can be in the milestone's way.
    /// - Complexity: O((operations + dependencies) × machines), of which there are 16 at most.
    package init?(_ graph: ValidatedGraph, durations: [Nanoseconds], isNeeded: [Bool], hasLanes: Bool) {
        guard graph.milestoneIndex != nil, isNeeded.contains(false), durations.contains(where: { $0 > 0 }) else { return nil }
        // A join takes no time, whatever is expected of it.
        let durations = durations.indices.map { graph.isJoin($0) ? 0 : max(durations[$0], 0) }
        let resources = Self.numbers(graph, isNeeded)
        let uses = (0..<graph.count).map { node -> UInt16 in
            if graph.isJoin(node) { return 0 }
            var bits: UInt16 = graph.isMain(node) ? 1 << Machine.main : hasLanes ? 1 << Machine.lane : 0
            guard !resources.isEmpty else { return bits }
            for resource in graph.policy(node).exclusive { bits |= resources[resource].map { 1 << UInt16($0) } ?? 0 }
            return bits
        }
        var needed: UInt16 = 0
        for node in uses.indices where isNeeded[node] { needed |= uses[node] }
        let contested = uses.indices.map { node -> UInt16 in
            guard !isNeeded[node], durations[node] > 0 else { return 0 }
            // It gives the main thread back at once.
            let given: UInt16 = graph.isMain(node) && graph.policy(node).suspends ? 1 << Machine.main : 0
            return uses[node] & needed & ~given
        }
        guard contested.contains(where: { $0 != 0 }) else { return nil }
        var near: [Nanoseconds] = []
        var rows = [Int32](repeating: -1, count: graph.count)
        var row = [Nanoseconds](repeating: .max, count: Machine.firstResource + resources.count)
        for node in graph.order.lazy.reversed().map(Int.init) where isNeeded[node] {
            for machine in row.indices { row[machine] = .max }
            // It comes back to the main thread for its end.
            if graph.isMain(node), graph.policy(node).suspends { row[Machine.main] = 0 }
            for successor in graph.successors[node].lazy.map(\.index) where isNeeded[successor] {
                // When something ends of which nothing is expected, or a person is done, nobody knows.
                let isKnown = graph.isJoin(successor) || durations[successor] > 0 && !graph.policy(successor).isInteractive
                for machine in row.indices {
                    var use = Nanoseconds.max
                    if uses[successor] & 1 << UInt16(machine) != 0 {
                        use = 0
                    } else if isKnown, rows[successor] >= 0, case let behind = near[Int(rows[successor]) + machine], behind < .max {
                        use = behind.addingSaturated(durations[successor])
                    }
                    // The later one of two uses of a lane is the second lane's.
                    if machine == Machine.lane { row[Machine.secondLane] = min(row[Machine.secondLane], max(row[machine], use)) }
                    row[machine] = min(row[machine], use)
                }
            }
            guard row.contains(where: { $0 < .max }) else { continue }
            rows[node] = Int32(near.count)
            near += row
        }
        isAwaited = (0..<graph.count).map { isNeeded[$0] && !graph.policy($0).isInteractive }
        longest = durations.indices.lazy.filter { isNeeded[$0] }.map { durations[$0] }.max() ?? 0
        (self.near, self.rows, self.uses, self.contested, self.durations) = (near, rows, uses, contested, durations)
    }

    /// The numbers of resources that operations on the milestone's way and others use.
    private static func numbers(_ graph: ValidatedGraph, _ isNeeded: [Bool]) -> [ExclusiveResource: Int] {
        var users: [ExclusiveResource: (needed: Int, others: Int, first: Int)] = [:]
        for (node, value) in graph.graph.nodes.enumerated() {
            for resource in value.policy?.value.exclusive ?? [] {
                var count = users[resource] ?? (0, 0, node)
                if isNeeded[node] { count.needed += 1 } else { count.others += 1 }
                users[resource] = count
            }
        }
        let contested = users.filter { $0.value.needed > 0 && $0.value.others > 0 }
        let sorted = contested.sorted { ($1.value.needed, $0.value.first, $0.key.name) < ($0.value.needed, $1.value.first, $1.key.name) }
        let numbered = sorted.prefix(mostResources).enumerated().map { ($1.key, Machine.firstResource + $0) }
        return Dictionary(uniqueKeysWithValues: numbered)
    }

    /// Whether an operation may have to wait although it is ready.
    package func mayHold(_ node: Int) -> Bool { contested[node] != 0 }

    /// Whether something that the milestone needs waits for the operation's end, and for a machine.
    fileprivate func isAwaited(_ node: Int) -> Bool { isAwaited[node] && rows[node] >= 0 }

    fileprivate func duration(_ node: Int) -> Nanoseconds { durations[node] }

    /// Whether the milestone needs the operation: it is then said when it becomes ready and when it starts.
    package func isOnTheWay(_ node: Int) -> Bool { isAwaited[node] }

    /// For how long at the longest others are held back for an operation that waits for a resource.
    fileprivate var longestWait: Nanoseconds { longest.addingSaturated(longest) }

    /// The machines that an operation takes.
    fileprivate func machines(of node: Int, takesLastLane: Bool) -> UInt16 {
        takesLastLane ? contested[node] : contested[node] & ~(1 << Machine.lane)
    }

    /// The resources, among the machines, that an operation on the milestone's way needs.
    fileprivate func resources(of node: Int) -> UInt16 {
        isAwaited[node] ? uses[node] & (.max << UInt16(Machine.firstResource)) : 0
    }

    /// Whether something behind an operation is expected to use one of the machines before a time, if that operation ends at `end`.
    fileprivate func usesBehind(_ node: Int, endingAt end: Nanoseconds, anyOf machines: UInt16, before time: Nanoseconds) -> Bool {
        let row = Int(rows[node])
        if row < 0 { return false }
        let leavesLane = uses[node] & 1 << Machine.lane != 0
        var machines = machines
        while machines != 0 {
            let machine = machines.trailingZeroBitCount
            machines &= machines - 1
            let wait = near[row + (machine == Machine.lane && leavesLane ? Machine.secondLane : machine)]
            if wait < .max, end.addingSaturated(wait) < time { return true }
        }
        return false
    }
}

/// What runs on the milestone's way, and what has been put aside for it.
package struct ReservationKeeper: Sendable {
    /// One that runs, or is to go on when its pause is over.
    private struct Running: Sendable {
        let node: Int32
        /// When it is expected to end.
        let end: Nanoseconds
    }

    /// One that is ready.
    private struct Waiting: Sendable {
        let node: Int32
        let resources: UInt16
        /// From now on nothing waits for it any more.
        let limit: Nanoseconds
    }

    private struct Aside: Comparable, Sendable {
        let duration: Nanoseconds
        let node: Int32

        static func < (left: Aside, right: Aside) -> Bool { (left.duration, left.node) < (right.duration, right.node) }
    }

    /// How many operations are looked at, of those that run or are ready, and of those that were put aside: more would cost more than they save.
    private static let mostAwaited = 64
    private static let mostLookedAt = 16

    private let reservations: Reservations
    /// On the milestone's way: what runs, and what is ready.
    private var running: [Running] = []
    private var waiting: [Waiting] = []
    private var asideForLanes = Heap<Aside>()
    private var asideForMain = Heap<Aside>()
    /// When some of what was put aside is to be looked at again, whether or not anything has ended by then; nil when nothing was.
    package private(set) var nextLook: Nanoseconds?

    package init(_ reservations: Reservations) {
        self.reservations = reservations
    }

    /// An operation on the way is ready.
    package mutating func becameReady(_ node: Int, at time: Nanoseconds) {
        guard waiting.count < Self.mostAwaited, !waiting.contains(where: { $0.node == node }) else { return }
        let limit = time.addingSaturated(reservations.longestWait)
        waiting.append(Waiting(node: Int32(node), resources: reservations.resources(of: node), limit: limit))
    }

    /// An operation on the way has started, or will at a later time.
    package mutating func started(_ node: Int, at time: Nanoseconds) {
        // It may have been said of its pause.
        ended(node)
        guard reservations.isAwaited(node), running.count < Self.mostAwaited else { return }
        running.append(Running(node: Int32(node), end: time.addingSaturated(reservations.duration(node))))
    }

    /// An operation has ended, or runs no longer.
    package mutating func ended(_ node: Int) {
        stopWaiting(node)
        guard let place = running.firstIndex(where: { $0.node == node }) else { return }
        running.swapAt(place, running.count - 1)
        running.removeLast()
    }

    private mutating func stopWaiting(_ node: Int) {
        guard let place = waiting.firstIndex(where: { $0.node == node }) else { return }
        waiting.swapAt(place, waiting.count - 1)
        waiting.removeLast()
    }

    /// - Parameters:
    ///   - takesLastLane: whether no lane would be free after it has started.
    ///   - startsReady: whether what is ready on the way is about to start.
    /// - Returns: until when an operation that could start now has to wait at the longest; nil when it may start.
    package func obstacle(to node: Int, at time: Nanoseconds, takesLastLane: Bool, startsReady: Bool = false) -> Nanoseconds? {
        let machines = reservations.machines(of: node, takesLastLane: takesLastLane)
        if machines == 0 { return nil }
        let duration = reservations.duration(node)
        let end = time.addingSaturated(duration)
        var limit: Nanoseconds?
        for other in running {
            // An expectation that was wrong: nothing waits for it for longer than its own time, or than it would wait for this one.
            let otherLimit = other.end.addingSaturated(max(reservations.duration(Int(other.node)), duration))
            guard otherLimit > time else { continue }
            guard reservations.usesBehind(Int(other.node), endingAt: max(other.end, time), anyOf: machines, before: end) else { continue }
            limit = max(limit ?? 0, otherLimit)
        }
        for other in waiting where other.limit > time {
            let otherEnd = time.addingSaturated(reservations.duration(Int(other.node)))
            // What is ready may need several resources, and wait for another one of them.
            guard
                other.resources & machines != 0
                    || startsReady && reservations.usesBehind(Int(other.node), endingAt: otherEnd, anyOf: machines, before: end)
            else { continue }
            limit = max(limit ?? 0, other.limit)
        }
        return limit
    }

    /// - Parameter limit: what ``obstacle(to:at:takesLastLane:startsReady:)`` has said.
    package mutating func putAside(_ node: Int, onMain isMain: Bool, until limit: Nanoseconds) {
        push(Aside(duration: reservations.duration(node), node: Int32(node)), onMain: isMain)
        nextLook = min(nextLook ?? .max, limit)
    }

    private mutating func push(_ aside: Aside, onMain isMain: Bool) {
        if isMain { asideForMain.push(aside) } else { asideForLanes.push(aside) }
    }

    /// Takes back those that may start now, among the shortest.
    ///
    /// - Parameter takesLastLane: whether one lane at most is free.
    package mutating func takeBack(at time: Nanoseconds, takesLastLane: Bool) -> [Int] {
        if asideForLanes.isEmpty, asideForMain.isEmpty { return [] }
        var free: [Int] = []
        var next = Nanoseconds.max
        for isMain in [false, true] {
            var held: [Aside] = []
            var looks = 0
            while looks < Self.mostLookedAt, let aside = isMain ? asideForMain.pop() : asideForLanes.pop() {
                looks += 1
                if let limit = obstacle(to: Int(aside.node), at: time, takesLastLane: !isMain && takesLastLane) {
                    next = min(next, limit)
                    held.append(aside)
                } else {
                    free.append(Int(aside.node))
                }
            }
            for aside in held { push(aside, onMain: isMain) }
        }
        if asideForLanes.isEmpty, asideForMain.isEmpty {
            nextLook = nil
        } else {
            // Of those that were not looked at nobody knows: the others will have ended by then, if nothing holds them up.
            nextLook = next < .max ? next : time.addingSaturated(max(reservations.longestWait, 1))
        }
        return free
    }

    /// All that were put aside.
    package mutating func takeAll() -> [Int] {
        var nodes: [Int] = []
        while let aside = asideForLanes.pop() ?? asideForMain.pop() { nodes.append(Int(aside.node)) }
        nextLook = nil
        return nodes
    }
}
