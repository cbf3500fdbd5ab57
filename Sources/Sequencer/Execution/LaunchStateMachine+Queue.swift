/// Operations in a queue of the app's: the queue gives turns, and each turn takes one operation and ends with it.
///
/// Which operation that is is decided when the turn begins: of several that are ready, the one with the longest remaining path, as on lanes.
extension LaunchStateMachine {
    /// A turn begins; nil when there is nothing (left) to do.
    mutating func takeForQueue(at time: Nanoseconds, _ actions: inout Actions) -> Assignment? {
        advance(to: time)
        pendingQueueTurns -= 1
        let next = takeNext(forMain: false)
        if next != nil { activeWorkers += 1 }
        settle(&actions)
        return next
    }

    /// A turn was cancelled before it began, and with it the operation that it would have taken, see ``nodeOfTurn(at:)``.
    mutating func queueTurnCancelled(at place: Int, at time: Nanoseconds, _ actions: inout Actions) {
        pendingQueueTurns -= 1
        // Cancelling all operations cancels the first one again and again: that must not take a look at all others each time.
        if let node = place == 0 ? takeFirstReady() : takeReady(at: place) {
            cancelOperation(node, at: time, &actions)
        } else {
            advance(to: time)
            settle(&actions)
        }
    }

    /// Takes the operation of the first turn out of those that are ready, or a turn would be asked for that finds nothing.
    private mutating func takeFirstReady() -> Int? {
        while let ready = readyForWorkers.pop() {
            // An entry may be left from before the operation ended, or be there twice.
            guard nodes[Int(ready.node)].state == .ready else { continue }
            while readyForWorkers.first == ready { _ = readyForWorkers.pop() }
            return Int(ready.node)
        }
        return nil
    }

    /// The same for any turn.
    private mutating func takeReady(at place: Int) -> Int? {
        guard let node = nodeOfTurn(at: place) else { return nil }
        // A heap gives only its first: for any other it is made anew. Few apps cancel a single turn.
        var others = Heap<Ready>()
        while let ready = readyForWorkers.pop() { if Int(ready.node) != node { others.push(ready) } }
        readyForWorkers = others
        return node
    }

    /// The operation that a turn takes if all that were asked for begin now, in order; nil when there are more turns than operations.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of operations.
    func nodeOfTurn(at place: Int) -> Int? {
        let ready = nodes.indices.filter { nodes[$0].state == .ready && !traits[$0].contains(.isMain) }
        guard place < ready.count else { return nil }
        return Int(ready.map { Ready(rank: traits.ranks[$0], node: Int32($0)) }.sorted()[place].node)
    }

    /// Asks for a turn for each operation that is ready and finds a lane, and says which operations have ended.
    mutating func settleQueue(_ actions: inout Actions) {
        if !freedLanes.isEmpty {
            actions.freedLanes += freedLanes
            freedLanes.removeAll(keepingCapacity: true)
        }
        // After the lanes: those of a launch that is stopped become free as well.
        guard phase == .running else { return }
        // Entries of operations that have ended count as well: a turn that finds nothing just ends.
        let missing = min(readyForWorkers.count, lanes.available) - pendingQueueTurns
        if missing > 0 {
            actions.queueTurns += missing
            pendingQueueTurns += missing
        }
    }
}
