/// Leaving steps out on purpose: for a launch that must get somewhere, though a part of the app does not work.
extension OperationGraph {
    /// Leaves a step out of every launch of this graph: it stays in the graph, and in the report, but its work is not done.
    ///
    /// What takes its place is what its author has provided for: its fallback, or else its ``StepOption/substitute(_:)``; the step then ends as
    /// ``Outcome/fellBack``. With neither, one whose policy is ``FailurePolicy/continue`` ends as ``Outcome/skipped``, and what depends on one
    /// whose policy is ``FailurePolicy/skipDependents`` is skipped as if it had failed.
    ///
    /// ```swift
    /// if graph.skippable.contains("tutorial") { try graph.skip("tutorial", because: "the last three launches crashed in it") }
    /// ```
    ///
    /// - Parameter reason: what the report says; it must hold no secret.
    /// - Throws: a ``GraphError`` when there is no such step. A step that is not in ``skippable`` is left out as well, and its launch fails.
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
            policy.condition = { false }
        } else {
            node.work = .synchronous { _ in throw StepSkipped(reason: reason) }
        }
        node.set(policy)
        nodes[index] = node
    }

    /// The steps that ``skip(_:because:)`` can leave out, with the milestone reached all the same; the milestone itself never is.
    ///
    /// - Complexity: linear in operations and dependencies.
    public var skippable: Set<String> {
        guard let graph = try? validated() else { return [] }
        let milestone = graph.milestoneIndex
        // Skipping goes all the way down: one of these that is skipped takes the milestone with it.
        let needed = milestone.map { Set(graph.reachable(from: $0, along: graph.predecessors)).union([$0]) } ?? []
        var result: Set<String> = []
        for (index, node) in nodes.enumerated() where index != milestone {
            let policy = node.policy?.value ?? .standard
            let isSkippable =
                if policy.fallback != nil || node.substitute != nil {
                    true
                } else {
                    switch policy.onFailure.kind {
                    case .required: false
                    case .skipDependents: !needed.contains(index)
                    case .continue:
                        !graph.successors[index].contains { $0.needsValue && needed.contains($0.index) }
                    }
                }
            if isSkippable { result.insert(node.id) }
        }
        return result
    }

    /// The step whose end stops the budget's clock, if one was marked.
    public var milestone: String? { nodes.first { $0.policy?.value.isMilestone == true }?.id }

    /// Adds a sentence to what the report says about a step, in every launch of this graph.
    ///
    /// - Parameter text: holds no secret.
    /// - Throws: a ``GraphError`` when there is no such step.
    public mutating func note(_ text: String, on id: String) throws(GraphError) {
        let index = try position(of: id)
        var policy = nodes[index].policy?.value ?? .standard
        policy.notes.append(printable(text, limit: 400))
        nodes[index].set(policy)
    }

    /// Calls `body` at the start of every attempt of every step, on the step's own thread, before anything of its work.
    ///
    /// An observer of events may hear of a start while the step runs already: events are told by one thread at a time. Steps that are Foundation
    /// operations which exist already, and those without work, are left as they are.
    package mutating func beforeEachAttempt(_ body: @escaping @Sendable (Launch) -> Void) {
        for index in nodes.indices { nodes[index].work = nodes[index].work.preceded(by: body) }
    }

    private func position(of id: String) throws(GraphError) -> Int {
        if let index = nodes.firstIndex(where: { $0.id == id }) { return index }
        throw GraphError(graph: name, problems: [.unknownStep(id, nearest: nearestName(to: id, in: nodes.lazy.map(\.id)))])
    }
}

extension GraphNode {
    /// What takes the value's place when the step is left out; nil when there is nothing of the right type.
    fileprivate var substitute: (any Sendable)? {
        guard let value = policy?.value.substitute else { return nil }
        func isOfType<Value>(_: Value.Type) -> Bool { type(of: value) == Value.self }
        return isOfType(valueType) ? value : nil
    }
}

extension StepWork {
    fileprivate func preceded(by body: @escaping @Sendable (Launch) -> Void) -> StepWork {
        switch general {
        case .nothing, .operation, .action, .asynchronousAction: self
        case .synchronous(let work):
            .synchronous { launch in
                body(launch)
                return try work(launch)
            }
        case .asynchronous(let work):
            .asynchronous { launch in
                body(launch)
                return try await work(launch)
            }
        case .main(let work):
            .main { launch in
                body(launch)
                return try await work(launch)
            }
        case .makeOperation(let make):
            .makeOperation { launch in
                body(launch)
                return try make(launch)
            }
        }
    }
}

/// What a step throws that is left out, so that its fallback and its policy do the rest.
struct StepSkipped: Error, CustomStringConvertible {
    let reason: String
    var description: String { skippedText(reason) }
}

/// `left out: REASON`.
func skippedText(_ reason: String) -> String { "left out: \(printable(reason, limit: 400))" }
