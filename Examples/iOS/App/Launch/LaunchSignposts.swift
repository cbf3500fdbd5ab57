import Sequencer
import os

/// Shows a launch in Instruments: an interval for each attempt of each operation.
///
/// A signpost has the time at which it is emitted, and events are read a moment after they happen: the exact times are those of the report.
enum LaunchSignposts {
    /// Emits signposts until the launch is over.
    static func follow(_ events: LaunchEvents) async {
        let signposter = OSSignposter(subsystem: "com.example.music", category: "Launch")
        var attempts: [String: OSSignpostIntervalState] = [:]
        for await event in events {
            switch event.kind {
            case .started(let operation, let attempt):
                // Names are literals; what tells intervals apart is in the message.
                attempts[operation] = signposter.beginInterval(
                    "Operation",
                    id: signposter.makeSignpostID(),
                    "\(operation, privacy: .public), attempt \(attempt)"
                )
            case .retrying(let operation, _):
                guard let attempt = attempts.removeValue(forKey: operation) else { break }
                signposter.endInterval("Operation", attempt, "retrying")
            case .ended(let operation, let outcome):
                guard let attempt = attempts.removeValue(forKey: operation) else { break }
                signposter.endInterval("Operation", attempt, "\(outcome.rawValue, privacy: .public)")
            case .stopped: signposter.emitEvent("Stopped")
            case .launchStarted, .ready, .launchEnded, .dropped: break
            }
        }
        // What has not ended by the end of its launch never will.
        for attempt in attempts.values { signposter.endInterval("Operation", attempt, "abandoned") }
    }
}
