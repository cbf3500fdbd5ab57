/// The obstacles of each operation: answers only, nothing changes.
extension LaunchStateMachine {
    enum Wait: Equatable {
        case dependencies([Int])
        /// One that ``PendingOperations/laneHolders`` have taken.
        case lane
        /// One that ``PendingOperations/blockers`` block.
        case thread
        case mainThread
        case operationQueue
        case resource(ExclusiveResource, heldBy: Int)
        /// For something that the milestone needs, and that would otherwise wait for it.
        case milestone
        case condition
        case retry
        case person
        case code
    }

    struct Pending: Equatable {
        let node: Int
        let wait: Wait
        let since: Nanoseconds
    }

    struct PendingOperations: Equatable {
        /// First running operations, then ready ones, then those that cannot run yet.
        let operations: [Pending]
        /// The holders that all operations waiting for a lane wait for, looked for once.
        let laneHolders: [Int]
        /// The operations that all those waiting for a thread wait for.
        let blockers: [Int]
    }

    /// Every operation that has not ended.
    ///
    /// - Complexity: O(operations + dependencies).
    func pending() -> PendingOperations {
        let all = nodes.indices.lazy.filter { nodes[$0].state != .ended }.map { pending($0) }
        // Within a group they keep the order in which they were added.
        let groups = Dictionary(grouping: all) { Self.place(of: $0.wait) }
        return PendingOperations(
            operations: (0...2).flatMap { groups[$0] ?? [] },
            laneHolders: nodes.indices.filter { nodes[$0].holdsLane },
            blockers: nodes.indices.filter { nodes[$0].holdsWorker && nodes[$0].state == .running }
        )
    }

    private static func place(of wait: Wait) -> Int {
        switch wait {
        case .code, .person, .condition, .retry: 0
        case .lane, .thread, .mainThread, .operationQueue, .resource, .milestone: 1
        case .dependencies: 2
        }
    }

    private func pending(_ node: Int) -> Pending {
        let state = nodes[node]
        switch state.state {
        case .waiting:
            let dependencies = graph.predecessors[node].map(\.index)
            let ends = dependencies.lazy.filter { nodes[$0].state == .ended }.map { nodes[$0].end }
            return Pending(
                node: node,
                wait: .dependencies(dependencies.filter { nodes[$0].state != .ended }),
                // Times that were never reached are -1.
                since: max(ends.max() ?? 0, 0)
            )
        case .deferred:
            return Pending(node: node, wait: .dependencies([milestone]), since: max(state.ready, 0))
        case .ready, .parked, .aside:
            return Pending(node: node, wait: waitOfReady(node), since: max(state.ready, 0))
        case .checking:
            return Pending(node: node, wait: .condition, since: max(state.ready, 0))
        case .pausing:
            return Pending(node: node, wait: .retry, since: max(state.start, 0))
        case .running, .ended:
            if let asked = personWaits[node]?.asked, asked.isRunning { return Pending(node: node, wait: .person, since: asked.since) }
            let wait: Wait = traits[node].contains(.isInteractive) && !state.isComputingFallback ? .person : .code
            return Pending(node: node, wait: wait, since: max(state.start, 0))
        }
    }

    private func waitOfReady(_ node: Int) -> Wait {
        if nodes[node].state == .aside { return .milestone }
        if let obstacle = resources.obstacle(of: node) { return .resource(obstacle.resource, heldBy: obstacle.holder) }
        if traits[node].contains(.isMain) { return .mainThread }
        return lanes.available <= 0 ? .lane : settings.usesQueue ? .operationQueue : .thread
    }

    // MARK: Stalls

    /// When the launch counts as stalled; nil while waiting for a person, after the stall was reported, and without a ``StallWatch``.
    var stallTime: Nanoseconds? {
        guard phase == .running, alive > 0, let limit = settings.stallLimit, !isStallReported, !interactive.isRunning else { return nil }
        // The time before a person answered is not a silence of the launch.
        return max(lastProgress, interactive.lastEnd).addingSaturated(limit)
    }
}
