import Sequencer

/// Something that is told what happens in a launch, such as ``LaunchLog``, ``LaunchMetrics`` and ``LaunchTrace``.
///
/// It is told by one task at a time, in the order in which things happened, and never on a thread of the launch: the launch does not wait for it.
public protocol LaunchObserver: Sendable {
    /// Takes note of an event; `launch` is the graph's name. ``LaunchEvent/Kind/launchEnded`` comes last, and the report after it.
    mutating func observe(_ event: LaunchEvent, in launch: String)

    /// Takes note of how the launch ended, once, after its last event.
    mutating func observe(_ report: LaunchReport)
}

extension OperationGraph {
    /// Starts a launch of the graph, tells `observers` what happens in it, and waits for its end.
    ///
    /// ```swift
    /// let launch = try await graph.run(telling: LaunchLog(logger), LaunchMetrics(), LaunchTrace(InstrumentationSystem.tracer))
    /// ```
    ///
    /// When the calling task is cancelled, so is the launch, and the observers are still told everything up to its end.
    ///
    /// - Throws: what `run()` throws, before anything was told.
    public func run(
        budget: Budget? = nil,
        options: LaunchOptions = LaunchOptions(),
        telling observers: any LaunchObserver...
    ) async throws -> FinishedLaunch {
        try await run(budget: budget, options: options, telling: observers)
    }

    /// Does the same for observers in an array.
    public func run(
        budget: Budget? = nil,
        options: LaunchOptions = LaunchOptions(),
        telling observers: [any LaunchObserver]
    ) async throws -> FinishedLaunch {
        // Not those of a running launch, which has only the first start of an operation whose attempts have failed before it was asked.
        let (events, continuation) = AsyncStream.makeStream(of: LaunchEvent.self)
        // A task of its own: one that is cancelled with its caller would stop reading before the launch has ended.
        let reading = Task { [name] in
            var observers = observers
            for await event in events {
                for index in observers.indices { observers[index].observe(event, in: name) }
            }
            return observers
        }
        var options = options
        options.observers.append { continuation.yield($0) }
        let launch: FinishedLaunch
        do {
            // A launch that has ended has told its last event; one that cannot begin tells none.
            defer { continuation.finish() }
            launch = try await run(budget: budget, options: options)
        }
        var told = await reading.value
        for index in told.indices { told[index].observe(launch.report) }
        return launch
    }
}

extension Duration {
    /// In milliseconds, with what is left of one.
    var milliseconds: Double { self / .milliseconds(1) }

    /// In whole nanoseconds, as near as a number of 64 bits comes to it.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuchInAll) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        if isTooMuch || isTooMuchInAll { return self < .zero ? .min : .max }
        return sum
    }
}

extension LaunchReport.Outcome {
    /// What a launch that did not complete has to say: who ended it, and why.
    var explanation: (operation: String, reason: String)? {
        switch self {
        case .failed(let operation, let message): (operation, message)
        case .aborted(let operation, let reason): (operation, reason.description)
        case .completed, .cancelled: nil
        }
    }
}
