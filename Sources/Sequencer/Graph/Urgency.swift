/// The order of operations when lanes, the main thread or a resource are scarce: first those that the initial display
/// needs, by the longest path to its end; then those that the milestone needs, by the longest path to that; then all
/// others, by the longest remaining path. If several need the main thread, the only lane or one resource, their own
/// times do not count (``weights(lanes:)``).
///
/// The longest remaining path of the whole graph makes the launch short, and lets the milestone wait for work that
/// nobody waits for.
struct Urgency: Sendable {
    /// How urgent each operation is: the larger goes first. 1 is for the milestone and the operations that it needs, 0
    /// for all others. If an initial display is marked too, it and the operations that it needs have 2; if it alone is
    /// marked, 1. Without either, all are 0.
    let levels: [UInt8]
    /// The longest path from the operation's start: to the end of the first that needs it, or of the graph if none
    /// does.
    let paths: [Nanoseconds]
    /// Whether some operations are more urgent than others, without regard to their paths.
    let hasLevels: Bool
    /// The level of the operations that end first.
    let highest: UInt8
    /// For each operation that is awaited: for how long others wait, at the most, because it goes first.
    private let delays: [Delay]

    /// The time that an operation keeps others waiting which need the same.
    private struct Delay: Sendable {
        var time: Nanoseconds = 0
        /// Whether it uses one of the lanes, and neither the main thread nor a resource that others need too.
        var isShared = false
    }

    /// - Complexity: O(operations + dependencies).
    init(of graph: ValidatedGraph, duration: (Int) -> Nanoseconds) {
        var paths = graph.remaining(duration: duration)
        var levels = [UInt8](repeating: 0, count: graph.count)
        let ends = graph.awaitedEnds
        // The most urgent last: it may need what the others need, too.
        for (place, last) in ends.enumerated().reversed() {
            let level = UInt8(ends.count - place)
            let isNeeded = graph.leading(to: last)
            guard isNeeded.contains(false) else {
                // Every path ends there: they are known.
                levels = [UInt8](repeating: level, count: graph.count)
                continue
            }
            let toLast = graph.remaining { isNeeded[$0] ? duration($0) : 0 }
            for node in isNeeded.indices where isNeeded[node] { (levels[node], paths[node]) = (level, toLast[node]) }
        }
        hasLevels = levels.contains { $0 != levels[0] }
        highest = UInt8(ends.count)
        delays = ends.isEmpty ? [] : Self.delays(in: graph, levels, duration)
        (self.levels, self.paths) = (levels, paths)
    }

    private static func delays(in graph: ValidatedGraph, _ levels: [UInt8], _ duration: (Int) -> Nanoseconds) -> [Delay] {
        // An operation that nobody waits for makes room anyway.
        let awaited = levels.indices.filter { levels[$0] > 0 && !graph.isJoin($0) && !graph.isEvent($0) }
        var users: [ExclusiveResource: Int] = [:]
        for node in awaited {
            for resource in graph.nodes[node].policy?.value.exclusive ?? [] where graph.limit(of: resource) == 1 {
                users[resource, default: 0] += 1
            }
        }
        // An operation that suspends keeps nobody waiting for the main thread.
        let onMain = awaited.filter { graph.isMain($0) && !graph.policy($0).suspends }
        var delays = [Delay](repeating: Delay(), count: levels.count)
        for node in awaited where !graph.isMain(node) { delays[node] = Delay(time: max(duration(node), 0), isShared: true) }
        func keepWaiting(_ users: [Int]) {
            guard users.count > 1, !isChain(users, in: graph) else { return }
            for node in users { delays[node] = Delay(time: max(duration(node), 0)) }
        }
        keepWaiting(onMain)
        // By name where as many need them: a dictionary has another order in each process.
        let shared = users.filter { $0.value > 1 }.inOrder { ($1.value, $0.key.name) < ($0.value, $1.key.name) }
        for resource in shared.prefix(maximumResources).map(\.key) {
            keepWaiting(awaited.filter { graph.policy($0).exclusive.contains(resource) })
        }
        return delays
    }

    /// How many resources are looked at: each costs as much as the graph is large.
    private static let maximumResources = 13

    /// Whether each of these leads to the next, so that none of them ever waits for another to give something back.
    private static func isChain(_ nodes: [Int], in graph: ValidatedGraph) -> Bool {
        var length = [Int32](repeating: 0, count: graph.count)
        for node in nodes { length[node] = 1 }
        var longest: Int32 = 0
        for node in graph.order {
            length[node] += graph.predecessors[node].lazy.map { length[$0.index] }.max() ?? 0
            longest = max(longest, length[node])
        }
        return Int(longest) == nodes.count
    }

    /// The order within a level: the larger goes first.
    ///
    /// If two operations need the only lane, the main thread or one resource, the one with more time *behind* it goes
    /// first, however long both take themselves: J. R. Jackson, "Scheduling a production line to minimize maximum
    /// tardiness" (1955). With several lanes, an operation keeps others waiting only for its share of the time.
    /// Operations that nobody waits for go by their paths.
    ///
    /// - Parameter lanes: nil for no limit.
    func weights(lanes: Int?) -> [Nanoseconds] {
        if delays.isEmpty { return paths }
        // With a lane for each, nobody waits for one.
        let lanes = (lanes ?? .max) < paths.count ? lanes.map { Int64(max($0, 1)) } : nil
        return zip(paths, delays).map { path, delay in
            guard delay.isShared else { return path - min(delay.time, path) }
            return lanes.map { path - min(delay.time, path) / $0 } ?? path
        }
    }

    /// A number for each operation; the larger goes first.
    ///
    /// - Parameter lanes: nil for no limit.
    func ranks(lanes: Int?) -> [Nanoseconds] {
        let weights = weights(lanes: lanes)
        guard hasLevels else { return weights }
        var longest = [Nanoseconds](repeating: 0, count: Int(highest) + 1)
        for (level, weight) in zip(levels, weights) { longest[Int(level)] = max(longest[Int(level)], weight) }
        // The weights of a level begin above the highest of the levels below.
        var base: [Nanoseconds] = [0]
        for weight in longest.dropLast() { base.append(base[base.count - 1].addingSaturated(weight).addingSaturated(1)) }
        return zip(levels, weights).map { base[Int($0)].addingSaturated($1) }
    }
}

extension ValidatedGraph {
    /// Which operations neither the milestone nor the initial display needs, and which share no resource with one that
    /// is needed.
    func forLater(_ levels: [UInt8]) -> [Bool] {
        let shared = levels.indices.reduce(into: Set<ExclusiveResource>()) { shared, node in
            if levels[node] > 0 { shared.formUnion(policy(node).exclusive) }
        }
        return levels.indices.map { levels[$0] == 0 && shared.isDisjoint(with: policy($0).exclusive) }
    }
}
