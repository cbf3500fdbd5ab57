import Sequencer
import Synchronization
import os

/// Shows a launch in Instruments: an interval for each attempt of each operation.
nonisolated enum LaunchSignposts {
    /// An observer for one launch. It emits a signpost on the spot, on the thread that made the event happen: a signpost has the time at which it is emitted.
    static func observer() -> @Sendable (LaunchEvent) -> Void {
        let intervals = Mutex(Intervals())
        return { event in intervals.withLock { $0.show(event.kind) } }
    }
}

/// The intervals of the attempts that run. Events come one at a time, but on several threads.
nonisolated private struct Intervals {
    private let signposter = OSSignposter(subsystem: "com.example.music", category: "Launch")
    private var attempts: [String: OSSignpostIntervalState] = [:]

    mutating func show(_ event: LaunchEvent.Kind) {
        switch event {
        case .started(let operation, let attempt):
            // Names are literals; what tells intervals apart is in the message.
            attempts[operation] = signposter.beginInterval(
                "Operation",
                id: signposter.makeSignpostID(),
                "\(operation, privacy: .public), attempt \(attempt)"
            )
        case .retrying(let operation, _): end(operation, "retrying")
        case .ended(let operation, let outcome): end(operation, outcome.rawValue)
        case .stopped: signposter.emitEvent("Stopped")
        // What has not ended by the end of its launch never will.
        case .launchEnded: for operation in Array(attempts.keys) { end(operation, "abandoned") }
        case .launchStarted, .ready, .dropped: break
        }
    }

    private mutating func end(_ operation: String, _ how: String) {
        guard let attempt = attempts.removeValue(forKey: operation) else { return }
        signposter.endInterval("Operation", attempt, "\(how, privacy: .public)")
    }
}

extension LaunchOptions {
    /// These options, for a launch that Instruments shows.
    func withSignposts() -> LaunchOptions {
        var options = self
        options.observers.append(LaunchSignposts.observer())
        return options
    }
}
