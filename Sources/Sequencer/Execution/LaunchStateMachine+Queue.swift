/// Operations in a queue of the app's: the queue gives turns, and each turn takes one operation and ends with it.
///
/// Which operation that is is decided when the turn begins: of several that are ready, the one with the longest remaining path, as on lanes.
extension LaunchStateMachine {
    /// A turn was cancelled before it began, and with it the operation that it would have taken, see ``nodeOfTurn(at:)``.
    mutating func queueTurnCancelled(at place: Int, at time: Nanoseconds, _ actions: inout Actions) {
        pendingQueueTurns -= 1
        if let node = nodeOfTurn(at: place) {
            cancelOperation(node, at: time, &actions)
        } else {
            advance(to: time)
            settle(&actions)
        }
    }

    /// The operation that a turn takes if all that were asked for begin now, in order; nil when there are more turns than operations.
    ///
    /// - Complexity: O(log *n*), where *n* is the number of operations.
    func nodeOfTurn(at place: Int) -> Int? { queueOrder?.node(at: place) }

    /// Asks for a turn for each operation that is ready and finds a lane, and says which operations have ended.
    mutating func settleQueue(_ actions: inout Actions) {
        if !freedLanes.isEmpty {
            actions.freedLanes += freedLanes
            freedLanes.removeAll(keepingCapacity: true)
        }
        // After the lanes: those of a launch that is stopped become free as well.
        guard phase == .running else { return }
        if processors?.hasAside == true { beginMeasuring(&actions) }
        let missing = min(queueOrder?.count ?? 0, lanes.available) - pendingQueueTurns
        if missing > 0 {
            actions.queueTurns += missing
            pendingQueueTurns += missing
        }
    }

    // MARK: Waits for events from outside. An operation that waits counts as running, but uses no lane and has no code that could go on after its end

    /// Whether an operation that is ready has nothing left to wait for but its event.
    func isWaitForEvent(_ node: Int) -> Bool {
        traits[node].contains(.isEvent) && traits[node].isDisjoint(with: [.hasCondition, .hasResources])
    }

    /// Whether an operation waits for an event while it runs.
    func isEvent(_ node: Int) -> Bool { traits[node].contains(.isEvent) }

    /// Whether there is something to do about an event now: of an operation that has begun to wait for one, or that has ended and settles some.
    func isOfEvent(_ node: Int) -> Bool {
        switch nodes[node].state {
        case .running: isEvent(node)
        case .ended: traits[node].contains(.settlesEvents)
        default: false
        }
    }

    /// Starts the wait of an operation that has become ready.
    mutating func awaitEvent(_ node: Int) {
        start(node)
        waitsForTurn(node)
        // Later: operations that are already to end come first.
        pendingEnds.append(PendingEnd(node: node, kind: .ofEvent))
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

/// The operations that are ready for the app's queue, in the order in which turns take them.
///
/// A heap gives only the first. Each operation of the queue has a name, and can be cancelled alone, so that any of them is asked for.
struct QueueOrder {
    /// All operations, the one that goes first before the others, and the place of each among them.
    private let nodes: [Int]
    private let places: [Int]
    /// The places of those that are ready.
    private var ready = CountedNumbers()

    init(_ ranks: [Nanoseconds]) {
        let nodes = ranks.indices.map { LaunchStateMachine.Ready(rank: ranks[$0], node: Int32($0)) }.sorted().map { Int($0.node) }
        var places = nodes
        for (place, node) in nodes.enumerated() { places[node] = place }
        (self.nodes, self.places) = (nodes, places)
    }

    var count: Int { ready.count }

    func node(at place: Int) -> Int? { ready.number(at: place).map { nodes[$0] } }

    mutating func insert(_ node: Int) { ready.insert(places[node]) }

    mutating func remove(_ node: Int) { ready.remove(places[node]) }
}
