import Sequencer

extension ValidatedGraph {
    /// The operations of one longest path to the milestone (without one: of all), by expected durations, in order;
    /// those without an expectation count as zero.
    ///
    /// With no expectation at all, every operation counts the same.
    public var criticalPath: [String] { expectedPath.path.map(id) }

    /// The length of that path: no number of lanes makes the launch shorter.
    public var criticalPathDuration: Duration { .nanoseconds(expectedPath.length) }

    /// How much longer than expected an operation could take without making the launch take longer, lanes permitting;
    /// one that the milestone does not need, without ending after it.
    ///
    /// With no expectation at all, that is nothing, for every operation.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    /// - Complexity: O(operations + dependencies) for each call.
    public func slack(of id: String) throws(GraphError) -> Duration {
        .nanoseconds(expectedPath.slack(try index(of: id)))
    }

    /// The operations without an expected duration, in the order in which they were added; joins are among them. Paths
    /// and plans count them as taking no time.
    package var operationsWithoutExpectation: [String] { (0..<count).filter { policy($0).expected == nil }.map(id) }

    /// The operations that the milestone needs, itself included, and that only the launch's deadline ends where they
    /// hang: they have no timeout, of their own or of each attempt, do more than join others or take the first of them,
    /// and wait for no person (`.interactive`). In the order in which they were added; none without a milestone.
    /// `LaunchOptions.stepTimeout` gives them one.
    public var operationsWithoutTimeout: [String] {
        guard let milestone = milestoneIndex else { return [] }
        let needed = predecessors.reachable(from: milestone).union([milestone])
        return (0..<count).filter { node in
            let policy = policy(node)
            let mayHang = policy.shortestTimeout == nil && !policy.isInteractive && !policy.isSwitchedOff
            // What takes the first of several runs no code of its own.
            return mayHang && policy.racers == nil && hasWork(node) && needed.contains(node)
        }.map(id)
    }

    /// The operations that no launch runs, in the order in which they were added.
    package var switchedOff: [String] { (0..<count).filter { policy($0).isSwitchedOff }.map(id) }
}

extension ValidatedGraph {
    /// The path that decides when the milestone (without one: the launch) can end at the earliest, by expected
    /// durations, and its length.
    ///
    /// No time counts in which the user could be waited for, as none does against a budget: that of interactive
    /// operations beside the path is taken off it, too. Nor does that of `.deferrable` operations, which
    /// may be put off. If this is longer than the budget, no number of lanes helps.
    public var budgetedPath: (duration: Duration, path: [String]) { budgetedPath(to: milestoneIndex) }

    /// The same for another operation.
    package func budgetedPath(to last: Int?) -> (duration: Duration, path: [String]) {
        let (end, path) = path(to: last) { $0.isDeferrable ? nil : $0.expected }
        // A question to the user after the end stops no clock before it.
        let later = last.map(successors.reachable) ?? []
        let persons = (0..<count).reduce(Duration.zero) { sum, node in
            let policy = policy(node)
            return policy.isExpectedOfPerson && !later.contains(node) ? sum + (policy.expected ?? .zero) : sum
        }
        return (max(.zero, end - persons), path.map(id))
    }

    /// The path to the end of `last` (nil: to that of the launch) that is longest by `duration`; nil counts as nothing.
    package func path(to last: Int?, by duration: (StepPolicy) -> Duration?) -> (duration: Duration, path: [Int]) {
        let durations = (0..<count).map { duration(policy($0))?.nanoseconds ?? 0 }
        let path = CriticalPath(of: withFirstRacers { durations[$0] }, endingWith: last) { durations[$0] }
        // Of a whole launch, nothing comes behind the last operation that takes time.
        let lastBusy = last == nil ? path.path.lastIndex { durations[$0] > 0 } : nil
        return (.nanoseconds(path.length), Array(path.path[...(lastBusy ?? path.path.count - 1)]))
    }
}

extension ValidatedGraph {
    /// The first `maximum` pairs of interactive operations that can run at the same time, in the order they were added,
    /// and how many pairs there are: two would ask the user at once.
    ///
    /// - Complexity: O(interactive operations · (operations + dependencies)).
    public func overlappingInteractions(maximum: Int) -> (pairs: [(String, String)], count: Int) {
        var interactive = (0..<count).filter { policy($0).isInteractive }, pairs: [(String, String)] = [], found = 0
        while let first = interactive.first {
            interactive.removeFirst()
            // An operation may wait for another one, or that one for it.
            let related = predecessors.reachable(from: first).union(successors.reachable(from: first))
            let resources = Set(unshared(first))
            for other in interactive where !related.contains(other) && resources.isDisjoint(with: unshared(other)) {
                found += 1
                if pairs.count < maximum { pairs.append((id(first), id(other))) }
            }
        }
        return (pairs, found)
    }
}
