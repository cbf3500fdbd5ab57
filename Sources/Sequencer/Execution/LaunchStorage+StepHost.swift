import Foundation

/// The answers to the operations of the launch, and to the app.
extension LaunchStorage {
    func abort(by assignment: Assignment, _ reason: AbortReason, takeover: Takeover?) -> Bool {
        input { state, now in
            // An operation that has ended stops nothing, nor does an earlier attempt (O45).
            guard state.machine.isCurrent(assignment) else {
                state.anomalies.append(Anomaly(.abortedTooLate, of: graph.id(assignment.node)))
                return false
            }
            return state.abort(by: assignment, reason, takeover, at: now)
        }
    }

    /// The faults of operations up to now.
    var anomalies: [Anomaly] { state.withLock { $0.anomalies } + slowCancels + runner.anomalies }

    func mayAsk(_ assignment: Assignment) -> Bool { graph.policy(assignment.node).isInteractive }

    func personWaitBegan(_ assignment: Assignment, _ wait: PersonWait) {
        let isCurrent = input { state, now -> Bool in
            state.machine.personWaitBegan(assignment, wait, at: now, &state.actions)
            return state.machine.isCurrent(assignment)
        }
        if isCurrent, wait.isAsked { tellQuestion(of: assignment.node, isAnswered: false) }
    }

    func personWaitEnded(_ assignment: Assignment, _ wait: PersonWait) {
        let isCurrent = input { state, now -> Bool in
            state.machine.personWaitEnded(assignment, wait, at: now, &state.actions)
            return state.machine.isCurrent(assignment)
        }
        if isCurrent, wait.isAsked { tellQuestion(of: assignment.node, isAnswered: true) }
    }

    /// Tells those who want to know of a question that it is asked, or has been answered.
    func tellQuestion(of node: Int, isAnswered: Bool) {
        recordsQuestion?(graph.id(node), isAnswered)
        // Whether it asks, they ask the launch: told of it, two questions of one operation that end on two threads could be told of in the wrong order.
        for watcher in state.withLock({ $0.questionWatchers }) { watcher(graph.id(node)) }
    }

    func note(_ text: String, by assignment: Assignment) {
        let node = assignment.node
        state.withLock { state in
            guard state.machine.isCurrent(assignment) else { return }
            var notes = state.notes[node] ?? []
            // Each attempt may say the same; and a loop that writes notes must not make the report grow.
            if notes.count < StepContext.maximumNotes, !notes.contains(text) { notes.append(text) }
            state.notes[node] = notes
        }
    }

    func cancel() {
        input(defersAppCode: true) { state, now in state.machine.cancelLaunch(at: now, &state.actions) }
        // Where they are all that runs, there was nothing else to stop.
        cancelScopes()
    }

    func cancelOperation(_ node: Int) {
        input(defersAppCode: true) { state, now in state.machine.cancelOperation(node, at: now, &state.actions) }
    }

    func isToldToCancel(_ assignment: Assignment) -> Bool {
        state.withLock { state in
            let node = state.machine.nodes[assignment.node]
            // The step was told to; the computing of its fallback is only by a launch that stops.
            if assignment.kind == .computeFallback { return state.machine.phase != .running || !state.machine.isCurrent(assignment) }
            return node.isToldToCancel || node.state == .ended || Int(node.attempts) != assignment.attempt
        }
    }

    func remainingTime(of assignment: Assignment) -> Duration? { remainingTime(ofNode: assignment.node) }

    func remainingTime(ofNode node: Int) -> Duration? {
        let now = timekeeper.now
        // Its time may be over, and the alarm on its way.
        return state.withLock { $0.machine.timeLimit(of: node) }.map { .nanoseconds(max(0, $0 - now)) }
    }

    var elapsed: Duration { .nanoseconds(timekeeper.now) }

    func identifier(of assignment: Assignment) -> String { graph.id(assignment.node) }

    func claim(_ operation: Operation) throws { try runner.claim(operation) }

    func run(
        _ operation: Operation,
        by assignment: Assignment,
        completion: @escaping @Sendable (Result<any Sendable, any Error>) -> Void
    ) -> Result<any Sendable, any Error>? {
        runner.prepare(operation, for: assignment, in: self)
        let isMain = graph.isMain(assignment.node)
        return runner.start(operation, id: graph.id(assignment.node), onMain: isMain) { completion($0.result) }?.result
    }

    // MARK: Work that goes on in the background when its operation has ended, or the whole launch

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
        // Made anew: one step of a launch asks for it, once.
        guard let budget, let end = LatestEnds(graph, limit: budget).cut(assignment.node, readyAt: counted) else { return nil }
        return .nanoseconds(max(0, end - counted))
    }

    // MARK: Values of steps

    /// For a dependent: the step has ended, and its slot will not change.
    func value<Value>(of step: Step<Value>) throws -> Value? {
        let node = try graph.index(ofHandle: step)
        if step.producedType == Void.self { return step.value(in: nothing(leftBy: node)) }
        return step.value(in: values[node])
    }

    /// The value of a step that produces none; nil when it did not succeed. Such a step has no slot, or one that nobody reads.
    private func nothing(leftBy node: Int) -> (any Sendable)? {
        state.withLock { state in
            let node = state.machine.nodes[node]
            // One that was put off has left nothing to those who read it, also when it has ended (L46).
            return node.state == .ended && node.outcome.isSuccess && !node.isDeferred ? () : nil
        }
    }

    /// For anyone else: the step may be about to end.
    func endedValue<Value>(of step: Step<Value>) throws(GraphError) -> Value? {
        let node = try graph.index(ofHandle: step)
        return value(of: step, at: node)
    }

    /// - Parameter node: where the step is in the graph.
    func value<Value>(of step: Step<Value>, at node: Int) -> Value? {
        let isNothing = step.producedType == Void.self
        let value: (any Sendable)? = state.withLock { state in
            guard state.machine.nodes[node].state == .ended else { return nil }
            if isNothing { return state.machine.nodes[node].outcome.isSuccess ? () : nil }
            return state.lateValues[node] ?? (values.isEmpty ? nil : values[node])
        }
        return step.value(in: value)
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
