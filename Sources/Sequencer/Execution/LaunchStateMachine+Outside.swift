/// The inputs besides ends of operations and time: an operation aborts the launch or waits for a person, or a caller cancels.
extension LaunchStateMachine {
    /// An operation stops the launch on purpose.
    ///
    /// - Returns: whether it did: false if the launch was over or already stopped, or if only its screens were left.
    mutating func abort(by node: Int, _ reason: AbortReason, hasTakeover: Bool, at time: Nanoseconds, _ actions: inout Actions) -> Bool {
        advance(to: time)
        guard phase == .running, alive > 0 else { return false }
        if hasTakeover { takeoversRunning += 1 }
        stopLaunch(.aborted(by: node, reason), &actions)
        settle(&actions)
        return true
    }

    /// The takeover came to its end.
    mutating func takeoverEnded(at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        // A launch that gives up counts none any more, and the takeover may end after that.
        takeoversRunning = max(0, takeoversRunning - 1)
        settle(&actions)
    }

    /// A running operation begins to wait for a person.
    mutating func personWaitBegan(_ assignment: Assignment, _ wait: PersonWait, at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        guard isCurrent(assignment) else { return }
        beginPersonWait(assignment.node, wait)
        settle(&actions)
    }

    /// The operation waits for a person no longer.
    mutating func personWaitEnded(_ assignment: Assignment, _ wait: PersonWait, at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        guard isCurrent(assignment) else { return }
        endPersonWait(assignment.node, wait)
        settle(&actions)
    }

    /// The launch is cancelled from outside; before it begins, that is remembered, and it starts nothing.
    mutating func cancelLaunch(at time: Nanoseconds, _ actions: inout Actions) {
        guard hasBegun else {
            isCancelledAtBegin = true
            return
        }
        advance(to: time)
        stopLaunch(.cancelled, &actions)
        settle(&actions)
    }

    /// One operation is cancelled from outside: one that runs is told so, and has the grace period to end; any other never starts.
    ///
    /// An operation that still waits ends in its turn, after its dependencies: operations after it rely on them too.
    mutating func cancelOperation(_ node: Int, at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        guard phase == .running else { return }
        guard hasBegun else {
            // No operation ends before the launch begins: `begin(_:)` ends it.
            nodes[node].isToldToCancel = true
            return
        }
        // It has failed, or timed out, and stays so. A fallback is told to cancel only by a launch that stops, before it begins as well (O56).
        if nodes[node].isComputingFallback { return settle(&actions) }
        switch nodes[node].state {
        case .waiting: nodes[node].isToldToCancel = true
        case .deferred, .ready, .parked, .aside: notSucceeded(node, .cancelled)
        case .pausing:
            // For the message, which keeps the error of the last attempt (O55).
            attemptsNotMade[node] = Int(nodes[node].attempts) + 1
            notSucceeded(node, .cancelled)
        case .checking:
            // The condition may never return: another worker takes its place.
            replaceWorker(of: node)
            notSucceeded(node, .cancelled)
        // The second call changes nothing.
        case .running where nodes[node].isToldToCancel: return
        // Nothing of it runs that would need the grace period to end.
        case .running where isAwaitingEvent(node):
            tellToCancel(node, &actions)
            notSucceeded(node, .cancelled)
        case .running:
            tellToCancel(node, &actions)
            setTimer(.grace, of: node, at: self.time.addingSaturated(settings.grace))
        case .ended: return
        }
        settle(&actions)
    }
}
