// Work that an operation begins and that goes on in the background when the operation has ended, or the whole launch.

extension LaunchStorage {
    func mayOutlive(_ assignment: Assignment) -> Bool {
        state.withLock { state in
            if let stop = state.machine.stop { return stop != .cancelled }
            let node = state.machine.nodes[assignment.node]
            return !node.isToldToCancel || node.outcome == .timedOut
        }
    }

    func abortLate(by assignment: Assignment, _ reason: AbortReason, takeover: Takeover?) -> Bool {
        input { state, now in state.abort(by: assignment, reason, takeover, at: now) }
    }

    var isLaunchProperOver: Bool {
        state.withLock { $0.machine.endOfLaunchProper != nil }
    }

    func whenCancelled(_ body: @escaping @Sendable () -> Void) {
        whenOver { if $0.record.stop == .cancelled { body() } }
    }

    func timeWithinBudget(of assignment: Assignment) -> Duration? {
        let now = timekeeper.now
        let (budget, interactive) = state.withLock { ($0.machine.settings.budget, $0.machine.interactive.total(at: now)) }
        let counted = now - interactive
        guard let budget, let end = LatestEnds(graph, limit: budget).cut(assignment.node, readyAt: counted) else { return nil }
        return .nanoseconds(max(0, end - counted))
    }
}

extension LaunchStorage.State {
    /// - Returns: whether it stopped the launch.
    mutating func abort(
        by assignment: LaunchStorage.Assignment,
        _ reason: AbortReason,
        _ takeover: LaunchStorage.Takeover?,
        at now: Nanoseconds
    ) -> Bool {
        let isAccepted = machine.abort(by: assignment.node, reason, hasTakeover: takeover != nil, at: now, &actions)
        if isAccepted { self.takeover = takeover }
        return isAccepted
    }
}
