import Sequencer

extension ValidatedGraph {
    /// The graph as JSON: every operation with its options, its place, and its slack by expected durations.
    ///
    /// The format is `sequencer.graph/1`, described by `Schemas/graph.schema.json`. Durations are in milliseconds;
    /// operations come in the order they were added, the dependencies of each in the order they were written. Options
    /// that an operation does not have (a title, an expected duration, a timeout, a retry) have no key. The same graph
    /// always gives the same text; nothing can fail. The command line's `plan`, `graph`, `verify`, `bench` and `run`
    /// read it like a scenario, whose operations take as long as expected.
    ///
    /// ```swift
    /// print(try graph.validated().json(pretty: false))
    /// // {"schema":"sequencer.graph/1","scenario":"regular","milestone":"main-app","criticalPath":["splash","main-app"], ...
    /// ```
    ///
    /// - Parameter pretty: two spaces a level, or all in one line. Neither ends with a newline.
    /// - Complexity: that of `reduced()`.
    public func json(pretty: Bool = true) -> String {
        let facts = GraphFacts(self), implied = impliedEdges, critical = Set(facts.path.path)
        let over = Dictionary(uniqueKeysWithValues: heldOver.filter { !$0.steps.isEmpty }.map { ($0.taker, $0.steps) })
        // As in most graphs: then no edge has to be hashed.
        let edges = implied.isEmpty ? [] : (0..<count).flatMap { node in facts.dependencies[node].map { Edge(id(node), after: id($0)) } }
        // The resources that several operations may hold at the same time, as far as any does. Sorted: a set has
        // another order in each process.
        let held = graph.resourceLimits.isEmpty ? [] : Set((0..<count).flatMap { policy($0).exclusive }).sorted { $0.name < $1.name }
        let limits = held.compactMap { resource in
            graph.resourceLimits[resource].map { (key: resource.name, value: JSONTree?.some(.number($0))) }
        }
        let document: JSONTree = [
            "schema": "sequencer.graph/1", "scenario": .text(name), "milestone": milestoneIndex.map { .text(id($0)) } ?? .null,
            "initialDisplay": .text(initialDisplayIndex.map(id)), "criticalPath": .texts(facts.path.path.map(id)),
            "criticalPathMs": .milliseconds(.nanoseconds(facts.path.length)),
            "resources": limits.isEmpty ? nil : .object(limits),
            "operations": .array((0..<count).map { json($0, facts, critical, heldOver: over[$0]) }),
            "impliedEdges": .array(
                edges.filter(implied.contains).map { ["operation": .text($0.operation), "dependency": .text($0.dependency)] }
            ),
        ]
        return document.document(pretty: pretty)
    }

    private func json(_ node: Int, _ facts: GraphFacts, _ critical: Set<Int>, heldOver steps: [Int]?) -> JSONTree {
        let policy = policy(node)
        return [
            "id": .text(id(node)), "title": .text(policy.title), "after": .texts(facts.dependencies[node].lazy.map(id)),
            "on": isMain(node) ? "main" : "background", "interactive": .flag(policy.isInteractive),
            "exclusive": .texts(policy.exclusive.lazy.map(\.name)),
            "exclusiveOfProcess": policy.claims.isEmpty ? nil : .texts(policy.claims.sorted()),
            "expectedMs": .milliseconds(policy.expected),
            "expectsOwnTime": .mark(policy.isInteractive && !policy.isExpectedOfPerson),
            "timeoutMs": .milliseconds(policy.timeout), "delayMs": .milliseconds(policy.delay),
            // With a fallback, the policy never takes effect.
            "onFailure": policy.hasFallback ? "fallback" : .text(policy.onFailure.name), "cuttable": .mark(policy.isCuttable),
            "deferrable": .mark(policy.isDeferrable), "always": .mark(policy.isAlways),
            "cancellationShield": .mark(policy.isShielded),
            "firstOf": policy.racers.map { .texts($0) }, "heldOver": steps.flatMap { $0.isEmpty ? nil : .texts($0.map(id)) },
            // The reader of a file cannot look into closures: what follows from these is said.
            "join": .mark(isJoin(node)), "keepsThread": .mark(keepsThread(node)),
            "switchedOff": .mark(policy.isSwitchedOff),
            "retryAttempts": policy.retry.map { .number($0.attempts) }, "attemptTimeoutMs": .milliseconds(policy.retry?.timeout),
            "level": .number(facts.levels[node]),
            "slackMs": .milliseconds(.nanoseconds(facts.path.slack(node))),
            "critical": .flag(critical.contains(node)),
        ]
    }
}
