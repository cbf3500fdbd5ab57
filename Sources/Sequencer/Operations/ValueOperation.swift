import Foundation

/// A ``ConcurrentOperation`` that leaves a value for the steps that read it.
///
/// ```swift
/// final class LogIn: ValueOperation<Session>, @unchecked Sendable {
///     // @unchecked: it does not have properties.
///     override func main() {
///         auth.logIn { [weak self] result in
///             switch result {
///             case .success(let session): self?.finish(returning: session)
///             case .failure(let error): self?.finish(throwing: error)
///             }
///         }
///     }
/// }
///
/// let login = graph.add(LogIn())                                                     // Step<Session>
/// graph.add("main-app", using: login, on: .main) { session in ... }
/// ```
///
/// A call of ``ConcurrentOperation/finish()`` ends it without a value, which is a failure of the step. An operation
/// that needs the values of others is made when they are there:
/// ``OperationGraph/addValueOperation(_:_:using:after:on:fallback:make:fallback:)``.
open class ValueOperation<Value: Sendable>: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: it adds no property to its superclass.

    /// Ends the operation as done, with `value`. Like ``ConcurrentOperation/finish()`` in all else: the first call of
    /// any of them decides.
    public final func finish(returning value: Value) { finish(with: nil, value: value) }

    /// The value given to ``finish(returning:)`` by the call that counted, or nil. Safe from any thread.
    public final var value: Value? {
        erasedValue.flatMap { $0 as? Value }  // Cast at once, no value would become one that is nil, where `Value` is an optional.
    }

    override final var leavesValue: Bool { true }
}

extension OperationGraph {
    /// Adds a step whose ``ValueOperation`` is made anew for each run, and for each attempt; other steps can read the
    /// value it leaves.
    ///
    /// It has a special name because the compiler could not choose between this method and
    /// ``addOperation(_:_:using:after:on:make:)``.
    @discardableResult
    @inlinable
    public mutating func addValueOperation<Value: Sendable, each Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using inputs: repeat Step<each Input>,
        after dependencies: any StepReference...,
        on thread: MainThread? = nil,
        fallback value: Value? = nil,
        make: @escaping @Sendable (StepContext, repeat each Input) throws -> ValueOperation<Value>,
        fallback makeFallback: (@Sendable (StepContext, (any Error)?) -> Value)? = nil
    ) -> Step<Value> {
        insert(
            id,
            options + .on(thread),
            repeat each inputs,
            after: dependencies,
            fallback: .of(value, makeFallback),
            work: .makeOperation { context in try make(context, repeat try context.input(each inputs)) }
        )
    }
}
