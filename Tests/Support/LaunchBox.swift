import Sequencer
import Testing

/// Gives steps the launch that they are part of, which the test has only when the first of them may have begun.
///
/// A step that asks while the test is still starting the launch waits for it. In virtual time that costs no moment, as `start` returns at once.
/// A launch keeps its steps, and they keep the box: ``run(_:budget:options:)`` empties it, who uses ``start(_:budget:options:)`` does so too.
package final class LaunchBox: Sendable {
    private let content = Locked<RunningLaunch?>(nil)
    private let isFilled = Gate()

    package init() {}

    /// Starts a launch of `graph`, and lets its steps have it.
    @discardableResult
    package func start(
        _ graph: OperationGraph,
        budget: Budget? = nil,
        options: LaunchOptions = .patient
    ) throws(GraphError) -> RunningLaunch {
        let launch = try graph.start(budget: budget, options: options)
        content.withLock { $0 = launch }
        isFilled.open()
        return launch
    }

    /// Starts a launch of `graph`, lets its steps have it, and waits for its end.
    package func run(_ graph: OperationGraph, budget: Budget? = nil, options: LaunchOptions = .patient) async throws(GraphError)
        -> FinishedLaunch
    {
        let launch = try start(graph, budget: budget, options: options)
        defer { empty() }
        return await launch.end()
    }

    /// The launch, for a step that may suspend.
    ///
    /// - Throws: an error where there is none within a test's patience, or no more, which fails the step.
    package func launch() async throws -> RunningLaunch {
        await isFilled.wait()
        return try #require(content.withLock { $0 })
    }

    /// The launch, for code that runs straight through; it may block its thread for a moment.
    package func launchBlocking() throws -> RunningLaunch {
        isFilled.block()
        return try #require(content.withLock { $0 })
    }

    /// The launch, for code that must not wait, such as an observer: nil while it is being started, and when the box is empty.
    package var current: RunningLaunch? { content.withLock { $0 } }

    /// Lets go of the launch.
    package func empty() {
        content.withLock { $0 = nil }
    }
}
