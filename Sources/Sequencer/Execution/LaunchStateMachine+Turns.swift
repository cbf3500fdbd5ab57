/// Launches whose operations run one at a time (`OperationGraph.runOneAtATime`): while one has its turn, the timeouts of all others stand still. They would not have to
/// wait for it in a launch of the app.
extension LaunchStateMachine {
    struct Turns {
        /// Operations whose work, condition or fallback runs; more than one only where a fallback is computed beside the main thread.
        var running: Set<Int> = []
        /// Operations with a timeout that have begun and have no turn: between two attempts, or while they wait for an event.
        var waiting: Set<Int> = []
    }

    /// A lane or the main thread has taken an operation.
    mutating func turnBegan(of node: Int) {
        // A wait for an event leaves its lane to others.
        guard turns != nil, !isAwaitingEvent(node) else { return }
        if turns?.waiting.remove(node) != nil { endPersonWait(node, .turn) }
        turns?.running.insert(node)
        guard let turns, turns.running.count == 1 else { return }
        // In order, here and below: timers of one time fire in the order in which they were set.
        for other in turns.waiting.sorted() { beginPersonWait(other, .turn) }
    }

    mutating func turnEnded(of node: Int) {
        guard turns?.running.remove(node) != nil, turns?.running.isEmpty == true else { return }
        turns?.waiting = turns?.waiting.filter { nodes[$0].state != .ended } ?? []
        for other in turns?.waiting.sorted() ?? [] { endPersonWait(other, .turn) }
    }

    /// An operation goes on later, or when its event comes.
    mutating func waitsForTurn(_ node: Int) {
        guard turns != nil, traits[node].contains(.hasTimeout), turns?.waiting.insert(node).inserted == true else { return }
        if turns?.running.isEmpty == false { beginPersonWait(node, .turn) }
    }
}
