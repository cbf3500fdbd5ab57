/// Steps written as closures.
///
/// Every method has the same shape: an identifier, options, the steps whose values the closure reads (`using:`), the
/// steps it only waits for (`after:`), a fallback's value, the closure, and a closure that makes a fallback. The
/// closure takes the values of `using:` in order. One that also needs the ``StepContext`` it runs in names that among
/// them, as ``Step/context``; without `using:`, it just takes it:
///
/// ```swift
/// graph.add("warm-up") { launch in launch.note("began") }
/// graph.add("log-in", using: .context, config) { launch, config in launch.note("country: \(config.country)") }
/// ```
///
/// A closure without `await` runs straight through on a lane; one with `await` gives its thread back while it
/// is suspended; with `on: .main` it runs on the main thread.
///
/// A fallback takes the place of the step's value when the step fails, times out or is cancelled on its own: the step
/// then ends as ``Outcome/fellBack`` and never fails its launch. It is a value, or a closure that is given the step's
/// context and the error that was met (nil when the step was cancelled or timed out without one). The context has the
/// values of `using:`, see ``StepContext/value(of:)``:
///
/// ```swift
/// graph.add("fetch-config", fallback: .bundled) { try await api.configuration() }
/// graph.add("fetch-config") { try await api.configuration() } fallback: { step, error in
///     step.note("the bundled configuration was used: \(error.map { "\($0)" } ?? "cancelled")")
///     return .bundled
/// }
/// ```
///
/// The closure is called once, outside every lock, off the main thread. It takes no lane, and is called at once, also
/// where every lane and every thread is taken; with a timeout it has as long as that again. Of both, the closure
/// counts. `fallback: nil` means none, also for a step whose value is an optional: a fallback that is nil is written
/// `.some(nil)`. If you write the closures inside the parentheses, write `fallback: nil` before `body:`: the compiler
/// takes the first `fallback:` for the value.
extension OperationGraph {
    // For the compiler's messages, which Scripts/check-compiler reads: beside `using:`, closures have a single shape,
    // and so a misspelt member is not taken for a parameter that is missing; with one or two values, there is no pack,
    // whose shape would be complained about.

    // Inlinable, as all of them: without that, each call looks up the metadata of its generic types.
    /// Adds a step that runs straight through on a lane, and is given its context.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable (StepContext) throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        insert(id, options, after: dependencies, fallback: .of(value, make), work: .synchronous(body))
    }

    /// Adds a step that may suspend, and is given its context.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable (StepContext) async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        insert(id, options, after: dependencies, fallback: .of(value, make), work: .asynchronous(body))
    }

    /// Adds a step that runs on the main thread, and is given its context.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        on thread: MainThread,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable (StepContext) async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        insert(id, options, after: dependencies, fallback: .of(value, make), work: .main(body))
    }

    /// Adds a step that runs straight through on a lane.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable () throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        insert(id, options, after: dependencies, fallback: .of(value, make), work: .synchronous { _ in try body() })
    }

    /// Adds a step that may suspend.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable () async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        insert(id, options, after: dependencies, fallback: .of(value, make), work: .asynchronous { _ in try await body() })
    }

    /// Adds a step that runs on the main thread.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        on thread: MainThread,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable () async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        insert(id, options, after: dependencies, fallback: .of(value, make), work: .main { _ in try await body() })
    }

    /// Adds a step that runs straight through on a lane and reads the value of another.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using input: Step<Input>,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable (Input) throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.synchronous { try body($0.input(input)) }
        return insert(id, options, input, after: dependencies, fallback: .of(value, make), work: work)
    }

    /// Adds a step that may suspend and reads the value of another.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using input: Step<Input>,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable (Input) async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.asynchronous { try await body($0.input(input)) }
        return insert(id, options, input, after: dependencies, fallback: .of(value, make), work: work)
    }

    /// Adds a step that runs on the main thread and reads the value of another.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using input: Step<Input>,
        after dependencies: any StepReference...,
        on thread: MainThread,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable (Input) async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.main { try await body($0.input(input)) }
        return insert(id, options, input, after: dependencies, fallback: .of(value, make), work: work)
    }

    /// Adds a step that runs straight through on a lane and reads the values of two others.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, First: Sendable, Second: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using one: Step<First>,
        _ two: Step<Second>,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable (First, Second) throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.synchronous { try body($0.input(one), $0.input(two)) }
        return insert(id, options, one, two, after: dependencies, fallback: .of(value, make), work: work)
    }

    /// Adds a step that may suspend and reads the values of two others.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, First: Sendable, Second: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using one: Step<First>,
        _ two: Step<Second>,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable (First, Second) async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.asynchronous { try await body($0.input(one), $0.input(two)) }
        return insert(id, options, one, two, after: dependencies, fallback: .of(value, make), work: work)
    }

    /// Adds a step that runs on the main thread and reads the values of two others.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, First: Sendable, Second: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using one: Step<First>,
        _ two: Step<Second>,
        after dependencies: any StepReference...,
        on thread: MainThread,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable (First, Second) async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.main { try await body($0.input(one), $0.input(two)) }
        return insert(id, options, one, two, after: dependencies, fallback: .of(value, make), work: work)
    }

    /// Adds a step that runs straight through on a lane and reads the values of others.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, First: Sendable, Second: Sendable, Third: Sendable, each More: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using one: Step<First>,
        _ two: Step<Second>,
        _ three: Step<Third>,
        _ more: repeat Step<each More>,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable (First, Second, Third, repeat each More) throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.synchronous {
            try body($0.input(one), $0.input(two), $0.input(three), repeat try $0.input(each more))
        }
        let made = StepFallback.of(value, make)
        return insert(id, options, one, two, three, repeat each more, after: dependencies, fallback: made, work: work)
    }

    /// Adds a step that may suspend and reads the values of others.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, First: Sendable, Second: Sendable, Third: Sendable, each More: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using one: Step<First>,
        _ two: Step<Second>,
        _ three: Step<Third>,
        _ more: repeat Step<each More>,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable (First, Second, Third, repeat each More) async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.asynchronous {
            try await body($0.input(one), $0.input(two), $0.input(three), repeat try $0.input(each more))
        }
        let made = StepFallback.of(value, make)
        return insert(id, options, one, two, three, repeat each more, after: dependencies, fallback: made, work: work)
    }

    /// Adds a step that runs on the main thread and reads the values of others.
    @discardableResult
    @inlinable
    public mutating func add<Value: Sendable, First: Sendable, Second: Sendable, Third: Sendable, each More: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using one: Step<First>,
        _ two: Step<Second>,
        _ three: Step<Third>,
        _ more: repeat Step<each More>,
        after dependencies: any StepReference...,
        on thread: MainThread,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable (First, Second, Third, repeat each More) async throws -> Value,
        fallback make: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        let work = StepWork.main {
            try await body($0.input(one), $0.input(two), $0.input(three), repeat try $0.input(each more))
        }
        let made = StepFallback.of(value, make)
        return insert(id, options, one, two, three, repeat each more, after: dependencies, fallback: made, work: work)
    }

    /// Adds a step that does nothing itself: a name for "all of these have ended".
    @discardableResult
    public mutating func join(_ id: String, _ options: StepOption..., after dependencies: any StepReference...) -> Step<Void> {
        insert(id, options, after: dependencies, fallback: nil, work: .nothing)
    }

    @inlinable
    mutating func insert<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: [StepOption],
        _ inputs: repeat Step<each Input>,
        after dependencies: [any StepReference],
        fallback: StepFallback?,
        work: consuming StepWork
    ) -> Step<Value> {
        var list: [StepInput] = []
        for input in repeat each inputs { list += input.inputs }
        insert(id, options: options, inputs: list, dependencies: dependencies, fallback: fallback, valueType: Value.self, work: work)
        return Step(id: id, graph: tag)
    }
}
