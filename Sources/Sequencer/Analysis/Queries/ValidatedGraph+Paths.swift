import Sequencer

extension ValidatedGraph {
    /// The operations of one longest path to the milestone (without one: of all), by expected durations, in order; those without an expectation count as zero.
    ///
    /// With no expectation at all, every operation counts the same.
    public var criticalPath: [String] { expectedPath.path.map(id) }

    /// The length of that path: no number of lanes makes the launch shorter.
    public var criticalPathDuration: Duration { .nanoseconds(path(endingWith: milestoneIndex).length) }

    /// The length of the longest path of all, operations after the milestone included.
    package var longestPathDuration: Duration { .nanoseconds(path(endingWith: nil).length) }

    /// How much longer than expected an operation could take without making the launch take longer, lanes permitting; one that the milestone does not need,
    /// without ending after it.
    ///
    /// With no expectation at all, that is nothing, for every operation.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    /// - Complexity: O(operations + dependencies) for each call.
    public func slack(of id: String) throws(GraphError) -> Duration {
        .nanoseconds(path(endingWith: milestoneIndex).slack(try index(of: id)))
    }

    private func path(endingWith last: Int?) -> CriticalPath {
        let expected = expectedDurations
        return CriticalPath(of: self, endingWith: last) { expected[$0] }
    }
}

extension ValidatedGraph {
    /// The operations without an expected duration, in the order in which they were added; joins are among them. Paths and plans count them
    /// as taking no time.
    package var operationsWithoutExpectation: [String] { (0..<count).filter { policy($0).expected == nil }.map(id) }

    /// The operations that only join others, though a duration is expected of them: a launch and its plan take no time for these either.
    package var joinsWithExpectation: [String] { (0..<count).filter { isJoin($0) && policy($0).expected ?? .zero > .zero }.map(id) }
}

extension ValidatedGraph {
    /// The path that decides when the milestone (without one: the launch) can end at the earliest, by expected durations, and its length.
    ///
    /// Interactive operations count as nothing, as they do against a budget. If this is longer than the budget, no number of lanes helps.
    public var budgetedPath: (duration: Duration, path: [String]) {
        path(to: milestoneIndex) { $0.isExpectedOfPerson ? nil : $0.expected }
    }

    /// The same for the initial display; nil without one.
    package var budgetedPathToInitialDisplay: (duration: Duration, path: [String])? {
        initialDisplayIndex.map { path(to: $0) { $0.isExpectedOfPerson ? nil : $0.expected } }
    }

    /// The path with the largest sum of timeouts to the milestone (without one: to the launch's end), and that sum.
    ///
    /// Only operations that have a timeout count, and are named; interactive ones do not.
    package var timeoutPath: (duration: Duration, path: [String]) {
        let (duration, path) = path(to: milestoneIndex) { $0.isInteractive || $0.isSwitchedOff ? nil : $0.timeout }
        return (
            duration, path.filter { id in (try? index(of: id)).map { policy($0) }.map { $0.timeout != nil && !$0.isInteractive } == true }
        )
    }

    /// The path before the end of `last` (nil: before that of the launch) that is longest by `duration`; nil counts as nothing.
    private func path(to last: Int?, by duration: (StepPolicy) -> Duration?) -> (duration: Duration, path: [String]) {
        let durations = (0..<count).map { duration(policy($0))?.nanoseconds ?? 0 }
        let path = CriticalPath(of: self) { durations[$0] }
        func end(_ node: Int) -> Nanoseconds { path.earliestStart[node].addingSaturated(durations[node]) }
        guard let last = last ?? (0..<count).max(by: { end($0) < end($1) }) else { return (.zero, []) }
        var nodes = [last]
        while let next = predecessors[nodes[nodes.count - 1]].max(by: { end($0.index) < end($1.index) }) { nodes.append(next.index) }
        return (.nanoseconds(end(last)), nodes.reversed().filter { !isSwitchedOff($0) }.map(id))
    }
}

extension ValidatedGraph {
    /// The earliest start of an operation, by the expected durations of its ancestors, and the longest path of these.
    ///
    /// Interactive operations count: a dependent of one waits for the person. Operations without an expectation count as nothing, and are
    /// not named.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    package func earliestStart(of id: String) throws(GraphError) -> (time: Duration, path: [String]) {
        let start = try index(of: id)
        let durations = (0..<count).map { policy($0).expected?.nanoseconds ?? 0 }
        let times = CriticalPath(of: self) { durations[$0] }.earliestStart
        func end(_ node: Int) -> Nanoseconds { times[node].addingSaturated(durations[node]) }
        var (node, path) = (start, [String]())
        while let last = predecessors[node].max(by: { end($0.index) < end($1.index) }) {
            node = last.index
            if durations[node] > 0 { path.append(self.id(node)) }
        }
        return (.nanoseconds(times[start]), path.reversed())
    }

    /// The interactive operations that an operation waits for, in the order they were added.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    package func interactions(before id: String) throws(GraphError) -> [String] {
        predecessors.reachable(from: try index(of: id)).filter { policy($0).isInteractive }.sorted().map { self.id($0) }
    }
}

extension ValidatedGraph {
    /// Pairs of interactive operations that can run at the same time: two would ask the person at once.
    ///
    /// In the order they were added. There can be as many as the square of the operations: see `overlappingInteractions(maximum:)`.
    package var overlappingInteractions: [(String, String)] { overlappingInteractions(maximum: .max).pairs }

    /// The first `maximum` pairs of interactive operations that can run at the same time, and how many pairs there are: two would ask the person at once.
    ///
    /// - Complexity: O(interactive operations · (operations + dependencies) / 512) time, and a few nanoseconds for each pair of interactive operations;
    ///   O(operations) memory besides the pairs.
    public func overlappingInteractions(maximum: Int) -> (pairs: [(String, String)], count: Int) {
        let interactive = (0..<count).filter { policy($0).isInteractive }
        var (pairs, found) = ([(String, String)](), 0)
        guard interactive.count > 1 else { return (pairs, found) }
        let resources = interactive.map { unshared($0) }
        // One bit says "this operation waits for that one, or that one for it"; 512 columns are looked at in two passes over the graph.
        for first in stride(from: 0, to: interactive.count - 1, by: Self.columns) {
            let block = interactive[first..<min(first + Self.columns, interactive.count)]
            let before = reached(from: block, order, along: predecessors)
            let after = reached(from: block, order.reversed(), along: successors)
            let related = interactive.map { before[$0] | after[$0] }
            for column in block.indices {
                let (word, bit) = ((column - first) >> 6, UInt64(1) << UInt64((column - first) & 63))
                // A range traps where its end comes before its beginning.
                for other in (column + 1)..<max(interactive.count, column + 1) where related[other][word] & bit == 0 {
                    guard resources[column].isEmpty || !resources[other].contains(where: resources[column].contains) else { continue }
                    found += 1
                    if pairs.count < maximum { pairs.append((id(interactive[column]), id(interactive[other]))) }
                }
            }
        }
        return (pairs, found)
    }

    private typealias Columns = SIMD8<UInt64>
    private static var columns: Int { 512 }

    /// For each operation, which of `sources`, one bit each, there is a way to along `neighbours`; operations come after theirs in `order`.
    private func reached(from sources: ArraySlice<Int>, _ order: some Sequence<Int>, along neighbours: AdjacencyList) -> [Columns] {
        var reached = [Columns](repeating: .zero, count: count)
        for (offset, node) in sources.enumerated() { reached[node][offset >> 6] |= 1 << UInt64(offset & 63) }
        for node in order {
            var columns = reached[node]
            for neighbour in neighbours[node] { columns |= reached[neighbour.index] }
            reached[node] = columns
        }
        return reached
    }
}
