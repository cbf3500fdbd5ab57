@testable import Sequencer
@testable import SequencerAnalysis

/// What a random graph's answers should be, by definition and without any cleverness.
struct GraphModel {
    let random: RandomGraph
    /// For each operation all that it waits for, directly or not, as a row of flags.
    let ancestors: [[Bool]]

    init(_ random: RandomGraph) {
        self.random = random
        var ancestors: [[Bool]] = []
        for (_, dependencies) in random.edges {
            var row = [Bool](repeating: false, count: random.count)
            for dependency in dependencies {
                row[dependency] = true
                for earlier in 0..<dependency where ancestors[dependency][earlier] { row[earlier] = true }
            }
            ancestors.append(row)
        }
        self.ancestors = ancestors
    }

    var edges: Set<ValidatedGraph.Edge> {
        Set(random.edges.flatMap { node, dependencies in dependencies.map { edge(node, $0) } })
    }

    /// The dependencies on an operation that another dependency waits for.
    var impliedEdges: Set<ValidatedGraph.Edge> {
        var implied = Set<ValidatedGraph.Edge>()
        for (node, dependencies) in random.edges {
            for dependency in dependencies where dependencies.contains(where: { ancestors[$0][dependency] }) {
                implied.insert(edge(node, dependency))
            }
        }
        return implied
    }

    /// For each operation the length of the longest chain before it.
    var depths: [Int] {
        random.edges.reduce(into: []) { depths, edge in depths.append(edge.1.reduce(0) { max($0, depths[$1] + 1) }) }
    }

    /// For each operation the length of the longest path that goes through it.
    var longestPathThrough: [Duration] {
        var before = [Duration](repeating: .zero, count: random.count)
        var after = before
        for (node, dependencies) in random.edges {
            for dependency in dependencies { before[node] = max(before[node], before[dependency] + random.durations[dependency]) }
        }
        for (node, dependencies) in random.edges.reversed() {
            for dependency in dependencies { after[dependency] = max(after[dependency], after[node] + random.durations[node]) }
        }
        return (0..<random.count).map { before[$0] + random.durations[$0] + after[$0] }
    }

    func ids(_ row: [Bool]) -> Set<String> { Set(row.indices.filter { row[$0] }.map(random.id)) }

    func descendants(of operation: Int) -> Set<String> { Set((0..<random.count).filter { ancestors[$0][operation] }.map(random.id)) }

    private func edge(_ node: Int, _ dependency: Int) -> ValidatedGraph.Edge { .init(random.id(node), after: random.id(dependency)) }
}
