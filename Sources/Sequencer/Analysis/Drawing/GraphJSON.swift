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
        return JSONWriter.object(pretty: pretty) { json in
            json.write("sequencer.graph/1", for: "schema")
            json.write(name, for: "scenario")
            if let milestone = facts.milestone { json.write(id(milestone), for: "milestone") } else { json.writeNull(for: "milestone") }
            if let initialDisplay { json.write(initialDisplay, for: "initialDisplay") }
            json.write(facts.path.path.map(id), for: "criticalPath")
            json.write(milliseconds: facts.hasExpectations ? .nanoseconds(facts.path.length) : .zero, for: "criticalPathMs")
            let limits = heldLimits
            if !limits.isEmpty {
                json.writeObject(for: "resources") { json in
                    for (resource, limit) in limits { json.write(limit, for: resource.name) }
                }
            }
            json.writeArray(for: "operations") { json in
                for node in 0..<count { write(node, facts, to: &json) }
            }
            json.writeArray(for: "impliedEdges") { json in
                // As in most graphs: then no edge has to be hashed.
                guard !implied.isEmpty else { return }
                for node in 0..<count {
                    for dependency in facts.dependencies[node] where implied.contains(Edge(id(node), after: id(dependency))) {
                        json.writeObject { json in
                            json.write(id(node), for: "operation")
                            json.write(id(dependency), for: "dependency")
                        }
                    }
                }
            }
        }
    }

    /// The resources that several operations may hold at the same time, as far as any does, by name.
    private var heldLimits: [(ExclusiveResource, Int)] {
        if graph.resourceLimits.isEmpty { return [] }
        let held = Set((0..<count).flatMap { policy($0).exclusive })
        // Sorted: a set has another order in each process.
        return held.compactMap { resource in graph.resourceLimits[resource].map { (resource, $0) } }.sorted { $0.0.name < $1.0.name }
    }

    private func write(_ node: Int, _ facts: GraphFacts, to json: inout JSONWriter) {
        let policy = policy(node)
        json.writeObject { json in
            json.write(id(node), for: "id")
            if let title = policy.title { json.write(title, for: "title") }
            json.write(facts.dependencies[node].lazy.map(id), for: "after")
            json.write(facts.isMain(node) ? "main" : "background", for: "on")
            json.write(policy.isInteractive, for: "interactive")
            json.write(policy.exclusive.lazy.map(\.name), for: "exclusive")
            if let expected = policy.expected { json.write(milliseconds: expected, for: "expectedMs") }
            if policy.isInteractive, !policy.isExpectedOfPerson { json.write(true, for: "expectsOwnTime") }
            if let timeout = policy.timeout { json.write(milliseconds: timeout, for: "timeoutMs") }
            // With a fallback, the policy never takes effect.
            json.write(policy.hasFallback ? "fallback" : policy.onFailure.name, for: "onFailure")
            if policy.isCuttable { json.write(true, for: "cuttable") }
            if policy.isDeferrable { json.write(true, for: "deferrable") }
            // The reader of a file cannot look into closures: what follows from these is said.
            if isJoin(node) { json.write(true, for: "join") }
            if keepsThread(node) { json.write(true, for: "keepsThread") }
            if let retry = policy.retry { json.write(retry.attempts, for: "retryAttempts") }
            json.write(facts.levels[node], for: "level")
            json.write(milliseconds: facts.hasExpectations ? .nanoseconds(facts.path.slack(node)) : .zero, for: "slackMs")
            json.write(facts.isCritical[node], for: "critical")
        }
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
