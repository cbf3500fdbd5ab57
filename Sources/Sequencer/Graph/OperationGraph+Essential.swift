/// Steps that no launch may be without, and their dependencies. Recovery is based on this.
extension OperationGraph {
    /// The steps that ``skip(_:because:)`` can leave out while the milestone is still reached. Excluded are
    /// ``StepOption/essential`` steps, all direct and indirect dependencies of these, and the milestone itself.
    ///
    /// - Parameter inputs: dependencies of essential steps that may still be left out: launches died in them. An
    ///     ``StepOption/essential`` step itself is never left out.
    /// - Complexity: linear in operations and dependencies.
    package func skippable(with inputs: [String] = []) -> Set<String> {
        // Only the launch validates the graph: a graph with a mistake is refused there.
        let edges = knownEdges + eventEdges
        let successors = AdjacencyList(count: count, edges: edges, forwards: true)
        let milestone = nodes.firstIndex { $0.policy?.value.isMilestone == true }
        let predecessors = AdjacencyList(count: count, edges: edges)
        let essential = essentialNodes.filter { nodes[$0].policy?.value.isEssential == true || !inputs.contains(nodes[$0].id) }
        // Skipping goes all the way down: one of these that is skipped takes the milestone, or an essential step, with
        // it.
        let needed = predecessors.reachable(from: essential.union([milestone].compactMap(\.self)))
        var result: Set<String> = []
        for (index, node) in nodes.enumerated() where index != milestone && !essential.contains(index) {
            let policy = node.policy?.value ?? .standard
            let takesOthersAlong =
                switch policy.onFailure {
                case .required: true
                case .skipDependents: needed.contains(index)
                case .continue: successors[index].contains { $0.needsValue && needed.contains($0.index) }
                }
            if !takesOthersAlong || policy.fallback != nil || node.substitute != nil { result.insert(node.id) }
        }
        return result
    }

    /// Makes a step ``StepOption/essential``, if the graph has it.
    package mutating func makeEssential(_ id: String) {
        if let index = positions[id] { setPolicy(of: index) { $0.isEssential = true } }
    }

    /// The steps that essential ones need, however far back, and whether each is left out.
    package var essentialInputs: [(id: String, isLeftOut: Bool)] {
        essentialNodes.inOrder(by: <).compactMap { index in
            let policy = nodes[index].policy?.value
            return policy?.isEssential == true ? nil : (nodes[index].id, policy?.skipReason != nil)
        }
    }

    /// The essential steps, and those that they need: without its inputs such a step would run, and judge by what took
    /// their place. The prologue comes before everything, and is an input where that was written.
    private var essentialNodes: Set<Int> {
        needs(writtenEdges).reachable(from: Set(nodes.indices.filter { nodes[$0].policy?.value.isEssential == true }))
    }

    /// The dependencies of each step; a step that waits for an event also depends on the steps that fulfil it.
    private func needs(_ edges: [GraphEdge]) -> AdjacencyList { AdjacencyList(count: count, edges: edges + eventEdges) }

    /// From steps that wait for events to those that bring them about; their values are needed where the wait fails the
    /// launch, or its dependents, without.
    var eventEdges: [GraphEdge] {
        var promises: [ObjectIdentifier: [Int]] = [:]
        for (node, step) in nodes.enumerated() {
            for event in step.policy?.value.events ?? [] { promises[ObjectIdentifier(event.storage), default: []].append(node) }
        }
        return nodes.enumerated().flatMap { node, step -> [GraphEdge] in
            guard case .event(let event) = step.work else { return [] }
            let policy = step.policy?.value ?? .standard
            let sources = (promises[ObjectIdentifier(event)] ?? []) + policy.eventSources.compactMap { target(of: $0) }
            let needsValue = policy.fallback == nil && policy.onFailure != .continue
            return sources.map { GraphEdge(node: node, target: $0, needsValue: needsValue) }
        }
    }

    /// The essential steps, and those that they need, that a launch can get past: they can be left out, or can come
    /// after the milestone.
    package var avoidable: [String] {
        let needs = needs(writtenEdges)
        let ids = essentialNodes.inOrder(by: <).map { nodes[$0].id }
        let known = skippable(with: ids).union(movable(needs).map { nodes[$0].id })
        return ids.filter(known.contains)
    }

    /// The essential steps, and those that they need, that can come after the milestone: neither their values nor those
    /// of steps that need them are read by any other step.
    private func movable(_ needs: AdjacencyList) -> Set<Int> {
        guard milestone != nil else { return [] }
        let essential = essentialNodes
        var bound = essential.filter { nodes[$0].policy?.value.isMilestone == true }
        for edge in dependencies.edges where !essential.contains(edge.node) && reads(edge) {
            if let target = target(of: edge.dependency) { bound.insert(target) }
        }
        for edge in eventEdges where !essential.contains(edge.node) { bound.insert(edge.target) }
        return essential.subtracting(needs.reachable(from: bound.intersection(essential)))
    }

    /// Moves essential steps, and those that they need, behind the milestone, as far as that can be, with the essential
    /// steps that need them: the steps that wait for them take over their dependencies.
    ///
    /// - Returns: the steps that were moved.
    @discardableResult
    package mutating func moveBehindMilestone(_ ids: [String]) -> Set<String> {
        attachStrays()
        let needs = needs(writtenEdges)
        let (movable, origins) = (movable(needs), Set(ids.compactMap { positions[$0] }))
        let moved = movable.filter { !needs.reachable(from: [$0]).intersection(movable).isDisjoint(with: origins) }
        guard let milestone, !moved.isEmpty else { return [] }
        dependencies.edges = dependencies.edges.flatMap { edge -> [NamedEdge] in
            guard !moved.contains(edge.node), let target = target(of: edge.dependency), moved.contains(target) else { return [edge] }
            let inherited = needs.reachable(from: [target]).subtracting(moved).inOrder(by: <)
            return inherited.map { NamedEdge(node: edge.node, dependency: NamedDependency(id: nodes[$0].id)) }
        }
        for node in moved {
            if case .prologue(let body) = nodes[node].work {
                nodes[node].work = .main { try body($0) }
                setPolicy(of: node) { $0.isInPrologue = false }
            }
            addDependency(milestone, to: nodes[node].id)
        }
        return Set(moved.map { nodes[$0].id })
    }

    /// Lets every step wait for the essential ones, one after the other: if a launch dies in one of these, or in its
    /// dependencies, nothing else is in progress.
    ///
    /// - Parameters:
    ///   - first: the one that comes before all others.
    ///   - moved: essential steps that come after the milestone.
    package mutating func beginWithEssential(_ first: String, except moved: Set<String>) {
        let essential = nodes.filter { $0.policy?.value.isEssential == true && !moved.contains($0.id) }.map(\.id)
        for id in essential.filter({ $0 == first }) + essential.filter({ $0 != first }) { begin(with: id) }
    }

    /// Lets every step wait for this one, but the prologue and those that it needs, however far back. A graph that is
    /// not valid stays as it is.
    ///
    /// - Complexity: linear in operations and dependencies.
    private mutating func begin(with id: String) {
        guard let first = try? validated().position(of: id) else { return }
        let needed = needs(knownEdges).reachable(from: first)
        for (position, operation) in identifiers.enumerated() where position != first && !needed.contains(position) {
            addDependency(id, to: operation)
        }
    }
}
