import Foundation

/// Decides when a running child is signalled, and when it is reaped.
///
/// A pid belongs to the child until it is reaped, and may be a stranger's afterwards: no action follows `reap`.
struct ChildProcessStateMachine {
    enum Action: Equatable {
        case nothing
        /// Ask the process group to end, and report `killDelayPassed()` later.
        case terminate
        /// End the process group.
        case kill
        /// The child has ended: take its status. If `killsGroup`, end the rest of its group first.
        case reap(killsGroup: Bool)
    }

    private enum Phase {
        case running
        /// The child was asked to end.
        case terminating
        case killed
        /// The cancelled child has ended; others of its group may still be clearing up, and it is not reaped yet: as long as it is
        /// there, no other group can have its number.
        case lingering
        case reaped
    }

    private var phase = Phase.running
    private var hasOutputEnded = false
    /// Whether the cancellation came before the end.
    private(set) var isCancelled = false

    mutating func cancel() -> Action {
        // A second cancellation, or one after the end, has nobody to signal.
        guard case .running = phase else { return .nothing }
        isCancelled = true
        phase = .terminating
        return .terminate
    }

    mutating func killDelayPassed() -> Action {
        switch phase {
        case .terminating:
            phase = .killed
            return .kill
        case .lingering:
            // The rest of the group has had its time.
            return reap()
        case .running, .killed, .reaped:
            return .nothing
        }
    }

    /// Nobody can write to the child's output any more.
    mutating func outputEnded() -> Action {
        hasOutputEnded = true
        guard case .lingering = phase else { return .nothing }
        return reap()
    }

    /// The child has ended, and waits to be reaped.
    mutating func exited() -> Action {
        switch phase {
        // Others of its group still have the output open: they get the rest of the delay.
        case .terminating where !hasOutputEnded:
            phase = .lingering
            return .nothing
        case .running, .terminating, .killed:
            // Killed, or nothing of it is left: no reason to wait.
            return reap()
        case .lingering, .reaped:
            return .nothing
        }
    }

    private mutating func reap() -> Action {
        phase = .reaped
        // Only a cancelled child's group is ended: one that ended by itself may leave a daemon behind.
        return .reap(killsGroup: isCancelled)
    }
}
