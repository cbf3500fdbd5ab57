/// By when each operation must end so that the milestone ends within the budget, by expected durations.
///
/// The backward pass of the critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959), begun at the
/// budget's limit. An interactive operation counts as nothing, as it does against the budget. Where even the expected durations do not fit, an
/// operation's latest end is the end that was expected of it: what is left of the budget is no reason to give it less.
///
/// Times are those that count: since the launch began, without interactive time.
struct LatestEnds: Sendable {
    /// By operation; `.max` for one that the milestone does not wait for.
    private let times: [Nanoseconds]
    private let expected: [Nanoseconds]
    private let limit: Nanoseconds

    /// - Parameter limit: by when the milestone (without one: every operation) must end.
    /// - Complexity: O(operations + dependencies).
    init(_ graph: ValidatedGraph, limit: Nanoseconds) {
        let expected = graph.graph.nodes.map { node -> Nanoseconds in
            guard let policy = node.policy?.value, !policy.isInteractive else { return 0 }
            return policy.expected?.nanoseconds ?? 0
        }
        let path = CriticalPath(of: graph) { expected[$0] }
        // The longest way from an operation's end to that of the milestone; -1 where there is none.
        var rest = [Nanoseconds](repeating: -1, count: graph.count)
        // What can be put off takes no time from what comes before it.
        let needed = expected.indices.map { graph.graph.nodes[$0].policy?.value.isDeferrable == true ? 0 : expected[$0] }
        for node in graph.order.lazy.reversed().map(Int.init) {
            if graph.milestoneIndex == node || graph.milestoneIndex == nil { rest[node] = 0 }
            if graph.milestoneIndex == node { continue }
            for successor in graph.successors[node] where rest[successor.index] >= 0 {
                rest[node] = max(rest[node], rest[successor.index].addingSaturated(needed[successor.index]))
            }
        }
        times = rest.indices.map { node in
            rest[node] < 0 ? .max : max(limit - rest[node], path.earliestStart[node].addingSaturated(expected[node]))
        }
        self.expected = expected
        self.limit = limit
    }

    /// When an operation with a fallback is cut; nil for one that the milestone does not wait for.
    func cut(_ node: Int) -> Nanoseconds? { times[node] == .max ? nil : times[node] }

    /// Whether an operation that begins at `time` is expected to end early enough: for itself, and for a milestone that does not wait for it.
    func fits(_ node: Int, beginningAt time: Nanoseconds) -> Bool {
        time.addingSaturated(expected[node]) <= min(times[node], limit)
    }
}
