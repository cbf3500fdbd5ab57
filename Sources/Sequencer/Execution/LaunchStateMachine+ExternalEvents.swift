/// Operations that wait for an event from outside, and operations whose ends settle one. An operation that waits counts as running, but uses no lane and has
/// no code that could go on after its end.
extension LaunchStateMachine {
    /// Whether an operation that is ready has nothing left to wait for but its event.
    func isWaitForEvent(_ node: Int) -> Bool {
        traits[node].contains(.isEvent) && traits[node].isDisjoint(with: [.hasCondition, .hasResources])
    }

    /// Whether an operation that runs waits for its event.
    func isAwaitingEvent(_ node: Int) -> Bool { traits[node].contains(.isEvent) && !nodes[node].isComputingFallback }

    /// Whether there is something to do about an event now: of an operation that has begun to wait for one, or that has ended and settles some.
    func isOfEvent(_ node: Int) -> Bool {
        switch nodes[node].state {
        case .running: traits[node].contains(.isEvent)
        case .ended: traits[node].contains(.settlesEvents)
        default: false
        }
    }

    /// Starts the wait of an operation that has become ready.
    mutating func awaitEvent(_ node: Int) {
        start(node)
        waitsForTurn(node)
        // Later: operations that are already to end come first.
        pendingEnds.append(PendingEnd(node: node, outcome: nil, isOfEvent: true))
    }

    /// A worker has come to the wait of an operation that had a condition or needs a resource, was put off, or is tried again: it gives the lane back.
    mutating func eventIsAwaited(_ assignment: Assignment, at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        let node = assignment.node
        if isCurrent(assignment), nodes[node].holdsLane {
            lanes.giveBack(Int(nodes[node].lane))
            if settings.usesQueue { freedLanes.append(Int(nodes[node].lane)) }
            nodes[node].holdsLane = false
            // Reports say that it ran on no lane.
            nodes[node].lane = -1
            waitsForTurn(node)
        }
        settle(&actions)
    }
}
