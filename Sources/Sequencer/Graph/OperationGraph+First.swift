// The first of several steps.

extension OperationGraph {
    /// Adds a step with the value of the first of these steps that succeeds, or falls back; the others are cancelled
    /// then.
    ///
    /// ```swift
    /// let near = graph.add("near", .timeout(.seconds(2))) { try await mirror.configuration() }
    /// let origin = graph.add("origin") { try await api.configuration() }
    /// let configuration = graph.first("configuration", of: near, origin)
    /// ```
    ///
    /// The others end at that moment: those that run are told to cancel, and are not waited for; those that have not
    /// begun never do. A single failure fails nothing: a required competitor (``FailurePolicy/required``) is as
    /// ``FailurePolicy/skipDependents`` from now on. The step itself fails if none of them has succeeded, and its own
    /// policy, or `value`, counts.
    ///
    /// - Parameters:
    ///   - id: the step's identifier.
    ///   - steps: other steps may wait for them, too, and are skipped with those that are cancelled.
    ///   - value: takes the place of the value where none of them has succeeded.
    @discardableResult
    public mutating func first<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        of steps: Step<Value>...,
        fallback value: Value? = nil
    ) -> Step<Value> {
        for position in steps.flatMap(\.inputs).compactMap({ target(of: $0.reference) }) {
            setPolicy(of: position) { if $0.onFailure == .required { $0.onFailure = .skipDependents } }
        }
        insert(
            id,
            options: options + [.first(of: steps.map(\.id))],
            inputs: steps.flatMap(\.optional.inputs),
            dependencies: [],
            fallback: .of(value, nil),
            valueType: Value.self,
            work: .synchronous { context in
                for step in steps { if let value = try context.input(step.optional) { return value } }
                let names = steps.map { printable($0.id) }.joined(separator: ", ")
                throw EngineError(description: "none of these has succeeded: \(names)")
            }
        )
        return Step(id: id, graph: tag)
    }
}
