import Foundation

// Work of steps within other code: recovery notes each attempt, and tests make steps misbehave.

extension StepWork {
    /// The work, with `body` before it, if the work does not run on the main thread once the launch has started.
    func preceded(by body: @escaping @Sendable (StepContext) -> Void) -> StepWork {
        let noted: @Sendable (StepContext) -> StepContext = { context in
            body(context)
            return context
        }
        return switch self {
        // Here nothing runs, or `LaunchRecorder` is told of it: of the main thread, and of operations that
        // exist.
        case .nothing, .operation, .main, .event: self
        case .synchronous(let work): .synchronous { try work(noted($0)) }
        case .asynchronous(let work): .asynchronous { try await work(noted($0)) }
        case .prologue(let work): .prologue { try work(noted($0)) }
        case .makeOperation(let make): .makeOperation { try make(noted($0)) }
        }
    }

    /// Does the work of a step as part of another, on whose thread an operation is made and started.
    nonisolated(nonsending) func run(_ context: StepContext) async throws -> any Sendable {
        switch self {
        case .nothing: return ()
        case .event(let event): return try await event.value()
        case .synchronous(let body): return try body(context)
        case .asynchronous(let body): return try await body(context)
        case .main(let body): return try await body(context)
        case .prologue(let body): return try await body(context)
        case .operation(let operation): return try await Self.run(operation, context)
        case .makeOperation(let make):
            let operation = try make(context)
            try context.host.claim(operation)
            return try await Self.run(operation, context)
        }
    }

    private static func run(
        _ operation: Operation,
        _ context: StepContext,
        on isolation: isolated (any Actor)? = #isolation
    ) async throws -> any Sendable {
        try await withTaskCancellationHandler {
            // A closure keeps to the main actor only if it captures it.
            _ = isolation
            return try await withCheckedThrowingContinuation { continuation in
                let result = context.host.run(operation, by: context.assignment) { continuation.resume(with: $0) }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            operation.cancel()
        }
    }
}
