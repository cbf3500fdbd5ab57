/// Reading the values of steps.
extension LaunchStorage {
    /// For a dependent: the step has ended, and its slot will not change.
    func value<Value>(of step: Step<Value>) throws -> Value? {
        let node = try graph.index(of: step)
        if step.producedType == Void.self { return step.value(in: nothing(leftBy: node)) }
        return step.value(in: values[node])
    }

    /// The value of a step that produces none; nil when it did not succeed. It has no slot, or what is in that is nobody's.
    private func nothing(leftBy node: Int) -> (any Sendable)? {
        state.withLock { state in
            let node = state.machine.nodes[node]
            return node.state == .ended && node.outcome.isSuccess && !node.isDeferred ? () : nil
        }
    }

    /// For anyone else: the step may be about to end.
    func endedValue<Value>(of step: Step<Value>) throws(GraphError) -> Value? {
        let node = try graph.index(ofHandle: step)
        return value(of: step, at: node)
    }

    /// - Parameter node: where the step is in the graph.
    func value<Value>(of step: Step<Value>, at node: Int) -> Value? {
        let isNothing = step.producedType == Void.self
        let value: (any Sendable)? = state.withLock { state in
            guard state.machine.nodes[node].state == .ended else { return nil }
            if isNothing { return state.machine.nodes[node].outcome.isSuccess ? () : nil }
            return state.lateValues[node] ?? (values.isEmpty ? nil : values[node])
        }
        return step.value(in: value)
    }
}
