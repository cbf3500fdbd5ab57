/// The requests of a step to its launch that are not public to every step.
extension StepContext {
    /// The step that the caller is part of; nil outside of steps, and where that is not certain.
    package static var current: StepContext? {
        CurrentStep.runner?.withLaunch { StepContext(host: $0, assignment: $1) }
    }

    /// Whether the step is marked ``StepOption/interactive``.
    package var mayAsk: Bool { storage?.graph.policy(assignment.node).isInteractive ?? false }

    /// Waits for a turn to ask the user, or for something that has another limit: while `body` runs, the operation's
    /// timeout stands still, since others decide how long that takes. The time counts against the budget, unless the
    /// user is asked meanwhile.
    nonisolated(nonsending) package func waitForTurn<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await wait(.turn, body)
    }

    // MARK: Work that continues when its operation has ended

    /// Starts a launch in the background: on this launch's clock, and with no end but its own deadline. It is cancelled
    /// when this launch is.
    ///
    /// In virtual time its operations hold time still as those of any launch do, and time moves on for it when this
    /// launch has ended.
    package func startInBackground(
        _ graph: OperationGraph,
        deadline: Duration,
        completion: (@Sendable (FinishedLaunch) -> Void)? = nil
    ) throws(GraphError) -> RunningLaunch {
        let options = LaunchOptions(deadline: .after(deadline), clock: storage?.options.clock ?? SuspendingClock())
        let launch = try CurrentStep.none { () throws(GraphError) in try graph.start(options: options, completion: completion) }
        storage?.whenOver { if $0.record.stop == .cancelled { launch.cancel() } }
        return launch
    }

    /// Whether work that the operation has begun may continue: false once the launch was cancelled, or the operation
    /// alone.
    ///
    /// It may when the operation, or the launch, came to any other end.
    package var mayGoOn: Bool {
        storage?.state.withLock { state in
            if let stop = state.machine.stop { return stop != .cancelled }
            let node = state.machine.nodes[assignment.node]
            return !node.isToldToCancel || node.outcome == .timedOut
        } ?? false
    }

    /// Whether the step is one of a launch that continues, and not of a scope of it: one that an observer has kept may
    /// begin when its launch is over.
    package var isOfRunningLaunch: Bool { storage.map { $0.scope == nil && !$0.isOver } ?? false }

    /// Every host is a launch; the files of graphs do not know launches.
    private var storage: LaunchStorage? { host as? LaunchStorage }

    /// The step's launch, to tell it from others.
    package var launch: any AnyObject & Sendable { host }

    /// Whether the launch proper has ended with its milestone, so that nothing changes how the launch ended any more.
    package var isLaunchProperOver: Bool { storage?.state.withLock { $0.machine.endOfLaunchProper != nil } ?? false }

    /// Stops the launch as ``abort(_:takeover:)`` does, in the name of the operation, also when that has ended.
    ///
    /// - Returns: whether this call stopped the launch: false when it was over, or stopped already.
    package func abortLate(_ reason: AbortReason, takeover: (@MainActor @Sendable () async -> Void)? = nil) -> Bool {
        host.abort(by: assignment, reason, takeover: takeover, alsoLate: true)
    }

    /// The time that the budget leaves to the operation, by the expected durations of those after it; nil when the
    /// launch keeps no budget, or its milestone does not wait for the operation.
    package var timeWithinBudget: Duration? {
        guard let storage else { return nil }
        let now = storage.timekeeper.now
        let (budget, interactive) = storage.state.withLock { ($0.machine.settings.budget, $0.machine.interactive.total(at: now)) }
        let counted = now - interactive
        // Made anew: only those ask for it that are about to send a request.
        let ends = budget.map { LatestEnds(storage.graph, limit: $0) }
        return ends?.cut(assignment.node, readyAt: counted).map { .nanoseconds(max(0, $0 - counted)) }
    }

    /// Shortens the operation's timeout, if it has one, so that it ends no later than `time` from now.
    ///
    /// - Parameter least: what it has in any case; the less, the more of it operations before it have used.
    package func limitTime(to time: Duration, atLeast least: Duration = .zero) {
        storage?.input { $0.machine.limitTime(of: assignment, to: time, atLeast: least) }
    }

    /// Adds the processor time of work that the step has had done elsewhere, as by a child process, once an attempt.
    ///
    /// - Parameter runnable: how long that waited for a processor; nil where nobody knows.
    package func addProcessorTime(_ used: Duration, runnable: Duration?) {
        guard let storage, !storage.measurements.isEmpty else { return }
        let time = ProcessorTime(used: used.nanoseconds, runnable: runnable?.nanoseconds)
        storage.state.withLock { if $0.machine.isCurrent(assignment) { $0.processorTimes.add(time, to: assignment) } }
    }

    /// Whether the launch has asked the user anything by now.
    package var hasAsked: Bool { storage?.state.withLock { $0.machine.hasAsked } ?? false }

    /// Starts a graph as a part of the launch, as ``RunningLaunch/addScope(_:_:budget:options:)`` does. It does not end
    /// with the step.
    ///
    /// ```swift
    /// graph.add("restore-windows") { launch in
    ///     for window in saved { try launch.addScope(window.name, window.graph) }
    /// }
    /// ```
    ///
    /// - Throws: ``GraphError``, as that does.
    @discardableResult
    public func addScope(
        _ name: String,
        _ graph: OperationGraph,
        budget: Budget? = nil,
        options: LaunchOptions? = nil
    ) throws(GraphError) -> RunningLaunch {
        guard let storage else {
            throw GraphError(graph: graph.name, problems: [GraphProblem(.launchOver, "there is no launch that it could join")])
        }
        return try storage.addScope(name, graph, budget, options)
    }
}
