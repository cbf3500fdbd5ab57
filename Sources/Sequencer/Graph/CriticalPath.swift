/// When each operation of a graph could start and must end, given how long each takes and lanes enough.
///
/// The critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959): a forward pass finds the earliest
/// starts, a backward pass the latest ones; an operation's slack is the difference, and operations without slack form the critical path.
struct CriticalPath {
    /// Earliest starts, by operation.
    private(set) var earliestStart: [Nanoseconds]
    /// The longest path from an operation's start to the end of the graph, itself included: its rank when lanes are scarce.
    private(set) var remaining: [Nanoseconds]
    /// The length of the longest path.
    private(set) var length: Nanoseconds = 0
    /// The operations of one longest path, in order.
    private(set) var path: [Int] = []

    /// - Complexity: O(operations + dependencies).
    init(of graph: ValidatedGraph, duration: (Int) -> Nanoseconds) {
        earliestStart = [Nanoseconds](repeating: 0, count: graph.count)
        remaining = Self.remaining(in: graph, duration: duration)
        for node in graph.order.lazy.map(Int.init) {
            var start: Nanoseconds = 0
            for predecessor in graph.predecessors[node] {
                start = max(start, earliestStart[predecessor.index].addingSaturated(duration(predecessor.index)))
            }
            earliestStart[node] = start
        }
        length = remaining.max() ?? 0
        // Follow the longest remaining path; of equal ones the operation that was added first.
        var next = (0..<graph.count).first { remaining[$0] == length && graph.predecessors[$0].isEmpty }
        while let node = next {
            path.append(node)
            let isBefore = { (left: Int, right: Int) in (remaining[right], left) < (remaining[left], right) }
            next = graph.successors[node].lazy.map(\.index).min(by: isBefore)
        }
    }

    /// The backward pass: the longest path from each operation's start to the end of the graph.
    static func remaining(in graph: ValidatedGraph, duration: (Int) -> Nanoseconds) -> [Nanoseconds] {
        var remaining = [Nanoseconds](repeating: 0, count: graph.count)
        for node in graph.order.lazy.reversed().map(Int.init) {
            var longest: Nanoseconds = 0
            for successor in graph.successors[node] { longest = max(longest, remaining[successor.index]) }
            remaining[node] = longest.addingSaturated(duration(node))
        }
        return remaining
    }

    /// How much later than possible an operation could end without making the graph take longer.
    func slack(_ node: Int) -> Nanoseconds {
        length - earliestStart[node] - remaining[node]
    }
}

extension ValidatedGraph {
    /// The operations of one longest path, by expected durations, in order; those without an expectation count as zero.
    ///
    /// With no expectation at all, every operation counts the same.
    public var criticalPath: [String] { expectedPath.path.map(id) }

    /// The length of the longest path, by expected durations: no number of lanes makes the launch shorter.
    public var criticalPathDuration: Duration {
        let expected = expectedDurations
        return .nanoseconds(CriticalPath(of: self) { expected[$0] }.length)
    }

    /// How much longer than expected an operation could take without making the launch take longer, lanes permitting.
    ///
    /// With no expectation at all, that is nothing, for every operation.
    ///
    /// - Throws: a ``GraphError`` when there is no such operation.
    public func slack(of id: String) throws(GraphError) -> Duration {
        let (node, expected) = (try index(of: id), expectedDurations)
        return .nanoseconds(CriticalPath(of: self) { expected[$0] }.slack(node))
    }

    /// The paths by expected durations, or by the number of operations when nothing is expected of any.
    var expectedPath: CriticalPath {
        let weights = weights
        return CriticalPath(of: self) { weights?[$0] ?? 1 }
    }

    /// The longest path from each operation's start to the end of the graph, by what ``expectedPath`` goes by.
    var ranks: [Nanoseconds] {
        let weights = weights
        return CriticalPath.remaining(in: self) { weights?[$0] ?? 1 }
    }

    /// Expected durations; nil when nothing is expected of any operation.
    private var weights: [Nanoseconds]? {
        let isKnown = graph.nodes.contains { ($0.policy?.value.expected).map { $0 > .zero } ?? false }
        return isKnown ? expectedDurations : nil
    }

    private var expectedDurations: [Nanoseconds] {
        graph.nodes.map { $0.policy?.value.expected?.nanoseconds ?? 0 }
    }
}

extension ValidatedGraph {
    /// The path that decides when the milestone (without one: the launch) can end at the earliest, by expected durations, and its length.
    ///
    /// Interactive operations count as nothing, as they do against a budget. If this is longer than the budget, no number of lanes helps.
    public var budgetedPath: (duration: Duration, path: [String]) {
        pathToMilestone { $0.expected }
    }

    /// The path on which the milestone (without one: the launch) can be put off for longest by the operations' timeouts, and their sum.
    ///
    /// Only operations that have a timeout count, and are named; interactive ones do not.
    public var timeoutPath: (duration: Duration, path: [String]) {
        let (duration, path) = pathToMilestone { $0.timeout }
        return (
            duration, path.filter { id in (try? index(of: id)).map { policy($0) }.map { $0.timeout != nil && !$0.isInteractive } == true }
        )
    }

    /// The path before the milestone's end that is longest by `duration`, of operations that are not interactive; nil counts as nothing.
    private func pathToMilestone(by duration: (StepPolicy) -> Duration?) -> (duration: Duration, path: [String]) {
        let durations = graph.nodes.map { node in
            node.policy.map { $0.value.isInteractive ? 0 : duration($0.value)?.nanoseconds ?? 0 } ?? 0
        }
        let path = CriticalPath(of: self) { durations[$0] }
        func end(_ node: Int) -> Nanoseconds { path.earliestStart[node].addingSaturated(durations[node]) }
        guard var node = milestoneIndex ?? (0..<count).max(by: { end($0) < end($1) }) else { return (.zero, []) }
        let length = end(node)
        var names = [id(node)]
        while let last = predecessors[node].max(by: { end($0.index) < end($1.index) }) {
            node = last.index
            names.append(id(node))
        }
        return (.nanoseconds(length), names.reversed())
    }
}
