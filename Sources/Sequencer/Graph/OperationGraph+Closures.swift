/// Steps written as closures.
///
/// Every method has the same shape: an identifier, options, the steps whose values the closure reads (`using:`), the steps it only waits
/// for (`after:`), a fallback, the closure. The closure takes the values of `using:` in order; one that takes one more parameter, first,
/// gets the ``Launch`` it runs in. A closure without `await` runs straight through on a lane; one with `await` gives its thread back while
/// it is suspended; with `on: .main` it runs on the main thread.
extension OperationGraph {
    /// Adds a step that runs straight through on a lane.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using inputs: repeat Step<each Input>,
        after dependencies: any StepReference...,
        fallback: Fallback<Value>? = nil,
        body: @escaping @Sendable (repeat each Input) throws -> Value
    ) -> Step<Value> {
        insert(
            id,
            options,
            repeat each inputs,
            after: dependencies,
            fallback: fallback,
            work: .synchronous { launch in
                try body(repeat try launch.value(of: each inputs))
            }
        )
    }

    /// Adds a step that may suspend.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using inputs: repeat Step<each Input>,
        after dependencies: any StepReference...,
        fallback: Fallback<Value>? = nil,
        body: @escaping @Sendable (repeat each Input) async throws -> Value
    ) -> Step<Value> {
        insert(
            id,
            options,
            repeat each inputs,
            after: dependencies,
            fallback: fallback,
            work: .asynchronous { launch in
                try await body(repeat try launch.value(of: each inputs))
            }
        )
    }

    /// Adds a step that runs straight through on a lane, reads nothing and produces nothing.
    @discardableResult
    @inlinable
    public mutating func add(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback: Fallback<Void>? = nil,
        body: @escaping @Sendable () throws -> Void
    ) -> Step<Void> {
        insert(id, options, after: dependencies, fallback: fallback, work: .action(body))
    }

    /// Adds a step that may suspend, reads nothing and produces nothing.
    @discardableResult
    @inlinable
    public mutating func add(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback: Fallback<Void>? = nil,
        body: @escaping @Sendable () async throws -> Void
    ) -> Step<Void> {
        insert(id, options, after: dependencies, fallback: fallback, work: .asynchronousAction(body))
    }

    /// Adds a step that runs straight through on a lane, and is given the launch.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using inputs: repeat Step<each Input>,
        after dependencies: any StepReference...,
        fallback: Fallback<Value>? = nil,
        body: @escaping @Sendable (Launch, repeat each Input) throws -> Value
    ) -> Step<Value> {
        insert(
            id,
            options,
            repeat each inputs,
            after: dependencies,
            fallback: fallback,
            work: .synchronous { launch in
                try body(launch, repeat try launch.value(of: each inputs))
            }
        )
    }

    /// Adds a step that may suspend, and is given the launch.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using inputs: repeat Step<each Input>,
        after dependencies: any StepReference...,
        fallback: Fallback<Value>? = nil,
        body: @escaping @Sendable (Launch, repeat each Input) async throws -> Value
    ) -> Step<Value> {
        insert(
            id,
            options,
            repeat each inputs,
            after: dependencies,
            fallback: fallback,
            work: .asynchronous { launch in
                try await body(launch, repeat try launch.value(of: each inputs))
            }
        )
    }

    /// Adds a step that runs on the main thread.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using inputs: repeat Step<each Input>,
        after dependencies: any StepReference...,
        on thread: MainThread,
        fallback: Fallback<Value>? = nil,
        body: @escaping @MainActor @Sendable (repeat each Input) async throws -> Value
    ) -> Step<Value> {
        insert(
            id,
            options,
            repeat each inputs,
            after: dependencies,
            fallback: fallback,
            work: .main { launch in
                try await body(repeat try launch.value(of: each inputs))
            }
        )
    }

    /// Adds a step that runs on the main thread, and is given the launch.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using inputs: repeat Step<each Input>,
        after dependencies: any StepReference...,
        on thread: MainThread,
        fallback: Fallback<Value>? = nil,
        body: @escaping @MainActor @Sendable (Launch, repeat each Input) async throws -> Value
    ) -> Step<Value> {
        insert(
            id,
            options,
            repeat each inputs,
            after: dependencies,
            fallback: fallback,
            work: .main { launch in
                try await body(launch, repeat try launch.value(of: each inputs))
            }
        )
    }

    /// Adds a step that does nothing itself: a name for "all of these have ended".
    @discardableResult
    public mutating func join(_ id: String, _ options: StepOption..., after dependencies: any StepReference...) -> Step<Void> {
        let inputs = DependencyList()
        let index = insert(id, options: options, inputs: inputs, dependencies: dependencies, valueType: Void.self, work: .nothing)
        return Step(id: id, index: index)
    }

    @inlinable
    mutating func insert<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: [StepOption],
        _ inputs: repeat Step<each Input>,
        after dependencies: [any StepReference],
        fallback: Fallback<Value>?,
        work: consuming StepWork
    ) -> Step<Value> {
        var list = DependencyList()
        var types: [Any.Type] = []
        for input in repeat each inputs {
            input.addAsInput(to: &list)
            types.append(input.producedType)
        }
        let index = insert(
            id,
            options: options,
            inputs: list,
            dependencies: dependencies,
            inputTypes: types,
            fallback: fallback?.erased,
            valueType: Value.self,
            work: work
        )
        return Step(id: id, index: index)
    }
}
