/// A launch as a value: operations, what each waits for, and what happens when one does not succeed.
///
/// A graph holds no thread and no clock, and adding to it never fails: ``validated()`` finds the mistakes, and
/// describes each in one sentence, and running validates first. Copies are independent. A handle holds for the graph
/// that returned it and for all copies of that: if two copies each add a step of one identifier, the handle of either
/// is taken for both. A graph whose steps are closures can be run any number of times, once at a time unless
/// ``LaunchOptions/admission`` allows more; one that holds `Operation` instances runs once, for an `Operation` does.
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
    /// Where each identifier is; of several steps with one identifier the first counts.
    private(set) var positions: [String: Int] = [:]
    /// The dependencies of each step, in the order in which they were written.
    var dependencies = DependencyList()
    /// Dependencies of steps that were not in the graph when these were added.
    var strays: [(step: NamedDependency, dependency: NamedDependency)] = []
    /// Identifies the handles of this graph and of its copies.
    @usableFromInline
    let tag = graphCount.withLock { count in
        count = count == .max ? noGraph + 1 : count + 1
        return count
    }
    /// Identifiers whose steps were replaced, each with the identifier of the step that took the place.
    private var replacements: [String: String] = [:]

    /// Sentences for the report of a launch that does not complete: each is a note of the operation that has ended it,
    /// or of the milestone when the launch was cancelled.
    ///
    /// Few, and without secrets. Asked at the end of such a launch, under its lock: they may take only a private lock.
    package var earlyEndNotes: (@Sendable () -> [String])?
    /// The stored state that its launches share with those of other graphs: one at a time runs over it, and one
    /// completes in a process, unless ``LaunchOptions/admission`` says otherwise.
    package var place: String?
    /// Asked when the launch has failed before its milestone, and before the app's ``LaunchOptions/failureTakeover``,
    /// which is called only where this returns false: that the screen is not taken. It gets the context of the
    /// operation that has ended the launch, which waits for it up to `limit`, but not past its deadline.
    package var failureTakeover: (limit: Duration, body: @Sendable (StepContext) async -> Bool)?

    /// The resources that several operations may hold at the same time, each with how many.
    package private(set) var resourceLimits: [ExclusiveResource: Int] = [:]

    /// An empty graph: legal, and complete at once when run.
    public init(_ name: String) { self.name = name }

    /// The number of operations.
    var count: Int { nodes.count }

    /// Lets up to `count` operations hold a resource at the same time, rather than one.
    ///
    /// ```swift
    /// graph.limit("network", to: 2)
    /// graph.add("fetch-images", .exclusive("network")) { try await api.images() }
    /// ```
    ///
    /// - Parameter count: 1 to 1,024; another number is a problem that ``validated()`` finds. So is a limit for a
    ///     resource of the process (``ExclusiveResource/ofProcess``).
    public mutating func limit(_ resource: ExclusiveResource, to count: Int) {
        // A count of one is the default and left out, so that an empty dictionary says at once that no resource is
        // shared.
        resourceLimits[resource] = count == 1 ? nil : count
    }

    /// Expects each of these steps to take this long, not counting users; others, and those that are switched off, as
    /// before.
    package mutating func expect(_ durations: [String: Duration]) {
        guard !durations.isEmpty else { return }
        for index in nodes.indices {
            // Its history is that of launches that ran it: a plan that counted it would be too long.
            guard let duration = durations[nodes[index].id], nodes[index].policy?.value.isSwitchedOff != true else { continue }
            setPolicy(of: index) { policy in
                policy.expected = duration
                // Measured durations leave the user out where a step says when it asks.
                policy.expectsOwnTime = policy.saysWhenItAsks
            }
        }
    }

    /// Where a step is.
    ///
    /// - Throws: a ``GraphError`` when the graph has no such step.
    func position(of id: String) throws(GraphError) -> Int {
        if let position = positions[id] { return position }
        throw GraphError(graph: name, problems: [.unknownStep(id, nearest: nearestName(to: id, in: nodes.map(\.id)))])
    }

    /// The handle of a step that is in the graph already, by its identifier: to read the value of a step that other
    /// code has added.
    ///
    /// ```swift
    /// var graph = environment.graph(scenario)
    /// let configuration = try graph.step("fetch-config", of: Configuration.self)
    /// graph.add("prefetch", using: configuration) { configuration in await images.prefetch(configuration) }
    /// ```
    ///
    /// - Parameter type: the type of the step's value.
    /// - Throws: a ``GraphError`` when the graph has no such step, with the nearest identifier, or one that produces
    ///     another type.
    public mutating func step<Value: Sendable>(_ id: String, of type: Value.Type = Void.self) throws(GraphError) -> Step<Value> {
        let position = try position(of: id)
        let produced = nodes[position].valueType
        guard produced == type else {
            let complaint = "\(printable(id)) produces \(produced), and not \(type)"
            throw GraphError(graph: name, problems: [GraphProblem(.valueType, positions: [position], complaint)])
        }
        return Step(id: id, graph: tag)
    }

    /// The identifiers of all operations, in the order they were added.
    public var identifiers: [String] { nodes.map(\.id) }

    /// Makes room for `count` operations, for graphs whose size is known.
    public mutating func reserveCapacity(_ count: Int) {
        nodes.reserveCapacity(count)
        positions.reserveCapacity(count)
        dependencies.edges.reserveCapacity(count)
    }

    /// Lets `step` start only after `dependency`, in addition to the dependencies that it was added with.
    ///
    /// Unlike the dependencies named when a step is added, these can close a cycle; ``validated()`` finds it.
    public mutating func addDependency(_ dependency: some StepReference, to step: some StepReference) {
        var steps = DependencyList()
        step.add(to: &steps)
        for waiting in steps.edges.map(\.dependency) {
            var list = DependencyList(node: target(of: waiting) ?? 0)
            dependency.add(to: &list)
            if target(of: waiting) == nil {
                strays += list.edges.map { (waiting, $0.dependency) }
            } else {
                dependencies.edges += list.edges
            }
        }
    }

    /// Removes a step. Its dependents take over its dependencies.
    ///
    /// A step that reads its value cannot do without: such a graph is not valid until a step of that identifier is
    /// added again.
    ///
    /// - Returns: whether there was a step of that identifier.
    /// - Complexity: O(operations + dependencies) for each call. To leave out many steps of a large graph, do not add
    ///     them.
    @discardableResult
    public mutating func remove(_ id: String) -> Bool {
        guard let removed = positions[id] else { return false }
        bypass(removed)
        dependencies.edges.removeAll { $0.node == removed }
        deleteNode(removed)
        return true
    }

    /// Lets the dependents of a step take over its dependencies. Readers of its value still wait for a step of its
    /// identifier, too.
    mutating func bypass(_ node: Int) {
        attachStrays()
        // Without edges to itself, which only validation refuses.
        let inherited = dependencies.edges.filter { $0.node == node && target(of: $0.dependency) != node }
        dependencies.edges = dependencies.edges.flatMap { edge in
            guard target(of: edge.dependency) == node else { return [edge] }
            let parents = inherited.map { NamedEdge(node: edge.node, dependency: $0.dependency.awaited) }
            return reads(edge) ? parents + [NamedEdge(node: edge.node, dependency: edge.dependency.renamed(nodes[node].id))] : parents
        }
        strays = strays.flatMap { stray in
            target(of: stray.dependency) == node ? inherited.map { (stray.step, $0.dependency.awaited) } : [stray]
        }
    }

    /// Puts the step `new`, already added, in the place of the step `old`: `new` gets its dependencies and dependents,
    /// and `old` is removed.
    ///
    /// From then on the handle and the identifier of `old`, where they name a dependency or a value to read, mean
    /// `new`. It has to produce a value of the same type where one is read; ``validated()`` checks that.
    ///
    /// - Throws: a ``GraphError`` when one of them is not in the graph.
    /// - Complexity: O(operations + dependencies) for each call.
    public mutating func replace(_ old: String, with new: String) throws(GraphError) {
        let (from, to) = (try position(of: old), try position(of: new))
        // Below, `from` is deleted: here that would be the new step.
        if from == to { return }
        attachStrays()
        for (index, edge) in dependencies.edges.enumerated() {
            if edge.node == from { dependencies.edges[index].node = to }
            if target(of: edge.dependency) == from { dependencies.edges[index].dependency = edge.dependency.renamed(new) }
        }
        for (index, stray) in strays.enumerated() where target(of: stray.dependency) == from {
            strays[index].dependency = stray.dependency.renamed(new)
        }
        // A step that reads the value of the step it replaces would wait for itself: validation says so.
        dependencies.edges = dependencies.edges.filter { $0.node != to || $0.needsValue || target(of: $0.dependency) != to }
        // No circle of names can come of this: `new` is in the graph, so nothing takes its place.
        replacements[old] = new
        replacements[new] = nil
        deleteNode(from)
    }

    // MARK: Steps and references, for the package

    /// Adds a step; every public way to add one ends here.
    @usableFromInline
    mutating func insert(
        _ id: consuming String,
        options: [StepOption],
        inputs: [StepInput] = [],
        dependencies others: [any StepReference],
        fallback: StepFallback? = nil,
        valueType: any Sendable.Type,
        work: consuming StepWork
    ) {
        dependencies.node = nodes.count
        for input in inputs { dependencies.add(input.reference) }
        for other in others { other.add(to: &dependencies) }
        var node = GraphNode(id: id, work: work, valueType: valueType)
        if !options.isEmpty || fallback != nil || !inputs.isEmpty {
            var policy = StepPolicy()
            for option in options { option.apply(&policy) }
            policy.given = []
            policy.fallback = fallback
            let conditionInputs = policy.conditions.flatMap(\.inputs)
            for input in conditionInputs { dependencies.add(input.reference) }
            // A handle of another graph is an unknown dependency, whose type is not compared with any.
            policy.inputs = (inputs + conditionInputs).filter { !isForeign($0.reference) }
            node.set(policy)
        }
        append(node)
    }

    mutating func append(_ node: GraphNode) {
        if let first = positions.updateValue(nodes.count, forKey: node.id) { positions[node.id] = first }
        nodes.append(node)
    }

    /// Changes the policy of a step.
    mutating func setPolicy(of position: Int, _ change: (inout StepPolicy) -> Void) {
        var policy = nodes[position].policy?.value ?? .standard
        change(&policy)
        nodes[position].set(policy)
    }

    /// Whether a handle of another graph was given, and not of a copy of this one.
    func isForeign(_ reference: NamedDependency) -> Bool { reference.graph.map { $0 != tag } ?? false }

    /// The step that a reference means, or the one that took its place.
    func target(of reference: NamedDependency) -> Int? { isForeign(reference) ? nil : target(of: reference.id) }

    /// The step of that identifier, or the one that took its place.
    func target(of name: String) -> Int? {
        var name = name
        while true {
            if let position = positions[name] { return position }
            guard let replacement = replacements[name] else { return nil }
            // This comes to an end: `replace` lets no two steps stand for each other.
            name = replacement
        }
    }

    /// Whether the step at the end of `edge` reads the value of the one at its beginning.
    func reads(_ edge: NamedEdge) -> Bool {
        if edge.needsValue { return true }
        let target = target(of: edge.dependency)
        return nodes[edge.node].policy?.value.inputs.contains { self.target(of: $0.reference.id) == target } ?? false
    }

    /// Gives steps that have been added the dependencies that were added before them.
    mutating func attachStrays() {
        var rest: [(NamedDependency, NamedDependency)] = []
        for (step, dependency) in strays {
            if let node = target(of: step) {
                dependencies.edges.append(NamedEdge(node: node, dependency: dependency))
            } else {
                rest.append((step, dependency))
            }
        }
        strays = rest
    }

    private mutating func deleteNode(_ removed: Int) {
        nodes.remove(at: removed)
        for index in dependencies.edges.indices where dependencies.edges[index].node > removed { dependencies.edges[index].node -= 1 }
        positions = Dictionary(nodes.enumerated().map { ($1.id, $0) }) { first, _ in first }
    }
}

/// Numbers graphs, so that the handles of one are told from those of another.
private let graphCount = Locked<UInt32>(0)
