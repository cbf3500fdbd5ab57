/// What is to end early, where lanes, the main thread or a resource are scarce.
public enum LaunchGoal: String, Sendable, Hashable, CaseIterable {
    /// The milestone, and then everything: what it needs goes first, and others make room for that. Where an initial display is marked too, that comes before both.
    case milestone
    /// Everything, as if there were no milestone: the longest remaining path goes first.
    case makespan
}

/// What goes first where lanes, the main thread or a resource are scarce: what the initial display needs, by the longest path to its end; then what the milestone
/// needs, by the longest path to that; then all else, by the longest remaining path.
///
/// The longest remaining path of the whole graph makes the launch short, and lets the milestone wait for work that nobody waits for.
package struct Urgency: Sendable {
    /// How urgent each operation is: the larger goes first. 0 is what nobody waits for, 1 is what the milestone needs, or is it. Where an initial display is marked
    /// too, 2 is what that needs; where that alone is marked, 1 is. Without either, all are 0.
    package let levels: [UInt8]
    /// The longest path from the operation's start: to the end of the first that needs it, or of the graph if none does.
    package let paths: [Nanoseconds]
    /// Whether some operations are more urgent than others, whatever their paths are.
    package let hasLevels: Bool
    /// The level of what ends first.
    package let highest: UInt8

    /// - Complexity: O(operations + dependencies).
    package init(of graph: ValidatedGraph, for goal: LaunchGoal = .milestone, duration: (Int) -> Nanoseconds) {
        var paths = CriticalPath.remaining(in: graph, duration: duration)
        var levels = [UInt8](repeating: 0, count: graph.count)
        let ends = goal == .milestone ? graph.awaitedEnds : []
        // The most urgent last: it may need what the others need, too.
        for (place, last) in ends.enumerated().reversed() {
            let level = UInt8(ends.count - place)
            let isNeeded = graph.leading(to: last)
            guard isNeeded.contains(false) else {
                // Every path ends there: they are known.
                levels = [UInt8](repeating: level, count: graph.count)
                continue
            }
            let toLast = CriticalPath.remaining(in: graph) { isNeeded[$0] ? duration($0) : 0 }
            for node in isNeeded.indices where isNeeded[node] { (levels[node], paths[node]) = (level, toLast[node]) }
        }
        hasLevels = levels.contains { $0 != levels[0] }
        highest = UInt8(ends.count)
        (self.levels, self.paths) = (levels, paths)
    }

    /// A number for each operation; the larger goes first.
    package var ranks: [Nanoseconds] {
        guard hasLevels else { return paths }
        var longest = [Nanoseconds](repeating: 0, count: Int(highest) + 1)
        for (level, path) in zip(levels, paths) { longest[Int(level)] = max(longest[Int(level)], path) }
        // Those of a level begin above the highest of the levels below.
        var base: [Nanoseconds] = [0]
        for path in longest.dropLast() { base.append(base[base.count - 1].addingSaturated(path).addingSaturated(1)) }
        return zip(levels, paths).map { base[Int($0)].addingSaturated($1) }
    }
}

extension ValidatedGraph {
    /// Which operations nobody waits for: not by dependencies, nor for a resource that they share with one that somebody waits for. None where all are alike.
    func forLater(_ levels: [UInt8]) -> [Bool] {
        let shared = levels.indices.reduce(into: Set<ExclusiveResource>()) { shared, node in
            if levels[node] > 0 { shared.formUnion(policy(node).exclusive) }
        }
        return levels.indices.map { levels[$0] == 0 && shared.isDisjoint(with: policy($0).exclusive) }
    }
}
