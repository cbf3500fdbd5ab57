/// Leaving steps out on purpose: for a launch that must get somewhere, though a part of the app does not work.
extension OperationGraph {
    /// Leaves a step out of every launch of this graph: it stays in the graph, and in the report, but its work is not
    /// done.
    ///
    /// Its fallback, or else its ``StepOption/substitute(_:)``, takes its place; the step then ends as
    /// ``Outcome/fellBack``. With neither, one whose policy is ``FailurePolicy/continue`` ends as ``Outcome/skipped``,
    /// and the dependents of one whose policy is ``FailurePolicy/skipDependents`` are skipped as if it had failed.
    ///
    /// ```swift
    /// try graph.skip("tutorial", because: "the last three launches crashed in it")
    /// ```
    ///
    /// - Parameter reason: what the report says; it must hold no secret.
    /// - Throws: a ``GraphError`` when the graph has no such step. A required step that has neither is left out as
    ///     well, and its launch fails.
    public mutating func skip(_ id: String, because reason: String) throws(GraphError) {
        let index = try position(of: id)
        var node = nodes[index]
        var policy = node.policy?.value ?? .standard
        // Others may wait for the operation itself.
        if let operation = node.operation { policy.operation = operation }
        policy.skipReason = reason
        // Each further attempt would fail in the same way.
        policy.retry = nil
        policy.delay = nil
        if policy.fallback == nil, let substitute = node.substitute { policy.fallback = .value(substitute) }
        if policy.fallback == nil, policy.onFailure == .continue {
            // Not an error: its dependents run, and nothing has failed.
            policy.conditions = [.never]
        } else {
            // Work of the same kind: with any other, the whole prologue would not run within the start.
            let error = EngineError(description: skippedText(reason))
            node.work = policy.isInPrologue ? .prologue { _ in throw error } : .synchronous { _ in throw error }
        }
        node.set(policy)
        nodes[index] = node
    }

    /// Adds a sentence to the report's notes about a step, in every launch of this graph.
    ///
    /// - Parameter text: holds no secret.
    /// - Throws: a ``GraphError`` when the graph has no such step.
    public mutating func note(_ text: String, on id: String) throws(GraphError) {
        let index = try position(of: id)
        setPolicy(of: index) { $0.notes.append(printable(text, limit: 400)) }
    }
}

extension GraphNode {
    /// The substitute for the step's value when the step is left out; nil without one of the right type.
    var substitute: (any Sendable)? { policy?.value.substitute.flatMap { type(of: $0) == valueType ? $0 : nil } }
}

/// `left out: REASON`.
func skippedText(_ reason: String) -> String { leftOut + printable(reason, limit: 400) }

/// The beginning of the message of an operation that was left out.
let leftOut = "left out: "
/// The beginning of the message of an operation that needs a value which is missing on purpose.
let noValue = "there is no value of "
