/// Leaving steps out on purpose: for a launch that must get somewhere, though a part of the app does not work.
extension OperationGraph {
    /// Leaves a step out of every launch of this graph: it stays in the graph, and in the report, but its work is not done.
    ///
    /// Its fallback, or else its ``StepOption/substitute(_:)``, takes its place; the step then ends as
    /// ``Outcome/fellBack``. With neither, one whose policy is ``FailurePolicy/continue`` ends as ``Outcome/skipped``, and what depends on one
    /// whose policy is ``FailurePolicy/skipDependents`` is skipped as if it had failed.
    ///
    /// ```swift
    /// try graph.skip("tutorial", because: "the last three launches crashed in it")
    /// ```
    ///
    /// - Parameter reason: what the report says; it must hold no secret.
    /// - Throws: a ``GraphError`` when the graph has no such step. A required step that has neither is left out as well, and its launch fails.
    public mutating func skip(_ id: String, because reason: String) throws(GraphError) {
        let index = try position(of: id)
        var node = nodes[index]
        var policy = node.policy?.value ?? .standard
        // Others may wait for the operation itself.
        if let operation = node.operation { policy.operation = operation }
        policy.skipReason = reason
        policy.retry = nil
        if policy.fallback == nil, let substitute = node.substitute { policy.fallback = .value(substitute) }
        if policy.fallback == nil, policy.onFailure == .continue {
            policy.condition = { _ in false }
        } else {
            node.work = .synchronous { _ in throw StepSkipped(reason: reason) }
        }
        node.set(policy)
        nodes[index] = node
    }

    /// The steps that ``skip(_:because:)`` can leave out, with the milestone reached all the same, but those that are ``StepOption/essential``; the milestone itself never is.
    ///
    /// - Complexity: linear in operations and dependencies.
    package var skippable: Set<String> {
        // Only the launch validates the graph: a graph with a mistake is refused there.
        let edges = knownEdges
        let successors = AdjacencyList(count: count, edges: edges, .successors)
        let milestone = nodes.firstIndex { $0.policy?.value.isMilestone == true }
        // Skipping goes all the way down: one of these that is skipped takes the milestone, or an essential step, with it.
        var needed: Set<Int> = []
        let predecessors = AdjacencyList(count: count, edges: edges, .predecessors)
        var next = nodes.indices.filter { $0 == milestone || nodes[$0].policy?.value.isEssential == true }
        while let node = next.popLast() {
            if needed.insert(node).inserted { next += predecessors[node].map(\.index) }
        }
        var result: Set<String> = []
        for (index, node) in nodes.enumerated() where index != milestone {
            let policy = node.policy?.value ?? .standard
            let isSkippable =
                if policy.isEssential {
                    false
                } else if policy.fallback != nil || node.substitute != nil {
                    true
                } else {
                    switch policy.onFailure.kind {
                    case .required: false
                    case .skipDependents: !needed.contains(index)
                    case .continue:
                        !successors[index].contains { $0.needsValue && needed.contains($0.index) }
                    }
                }
            if isSkippable { result.insert(node.id) }
        }
        return result
    }

    /// The step whose end stops the budget's clock, if one was marked.
    package var milestone: String? { nodes.first { $0.policy?.value.isMilestone == true }?.id }

    /// Adds a sentence to what the report says about a step, in every launch of this graph.
    ///
    /// - Parameter text: holds no secret.
    /// - Throws: a ``GraphError`` when the graph has no such step.
    public mutating func note(_ text: String, on id: String) throws(GraphError) {
        let index = try position(of: id)
        var policy = nodes[index].policy?.value ?? .standard
        policy.notes.append(printable(text, limit: 400))
        nodes[index].set(policy)
    }
}

extension GraphNode {
    /// The substitute for the step's value when the step is left out; nil without one of the right type.
    fileprivate var substitute: (any Sendable)? {
        guard let value = policy?.value.substitute else { return nil }
        func isOfType<Value>(_: Value.Type) -> Bool { type(of: value) == Value.self }
        return isOfType(valueType) ? value : nil
    }
}

/// The error of a step that is left out, so that its fallback and its policy do the rest.
struct StepSkipped: DescribedError {
    let reason: String
    var description: String { skippedText(reason) }
}

/// `left out: REASON`.
func skippedText(_ reason: String) -> String { "left out: \(printable(reason, limit: 400))" }
