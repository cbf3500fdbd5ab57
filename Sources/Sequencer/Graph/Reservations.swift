/// Places that other operations must not take just before the milestone needs them: the main thread, a lane, a resource.
///
/// An operation runs to its end once it has started. One that nobody waits for, started on the main thread a moment before one that the milestone waits
/// for, delays that by all of its time. So it waits, when something that runs is expected to let the milestone's next operation begin there sooner than
/// it would end itself. The milestone's way is known from expected durations; without any, nothing is kept free here
/// (``OngoingNeeds`` needs none).
///
/// This is a schedule with inserted idle time, which no list schedule has (J. J. Kanet, V. Sridharan, "Scheduling with inserted idle time", 2000).
struct Reservations: Sendable {
    /// Places that one operation uses at a time, and the lanes: by number.
    enum Machine {
        static let main = 0
        static let lane = 1
        /// The second of two lanes that are used at the same time: an operation that ends leaves the first one its own.
        static let secondLane = 2
        static let firstResource = 3
    }

    // As many as a `UInt16` has bits for: a set of machines is one number.
    /// The most resources that are kept free: those that most operations on the milestone's way use.
    private static let maximumResources = 16 - Machine.firstResource

    /// Of ``Urgency``: less urgent operations make room.
    let level: UInt8
    /// For each operation that the milestone needs and each machine: the time from the operation's end to the first use by another one
    /// behind it, `.max` without one; nil where there is none.
    private let near: [[Nanoseconds]?]
    /// The machines of each operation, as bits.
    let uses: [UInt16]
    /// Of these, those that it keeps for all of its time.
    let keeps: [UInt16]
    /// The machines that an operation must not take too early, as bits; 0 for those of the milestone's way.
    private let contested: [UInt16]
    /// Expected durations.
    let durations: [Nanoseconds]
    /// The operations that the milestone needs, except those of a person: nobody knows when they end.
    private let isAwaited: [Bool]
    /// Whether it is known for how long an operation runs.
    let isKnown: [Bool]
    /// The longest that is expected of anything that the milestone needs.
    private let longest: Nanoseconds
    private let resourceCount: Int

    /// - Parameters:
    ///   - durations: expected of each operation; 0 without an expectation.
    ///   - isNeeded: the operations that others make room for.
    ///   - level: of ``Urgency``: the least of these operations.
    ///   - hasLanes: whether lanes are limited.
    /// - Returns: nil where no operation can be in the way of another.
    /// - Complexity: O((operations + dependencies) × machines), with at most 16 machines.
    private init?(
        _ graph: ValidatedGraph,
        durations: [Nanoseconds],
        isNeeded: [Bool],
        level: UInt8,
        hasLanes: Bool
    ) {
        // Otherwise there is nobody to make room for, nobody to make it, or nothing that lasts.
        guard isNeeded.contains(true), isNeeded.contains(false), durations.contains(where: { $0 > 0 }) else { return nil }
        self.level = level
        let durations = durations.map { max($0, 0) }
        // Nobody knows for how long a person is asked.
        let isKnown = durations.indices.map { graph.isJoin($0) || durations[$0] > 0 && !graph.policy($0).isInteractive }
        let resources = Self.numbers(graph, isNeeded)
        let uses = (0..<graph.count).map { node -> UInt16 in
            if graph.isJoin(node) || graph.isEvent(node) { return 0 }
            var bits: UInt16 = graph.isMain(node) ? 1 << Machine.main : hasLanes ? 1 << Machine.lane : 0
            guard !resources.isEmpty else { return bits }
            for resource in graph.policy(node).exclusive { bits |= resources[resource].map { 1 << UInt16($0) } ?? 0 }
            return bits
        }
        let needed = uses.indices.reduce(0 as UInt16) { isNeeded[$1] ? $0 | uses[$1] : $0 }
        // A step that suspends gives the main thread back at once.
        let keeps = uses.indices.map { graph.isMain($0) && graph.policy($0).suspends ? uses[$0] & ~(1 << Machine.main) : uses[$0] }
        let contested = uses.indices.map { isNeeded[$0] || durations[$0] <= 0 ? 0 : keeps[$0] & needed }
        guard contested.contains(where: { $0 != 0 }) else { return nil }
        var near = [[Nanoseconds]?](repeating: nil, count: graph.count)
        var row = [Nanoseconds](repeating: .max, count: Machine.firstResource + resources.count)
        for node in graph.order.reversed() where isNeeded[node] {
            for machine in row.indices { row[machine] = .max }
            // It comes back to the main thread for its end.
            if graph.isMain(node), graph.policy(node).suspends { row[Machine.main] = 0 }
            for successor in graph.successors[node].lazy.map(\.index) where isNeeded[successor] {
                for machine in row.indices {
                    var use = Nanoseconds.max
                    if uses[successor] & 1 << UInt16(machine) != 0 {
                        use = 0
                    } else if isKnown[successor], let behind = near[successor]?[machine], behind < .max {
                        use = behind.addingSaturated(durations[successor])
                    }
                    // The later one of two uses of a lane is the second lane's.
                    if machine == Machine.lane { row[Machine.secondLane] = min(row[Machine.secondLane], max(row[machine], use)) }
                    row[machine] = min(row[machine], use)
                }
            }
            if row.contains(where: { $0 < .max }) { near[node] = row }
        }
        isAwaited = (0..<graph.count).map { isNeeded[$0] && !graph.policy($0).isInteractive }
        resourceCount = resources.count
        longest = durations.indices.lazy.filter { isNeeded[$0] }.map { durations[$0] }.max() ?? 0
        (self.near, self.contested, self.durations) = (near, contested, durations)
        (self.uses, self.keeps, self.isKnown) = (uses, keeps, isKnown)
    }

    /// For the milestone, and before it for the initial display where there is one; none where no operation can be in their way.
    ///
    /// - Complexity: O((operations + dependencies) × machines).
    static func all(_ graph: ValidatedGraph, durations: [Nanoseconds], _ urgency: Urgency, hasLanes: Bool) -> [Reservations] {
        guard urgency.hasLevels else { return [] }
        // The most urgent first, as they are looked at.
        return (1...max(urgency.highest, 1)).reversed().compactMap { level in
            Reservations(graph, durations: durations, isNeeded: urgency.levels.map { $0 >= level }, level: level, hasLanes: hasLanes)
        }
    }

    /// The operations that use a resource.
    private struct Users {
        let name: String
        let first: Int
        var needed = 0
        var others = 0

        /// Resources that others use too come first, because these are kept free; then those that are needed more often.
        var rank: (isOwn: Int, unneeded: Int, first: Int, name: String) { (others > 0 ? 0 : 1, -needed, first, name) }
    }

    /// The numbers of resources that operations on the milestone's way share with others, or with each other.
    private static func numbers(_ graph: ValidatedGraph, _ isNeeded: [Bool]) -> [ExclusiveResource: Int] {
        var users: [ExclusiveResource: Users] = [:]
        for (node, value) in graph.nodes.enumerated() {
            // A resource that several can hold at the same time is not kept free.
            for resource in value.policy?.value.exclusive ?? [] where graph.limit(of: resource) == 1 {
                var those = users[resource] ?? Users(name: resource.name, first: node)
                if isNeeded[node] { those.needed += 1 } else { those.others += 1 }
                users[resource] = those
            }
        }
        let shared = users.filter { $0.value.needed > 0 && $0.value.needed + $0.value.others > 1 }
        let numbered = shared.sorted { $0.value.rank < $1.value.rank }.prefix(maximumResources).enumerated()
        return Dictionary(uniqueKeysWithValues: numbered.map { ($1.key, Machine.firstResource + $0) })
    }

    /// How many machines there are, the lanes being two.
    var machineCount: Int { Machine.firstResource + resourceCount }

    /// Whether an operation may have to wait although it is ready.
    func mayHold(_ node: Int) -> Bool { contested[node] != 0 }

    /// Whether it matters when an operation starts: others wait for its end, or for a place that it keeps.
    func isNoted(_ node: Int) -> Bool { isAwaited[node] || keeps[node] != 0 }

    /// Whether something that the milestone needs waits for the operation's end, and for a machine.
    func isAwaited(_ node: Int) -> Bool { isAwaited[node] && hasUsesBehind(node) }

    /// The same, also of an operation of a person.
    func hasUsesBehind(_ node: Int) -> Bool { near[node] != nil }

    /// Whether the milestone needs the operation: it is then said when it becomes ready and when it starts.
    func isOnTheWay(_ node: Int) -> Bool { isAwaited[node] }

    /// For how long at the longest others are held back for an operation that waits for a resource.
    var longestWait: Nanoseconds { longest.addingSaturated(longest) }

    /// The machines that an operation takes.
    func machines(of node: Int, takesLastLane: Bool) -> UInt16 {
        takesLastLane ? contested[node] : contested[node] & ~(1 << Machine.lane)
    }

    /// The resources, among the machines, that an operation on the milestone's way needs.
    func resources(of node: Int) -> UInt16 {
        isAwaited[node] ? uses[node] & (.max << UInt16(Machine.firstResource)) : 0
    }

    /// Whether something behind an operation is expected to use one of the machines before a time, if that operation ends at `end`.
    ///
    /// - Parameter hasLane: whether it has its lane until then, if it needs one.
    func usesBehind(
        _ node: Int,
        hasLane: Bool = true,
        endingAt end: Nanoseconds,
        anyOf machines: UInt16,
        before time: Nanoseconds
    ) -> Bool {
        guard let near = near[node] else { return false }
        let leavesLane = hasLane && uses[node] & 1 << Machine.lane != 0
        return machines.bits.contains { machine in
            let wait = near[machine == Machine.lane && leavesLane ? Machine.secondLane : machine]
            return wait < .max && end.addingSaturated(wait) < time
        }
    }
}

extension UInt16 {
    /// The places of the bits that are set.
    var bits: some Sequence<Int> { (0..<bitWidth).lazy.filter { self & 1 << UInt16($0) != 0 } }
}
