/// A launch as a value: operations, what each waits for, and what happens when one does not succeed.
///
/// A graph holds no thread and no clock, and adding to it never fails: ``validated()`` finds the mistakes, and describes each in one
/// sentence, and running validates first. Copies are independent. A handle holds for the graph that returned it and for all copies of that:
/// if two copies each add a step of one identifier, the handle of either is taken for both. A graph whose steps are closures can be run any
/// number of times, once at a time unless ``LaunchOptions/admission`` allows more; one that holds `Operation` instances runs once, for an
/// `Operation` does.
///
/// ```swift
/// var graph = OperationGraph("first-launch")
/// let splash = graph.add("splash", on: .main) { await presenter.showSplash() }
/// let config = graph.add("fetch-config", after: splash) { try await api.configuration() }
/// graph.add("main-app", .milestone, using: config, on: .main) { config in await presenter.showMain(config) }
/// ```
public struct OperationGraph: Sendable {
    /// The graph's name: the scenario's, in reports and drawings.
    public var name: String

    var nodes: [GraphNode] = []
    var edges: [GraphEdge] = []
    /// The steps that edges name before, or without, a step of that name: an edge's target `t < 0` is `names[-1 - t]`.
    var names: [Name] = []
    /// Identifies the handles of this graph and of its copies.
    @usableFromInline
    let tag = GraphTag.next()
    /// The dependencies of the step that is being added; empty otherwise, and kept for its memory.
    private var named = DependencyList()
    /// Identifiers whose steps were replaced, each with the identifier of the step that took the place.
    private var replacements: [String: String] = [:]

    /// A step that an edge names.
    struct Name: Sendable {
        let id: String
        /// It was named by a handle of another graph, and means no step of this one.
        var isForeign = false
    }

    /// Whether steps were added to the prologue; there may be none any more.
    var hasPrologue = false
    /// Sentences for the report of a launch that does not complete; see ``noteEarlyEnd(_:)``.
    var earlyEndNotes: (@Sendable () -> [String])?
    /// The state that its launches share with those of other graphs; see ``sharesState(at:)``.
    var place: String?
    /// Asked when the launch has failed; see ``takeOverFailures(within:_:)``.
    var failureTakeover: (limit: Duration, body: @Sendable (StepContext) async -> Bool)?

    /// For steps that are asked for by identifier while the graph is being made.
    private var positions = StepPositions()

    /// The resources that several operations may hold at the same time, each with how many.
    package private(set) var resourceLimits: [ExclusiveResource: Int] = [:]

    /// An empty graph: legal, and complete at once when run.
    public init(_ name: String) {
        self.name = name
    }

    /// The number of operations.
    package var count: Int { nodes.count }

    /// Lets up to `count` operations hold a resource at the same time, rather than one.
    ///
    /// ```swift
    /// graph.limit("network", to: 2)
    /// graph.add("fetch-images", .exclusive("network")) { try await api.images() }
    /// ```
    ///
    /// - Parameter count: 1 to 1,024; another number is a problem that ``validated()`` finds.
    public mutating func limit(_ resource: ExclusiveResource, to count: Int) {
        // One is the rule: left out, so that an empty dictionary says at once that no resource is shared.
        resourceLimits[resource] = count == 1 ? nil : count
    }

    /// Expects each of these steps to take this long, not counting persons; others as before.
    package mutating func expect(_ durations: [String: Duration]) {
        guard !durations.isEmpty else { return }
        for index in nodes.indices {
            guard let duration = durations[nodes[index].id] else { continue }
            var policy = nodes[index].policy?.value ?? .standard
            policy.expected = duration
            // Measured durations leave the person out where a step says when it asks.
            policy.expectsOwnTime = policy.saysWhenItAsks
            nodes[index].set(policy)
        }
    }

    /// Where a step is.
    ///
    /// - Throws: a ``GraphError`` when the graph has no such step.
    mutating func position(of id: String) throws(GraphError) -> Int {
        if let position = positions.position(of: id, in: nodes) { return position }
        throw GraphError(graph: name, problems: [.unknownStep(id, nearest: nearestName(to: id, in: nodes.lazy.map(\.id)))])
    }

    /// The handle of a step that is in the graph already, by its identifier: to read the value of a step that other code has added.
    ///
    /// ```swift
    /// var graph = environment.graph(scenario)
    /// let configuration = try graph.step("fetch-config", of: Configuration.self)
    /// graph.add("prefetch", using: configuration) { configuration in await images.prefetch(configuration) }
    /// ```
    ///
    /// - Parameter type: the type of the step's value.
    /// - Throws: a ``GraphError`` when the graph has no such step, with the nearest identifier, or one that produces another type.
    public mutating func step<Value: Sendable>(_ id: String, of type: Value.Type = Void.self) throws(GraphError) -> Step<Value> {
        let position = try position(of: id)
        let produced = nodes[position].valueType
        guard produced == type else {
            let complaint = "\(printable(id)) produces \(produced), and not \(type)"
            throw GraphError(graph: name, problems: [GraphProblem(.valueType, positions: [position], complaint)])
        }
        return Step(id: id, index: Int32(position), graph: tag)
    }

    /// The identifiers of all operations, in the order they were added.
    public var identifiers: [String] { nodes.map(\.id) }

    /// Makes room for `count` operations, for graphs whose size is known.
    public mutating func reserveCapacity(_ count: Int) {
        nodes.reserveCapacity(count)
        edges.reserveCapacity(count)
    }

    /// Lets `step` start only after `dependency`, in addition to the dependencies that it was added with.
    ///
    /// Unlike the dependencies named when a step is added, these can close a cycle; ``validated()`` finds it.
    public mutating func addDependency(_ dependency: some StepReference, to step: some StepReference) {
        var dependents = DependencyList()
        step.add(to: &dependents)
        var list = DependencyList()
        dependency.add(to: &list)
        for dependent in dependents.references {
            let node = target(for: dependent)
            for reference in list.references {
                edges.append(GraphEdge(node: node, target: target(for: reference), needsValue: false))
            }
        }
    }

    /// Removes a step. Its dependents take over its dependencies.
    ///
    /// A step that reads its value cannot do without: such a graph is not valid until a step of that identifier is added again.
    ///
    /// - Returns: whether there was a step of that identifier.
    /// - Complexity: O(operations + dependencies) for each call. To leave out many steps of a large graph, do not add them.
    @discardableResult
    public mutating func remove(_ id: String) -> Bool {
        let index = resolveNames()
        guard let removed = index[id] else { return false }
        // Without edges to itself, which only validation refuses.
        let inherited = edges.filter { $0.node == removed && $0.target != removed }
        var kept: [GraphEdge] = []
        for edge in edges where edge.node != removed {
            if edge.target == removed {
                for parent in inherited { kept.append(GraphEdge(node: edge.node, target: parent.target, needsValue: false)) }
                guard reads(edge, in: index) else { continue }
                // By name from now on: a step of that identifier may be added again.
                names.append(Name(id: id))
                kept.append(GraphEdge(node: edge.node, target: -Int32(names.count), needsValue: edge.needsValue))
            } else {
                kept.append(edge)
            }
        }
        edges = kept
        deleteNode(removed)
        return true
    }

    /// Puts the step `new`, already added, in the place of the step `old`: `new` gets its dependencies and dependents, and `old` is
    /// removed.
    ///
    /// From then on the handle and the identifier of `old`, where they name a dependency or a value to read, mean `new`. It has to produce a
    /// value of the same type where one is read; ``validated()`` checks that.
    ///
    /// - Throws: a ``GraphError`` when one of them is not in the graph.
    /// - Complexity: O(operations + dependencies) for each call.
    public mutating func replace(_ old: String, with new: String) throws(GraphError) {
        let (from, to) = (Int32(try position(of: old)), Int32(try position(of: new)))
        // Below, `from` is deleted: here that would be the new step.
        if from == to { return }
        // The loop sees only indices, so dependencies by name become indices first.
        _ = resolveNames()
        for index in edges.indices {
            if edges[index].node == from { edges[index].node = to }
            if edges[index].target == from { edges[index].target = to }
        }
        // One that reads the value of the step whose place it takes would wait for itself: validation says so.
        edges.removeAll { $0.node == $0.target && $0.node == to && !$0.needsValue }
        // No circle of names can come of this: `new` is in the graph, so nothing takes its place.
        replacements[old] = new
        replacements[new] = nil
        deleteNode(from)
    }
}

extension OperationGraph {
    /// Adds a step; every public way to add one ends here.
    ///
    /// - Returns: where it is.
    @discardableResult
    @usableFromInline
    mutating func insert(
        _ id: consuming String,
        options: [StepOption],
        inputs: DependencyList,
        dependencies: [any StepReference],
        inputTypes: [Any.Type] = [],
        fallback: Boxed<StepFallback>? = nil,
        valueType: any Sendable.Type,
        work: consuming StepWork
    ) -> Int32 {
        let node = Int32(nodes.count)
        for reference in inputs.references { connect(node, to: reference) }
        for place in dependencies.indices { dependencies[place].add(to: &named) }
        for place in named.references.indices { connect(node, to: named.references[place]) }
        if named.references.count > 64 {
            // The memory is given back after a step with very many dependencies.
            named = DependencyList()
        } else {
            // One by one: for the few that there are, that is much cheaper than `removeAll(keepingCapacity:)`.
            while !named.references.isEmpty { named.references.removeLast() }
        }
        nodes.append(GraphNode(id: id, work: work, valueType: valueType))
        if !options.isEmpty || fallback != nil || !inputTypes.isEmpty {
            var policy = StepPolicy()
            for option in options { option.apply(&policy) }
            policy.fallback = fallback?.value
            let condition = policy.conditionInputs
            for reference in condition.list.references { connect(node, to: reference) }
            // A handle of another graph is an unknown dependency, whose type is not compared with any.
            for (reference, type) in zip(inputs.references + condition.list.references, inputTypes + condition.types)
            where !isForeign(reference) {
                policy.inputs.append((id: reference.id, type: type))
            }
            nodes[Int(node)].set(policy)
        }
        return node
    }

    private mutating func connect(_ node: Int32, to reference: DependencyList.Reference) {
        edges.append(GraphEdge(node: node, target: target(for: reference), needsValue: reference.needsValue))
    }

    /// The step a reference means, or a place in `names` for one that is not (yet) known by its index.
    private mutating func target(for reference: DependencyList.Reference) -> Int32 {
        let index = Int(reference.index)
        let isForeign = isForeign(reference)
        // The position is a hint: since the handle was made, steps may have been removed.
        if index >= 0, index < nodes.count, !isForeign, nodes[index].id == reference.id { return reference.index }
        names.append(Name(id: reference.id, isForeign: isForeign))
        return -Int32(names.count)
    }

    /// Whether a handle of another graph was given, and not of a copy of this one.
    private func isForeign(_ reference: DependencyList.Reference) -> Bool {
        reference.graph != tag && reference.graph != .any
    }

    /// Where the step is that an edge names, or the one that took its place, given where each identifier is.
    func position(of name: Name, in index: IdentifierIndex) -> Int32? {
        name.isForeign ? nil : position(of: name.id, in: index)
    }

    /// Where the step of that identifier is, or the one that took its place, given where each identifier is.
    func position(of name: String, in index: IdentifierIndex) -> Int32? {
        var name = name
        while true {
            if let position = index[name] { return position }
            guard let replacement = replacements[name] else { return nil }
            // This comes to an end: `replace` lets no two steps stand for each other.
            name = replacement
        }
    }

    /// Whether the step at the end of `edge` reads the value of the one at its beginning.
    func reads(_ edge: GraphEdge, in index: IdentifierIndex) -> Bool {
        if edge.needsValue { return true }
        guard edge.node >= 0, let inputs = nodes[Int(edge.node)].policy?.value.inputs else { return false }
        return inputs.contains { position(of: $0.id, in: index) == edge.target }
    }

    /// Replaces names by indices where a step of that name exists.
    ///
    /// - Returns: where each identifier is, the first time it was used.
    mutating func resolveNames() -> IdentifierIndex {
        let index = IdentifierIndex(nodes)
        guard !names.isEmpty else { return index }
        for place in edges.indices {
            if edges[place].target < 0, let found = position(of: names[Int(-1 - edges[place].target)], in: index) {
                edges[place].target = found
            }
            if edges[place].node < 0, let found = position(of: names[Int(-1 - edges[place].node)], in: index) { edges[place].node = found }
        }
        return index
    }

    private mutating func deleteNode(_ removed: Int32) {
        nodes.remove(at: Int(removed))
        for index in edges.indices {
            if edges[index].node > removed { edges[index].node -= 1 }
            if edges[index].target > removed { edges[index].target -= 1 }
        }
    }
}
