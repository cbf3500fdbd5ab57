extension ValidatedGraph {
    /// The same graph, in which an operation that takes the first of several waits only for the one that is expected to
    /// be that: for paths, which do not count the others.
    package func withFirstRacers(_ duration: (Int) -> Nanoseconds) -> ValidatedGraph {
        var ends = [Nanoseconds](repeating: 0, count: count)
        return withRacers { node, racers in
            // One that is switched off does not succeed.
            let first = racers.filter { !policy($0).isSwitchedOff }.min { (ends[$0], $0) < (ends[$1], $1) }
            let awaited = predecessors[node].lazy.map(\.index).filter { $0 == first || !racers.contains($0) }
            ends[node] = (awaited.map { ends[$0] }.max() ?? 0).addingSaturated(duration(node))
            return [first].compactMap(\.self)
        }
    }

    /// The same graph, in which an operation that takes the first of several waits only for those that `awaited` names.
    ///
    /// - Parameter awaited: asked for each operation, after those before it.
    package func withRacers(_ awaited: (_ node: Int, _ racers: [Int]) -> [Int]) -> ValidatedGraph {
        if nodes.allSatisfy({ $0.policy?.value.racers == nil }) { return self }
        let edges = order.flatMap { node in
            let racers = racers(of: node), awaited = awaited(node, racers)
            return predecessors[node].filter { awaited.contains($0.index) || !racers.contains($0.index) }
                .map { GraphEdge(node: node, target: $0.index, needsValue: $0.needsValue) }
        }
        return ValidatedGraph(graph, edges, operationPositions: operationPositions)
    }

    /// The longest path from each operation's start to the end of the graph.
    package func remaining(duration: (Int) -> Nanoseconds) -> [Nanoseconds] {
        var remaining = [Nanoseconds](repeating: 0, count: count)
        for node in order.reversed() {
            var longest: Nanoseconds = 0
            for successor in successors[node] { longest = max(longest, remaining[successor.index]) }
            remaining[node] = longest.addingSaturated(duration(node))
        }
        return remaining
    }

    /// Which operations end before `last` does, or are it.
    package func leading(to last: Int) -> [Bool] {
        var isLeading = [Bool](repeating: false, count: count)
        isLeading[last] = true
        for node in order.reversed() where successors[node].contains(where: { isLeading[$0.index] }) {
            isLeading[node] = true
        }
        return isLeading
    }

    /// The order of operations where lanes or resources are scarce, by expected durations, or by the
    /// number of operations when nothing is expected of any.
    var urgency: Urgency {
        let weights = weights
        return Urgency(of: self) { weights?[$0] ?? 1 }
    }

    /// Ranks that follow a list of identifiers: the first has the highest, and operations that are not in the list have
    /// none.
    func ranks(inOrder identifiers: [String]) -> [Nanoseconds] {
        var ranks = [Nanoseconds](repeating: 0, count: count)
        for (place, id) in identifiers.enumerated() {
            // Of an identifier that is named twice the first place counts.
            guard let position = positions[id], ranks[position] == 0 else { continue }
            ranks[position] = Nanoseconds(identifiers.count - place)
        }
        return ranks
    }

    /// Expected durations; nil when nothing is expected of any operation.
    private var weights: [Nanoseconds]? {
        let expected = expectedDurations
        return expected.contains { $0 > 0 } ? expected : nil
    }

    /// What each operation adds to a path, in nanoseconds: its delay, and its expected duration; zero without either.
    package var expectedDurations: [Nanoseconds] {
        nodes.map { node in
            guard let policy = node.policy?.value, !policy.isSwitchedOff else { return 0 }
            return (policy.expected?.nanoseconds ?? 0).addingSaturated(policy.delay?.nanoseconds ?? 0)
        }
    }
}
