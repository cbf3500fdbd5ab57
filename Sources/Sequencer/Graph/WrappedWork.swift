import Foundation

// Work of steps within other code: the seam for recovery, which notes each attempt, and for tests, which make steps misbehave.

extension OperationGraph {
    /// Calls `body` at the start of every attempt of a step, on the step's own thread, before anything of its work.
    ///
    /// An observer of events may hear of a start while the step runs already: events are told by one thread at a time. Steps of the main thread are left
    /// as they are, so that nothing is written there: they begin when observers have been told. So are Foundation operations which exist already.
    /// `LaunchOptions.recordsStart` is told of those that begin before that. Steps without work are left as they are.
    package mutating func beforeEachAttempt(_ body: @escaping @Sendable (StepContext) -> Void) {
        for index in nodes.indices where !nodes[index].isMain { nodes[index].work = nodes[index].work.preceded(by: body) }
    }

    /// Puts the work of a step into `wrapper`, which gets the step's context and the work, and runs it or does not. Dependencies and options stay.
    ///
    /// The work of an interactive step stays a person's time; the rest of the wrapper's time is not.
    ///
    /// - Throws: a ``GraphError`` when the graph has no such step.
    package mutating func wrapWork(of id: String, in wrapper: @escaping WorkWrapper) throws(GraphError) {
        let index = try position(of: id)
        var policy = nodes[index].policy?.value ?? .standard
        // It runs inside a closure from now on. Dependencies between it and other operations count as before.
        if let operation = nodes[index].operation { policy.operation = operation }
        let wait: PersonWait? = policy.isPersonsTime ? .work : nil
        policy.saysWhenItAsks = true
        nodes[index].set(policy)
        let work = nodes[index].work
        if nodes[index].isMain {
            nodes[index].work = .main { context in
                try await wrapper(context) { try await context.wait(wait) { try await work.run(context) } }
            }
        } else {
            nodes[index].work = .asynchronous { context in
                try await wrapper(context) { try await context.wait(wait) { try await work.run(context) } }
            }
        }
    }

    /// Runs a step's work, as part of the step, and returns its value.
    package typealias WorkWrapper =
        nonisolated(nonsending) @Sendable (
            StepContext, _ work: nonisolated(nonsending) () async throws -> any Sendable
        ) async throws -> any Sendable
}

extension StepWork {
    fileprivate func preceded(by body: @escaping @Sendable (StepContext) -> Void) -> StepWork {
        switch general {
        case .nothing, .operation, .action, .asynchronousAction, .main: self
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
        case .makeOperation(let make):
            .makeOperation { launch in
                body(launch)
                return try make(launch)
            }
        }
    }
}

extension StepWork {
    /// Does the work of a step as part of another, on whose thread an operation is made and started.
    nonisolated(nonsending) fileprivate func run(_ context: StepContext) async throws -> any Sendable {
        switch self {
        case .nothing: return ()
        case .action(let body): return try body()
        case .asynchronousAction(let body): return try await body()
        case .synchronous(let body): return try body(context)
        case .asynchronous(let body): return try await body(context)
        case .main(let body): return try await body(context)
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
