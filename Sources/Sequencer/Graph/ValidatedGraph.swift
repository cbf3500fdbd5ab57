import Synchronization

/// A graph that can run: identifiers are unique, every dependency exists, nothing waits for itself.
///
/// Made by ``OperationGraph/validated()`` in time linear in operations and dependencies. `SequencerAnalysis` asks it questions, each in one line of a test,
/// draws it and plans launches of it:
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
    public var graph: OperationGraph { parts.graph }

    /// The graph's steps.
    var nodes: [GraphNode] { parts.graph.nodes }
    /// Where each identifier is.
    var positions: IdentifierIndex { parts.positions }
    /// How many dependencies each operation has.
    package var degrees: [Int32] { parts.degrees }
    package var successors: AdjacencyList { parts.successors }
    package var predecessors: AdjacencyList { parts.predecessors }
    /// Every operation after those it waits for.
    package var order: [Int32] { parts.order }

    /// Where the Foundation operations are that exist already.
    var operationPositions: [Int] { parts.operationPositions }

    private let parts: Parts

    /// All there is, behind one reference: everything about a launch holds its graph.
    private final class Parts: Sendable {
        let graph: OperationGraph
        let positions: IdentifierIndex
        let edges: [GraphEdge]
        let degrees: [Int32]
        let successors: AdjacencyList
        let order: [Int32]
        let operationPositions: [Int]
        private let computedPredecessors = AtomicLazyReference<Boxed<AdjacencyList>>()
        private let computedDisplays = AtomicLazyReference<Boxed<Displays>>()

        /// Computed when they are first asked for: a launch never looks back.
        package var predecessors: AdjacencyList {
            if let known = computedPredecessors.load() { return known.value }
            let computed = AdjacencyList(count: graph.count, edges: edges, .predecessors)
            // Two threads may both compute it: the list that was stored first counts for both.
            return computedPredecessors.storeIfNil(Boxed(computed)).value
        }

        /// Looked for when it is first asked for.
        var displays: Displays {
            if let known = computedDisplays.load() { return known.value }
            return computedDisplays.storeIfNil(Boxed(Displays(graph))).value
        }

        init(
            _ graph: OperationGraph,
            _ positions: IdentifierIndex,
            _ edges: [GraphEdge],
            _ degrees: [Int32],
            _ successors: AdjacencyList,
            _ order: [Int32],
            _ operationPositions: [Int]
        ) {
            self.graph = graph
            self.positions = positions
            self.edges = edges
            self.degrees = degrees
            self.successors = successors
            self.order = order
            self.operationPositions = operationPositions
        }
    }

    /// - Parameters:
    ///   - edges: the dependencies, all of whose ends are known.
    ///   - order: every operation after those it waits for.
    init(
        graph: OperationGraph,
        positions: IdentifierIndex,
        edges: [GraphEdge],
        degrees: [Int32],
        successors: AdjacencyList,
        order: [Int32],
        operationPositions: [Int]
    ) {
        parts = Parts(graph, positions, edges, degrees, successors, order, operationPositions)
    }

    /// The positions of the steps that a person waits for.
    private struct Displays: Sendable {
        var initial: Int?
        var full: Int?

        init(_ graph: OperationGraph) {
            for (position, node) in graph.nodes.enumerated() {
                guard let policy = node.policy?.value else { continue }
                if policy.isInitialDisplay { initial = position }
                if policy.isMilestone { full = position }
            }
        }
    }

    /// The number of operations.
    package var count: Int { nodes.count }

    /// The graph's name.
    package var name: String { parts.graph.name }

    /// The identifiers of all operations, in the order they were added.
    package var identifiers: [String] { graph.identifiers }

    /// The step whose end stops the budget's clock, if one was marked.
    public var milestone: String? { milestoneIndex.map(id) }

    package var milestoneIndex: Int? { parts.displays.full }

    /// The step that shows the person the app for the first time, if one was marked.
    package var initialDisplay: String? { initialDisplayIndex.map(id) }

    package var initialDisplayIndex: Int? { parts.displays.initial }

    /// The steps whose ends are to come early, the first first: the initial display and the milestone.
    package var awaitedEnds: [Int] {
        let (first, last) = (initialDisplayIndex, milestoneIndex)
        // One step may be both.
        return (first == last ? [last] : [first, last]).compactMap { $0 }
    }

    package func id(_ index: Int) -> String { nodes[index].id }
    package func policy(_ index: Int) -> StepPolicy { nodes[index].policy?.value ?? StepPolicy.standard }

    /// The position of an operation; nil for an unknown identifier.
    package func position(of id: String) -> Int? { positions[id].map(Int.init) }

    package func index(of id: String) throws(GraphError) -> Int {
        if let position = positions[id] { return Int(position) }
        throw GraphError(graph: name, problems: [.unknownStep(id, nearest: nearestName(to: id, in: nodes.lazy.map(\.id)))])
    }

    /// How many operations may hold a resource at the same time.
    package func limit(of resource: ExclusiveResource) -> Int { parts.graph.resourceLimits[resource] ?? 1 }

    /// The resources of an operation that nobody else may hold meanwhile.
    package func unshared(_ index: Int) -> [ExclusiveResource] {
        let exclusive = policy(index).exclusive
        return parts.graph.resourceLimits.isEmpty ? exclusive : exclusive.filter { limit(of: $0) == 1 }
    }

    /// Whether an operation belongs on the main thread.
    package func isMain(_ index: Int) -> Bool { nodes[index].isMain }

    /// Whether an operation only joins others: it then ends when it is ready, without a lane.
    package func isJoin(_ index: Int) -> Bool {
        guard case .nothing = nodes[index].work else { return false }
        let policy = policy(index)
        return policy.condition == nil && policy.exclusive.isEmpty
    }

    /// The step that anybody's handle means.
    ///
    /// - Throws: a ``GraphError`` when another graph has made it, or this one does not have the step.
    func index(ofHandle step: Step<some Sendable>) throws(GraphError) -> Int {
        guard step.graph == graph.tag else {
            let message =
                "'\(printable(step.id))' is a step of another graph; ask with the handle that the graph '\(printable(name))' returned"
            throw GraphError(graph: name, problems: [GraphProblem(.unknownStep, message)])
        }
        return try index(of: step)
    }

    /// The step that a handle means: the one that was added under its identifier, or that took its place. The handle is one of this graph.
    func index(of step: Step<some Sendable>) throws(GraphError) -> Int {
        // It saves a lookup, and is wrong where steps were removed or replaced since.
        let hint = Int(step.index)
        if hint >= 0, hint < nodes.count, nodes[hint].id == step.id { return hint }
        if let position = graph.position(of: step.id, in: positions) { return Int(position) }
        // For its error, which names the nearest identifier.
        return try index(of: step.id)
    }

    /// The same graph without the dependencies that `isLeftOut` names; those whose values are read stay.
    package func leavingOut(_ isLeftOut: (_ node: Int, _ dependency: Int) -> Bool) -> ValidatedGraph {
        var reduced = graph
        // All names are resolved: the edges below go by position.
        reduced.names = []
        reduced.edges = []
        for node in 0..<count {
            let inputs = Set(policy(node).inputs.compactMap { graph.position(of: $0.id, in: positions) })
            // A dependency may have been said twice, `using:` and `after:`. One is kept: the one that needs the value.
            let needed = Set(predecessors[node].lazy.filter(\.needsValue).map(\.index))
            var seen = Set<Int>()
            for dependency in predecessors[node].lazy.map(\.index) where seen.insert(dependency).inserted {
                let edge = GraphEdge(node: Int32(node), target: Int32(dependency), needsValue: needed.contains(dependency))
                if inputs.contains(edge.target) || !isLeftOut(node, dependency) { reduced.edges.append(edge) }
            }
        }
        // Not validated once more: that would bring back the dependencies that Foundation operations have among themselves.
        return ValidatedGraph(
            graph: reduced,
            positions: positions,
            edges: reduced.edges,
            degrees: reduced.edges.degrees(count),
            successors: AdjacencyList(count: count, edges: reduced.edges, .successors),
            order: order,
            operationPositions: operationPositions
        )
    }
}
