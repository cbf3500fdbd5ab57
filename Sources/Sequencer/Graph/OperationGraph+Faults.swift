import Foundation

/// A way for a step to misbehave, put into a graph to see what the launch makes of it.
public struct Fault: Sendable {
    enum Kind: Sendable {
        case fail, hang, crash, delay(Duration), abort(AbortReason)
    }

    let kind: Kind

    /// The step throws at once, at every attempt.
    public static let fail = Fault(kind: .fail)
    /// The step never ends, until it is told to cancel.
    public static let hang = Fault(kind: .hang)
    /// The step ends the process at once, without a chance to clean up, as `SIGKILL` does: to see what the next launch makes of it.
    public static let crash = Fault(kind: .crash)
    /// The step starts its work this much later.
    public static func delay(_ duration: Duration) -> Fault { Fault(kind: .delay(duration)) }
    /// The step does its work and then aborts the launch.
    public static func abort(_ reason: AbortReason) -> Fault { Fault(kind: .abort(reason)) }
}

/// What a step throws that was made to fail.
public struct InjectedFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The step.
    public let operation: String
    /// One sentence.
    public var description: String { "a failure was injected into \(printable(operation))" }
}

extension OperationGraph {
    /// Makes a step misbehave in every launch of this graph, keeping its dependencies and options.
    ///
    /// ```swift
    /// var slow = graph
    /// try slow.inject(.delay(.seconds(10)), into: "fetch-config")
    /// let report = try await Sequencer(slow, options: LaunchOptions(clock: VirtualClock())).run()
    /// #expect(report.budget.isMet)
    /// ```
    ///
    /// - Throws: a ``GraphError`` when there is no such step.
    public mutating func inject(_ fault: Fault, into id: String) throws(GraphError) {
        guard let index = nodes.firstIndex(where: { $0.id == id }) else {
            throw GraphError(graph: name, problems: [.unknownStep(id, nearest: nearestName(to: id, in: nodes.lazy.map(\.id)))])
        }
        if let operation = nodes[index].operation {
            // It runs inside a closure from now on; its dependencies on other operations, and theirs on it, count as before.
            var policy = nodes[index].policy?.value ?? .standard
            policy.operation = operation
            nodes[index].set(policy)
        }
        nodes[index].work = nodes[index].work.misbehaving(fault.kind)
    }
}

extension StepWork {
    fileprivate func misbehaving(_ fault: Fault.Kind) -> StepWork {
        switch self {
        case .main(let body):
            return .main { launch in try await fault.apply(launch) { try await body(launch) } }
        default:
            return .asynchronous { launch in try await fault.apply(launch) { try await run(launch) } }
        }
    }

    /// Does the work of a step off the main thread as part of another.
    private func run(_ launch: Launch) async throws -> any Sendable {
        switch self {
        case .nothing: return ()
        case .action(let body): return try body()
        case .asynchronousAction(let body): return try await body()
        case .synchronous(let body): return try body(launch)
        case .asynchronous(let body): return try await body(launch)
        case .main(let body): return try await body(launch)
        case .operation(let operation): return try await Self.run(operation, launch)
        case .makeOperation(let make): return try await Self.run(try make(launch), launch)
        }
    }

    private static func run(_ operation: Operation, _ launch: Launch) async throws -> any Sendable {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ended = launch.storage.runner.start(operation, id: launch.operation) { continuation.resume(with: $0) }
                if let ended { continuation.resume(with: ended) }
            }
        } onCancel: {
            operation.cancel()
        }
    }
}

extension Fault.Kind {
    fileprivate nonisolated(nonsending) func apply(
        _ launch: Launch,
        _ work: nonisolated(nonsending) () async throws -> any Sendable
    ) async throws -> any Sendable {
        switch self {
        case .fail: throw InjectedFailure(operation: launch.operation)
        case .crash: killThisProcess()
        case .hang:
            try await launch.sleep(for: VirtualClock.never)
            return try await work()
        case .delay(let duration):
            try await launch.sleep(for: duration)
            return try await work()
        case .abort(let reason):
            let value = try await work()
            launch.abort(reason)
            return value
        }
    }
}
