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

extension Sequencer {
    /// Starts the launch, tells `observers` what happens in it, and waits for its end.
    ///
    /// ```swift
    /// let report = try await Sequencer(graph).run(telling: LaunchLog(logger), LaunchMetrics(), LaunchTrace(InstrumentationSystem.tracer))
    /// ```
    ///
    /// When the calling task is cancelled, so is the launch, and the observers are still told everything up to its end.
    ///
    /// - Throws: what `run()` throws, before anything was told.
    public func run(telling observers: any LaunchObserver...) async throws -> LaunchReport {
        // A stream has to be asked for before the start, and is empty after it.
        let events = events
        // A task of its own: one that is cancelled with its caller would stop reading before the launch has ended.
        let reading = Task {
            var observers = observers
            var name: String?
            for await event in events {
                // Asked for once: a status is as long as the graph.
                let launch = name ?? status?.scenario ?? ""
                name = launch
                for index in observers.indices { observers[index].observe(event, in: launch) }
            }
            return observers
        }
        do {
            let report = try await run()
            var told = await reading.value
            for index in told.indices { told[index].observe(report) }
            return report
        } catch {
            // The launch never began, so its stream would never end.
            reading.cancel()
            throw error
        }
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
        case .aborted(let operation, let reason): (operation, reason.rawValue)
        case .completed, .cancelled: nil
        }
    }
}
