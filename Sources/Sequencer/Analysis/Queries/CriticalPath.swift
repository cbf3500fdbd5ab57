import Sequencer

/// When each operation of a graph could start and must end, given how long each takes and lanes enough.
///
/// The critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959): a forward pass
/// finds the earliest starts, a backward pass the latest ones; an operation's slack is the difference, and operations
/// without slack form the critical path.
package struct CriticalPath {
    /// Earliest starts, by operation.
    private(set) var earliestStart: [Nanoseconds]
    /// The longest path from an operation's start to the end of the graph, or of the last operation, itself included.
    private(set) var remaining: [Nanoseconds]
    /// The length of the longest path.
    package fileprivate(set) var length: Nanoseconds = 0
    /// The operations of one longest path, in order; those that are switched off are left out.
    package private(set) var path: [Int] = []

    /// - Parameter last: the operation that ends the path; operations that do not lead to it are on no path. Nil for
    ///     the end of the graph.
    /// - Complexity: O(operations + dependencies).
    package init(of graph: ValidatedGraph, endingWith last: Int? = nil, duration: (Int) -> Nanoseconds) {
        let isOnTheWay = last.map { graph.leading(to: $0) }
        func isPossible(_ node: Int) -> Bool { isOnTheWay?[node] != false }
        earliestStart = [Nanoseconds](repeating: 0, count: graph.count)
        remaining = graph.remaining { isPossible($0) ? duration($0) : 0 }
        length = remaining.max() ?? 0
        for node in graph.order {
            var start: Nanoseconds = 0
            for predecessor in graph.predecessors[node] {
                // Saturated: a million operations of a day each have more nanoseconds than fit.
                start = max(start, earliestStart[predecessor.index].addingSaturated(duration(predecessor.index)))
            }
            earliestStart[node] = start
            // It may end as late as the path does: those behind it are on no path either.
            if !isPossible(node) { remaining[node] = duration(node) }
        }
        // Follow the longest remaining path; of equal ones the operation that was added first.
        var next = (0..<graph.count).first { isPossible($0) && remaining[$0] == length && graph.predecessors[$0].isEmpty }
        while let node = next {
            if !graph.policy(node).isSwitchedOff { path.append(node) }
            let isBefore = { (left: Int, right: Int) in (remaining[right], left) < (remaining[left], right) }
            // The path ends there, though others may come after it.
            next = node == last ? nil : graph.successors[node].lazy.map(\.index).filter(isPossible).min(by: isBefore)
        }
    }

    /// How much later than possible an operation could end without making the path longer; of one that is on no path,
    /// without ending after it.
    package func slack(_ node: Int) -> Nanoseconds {
        max(0, length - earliestStart[node].addingSaturated(remaining[node]))
    }
}

extension ValidatedGraph {
    /// The paths to the milestone (without one: to the end) by expected durations. When nothing is expected of any
    /// operation, the path is the one with the most operations, and takes no time.
    var expectedPath: CriticalPath {
        let expected = expectedDurations, isKnown = expected.contains { $0 > 0 }
        let duration: (Int) -> Nanoseconds = { isKnown ? expected[$0] : self.policy($0).isSwitchedOff ? 0 : 1 }
        var path = CriticalPath(of: withFirstRacers(duration), endingWith: milestoneIndex, duration: duration)
        if !isKnown { path.length = 0 }
        return path
    }
}
