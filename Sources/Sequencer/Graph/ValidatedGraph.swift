import Synchronization

/// A graph that can run: identifiers are unique, every dependency exists, nothing waits for itself.
///
/// Made by ``OperationGraph/validated()`` in time linear in operations and dependencies. It answers questions about the graph, each in
/// one line of a test:
///
/// ```swift
/// let regular = try graph.validated()
/// #expect(regular.edges == ["tutorial after splash", "main-app after tutorial"])
/// #expect(try regular.canOverlap("splash", "force-update"))
/// #expect(regular.levels == [["splash", "force-update"], ["tutorial"], ["main-app"]])
/// ```
///
/// Questions about an identifier that is not in the graph throw a ``GraphError`` with the nearest valid one.
public struct ValidatedGraph: Sendable {
    /// The graph this was made of.
    public var graph: OperationGraph { parts.graph }

    /// Where each identifier is.
    var positions: IdentifierIndex { parts.positions }
    /// How many dependencies each operation has.
    var degrees: [Int32] { parts.degrees }
    var successors: AdjacencyList { parts.successors }
    var predecessors: AdjacencyList { parts.predecessors }
    /// Every operation after those it waits for.
    var order: [Int32] { parts.order }

    private let parts: Parts

    /// All there is, behind one reference: everything about a launch holds its graph.
    private final class Parts: Sendable {
        let graph: OperationGraph
        let positions: IdentifierIndex
        let edges: [GraphEdge]
        let degrees: [Int32]
        let successors: AdjacencyList
        let order: [Int32]
        private let computedPredecessors = AtomicLazyReference<Boxed<AdjacencyList>>()

        /// Computed when they are first asked for: a launch never looks back.
        var predecessors: AdjacencyList {
            if let known = computedPredecessors.load() { return known.value }
            let computed = AdjacencyList(count: graph.count, edges: edges, .predecessors)
            return computedPredecessors.storeIfNil(Boxed(computed)).value
        }

        init(
            _ graph: OperationGraph,
            _ positions: IdentifierIndex,
            _ edges: [GraphEdge],
            _ degrees: [Int32],
            _ successors: AdjacencyList,
            _ order: [Int32]
        ) {
            self.graph = graph
            self.positions = positions
            self.edges = edges
            self.degrees = degrees
            self.successors = successors
            self.order = order
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
        order: [Int32]
    ) {
        parts = Parts(graph, positions, edges, degrees, successors, order)
    }

    /// The number of operations.
    public var count: Int { graph.count }

    /// The graph's name.
    public var name: String { graph.name }

    /// The identifiers of all operations, in the order they were added.
    public var identifiers: [String] { graph.identifiers }

    /// The step whose end stops the budget's clock, if one was marked.
    public var milestone: String? { milestoneIndex.map(id) }

    var milestoneIndex: Int? {
        graph.nodes.firstIndex { $0.policy?.value.isMilestone == true }
    }

    func id(_ index: Int) -> String { graph.nodes[index].id }
    func policy(_ index: Int) -> StepPolicy { graph.nodes[index].policy?.value ?? StepPolicy.standard }

    func index(of id: String) throws(GraphError) -> Int {
        if let position = positions[id] { return Int(position) }
        throw GraphError(graph: name, problems: [.unknownStep(id, nearest: nearestName(to: id, in: graph.nodes.lazy.map(\.id)))])
    }

    /// The step that a handle means: the one that was added under its identifier, or that took its place.
    func index(of step: Step<some Sendable>) throws(GraphError) -> Int {
        let hint = Int(step.index)
        if hint >= 0, hint < graph.nodes.count, graph.nodes[hint].id == step.id { return hint }
        if let position = graph.position(of: step.id, in: positions) { return Int(position) }
        return try index(of: step.id)
    }
}
