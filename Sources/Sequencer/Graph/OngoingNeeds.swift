/// The future needs of operations on the way to the milestone: the main thread, exclusive resources, and the last lane.
///
/// An operation runs to its end once it has started. An operation that the milestone does not need, started on the main
/// thread a moment before one that the milestone waits for, delays that by all of its time. So it waits while an
/// operation that is ready, runs, or pauses between attempts is expected to use its place, or to let a more urgent one
/// behind it do so, before this one would have ended. This is a schedule with inserted idle time, which no list
/// schedule has (J. J. Kanet, V. Sridharan, "Scheduling with inserted idle time", 2000).
///
/// If the time of one of the two is not known, only the operations right behind count. Operations of the user do not,
/// for nobody knows when they end. A step that asks the user is expected to be answered at once.
///
/// Nobody sees whether the awaited operation waits itself for the operation that waits here. So the wait has an end: as
/// long again as expected, or a second in which no operation ends and the awaited one gets no further.
struct OngoingNeeds: Sendable {
    private enum State {
        case ready, running, pausing, fallingBack
        /// It runs, and nobody knows for how long the user is asked.
        case asking
    }

    private struct Ongoing: Sendable {
        let node: Int
        let state: State
        let since: Nanoseconds
        /// When it is expected to end, or continues after its pause; nil if nobody knows.
        let end: Nanoseconds?
    }

    /// Places that one operation uses at a time, and the lanes: by number. Each is a bit of a `UInt16`.
    private enum Machine {
        static let main = 0
        static let lane = 1
        /// The second of two lanes that are used at the same time: an operation that ends leaves the first one its own.
        static let secondLane = 2
        static let firstResource = 3
        static let maximumResources = 16 - firstResource
        static let (mainBit, laneBit): (UInt16, UInt16) = (1, 2)
    }

    /// For how long an operation waits while nothing happens.
    static let patience: Nanoseconds = 1_000_000_000
    // More would cost more than they save.
    private static let maximumOngoing = 64
    private static let maximumLookedAt = 16

    private let levels: [UInt8]
    /// Expected durations; -1 if unknown.
    private let durations: [Nanoseconds]
    /// The machines that an operation needs to start.
    private let uses: [UInt16]
    /// Of these, the machines that it keeps until its end.
    private let holds: [UInt16]
    /// Of an operation that may have to wait: the machines that it keeps, and more urgent ones use; 0 for others.
    private let keeps: [UInt16]
    /// By level, from that of operations that nobody waits for: for each operation and machine, the time from the
    /// operation's end to the first use by a more urgent one behind it; `.max` without one.
    private var behind: [[Nanoseconds]] = []
    private let machineCount: Int
    private var isAwaited: [Bool] = []
    private let isPersons: [Bool]
    /// The machines that somebody may have to wait for.
    private let contested: UInt16
    private var ongoing: [Ongoing] = []
    /// By machine: the operation that keeps the main thread, and each resource.
    private var holders: [Ongoing?]
    /// By the last of the machines that they keep: the shortest goes first.
    private var aside: [Heap<KeyedNode>]
    /// When to look again at operations that were put aside, even if nothing happens before; nil if none was put aside.
    private(set) var nextLook: Nanoseconds?
    /// Whether something has happened for which some of them may start.
    private(set) var isLookDue = false

    /// - Parameter hasLanes: whether lanes are limited.
    /// - Returns: nil where no operation can be in the way of a more urgent one.
    /// - Complexity: O((operations + dependencies) × machines), with at most 16 machines.
    init?(_ graph: ValidatedGraph, _ urgency: Urgency, hasLanes: Bool = false) {
        guard urgency.hasLevels else { return nil }
        let levels = urgency.levels
        let isJoin = levels.indices.map(graph.isJoin)
        let durations = levels.indices.map { isJoin[$0] ? 0 : graph.policy($0).expected?.nanoseconds ?? -1 }
        // Without expectations only an operation that gives its lane back is known to want it again.
        let keepsLanes =
            hasLanes && levels.indices.contains { !isJoin[$0] && durations[$0] > 0 || levels[$0] > 0 && graph.givesLaneBack($0) }
        let resources = Self.numbers(graph, levels)
        let uses = levels.indices.map { node -> UInt16 in
            if isJoin[node] || graph.isEvent(node) { return 0 }
            let bits = graph.isMain(node) ? Machine.mainBit : keepsLanes ? Machine.laneBit : 0
            return graph.policy(node).exclusive.reduce(bits) { bits, resource in bits | (resources[resource].map { 1 << $0 } ?? 0) }
        }
        // A step that suspends gives the main thread back at once.
        let holds = levels.indices.map { graph.policy($0).suspends ? uses[$0] & ~Machine.mainBit : uses[$0] }
        // By level: what more urgent operations use.
        var above = [UInt16](repeating: 0, count: Int(urgency.highest) + 1)
        for node in levels.indices {
            for lower in 0..<Int(levels[node]) { above[lower] |= uses[node] }
        }
        let keeps = levels.indices.map { node -> UInt16 in
            // An operation without a duration is in nobody's way.
            if uses[node] == 0 || durations[node] == 0 { return 0 }
            // A prologue is over when its next step has to wait. And who fulfils an event may be waited for.
            if graph.isInPrologue(node) || !graph.policy(node).events.isEmpty { return 0 }
            return holds[node] & above[Int(levels[node])]
        }
        let contested = keeps.reduce(0, |)
        if contested == 0 { return nil }
        isPersons = levels.indices.map { graph.policy($0).isInteractive }
        machineCount = Machine.firstResource + resources.count
        (self.levels, self.durations, self.uses, self.holds, self.keeps) = (levels, durations, uses, holds, keeps)
        self.contested = contested
        holders = Array(repeating: nil, count: machineCount)
        aside = Array(repeating: Heap(), count: machineCount)
        behind = (0..<urgency.highest).map { usesBehind(graph, above: $0) }
        isAwaited = levels.indices.map { node in
            levels[node] > 0 && !isJoin[node]
                && (uses[node] & contested != 0 || (0..<machineCount).contains { use(of: $0, behind: node, 0) < .max })
        }
    }

    /// The numbers of the resources that several operations use, one at a time: first of those that operations of
    /// several levels use.
    private static func numbers(_ graph: ValidatedGraph, _ levels: [UInt8]) -> [ExclusiveResource: Int] {
        var (users, shared, others): ([ExclusiveResource: UInt8], [ExclusiveResource], [ExclusiveResource]) = ([:], [], [])
        for (node, value) in graph.nodes.enumerated() {
            for resource in value.policy?.value.exclusive ?? [] where graph.limit(of: resource) == 1 {
                guard let level = users.updateValue(levels[node], forKey: resource) else { continue }
                if level == levels[node] { others.append(resource) } else { shared.append(resource) }
            }
        }
        var numbers: [ExclusiveResource: Int] = [:]
        for resource in shared + others where numbers[resource] == nil && numbers.count < Machine.maximumResources {
            numbers[resource] = Machine.firstResource + numbers.count
        }
        return numbers
    }

    /// For each operation and machine, the time from the operation's end to the first use by one behind it that is more
    /// urgent than `level`.
    private func usesBehind(_ graph: ValidatedGraph, above level: UInt8) -> [Nanoseconds] {
        var times = [Nanoseconds](repeating: .max, count: levels.count * machineCount)
        for node in graph.order.reversed() where levels[node] > level {
            let row = node * machineCount
            // It may be suspended there, and comes back for its end.
            if uses[node] & Machine.mainBit != 0 { times[row + Machine.main] = 0 }
            for next in graph.successors[node].lazy.map(\.index) where levels[next] > level {
                // Nobody knows for how long the user is asked.
                let duration = isPersons[next] || durations[next] < 0 ? Nanoseconds.max : durations[next]
                for machine in 0..<machineCount {
                    let isUsed = uses[next] & 1 << machine != 0
                    let time = isUsed ? 0 : times[next * machineCount + machine].addingSaturated(duration)
                    // The later one of two uses of a lane is the second lane's.
                    if machine == Machine.lane {
                        times[row + Machine.secondLane] = min(times[row + Machine.secondLane], max(times[row + machine], time))
                    }
                    times[row + machine] = min(times[row + machine], time)
                }
            }
        }
        return times
    }

    private func use(of machine: Int, behind node: Int, _ level: UInt8) -> Nanoseconds { behind[Int(level)][node * machineCount + machine] }

    /// Whether an operation may have to wait although it is ready.
    func mayHold(_ node: Int) -> Bool { keeps[node] != 0 }

    /// Whether others may have to wait for an operation, or for a place that it keeps: then its progress is reported
    /// here.
    func isAwaited(_ node: Int) -> Bool { isAwaited[node] || holds[node] & ~Machine.laneBit != 0 }

    /// Whether others may start when an operation has ended, or no longer runs: that is then said.
    func freesOthers(_ node: Int) -> Bool { isAwaited(node) || uses[node] & contested != 0 }

    // MARK: Operations under way

    mutating func becameReady(_ node: Int, at time: Nanoseconds) {
        // An operation that waited for a resource becomes ready once more, which is not progress.
        if ongoing.contains(where: { $0.node == node && $0.state == .ready }) { return }
        note(node, .ready, since: time, end: nil)
    }

    mutating func started(_ node: Int, at time: Nanoseconds) {
        note(node, isPersons[node] ? .asking : .running, since: time, end: expectedEnd(of: node, at: time))
    }

    /// An operation waits for the user.
    mutating func asks(_ node: Int, at time: Nanoseconds) { note(node, .asking, since: time, end: expectedEnd(of: node, at: time)) }

    /// An operation has waited for the user, and continues.
    mutating func wentOn(_ node: Int, at time: Nanoseconds) {
        note(node, .running, since: time, end: expectedEnd(of: node, at: time))
    }

    /// When an operation ends that begins now, or continues after the user: how much it has done before is not known.
    /// Nil where nothing is expected of it.
    private func expectedEnd(of node: Int, at time: Nanoseconds) -> Nanoseconds? {
        durations[node] < 0 ? nil : time.addingSaturated(durations[node])
    }

    /// An operation pauses before its next attempt.
    mutating func paused(_ node: Int, at time: Nanoseconds, until end: Nanoseconds) {
        note(node, .pausing, since: time, end: end)
    }

    /// The fallback of an operation must be computed, without the operation's own needs.
    mutating func fellBack(_ node: Int, at time: Nanoseconds) { note(node, .fallingBack, since: time, end: nil) }

    /// An operation has ended, or no longer runs.
    mutating func ended(_ node: Int) {
        for machine in holders.indices where holders[machine]?.node == node { holders[machine] = nil }
        if remove(node) || uses[node] & contested != 0 { isLookDue = nextLook != nil }
    }

    private mutating func note(_ node: Int, _ state: State, since time: Nanoseconds, end: Nanoseconds?) {
        let one = Ongoing(node: node, state: state, since: time, end: end)
        if remove(node) { isLookDue = nextLook != nil }
        if state == .running || state == .asking {
            for machine in holders.indices where holds[node] & 1 << machine != 0 { holders[machine] = one }
        }
        // The question may be answered at once; without an expectation nobody knows how long the rest takes.
        guard isAwaited[node], state != .asking || end != nil, state == .fallingBack || !isPersons[node] else { return }
        if ongoing.count < Self.maximumOngoing { ongoing.append(one) }
    }

    private mutating func remove(_ node: Int) -> Bool {
        guard let place = ongoing.firstIndex(where: { $0.node == node }) else { return false }
        // Nothing depends on the order, and moving one is cheaper than moving all behind it.
        ongoing.swapAt(place, ongoing.count - 1)
        ongoing.removeLast()
        return true
    }

    // MARK: Waiting operations

    /// - Parameters:
    ///   - lastEnd: when an operation last ended.
    ///   - freeLanes: how many lanes would be free after it has started.
    /// - Returns: until when an operation that could start now has to wait at the longest; nil when it may start.
    func obstacle(to node: Int, at time: Nanoseconds, lastEnd: Nanoseconds, freeLanes: Int) -> Nanoseconds? {
        if keeps[node] == 0 { return nil }
        let kept = keeps[node] & ~Machine.laneBit
        let keepsLane = kept != keeps[node] && freeLanes < 2 * ongoing.count
        if kept == 0, !keepsLane { return nil }
        var limit: Nanoseconds = 0
        // How many lanes are going to be wanted, and until when at the longest.
        var (lanes, laneLimit): (Int, Nanoseconds) = (0, 0)
        for other in ongoing where levels[other.node] > levels[node] {
            if kept != 0, let end = self.limit(of: other, for: node, kept, at: time, lastEnd: lastEnd) { limit = max(limit, end) }
            guard keepsLane, let end = self.limit(of: other, for: node, Machine.laneBit, at: time, lastEnd: lastEnd), end > time else {
                continue
            }
            lanes += 1
            laneLimit = max(laneLimit, end)
        }
        if lanes > freeLanes { limit = max(limit, laneLimit) }
        return limit > time ? limit : nil
    }

    /// Until when `node`, which keeps these machines, waits for an operation; nil if it does not.
    private func limit(of other: Ongoing, for node: Int, _ kept: UInt16, at time: Nanoseconds, lastEnd: Nanoseconds) -> Nanoseconds? {
        let (own, duration) = (durations[node], durations[other.node])
        let ownEnd = own < 0 ? Nanoseconds.max : time.addingSaturated(own)
        // The operation that keeps a place which a ready one needs.
        let holder = other.state == .ready ? holder(before: other.node) : nil
        if holder?.state == .asking { return nil }
        let start = other.state == .pausing ? max(other.end ?? time, time) : max(holder?.end ?? time, time)
        guard start < ownEnd else { return nil }
        // Nil where nobody knows: then those right behind it count.
        let end: Nanoseconds? =
            switch other.state {
            case _ where own < 0: nil
            case .running, .asking: other.end.map { max($0, time) }
            case .fallingBack: time
            case .ready, .pausing: duration < 0 ? nil : start.addingSaturated(duration)
            }
        let isPlaced = other.state != .pausing && other.state != .fallingBack
        let wanted = other.state == .pausing ? uses[other.node] : other.state == .ready ? uses[other.node] & ~Machine.laneBit : 0
        let leavesLane = other.state != .fallingBack && uses[other.node] & Machine.laneBit != 0
        let isInTheWay = (0..<machineCount).contains { machine in
            if kept & 1 << machine == 0 { return false }
            if wanted & 1 << machine != 0 { return true }
            let use = use(of: machine == Machine.lane && leavesLane ? Machine.secondLane : machine, behind: other.node, levels[node])
            if let end { return end.addingSaturated(use) < ownEnd }
            return use == 0 && !(isPlaced && machine == Machine.lane)
        }
        guard isInTheWay else { return nil }
        let patient = max(other.since, lastEnd).addingSaturated(Self.patience)
        // The timer that ends its pause may be late.
        if other.state == .pausing { return own < 0 ? patient : max(start, time + 1) }
        let running = holder ?? other
        guard let expected = running.end else { return patient }
        return own < 0
            ? max(patient, expected.addingSaturated(durations[running.node])) : expected.addingSaturated(max(durations[running.node], own))
    }

    /// The operation that keeps something which a ready one needs; of several one that asks the user, or else the one
    /// that is expected to end last.
    private func holder(before node: Int) -> Ongoing? {
        let holding = holders.indices.lazy.filter { uses[node] & ~Machine.laneBit & 1 << $0 != 0 }.compactMap { holders[$0] }
        return holding.first { $0.state == .asking } ?? holding.max { $0.end ?? .max < $1.end ?? .max }
    }

    /// Puts an operation aside that could start now, if it would be in the way of a more urgent one.
    ///
    /// - Parameters:
    ///   - lastEnd: when an operation last ended.
    ///   - freeLanes: how many lanes would be free after it has started.
    /// - Returns: whether it did.
    mutating func putAside(_ node: Int, at time: Nanoseconds, lastEnd: Nanoseconds, freeLanes: Int = .max) -> Bool {
        guard let limit = obstacle(to: node, at: time, lastEnd: lastEnd, freeLanes: freeLanes) else { return false }
        let place = UInt16.bitWidth - 1 - keeps[node].leadingZeroBitCount
        aside[place].push(KeyedNode(key: durations[node] < 0 ? .max : durations[node], node: node))
        nextLook = min(nextLook ?? .max, limit)
        return true
    }

    /// Takes back those that may start now, among the shortest.
    ///
    /// - Parameters:
    ///   - lastEnd: when an operation last ended.
    ///   - freeLanes: how many lanes would be free after one of them has started.
    mutating func takeBack(at time: Nanoseconds, lastEnd: Nanoseconds, freeLanes: Int = .max) -> [Int] {
        isLookDue = false
        nextLook = nil
        var free: [Int] = []
        for place in aside.indices {
            var held: [KeyedNode] = []
            for _ in 0..<Self.maximumLookedAt {
                guard let first = aside[place].pop() else { break }
                if let limit = obstacle(to: first.node, at: time, lastEnd: lastEnd, freeLanes: freeLanes) {
                    held.append(first)
                    nextLook = min(nextLook ?? .max, limit)
                } else {
                    free.append(first.node)
                }
            }
            // The limits of those that were not looked at are unknown.
            if !aside[place].isEmpty { nextLook = min(nextLook ?? .max, time.addingSaturated(Self.patience)) }
            // Only now, or the same ones would be looked at again.
            for operation in held { aside[place].push(operation) }
        }
        return free
    }

    /// Takes every operation that was put aside.
    mutating func takeAll() -> [Int] {
        var nodes: [Int] = []
        for place in aside.indices {
            while let first = aside[place].pop() { nodes.append(first.node) }
        }
        (isLookDue, nextLook) = (false, nil)
        return nodes
    }
}

extension ValidatedGraph {
    /// Whether an operation may give its lane back before it ends: it is tried again, or has its fallback computed.
    fileprivate func givesLaneBack(_ node: Int) -> Bool {
        if case .compute? = policy(node).fallback { return true }
        return policy(node).retry != nil
    }
}
