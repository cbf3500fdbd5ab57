import Observation
import Sequencer

/// How far a launch is, for a view: follows its events.
@MainActor @Observable
final class LaunchProgress {
    /// From 0 to 1.
    private(set) var fraction = 0.0
    /// The operations that run now, in the order in which they started.
    private(set) var running: [String] = []

    /// Follows another launch.
    ///
    /// - Parameter count: how many operations it has.
    func follow(_ events: LaunchEvents, count: Int) {
        (fraction, running) = (0, [])
        Task {
            var ended = 0
            for await event in events {
                switch event.kind {
                case .started(let operation, let attempt):
                    if attempt == 1 { running.append(operation) }
                case .ended(let operation, _):
                    ended += 1
                    running.removeAll { $0 == operation }
                    fraction = Double(ended) / Double(max(count, 1))
                case .launchStarted, .ready, .retrying, .stopped, .launchEnded, .dropped: break
                }
            }
        }
    }
}
