/// The answers to the scheduler of a virtual clock.
extension LaunchStorage: VirtualLaunch {
    func isRunning(_ role: TimeHolder.Role) -> Bool {
        state.withLock { state in
            switch role {
            case .operation(let assignment): state.machine.isCurrent(assignment)
            case .takeover: state.machine.isTakeoverRunning
            case .screen(let node): state.machine.isScreenUp(node)
            case .worker, .engine: false
            }
        }
    }

    var startsOnMainFirst: Bool { state.withLock { $0.machine.isMainFirst } }

    func workerBlocks(_ blocks: Bool) {
        input { state, _ in state.machine.workerBlocks(blocks, &state.actions) }
    }

    func waitsInRealTime(_ role: TimeHolder.Role) {
        state.withLock { state in
            let nodes: [Int] =
                switch role {
                case .operation(let assignment): state.machine.isCurrent(assignment) ? [assignment.node] : []
                // Of its own workers the launch knows only their operations.
                case .worker: state.machine.nodes.indices.filter { state.machine.nodes[$0].isOnWorker }
                case .takeover, .screen, .engine: []
                }
            for node in nodes {
                let anomaly = Anomaly(.waitedInRealTime, of: graph.id(node))
                // It may wait in real time more than once.
                if !state.anomalies.contains(anomaly) { state.anomalies.append(anomaly) }
            }
        }
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
    fileprivate var isOnWorker: Bool { holdsWorker && (state == .running || state == .checking) }
}
