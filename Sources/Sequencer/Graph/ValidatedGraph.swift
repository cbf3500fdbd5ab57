/// A graph that can run: identifiers are unique, every dependency exists, nothing waits for itself.
///
/// Made by ``OperationGraph/validated()`` in time linear in operations and dependencies. `SequencerAnalysis` asks it
/// questions, each in one line of a test, draws it and plans launches of it:
///
/// ```swift
/// let regular = try graph.validated()
/// #expect(regular.edges == ["tutorial after splash", "main-app after tutorial"])
/// #expect(try regular.canOverlap("splash", "force-update"))
/// #expect(regular.levels == [["splash", "force-update"], ["tutorial"], ["main-app"]])
/// ```
///
/// A question about an identifier that is not in the graph throws a ``GraphError`` with the nearest valid one.
public struct ValidatedGraph: Sendable {
    /// The graph this was made of.
    public let graph: OperationGraph
    package let predecessors: AdjacencyList
    package let successors: AdjacencyList
    /// Every operation after those it waits for.
    package let order: [Int]
    /// Where the Foundation operations are that exist already.
    let operationPositions: [Int]
    package let milestoneIndex: Int?
    package let initialDisplayIndex: Int?

    /// - Parameter edges: the dependencies; where they have a circle, its operations are in no order.
    init(_ graph: OperationGraph, _ edges: [GraphEdge], operationPositions: [Int]) {
        var graph = graph
        // Without work a step takes no time, regardless of its expected duration.
        for (node, step) in graph.nodes.enumerated() where !step.hasWork && step.policy?.value.expected ?? .zero > .zero {
            graph.setPolicy(of: node) { $0.expected = .zero }
        }
        let predecessors = AdjacencyList(count: graph.count, edges: edges)
        let successors = AdjacencyList(count: graph.count, edges: edges, forwards: true)
        milestoneIndex = graph.nodes.lastIndex { $0.policy?.value.isMilestone == true }
        initialDisplayIndex = graph.nodes.lastIndex { $0.policy?.value.isInitialDisplay == true }
        // Kahn's algorithm (A. B. Kahn, "Topological sorting of large networks", 1962); operations that come first were
        // added first.
        var waiting = (0..<graph.count).map { predecessors[$0].count }
        var order = waiting.indices.filter { waiting[$0] == 0 }
        // The order is its own queue: taking from its front would move all others.
        var next = 0
        while next < order.count {
            for successor in successors[order[next]] {
                waiting[successor.index] -= 1
                if waiting[successor.index] == 0 { order.append(successor.index) }
            }
            next += 1
        }
        (self.graph, self.operationPositions) = (graph, operationPositions)
        (self.predecessors, self.successors, self.order) = (predecessors, successors, order)
    }

    /// The graph's steps.
    var nodes: [GraphNode] { graph.nodes }
    /// Where each identifier is.
    var positions: [String: Int] { graph.positions }
    /// How many dependencies each operation has.
    var degrees: [Int32] { (0..<count).map { Int32(predecessors[$0].count) } }

    /// The number of operations.
    package var count: Int { nodes.count }

    /// The graph's name.
    package var name: String { graph.name }

    /// The step whose end stops the budget's clock, if one was marked.
    public var milestone: String? { milestoneIndex.map(id) }

    /// The step that shows the user the app for the first time, if one was marked.
    var initialDisplay: String? { initialDisplayIndex.map(id) }

    /// The steps whose ends should come early, the first first: the initial display and the milestone.
    package var awaitedEnds: [Int] {
        let (first, last) = (initialDisplayIndex, milestoneIndex)
        // A step may be both.
        return (first == last ? [last] : [first, last]).compactMap { $0 }
    }

    package func id(_ index: Int) -> String { nodes[index].id }
    package func policy(_ index: Int) -> StepPolicy { nodes[index].policy?.value ?? StepPolicy.standard }

    /// The position of an operation; nil for an unknown identifier.
    package func position(of id: String) -> Int? { positions[id] }

    package func index(of id: String) throws(GraphError) -> Int { try graph.position(of: id) }

    /// How many operations may hold a resource at the same time.
    func limit(of resource: ExclusiveResource) -> Int { graph.resourceLimits[resource] ?? 1 }

    /// Whether an operation belongs on the main thread.
    package func isMain(_ index: Int) -> Bool { nodes[index].isMain }

    /// Whether an operation does anything but join others; otherwise it takes no time, regardless of its expected
    /// duration.
    package func hasWork(_ index: Int) -> Bool { nodes[index].hasWork }

    /// Whether an operation only joins others: it then ends when it is ready, without a lane.
    package func isJoin(_ index: Int) -> Bool {
        if hasWork(index) { return false }
        let policy = policy(index)
        return !policy.isConditional && policy.exclusive.isEmpty
    }

    /// For each condition of an operation, those whose values it reads, where the operation waits for others as well:
    /// it is asked as soon as these have ended, and the operation may be skipped before the others have. Nil for a
    /// condition that is asked when the operation could start; empty where that is so of all.
    package func deciders(of index: Int) -> [Set<Int>?] {
        let policy = policy(index)
        guard policy.isConditional, policy.skipReason == nil, !isInPrologue(index) else { return [] }
        let deciders = policy.conditions.map { condition -> Set<Int>? in
            let deciders = Set(condition.inputs.compactMap { graph.target(of: $0.reference) })
            // Nothing of the app's begins within the prologue.
            if deciders.isEmpty || deciders.contains(where: isInPrologue) { return nil }
            return predecessors[index].contains { !deciders.contains($0.index) } ? deciders : nil
        }
        return deciders.contains { $0 != nil } ? deciders : []
    }

    /// The operations that compete to be its first; none without such a choice.
    package func racers(of index: Int) -> [Int] { policy(index).racers?.compactMap { graph.target(of: $0) } ?? [] }

    /// The step that a handle means: the one that was added under its identifier, or that took its place.
    ///
    /// - Throws: a ``GraphError`` when another graph has made it, or this one does not have the step.
    func index(ofHandle step: Step<some Sendable>) throws(GraphError) -> Int {
        guard step.graph == graph.tag else {
            let message =
                "'\(printable(step.id))' is a step of another graph; ask with the handle that the graph '\(printable(name))' returned"
            throw GraphError(graph: name, problems: [GraphProblem(.unknownStep, message)])
        }
        if let position = graph.target(of: step.id) { return position }
        // For its error, which names the nearest identifier.
        return try index(of: step.id)
    }

    /// The same graph without the dependencies that `isLeftOut` names; those whose values are read stay.
    package func leavingOut(_ isLeftOut: (_ node: Int, _ dependency: Int) -> Bool) -> ValidatedGraph {
        var reduced = graph
        var edges: [GraphEdge] = []
        for node in 0..<count {
            let inputs = Set(policy(node).inputs.compactMap { graph.target(of: $0.reference.id) })
            // A dependency may be given twice, `using:` and `after:`. The one that needs the value is kept.
            let needed = Set(predecessors[node].lazy.filter(\.needsValue).map(\.index))
            var seen = Set<Int>()
            for dependency in predecessors[node].lazy.map(\.index) where seen.insert(dependency).inserted {
                if !inputs.contains(dependency), isLeftOut(node, dependency) { continue }
                edges.append(GraphEdge(node: node, target: dependency, needsValue: needed.contains(dependency)))
            }
        }
        reduced.dependencies.edges = edges.map { edge in
            NamedEdge(node: edge.node, dependency: NamedDependency(id: id(edge.target), needsValue: edge.needsValue))
        }
        // Not validated once more: that would bring back the dependencies that Foundation operations have among
        // themselves.
        return ValidatedGraph(reduced, edges, operationPositions: operationPositions)
    }
}
