import Sequencer

/// Where time runs to in a drawing, in the words of Graphviz and of Mermaid.
public enum DrawingDirection: String, CaseIterable, Sendable {
    /// From the left to the right.
    case leftToRight = "LR"
    /// From the top to the bottom.
    case topToBottom = "TB"
}

/// The facts about a graph, besides its operations, for drawings and files; each is computed once.
struct GraphFacts {
    private let graph: ValidatedGraph
    /// Whether an expected duration is known of any operation; without one, paths count operations.
    let hasExpectations: Bool
    let path: CriticalPath
    /// The operations of the longest path as drawings mark it: none without an expectation.
    let critical: Set<Int>
    /// The length of the longest chain before each operation.
    let levels: [Int]
    /// The direct dependencies of each operation, each once, in the order in which they were written.
    let dependencies: [[Int]]

    /// - Complexity: O(operations + dependencies).
    init(_ graph: ValidatedGraph) {
        (self.graph, path, levels) = (graph, graph.expectedPath, graph.depths)
        hasExpectations = graph.expectedDurations.contains { $0 > 0 }
        critical = hasExpectations ? Set(path.path) : []
        dependencies = (0..<graph.count).map { node in
            var seen: Set<Int> = []
            return graph.predecessors[node].map(\.index).filter { seen.insert($0).inserted }
        }
    }

    /// The dependencies as drawings have them: those of the longest path, and those that others imply or that wait for
    /// an event.
    ///
    /// - Complexity: that of `reduced()`.
    var edges: [(from: Int, to: Int, isCritical: Bool, isDashed: Bool)] {
        let implied = graph.impliedEdges
        let next = hasExpectations ? Dictionary(zip(path.path, path.path.dropFirst())) { first, _ in first } : [:]
        return dependencies.enumerated().flatMap { node, dependencies in
            dependencies.map { dependency in
                let edge = ValidatedGraph.Edge(graph.id(node), after: graph.id(dependency))
                let isDashed = graph.eventName(dependency) != nil || implied.contains(edge)
                return (from: dependency, to: node, isCritical: next[dependency] == node, isDashed: isDashed)
            }
        }
    }

    /// The expected duration, for people; nil when none is known.
    func expectedText(_ node: Int) -> String? { graph.policy(node).expected.map { durationText($0) } }

    /// The title; nil without one, and for an invisible one.
    func title(_ node: Int) -> String? {
        graph.policy(node).title.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
    }

    /// The name for people: the title, or else the identifier.
    func name(_ node: Int) -> String { title(node) ?? graph.id(node) }
}

/// The words whose condition holds, in their order.
func words(_ words: KeyValuePairs<String, Bool>) -> [String] { words.filter(\.value).map(\.key) }
