extension ValidatedGraph {
    /// The same graph, in which an operation that takes the first of several waits only for the one that is expected to be
    /// that: for paths, which do not count the others.
    package func withFirstRacers(_ duration: (Int) -> Nanoseconds) -> ValidatedGraph {
        if nodes.allSatisfy({ $0.policy?.value.racers == nil }) { return self }
        var (ends, edges) = ([Nanoseconds](repeating: 0, count: count), [GraphEdge]())
        for node in order {
            let racers = racers(of: node)
            // A step that is switched off does not succeed.
            let first = racers.filter { !policy($0).isSwitchedOff }.min { (ends[$0], $0) < (ends[$1], $1) }
            let awaited = predecessors[node].filter { $0.index == first || !racers.contains($0.index) }
            ends[node] = (awaited.map { ends[$0.index] }.max() ?? 0).addingSaturated(duration(node))
            edges += awaited.map { GraphEdge(node: node, target: $0.index, needsValue: $0.needsValue) }
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
        let isKnown = nodes.contains { ($0.policy?.value.expected).map { $0 > .zero } ?? false }
        return isKnown ? expectedDurations : nil
    }

    /// The expected duration of each operation, in nanoseconds; zero without one.
    package var expectedDurations: [Nanoseconds] { nodes.map { $0.policy?.value.expected?.nanoseconds ?? 0 } }
}
