import Sequencer

extension ValidatedGraph {
    /// The graph as JSON: every operation with its options, its place, and its slack by expected durations.
    ///
    /// The format is `sequencer.graph/1`, described by `Schemas/graph.schema.json`. Durations are in milliseconds; operations come in the
    /// order they were added, the dependencies of each in the order they were written. Options that an operation does not have (a title, an
    /// expected duration, a timeout, a retry) have no key. The same graph always gives the same text; nothing can fail. The command line's `plan`, `graph`,
    /// `verify`, `bench` and `run` read it like a scenario, whose operations take as long as expected.
    ///
    /// ```swift
    /// print(try graph.validated().json(pretty: false))
    /// // {"schema":"sequencer.graph/1","scenario":"regular","milestone":"main-app","criticalPath":["splash","main-app"], ...
    /// ```
    ///
    /// - Parameter pretty: two spaces a level, or all in one line. Neither ends with a newline.
    /// - Complexity: that of `reduced()`.
    public func json(pretty: Bool = true) -> String {
        let facts = GraphFacts(self)
        let implied = impliedEdges
        // As in most graphs: then no edge has to be hashed.
        let edges = implied.isEmpty ? [] : (0..<count).flatMap { node in facts.dependencies[node].map { Edge(id(node), after: id($0)) } }
        let limits = heldLimits.map { (key: $0.0.name, value: JSONTree?.some(.number($0.1))) }
        let document: JSONTree = [
            "schema": "sequencer.graph/1", "scenario": .text(name), "milestone": facts.milestone.map { .text(id($0)) } ?? .null,
            "initialDisplay": initialDisplay.map { .text($0) }, "criticalPath": .texts(facts.path.path.map(id)),
            "criticalPathMs": .milliseconds(facts.hasExpectations ? .nanoseconds(facts.path.length) : .zero),
            "resources": limits.isEmpty ? nil : .object(limits), "operations": .array((0..<count).map { json($0, facts) }),
            "impliedEdges": .array(
                edges.filter(implied.contains).map { ["operation": .text($0.operation), "dependency": .text($0.dependency)] }
            ),
        ]
        return document.document(pretty: pretty)
    }

    /// The resources that several operations may hold at the same time, as far as any does, by name.
    private var heldLimits: [(ExclusiveResource, Int)] {
        if graph.resourceLimits.isEmpty { return [] }
        let held = Set((0..<count).flatMap { policy($0).exclusive })
        // Sorted: a set has another order in each process.
        return held.compactMap { resource in graph.resourceLimits[resource].map { (resource, $0) } }.sorted { $0.0.name < $1.0.name }
    }

    private func json(_ node: Int, _ facts: GraphFacts) -> JSONTree {
        let policy = policy(node)
        return [
            "id": .text(id(node)), "title": policy.title.map { .text($0) }, "after": .texts(facts.dependencies[node].lazy.map(id)),
            "on": facts.isMain(node) ? "main" : "background", "interactive": .flag(policy.isInteractive),
            "exclusive": .texts(policy.exclusive.lazy.map(\.name)), "expectedMs": policy.expected.map { .milliseconds($0) },
            "expectsOwnTime": policy.isInteractive && !policy.isExpectedOfPerson ? true : nil,
            "timeoutMs": policy.timeout.map { .milliseconds($0) },
            // With a fallback, the policy never takes effect.
            "onFailure": policy.hasFallback ? "fallback" : .text(policy.onFailure.name), "cuttable": policy.isCuttable ? true : nil,
            "deferrable": policy.isDeferrable ? true : nil,
            // The reader of a file cannot look into closures: what follows from these is said.
            "join": isJoin(node) ? true : nil, "keepsThread": keepsThread(node) ? true : nil,
            "retryAttempts": policy.retry.map { .number($0.attempts) }, "level": .number(facts.levels[node]),
            "slackMs": .milliseconds(facts.hasExpectations ? .nanoseconds(facts.path.slack(node)) : .zero),
            "critical": .flag(facts.isCritical[node]),
        ]
    }
}

/// The facts about a graph, besides its operations, for drawings and files; each is computed once.
struct GraphFacts {
    private let graph: ValidatedGraph
    let milestone: Int?
    let initialDisplay: Int?
    /// Whether an expected duration is known of any operation; without one, paths count operations.
    let hasExpectations: Bool
    let path: CriticalPath
    /// Whether an operation is one of the longest path.
    private(set) var isCritical: [Bool]
    /// The length of the longest chain before each operation.
    let levels: [Int]
    /// The direct dependencies of each operation, each once, in the order in which they were written.
    let dependencies: [[Int]]

    /// - Complexity: O(operations + dependencies).
    init(_ graph: ValidatedGraph) {
        self.graph = graph
        milestone = graph.milestoneIndex
        initialDisplay = graph.initialDisplayIndex
        hasExpectations = (0..<graph.count).contains { (graph.policy($0).expected?.nanoseconds ?? 0) > 0 }
        path = graph.expectedPath
        isCritical = [Bool](repeating: false, count: graph.count)
        for node in path.path { isCritical[node] = true }
        levels = CriticalPath(of: graph) { _ in 1 }.earliestStart.map(Int.init)
        // The last operation that each one was seen to be a dependency of.
        var dependent = [Int](repeating: -1, count: graph.count)
        dependencies = (0..<graph.count).map { node in
            var found: [Int] = []
            for neighbour in graph.predecessors[node] where dependent[neighbour.index] != node {
                dependent[neighbour.index] = node
                found.append(neighbour.index)
            }
            return found
        }
    }

    func isMain(_ node: Int) -> Bool { graph.isMain(node) }

    /// Whether it is the milestone or the initial display.
    func isDisplay(_ node: Int) -> Bool { node == milestone || node == initialDisplay }

    /// The expected duration, for people; nil when none is known.
    func expectedText(_ node: Int) -> String? { graph.policy(node).expected.map { durationText($0) } }

    /// The name for people; nil without one, and for an invisible one.
    func title(_ node: Int) -> String? {
        guard let title = graph.policy(node).title, title.contains(where: { !$0.isWhitespace }) else { return nil }
        return title
    }
}
