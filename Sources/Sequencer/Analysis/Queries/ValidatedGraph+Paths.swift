import Sequencer

extension ValidatedGraph {
    /// The operations of one longest path to the milestone (without one: of all), by expected durations, in order;
    /// those without an expectation count as zero.
    ///
    /// With no expectation at all, every operation counts the same.
    public var criticalPath: [String] { expectedPath.path.map(id) }

    /// The length of that path: no number of lanes makes the launch shorter.
    public var criticalPathDuration: Duration { .nanoseconds(pathToMilestone.length) }

    /// How much longer than expected an operation could take without making the launch take longer, lanes permitting;
    /// one that the milestone does not need, without ending after it.
    ///
    /// With no expectation at all, that is nothing, for every operation.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    /// - Complexity: O(operations + dependencies) for each call.
    public func slack(of id: String) throws(GraphError) -> Duration {
        .nanoseconds(pathToMilestone.slack(try index(of: id)))
    }

    private var pathToMilestone: CriticalPath {
        let expected = expectedDurations
        return CriticalPath(of: withFirstRacers { expected[$0] }, endingWith: milestoneIndex) { expected[$0] }
    }

    /// The operations without an expected duration, in the order in which they were added; joins are among them. Paths
    /// and plans count them as taking no time.
    package var operationsWithoutExpectation: [String] { (0..<count).filter { policy($0).expected == nil }.map(id) }

    /// The operations that the milestone needs, itself included, and that only the launch's deadline ends where they hang:
    /// they have no timeout, of their own or of each attempt, do more than join others or take the first of them, and
    /// wait for no person (``StepOption/interactive``). In the order in which they were added; none without a milestone.
    /// ``LaunchOptions/stepTimeout`` gives them one.
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
    /// operations beside the path is taken off it, too. Nor does that of ``StepOption/deferrable`` operations, which
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
        return (max(.zero, end - persons), path.filter { !policy($0).isSwitchedOff }.map(id))
    }

    /// The path before the end of `last` (nil: before that of the launch) that is longest by `duration`; nil counts as
    /// nothing.
    package func path(to last: Int?, by duration: (StepPolicy) -> Duration?) -> (duration: Duration, path: [Int]) {
        let durations = (0..<count).map { duration(policy($0))?.nanoseconds ?? 0 }
        let graph = withFirstRacers { durations[$0] }
        let starts = CriticalPath(of: graph) { durations[$0] }.earliestStart
        func end(_ node: Int) -> Nanoseconds { starts[node].addingSaturated(durations[node]) }
        guard let last = last ?? (0..<count).max(by: { end($0) < end($1) }) else { return (.zero, []) }
        var nodes = [last]
        while let next = graph.predecessors[nodes[nodes.count - 1]].max(by: { end($0.index) < end($1.index) }) {
            nodes.append(next.index)
        }
        return (.nanoseconds(end(last)), nodes.reversed())
    }
}

extension ValidatedGraph {
    /// The first `maximum` pairs of interactive operations that can run at the same time, in the order they were added,
    /// and how many pairs there are: two would ask the user at once.
    ///
    /// - Complexity: O(interactive operations · (operations + dependencies) / 512) time, and a few nanoseconds for each
    ///   pair of interactive operations; O(operations) memory besides the pairs.
    public func overlappingInteractions(maximum: Int) -> (pairs: [(String, String)], count: Int) {
        let interactive = (0..<count).filter { policy($0).isInteractive }, resources = interactive.map { Set(unshared($0)) }
        var (pairs, found) = ([(String, String)](), 0)
        for first in stride(from: 0, to: interactive.count, by: ReachedColumns.columns) {
            let block = interactive[first...].prefix(ReachedColumns.columns)
            // An operation may wait for another one, or that one for it.
            let before = reached(from: block, order, along: predecessors), after = reached(from: block, order.reversed(), along: successors)
            let related = interactive.map { before[$0] | after[$0] }
            for column in block.indices {
                for other in interactive.indices[(column + 1)...]
                where !related[other][column: column - first] && resources[column].isDisjoint(with: resources[other]) {
                    found += 1
                    if pairs.count < maximum { pairs.append((id(interactive[column]), id(interactive[other]))) }
                }
            }
        }
        return (pairs, found)
    }

    /// For each operation, which of `sources` there is a way to along `neighbours`; operations come after theirs in
    /// `order`.
    private func reached(from sources: ArraySlice<Int>, _ order: some Sequence<Int>, along neighbours: AdjacencyList) -> [ReachedColumns] {
        var reached = [ReachedColumns](repeating: .zero, count: count)
        for (column, node) in sources.enumerated() { reached[node][column: column] = true }
        for node in order {
            for neighbour in neighbours[node] { reached[node] |= reached[neighbour.index] }
        }
        return reached
    }
}
