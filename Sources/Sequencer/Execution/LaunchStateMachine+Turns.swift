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
        let waiting = (turns?.waiting ?? []).filter { nodes[$0].state != .ended }
        turns?.waiting = waiting
        for other in waiting.sorted() { endPersonWait(other, .turn) }
    }

    /// An operation goes on later, or when its event comes.
    mutating func waitsForTurn(_ node: Int) {
        guard turns != nil, traits[node].contains(.hasTimeout), turns?.waiting.insert(node).inserted == true else { return }
        if turns?.running.isEmpty == false { beginPersonWait(node, .turn) }
    }
}

extension LaunchStateMachine {
    /// Whether the first of all operations that could start now, by rank, is one of the main thread's.
    var isMainFirst: Bool {
        mutating get {
            // Entries of operations that have ended, or wait elsewhere by now.
            while let ready = readyForWorkers.first, nodes[Int(ready.node)].state != .ready { _ = readyForWorkers.pop() }
            while let ready = readyForMain.first, nodes[Int(ready.node)].state != .ready { _ = readyForMain.pop() }
            guard let main = readyForMain.first else { return false }
            guard lanes.available > 0, let other = readyForWorkers.first else { return true }
            return main < other
        }
    }

    /// In virtual time a worker blocks its thread, and another one takes its place, or it comes back from that.
    mutating func workerBlocks(_ blocks: Bool, _ actions: inout Actions) {
        settings.workers += blocks ? 1 : -1
        settle(&actions)
    }
}

extension LaunchStateMachine.Node {
    /// Whether a worker runs its code, or asks its condition.
    var isOnWorker: Bool { holdsWorker && (state == .running || state == .checking) }
}
