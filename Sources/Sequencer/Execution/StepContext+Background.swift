/// Work that an operation begins and that goes on in the background when the operation has ended, or the whole launch.
extension StepContext {
    /// Starts a launch in the background: on this launch's clock, and with no end but its own deadline. It is cancelled when this launch is.
    ///
    /// In virtual time its operations hold time still as those of any launch do, and time moves on for it when this launch has ended.
    package func startInBackground(
        _ graph: OperationGraph,
        deadline: Duration,
        completion: (@Sendable (FinishedLaunch) -> Void)? = nil
    ) throws(GraphError) -> RunningLaunch {
        let options = LaunchOptions(deadline: deadline, clock: host.clock)
        let launch = try LaunchWithin.none { () throws(GraphError) in try graph.start(options: options, completion: completion) }
        host.whenCancelled { launch.cancel() }
        return launch
    }

    /// Whether work that the operation has begun may go on: false once the launch was cancelled, or the operation alone.
    ///
    /// It may when the operation, or the launch, came to any other end.
    package var mayGoOn: Bool { host.mayOutlive(assignment) }

    /// Whether the launch proper has ended with its milestone, so that nothing changes how the launch ended any more.
    package var isLaunchProperOver: Bool { host.isLaunchProperOver }

    /// Stops the launch as ``abort(_:takeover:)`` does, in the name of the operation, also when that has ended.
    ///
    /// - Returns: whether this call stopped the launch: false when it was over, or stopped already.
    package func abortLate(_ reason: AbortReason, takeover: (@MainActor @Sendable () async -> Void)? = nil) -> Bool {
        host.abortLate(by: assignment, reason, takeover: takeover)
    }

    /// The time that the budget leaves to the operation, by what is expected of those after it; nil when the launch keeps no budget, or its milestone does
    /// not wait for the operation.
    package var timeWithinBudget: Duration? { host.timeWithinBudget(of: assignment) }
}

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
