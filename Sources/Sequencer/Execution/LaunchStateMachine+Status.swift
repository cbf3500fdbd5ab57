/// The obstacles of each operation: answers only, nothing changes.
extension LaunchStateMachine {
    struct Pending: Equatable {
        let node: Int
        let wait: LaunchStatus.Wait
        let since: Nanoseconds
    }

    /// Every operation that has not ended: first running ones, then ready ones, then those that cannot run yet, each group in the order in which they were added.
    ///
    /// - Complexity: O(operations + dependencies).
    func pending() -> [Pending] {
        // Thousands may wait for the same lanes: one list of names for all of them.
        let holders = nodes.indices.filter { nodes[$0].holdsLane }.map(graph.id)
        let blockers = nodes.indices.filter { nodes[$0].thread != .none && nodes[$0].isGoingOn }.map(graph.id)
        let all = nodes.indices.filter { nodes[$0].state != .ended }.map { node in
            let (wait, since) = reasonToWait(node, holders, blockers)
            // Times that were never reached are -1.
            return Pending(node: node, wait: wait, since: max(since, 0))
        }
        let groups = Dictionary(grouping: all) { pending in
            switch pending.wait {
            case .code, .person, .condition, .retry: 0
            case .lane, .thread, .mainThread, .operationQueue, .resource, .milestone: 1
            case .dependencies: 2
            }
        }
        return (0...2).flatMap { groups[$0] ?? [] }
    }

    private func reasonToWait(_ node: Int, _ laneHolders: [String], _ blockers: [String]) -> (LaunchStatus.Wait, since: Nanoseconds) {
        let state = nodes[node]
        switch state.state {
        case .waiting:
            let dependencies = graph.predecessors[node].map(\.index)
            let ends = dependencies.lazy.filter { nodes[$0].state == .ended }.map { nodes[$0].end }
            return (.dependencies(dependencies.filter { nodes[$0].state != .ended }.map(graph.id)), ends.max() ?? 0)
        case .deferred: return (.dependencies([graph.id(milestone)]), state.ready)
        case .aside: return (.milestone, state.ready)
        case .ready, .parked:
            if let (resource, holder) = resources.obstacle(of: node) { return (.resource(resource, heldBy: graph.id(holder)), state.ready) }
            if traits[node].contains(.isMain) { return (.mainThread, state.ready) }
            if lanes.available <= 0 { return (.lane(takenBy: laneHolders), state.ready) }
            return (settings.usesQueue ? .operationQueue : .thread(blockedBy: blockers), state.ready)
        case .checking: return (.condition, state.ready)
        case .pausing: return (.retry, state.start)
        case .running, .computing, .ended:
            if let asked = personWaits[node]?.asked, asked.isRunning { return (.person, asked.since) }
            return (traits[node].contains(.isInteractive) && state.state == .running ? .person : .code(nil), state.start)
        }
    }

    // MARK: Stalls

    /// When the launch counts as stalled; nil while waiting for a person, after the stall was reported, and without a ``StallWatch``.
    var stallTime: Nanoseconds? {
        guard phase == .running, alive > 0, let limit = settings.stallLimit, !isStallReported, !interactive.isRunning else { return nil }
        // The time before a person answered is not a silence of the launch.
        return max(lastProgress, interactive.lastEnd).addingSaturated(limit)
    }

    // MARK: Events so far

    /// The events up to now, as far as the states of the operations tell: of attempts that were repeated, only the start of the first.
    ///
    /// - Complexity: O(operations · log operations).
    var eventsSoFar: [LaunchEvent] {
        guard hasBegun else { return [] }
        // At one moment, the events of an operation come after those of its dependencies, and ends by a stop come after the stop.
        var ordered: [(key: (Nanoseconds, Int, Int), event: LaunchEvent)] = []
        func add(_ kind: LaunchEvent.Kind, at time: Nanoseconds, rank: Int) {
            ordered.append(((time, rank, ordered.count), LaunchEvent(kind: kind, time: .nanoseconds(time), scope: settings.scope)))
        }
        add(.launchStarted, at: 0, rank: -1)
        for index in graph.order {
            let (node, id) = (nodes[index], graph.id(index))
            if node.ready >= 0, node.state != .waiting { add(.ready(id), at: node.ready, rank: 0) }
            // A join never starts, nor does an operation whose condition was being asked, though both have a time for it.
            if node.start >= 0, node.attempts > 0, !traits[index].contains(.isJoin) {
                add(.started(id, attempt: 1), at: node.start, rank: 0)
            }
            guard node.state == .ended else { continue }
            let isStopped =
                stop != nil && node.end >= stopTime && (node.outcome == .cancelled || node.isStraggler || attemptsNotMade[index] != nil)
            add(.ended(id, node.outcome), at: node.end, rank: isStopped ? 2 : 0)
        }
        if stop != nil { add(.stopped, at: stopTime, rank: 1) }
        if phase == .over { add(.launchEnded, at: endOfLaunch, rank: 3) }
        return ordered.sorted { $0.key < $1.key }.map(\.event)
    }
}
