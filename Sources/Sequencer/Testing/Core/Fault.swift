import Foundation
import Sequencer

/// A way for a step to misbehave, put into a graph to see how the launch copes with it.
public enum Fault: Sendable, Hashable {
    /// The step throws at once, at every attempt.
    case fail
    /// The step never ends, until it is told to cancel.
    case hang
    /// The step ends the process at once, without a chance to clean up, as `SIGKILL` does: to see how the next launch
    /// copes with it.
    case crash
    /// The step starts its work this much later.
    case delay(Duration)
    /// The step does its work and then aborts the launch.
    case abort(AbortReason)
}

extension Fault: CustomStringConvertible {
    /// A few words, such as `starts 10 s later`, for test output.
    public var description: String {
        switch self {
        case .fail: "fails"
        case .hang: "hangs"
        case .crash: "ends the process"
        case .delay(let duration): "starts \(durationText(duration)) later"
        case .abort(let reason): "aborts the launch (\(printable(reason.description, limit: 80)))"
        }
    }
}

/// The error of a step that was made to fail.
struct InjectedFailure: DescribedError, Sendable, Hashable {
    /// The step.
    let operation: String
    /// The message, in one sentence.
    var description: String { "a failure was injected into \(printable(operation))" }
}

extension OperationGraph {
    /// Makes a step misbehave in every launch of this graph, keeping its dependencies and options.
    ///
    /// ```swift
    /// var slow = graph
    /// try slow.inject(.delay(.seconds(10)), into: "fetch-config")
    /// let launch = try await slow.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock()))
    /// #expect(launch.report.budget.isMet)
    /// ```
    ///
    /// - Throws: a `GraphError` when the graph does not have such a step.
    public mutating func inject(_ fault: Fault, into id: String) throws(GraphError) {
        try wrapWork(of: id) { context, work in try await fault.apply(context, work) }
    }
}

extension Fault {
    fileprivate nonisolated(nonsending) func apply(
        _ context: StepContext,
        _ work: nonisolated(nonsending) () async throws -> any Sendable
    ) async throws -> any Sendable {
        switch self {
        case .fail: throw InjectedFailure(operation: context.operation)
        case .crash: killThisProcess()
        case .hang:
            try await context.sleep(for: VirtualScheduler.never)
            // Not reached: such a sleep ends by an error alone.
            return try await work()
        case .delay(let duration):
            try await context.sleep(for: duration)
            return try await work()
        case .abort(let reason):
            let value = try await work()
            context.abort(reason)
            return value
        }
    }
}

/// Ends this process as the system does when it runs out of memory: nothing more is written, and nobody is told.
///
/// `abort()` would take seconds to print a backtrace, and leave a core file.
private func killThisProcess() -> Never {
    kill(getpid(), SIGKILL)
    // The signal may take a moment to arrive.
    while true { pause() }
}
