import Foundation

/// Decides the effect of each signal.
struct SignalStateMachine {
    enum Action: Equatable {
        case nothing
        /// Cancel the launch, and report `patienceEnded()` if it takes long to end.
        case cancel
        /// End the process with this status, now.
        case end(Int32)
        /// Give the terminals back, and stop.
        case stop
        /// Hide again the cursors and the input that were hidden before the stop.
        case resume
        /// Say what the launch waits for.
        case tell
    }

    /// The first signal that was to end the process.
    private(set) var first: Int32?
    /// Whether there is a launch that can be cancelled.
    private var isRunning = false

    /// Whether a cancelled launch has not ended yet.
    var isWaiting: Bool { isRunning && first != nil }

    mutating func launchBegan() {
        isRunning = true
    }

    /// - Returns: the signal that cancelled the launch.
    mutating func launchEnded() -> Int32? {
        isRunning = false
        return first
    }

    mutating func received(_ number: Int32) -> Action {
        switch number {
        case SIGTSTP: return .stop
        case SIGCONT: return .resume
        case SIGUSR1: return .tell
        default:
            // The first one stays: it is the one that a shell is told of.
            defer { first = first ?? number }
            return isRunning && first == nil ? .cancel : .end(128 + number)
        }
    }

    /// The cancelled launch has had its time.
    mutating func patienceEnded() -> Action {
        // The launch may have ended in the same moment.
        guard isWaiting, let first else { return .nothing }
        return .end(128 + first)
    }
}
