/// What operations on the milestone's way are still going to use while they are under way: the main thread, exclusive resources, and the
/// last lane.
///
/// An operation that is ready, runs, is suspended or pauses before its next attempt comes back to the main thread if it belongs there. One that does not run yet takes its resources,
/// at its next attempt too. When one ends, or its fallback has been computed, the operations right behind it start. An operation that the milestone does not need, and that keeps the
/// main thread or a resource, would delay them by all of its time. So it waits, unless it is expected to be back in time.
///
/// Any other operation has its lane, which those behind it get. One that pauses, or has its fallback computed, has given it back: then the
/// last free lane is kept as well.
///
/// Nobody sees whether what is waited for waits itself for the operation that waits here. So the wait has an end: a second in which no operation ends and what is waited for gets no
/// further. If that has an expected end, the wait lasts at least until then and once more as long. Operations of a person do not count, for nobody knows when they end.
struct OngoingNeeds: Sendable {
    private enum State { case ready, running, pausing, fallingBack }

    private struct Ongoing: Sendable {
        let node: Int
        let state: State
        let since: Nanoseconds
        /// When it is expected to end, or goes on after its pause; nil if nobody knows.
        let end: Nanoseconds?
    }

    /// For how long an operation waits while nothing goes on.
    static let patience: Nanoseconds = 1_000_000_000
    // More would cost more than they save.
    private static let maximumOngoing = 64
    /// The bits of the main thread and of the lanes. Each resource has one of the others.
    private static let (main, lane): (UInt64, UInt64) = (1, 1 << 63)

    private let levels: [UInt8]
    /// Expected durations; -1 if unknown.
    private let durations: [Nanoseconds]
    /// The machines that an operation needs to start, as bits: the main thread, resources that operations of several levels use, and a lane
    /// where lanes are kept.
    private let uses: [UInt64]
    /// Of an operation that may have to wait: the machines that it keeps, and more urgent ones use; 0 for others.
    private let keeps: [UInt64]
    /// By level, from 1: the machines used right behind an operation by those that are at least as urgent.
    private let behind: [[UInt64]]
    private let isAwaited: [Bool]
    private let isPersons: [Bool]
    /// The machines that somebody may have to wait for.
    private let contested: UInt64
    private var ongoing: [Ongoing] = []
    /// By the first of the machines that they keep, lanes last.
    private var aside: PutAside
    /// When to look again at operations that were put aside, even if nothing happens before; nil if none was put aside.
    var nextLook: Nanoseconds? { aside.nextLook }
    /// Whether something has happened for which some of them may start.
    private(set) var isLookDue = false

    /// - Parameter hasLanes: whether lanes are limited.
    /// - Returns: nil where no operation can be in the way of a more urgent one.
    /// - Complexity: O(operations + dependencies).
    init?(_ graph: ValidatedGraph, _ urgency: Urgency, hasLanes: Bool = false) {
        guard urgency.hasLevels else { return nil }
        let levels = urgency.levels
        let givesLaneBack = levels.indices.map { hasLanes && levels[$0] > 0 && graph.givesLaneBack($0) }
        let keepsLanes = givesLaneBack.contains(true)
        // Most graphs end here.
        guard
            levels.indices.contains(where: { node in
                let value = graph.nodes[node]
                return levels[node] < urgency.highest
                    && (keepsLanes || value.isMain || value.policy?.value.exclusive.isEmpty == false)
            })
        else { return nil }
        let resources = Self.numbers(graph, levels)
        let isJoin = levels.indices.map(graph.isJoin)
        let uses = levels.indices.map { node -> UInt64 in
            if isJoin[node] || graph.isEvent(node) { return 0 }
            var bits: UInt64 = graph.isMain(node) ? Self.main : keepsLanes ? Self.lane : 0
            for resource in graph.policy(node).exclusive { bits |= resources[resource].map { 1 << UInt64($0) } ?? 0 }
            return bits
        }
        let durations = levels.indices.map { isJoin[$0] ? 0 : graph.policy($0).expected?.nanoseconds ?? -1 }
        // By level: what more urgent operations use.
        var above = [UInt64](repeating: 0, count: Int(urgency.highest) + 1)
        for node in levels.indices {
            for level in 0..<Int(levels[node]) { above[level] |= uses[node] }
        }
        let keeps = levels.indices.map { node -> UInt64 in
            // What takes no time is in nobody's way.
            if uses[node] == 0 || durations[node] == 0 { return 0 }
            // A prologue is over when its next step has to wait. And who fulfils an event may be waited for.
            if graph.isInPrologue(node) || !graph.policy(node).events.isEmpty { return 0 }
            // A step that suspends gives the main thread back at once.
            let kept = graph.policy(node).suspends ? uses[node] & ~Self.main : uses[node]
            return kept & above[Int(levels[node])]
        }
        let contested = keeps.reduce(0, |)
        if contested == 0 { return nil }
        var behind = [[UInt64]](repeating: [UInt64](repeating: 0, count: levels.count), count: Int(urgency.highest))
        for node in graph.order.reversed() {
            for successor in graph.successors[node].lazy.map(\.index) {
                for level in 0..<Int(min(levels[node], levels[successor])) {
                    behind[level][node] |= uses[successor] | (isJoin[successor] ? behind[level][successor] : 0)
                }
            }
        }
        isAwaited = levels.indices.map { node in
            let used = (uses[node] | behind[0][node]) & (givesLaneBack[node] ? .max : ~Self.lane)
            return levels[node] > 0 && !isJoin[node] && used & contested != 0
        }
        isPersons = levels.indices.map { graph.policy($0).isInteractive }
        aside = PutAside(places: resources.count + 2)
        (self.levels, self.durations, self.uses, self.keeps, self.behind) = (levels, durations, uses, keeps, behind)
        self.contested = contested
    }

    /// The numbers, from 1, of the resources that operations of several levels use, one at a time.
    private static func numbers(_ graph: ValidatedGraph, _ levels: [UInt8]) -> [ExclusiveResource: Int] {
        var first: [ExclusiveResource: UInt8] = [:]
        var numbers: [ExclusiveResource: Int] = [:]
        for (node, value) in graph.nodes.enumerated() {
            for resource in value.policy?.value.exclusive ?? [] where graph.limit(of: resource) == 1 {
                guard let level = first[resource] else {
                    first[resource] = levels[node]
                    continue
                }
                if level != levels[node], numbers[resource] == nil, numbers.count < 62 { numbers[resource] = numbers.count + 1 }
            }
        }
        return numbers
    }

    /// Whether an operation may have to wait although it is ready.
    func mayHold(_ node: Int) -> Bool { keeps[node] != 0 }

    /// Whether others may have to wait for an operation: it is then said what it does.
    func isAwaited(_ node: Int) -> Bool { isAwaited[node] }

    /// Whether others may start when an operation has ended, or no longer runs: that is then said.
    func freesOthers(_ node: Int) -> Bool { isAwaited[node] || uses[node] & contested != 0 }

    // MARK: What is under way

    mutating func becameReady(_ node: Int, at time: Nanoseconds) {
        // One that has waited for a resource becomes ready once more, which is no progress.
        if ongoing.contains(where: { $0.node == node && $0.state == .ready }) { return }
        note(node, .ready, since: time, end: nil)
    }

    mutating func started(_ node: Int, at time: Nanoseconds) {
        note(node, .running, since: time, end: durations[node] < 0 ? nil : time.addingSaturated(durations[node]))
    }

    /// An operation has waited for a person, and goes on.
    mutating func wentOn(_ node: Int, at time: Nanoseconds) { note(node, .running, since: time, end: nil) }

    /// An operation pauses before its next attempt.
    mutating func paused(_ node: Int, at time: Nanoseconds, until end: Nanoseconds) {
        note(node, .pausing, since: time, end: end)
    }

    /// The fallback of an operation is to be computed, without what the operation itself needs.
    mutating func fellBack(_ node: Int, at time: Nanoseconds) { note(node, .fallingBack, since: time, end: nil) }

    /// An operation has ended, or waits for a person.
    mutating func ended(_ node: Int) {
        if remove(node) || uses[node] & contested != 0 { isLookDue = nextLook != nil }
    }

    private mutating func note(_ node: Int, _ state: State, since time: Nanoseconds, end: Nanoseconds?) {
        // Nobody knows when an operation of a person ends. Its fallback waits for nobody.
        guard isAwaited[node], state == .fallingBack || !isPersons[node] else { return }
        if remove(node) { isLookDue = nextLook != nil }
        if ongoing.count < Self.maximumOngoing { ongoing.append(Ongoing(node: node, state: state, since: time, end: end)) }
    }

    private mutating func remove(_ node: Int) -> Bool {
        guard let place = ongoing.firstIndex(where: { $0.node == node }) else { return false }
        // Nothing depends on the order, and moving one is cheaper than moving all behind it.
        ongoing.swapAt(place, ongoing.count - 1)
        ongoing.removeLast()
        return true
    }

    // MARK: What waits

    /// - Parameters:
    ///   - lastEnd: when an operation last ended.
    ///   - takesLastLane: whether no lane would be free after it has started.
    /// - Returns: until when an operation that could start now has to wait at the longest; nil when it may start.
    func obstacle(to node: Int, at time: Nanoseconds, lastEnd: Nanoseconds, takesLastLane: Bool) -> Nanoseconds? {
        let kept = takesLastLane ? keeps[node] : keeps[node] & ~Self.lane
        var limit: Nanoseconds?
        for other in ongoing where levels[other.node] > levels[node] && machines(of: other, level: levels[node]) & kept != 0 {
            guard let end = self.limit(of: other, for: node, at: time, lastEnd: lastEnd), end > time else { continue }
            limit = max(limit ?? 0, end)
        }
        return limit
    }

    /// What an operation is still going to use, and what will be used right behind it, by operations that are more urgent than `level`.
    private func machines(of other: Ongoing, level: UInt8) -> UInt64 {
        let node = other.node
        let behind = behind[Int(level)][node]
        return switch other.state {
        case .ready: (uses[node] | behind) & ~Self.lane
        // It has its resources.
        case .running: uses[node] & Self.main | behind & ~Self.lane
        case .pausing: uses[node] | behind
        case .fallingBack: behind
        }
    }

    /// Until when `node` waits for an operation; nil if it does not.
    private func limit(of other: Ongoing, for node: Int, at time: Nanoseconds, lastEnd: Nanoseconds) -> Nanoseconds? {
        let (own, duration) = (durations[node], durations[other.node])
        let patient = max(other.since, lastEnd).addingSaturated(Self.patience)
        guard let end = other.end else {
            // Where all is known, ``ReservationKeeper`` decides for whom a ready operation makes room.
            return other.state == .ready && own >= 0 && duration >= 0 ? nil : patient
        }
        if own < 0 { return other.state == .pausing ? patient : max(patient, end.addingSaturated(duration)) }
        if time.addingSaturated(own) <= max(end, time) { return nil }
        // The timer that ends its pause may be late.
        return other.state == .pausing ? max(end, time + 1) : end.addingSaturated(max(duration, own))
    }

    /// Puts an operation aside that could start now, if it would be in the way of a more urgent one.
    ///
    /// - Parameters:
    ///   - lastEnd: when an operation last ended.
    ///   - takesLastLane: whether no lane would be free after it has started.
    /// - Returns: whether it did.
    mutating func putAside(_ node: Int, at time: Nanoseconds, lastEnd: Nanoseconds, takesLastLane: Bool = false) -> Bool {
        guard keeps[node] != 0, let limit = obstacle(to: node, at: time, lastEnd: lastEnd, takesLastLane: takesLastLane) else {
            return false
        }
        aside.put(node, at: keeps[node].trailingZeroBitCount, for: durations[node] < 0 ? .max : durations[node], until: limit)
        return true
    }

    /// Takes back those that may start now, among the shortest.
    ///
    /// - Parameters:
    ///   - lastEnd: when an operation last ended.
    ///   - takesLastLane: whether one lane at most is free.
    mutating func takeBack(at time: Nanoseconds, lastEnd: Nanoseconds, takesLastLane: Bool = false) -> [Int] {
        isLookDue = false
        // Out of here meanwhile, since obstacles are looked for here.
        var aside = PutAside(places: 0)
        swap(&aside, &self.aside)
        defer { self.aside = aside }
        return aside.takeBack(unseenBy: time.addingSaturated(Self.patience), isLatest: true) { node, _ in
            obstacle(to: node, at: time, lastEnd: lastEnd, takesLastLane: takesLastLane)
        }
    }

    /// All that were put aside.
    mutating func takeAll() -> [Int] {
        isLookDue = false
        return aside.takeAll()
    }
}

extension ValidatedGraph {
    /// Whether an operation may give its lane back before it ends: it is tried again, or has its fallback computed.
    fileprivate func givesLaneBack(_ node: Int) -> Bool {
        if case .compute? = policy(node).fallback { return true }
        return policy(node).retry != nil
    }
}
