import Foundation

/// The answers to the operations of the launch, and to the app.
extension LaunchStorage: StepHost {
    func abort(by assignment: Assignment, _ reason: AbortReason, takeover: Takeover?, alsoLate: Bool) -> Bool {
        input { state in
            // An operation that has ended stops nothing, nor does an earlier attempt (O45).
            guard alsoLate || state.machine.isCurrent(assignment) else {
                state.anomalies.append(Anomaly(.abortedTooLate, of: graph.id(assignment.node)))
                return false
            }
            let hasStopped = state.machine.abort(by: assignment.node, reason, hasTakeover: takeover != nil)
            if hasStopped { state.takeover = takeover }
            return hasStopped
        }
    }

    /// The faults of operations up to now.
    var anomalies: [Anomaly] { state.withLock { $0.anomalies } + anomaliesOutside }

    func personWait(_ assignment: Assignment, _ wait: PersonWait, begins: Bool) {
        let isCurrent = input { $0.machine.personWait(assignment, wait, begins: begins) }
        if isCurrent, wait.isAsked { tellQuestion(of: assignment.node, isAnswered: !begins) }
    }

    /// Tells those who want to know of a question that it is asked, or has been answered.
    func tellQuestion(of node: Int, isAnswered: Bool) {
        options.recorder?.recordQuestion(of: graph.id(node), isAnswered: isAnswered)
        // Whether it asks, they ask the launch: told of it, two questions of one operation that end on two threads
        // could be told of in the wrong order.
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
        input(defersAppCode: true) { $0.machine.cancelLaunch() }
        // Where they are all that runs, there was nothing else to stop.
        cancelScopes()
    }

    func cancelOperation(_ node: Int) {
        input(defersAppCode: true) { $0.machine.cancelOperation(node) }
    }

    func isToldToCancel(_ assignment: Assignment) -> Bool {
        state.withLock { $0.machine.isToldToCancel(assignment) }
    }

    var now: Nanoseconds { timekeeper.now }

    func claim(_ operation: Operation) throws { try runner.claim(operation) }

    func run(
        _ operation: Operation,
        by assignment: Assignment,
        completion: @escaping @Sendable (Result<any Sendable, any Error>) -> Void
    ) -> Result<any Sendable, any Error>? {
        runner.start(operation, for: assignment, in: self) { completion($0.result) }?.result
    }

    func remainingTime(of node: Int) -> Duration? {
        let now = timekeeper.now
        // Its time may be over, and the alarm on its way.
        return state.withLock { $0.machine.timeLimit(of: node) }.map { .nanoseconds(max(0, $0 - now)) }
    }

    // MARK: Values of steps

    /// For a dependent: the step has ended. A deferred step leaves nothing to its readers, even if it ends meanwhile
    /// (L46).
    func value<Value>(of step: Step<Value>) throws -> Value? {
        let node = try graph.index(ofHandle: step)
        return value(of: step, at: node, orNilIf: \.isDeferred)
    }

    func value<Value>(of step: Step<Value>, for assignment: Assignment) -> Value? {
        guard let node = try? graph.index(ofHandle: step), graph.predecessors[assignment.node].contains(where: { $0.index == node }) else {
            note("the value of '\(printable(step.id))' is nil: the step does not wait for it", by: assignment)
            return nil
        }
        return value(of: step, at: node, orNilIf: \.isDeferred)
    }

    /// - Parameter node: where the step is in the graph.
    func value<Value>(of step: Step<Value>, at node: Int, orNilIf isMissing: (LaunchStateMachine.Node) -> Bool = { _ in false }) -> Value? {
        let value: (any Sendable)? = state.withLock { state in
            let ended = state.machine.nodes[node]
            guard ended.state == .ended, !isMissing(ended) else { return nil }
            if step.producedType == Void.self { return ended.outcome.isSuccess ? () : nil }
            return state.values[node]
        }
        return step.value(in: value)
    }

    /// Keeps the wait that an operation has announced.
    ///
    /// - Returns: the wait that it told of before, which counts again after this one. It is released without the lock:
    ///     its closure may hold objects of the app, whose `deinit` may block.
    func keep(_ wait: ToldWait?, for assignment: Assignment) -> ToldWait? {
        state.withLock { state in
            guard state.machine.isCurrent(assignment) else { return nil }
            return exchange(&state.waits[assignment.node], with: wait)
        }
    }

    func took(_ value: any Sendable, for range: HeldRange) {
        let release = state.withLock { $0.eventWaits.ranges.took(value, for: range, in: graph) }
        // The code of an operation that was left behind returned too late: nobody else would release it.
        release?()
    }

    // MARK: Scopes

    func addScope(
        _ name: String,
        _ graph: OperationGraph,
        _ budget: Budget?,
        _ options: LaunchOptions?
    ) throws(GraphError) -> RunningLaunch {
        if let complaint = OperationGraph.complaint(aboutIdentifier: name) {
            throw refusal(of: graph, .invalidIdentifier, "the name '\(printable(name, limit: 80))' of a scope \(complaint)")
        }
        let deepest = LaunchReport.Scope.maximumDepth
        // A report is read by recursion, so it has a depth that it cannot exceed.
        guard scopeDepth < deepest else {
            let reason = "scopes can be within one another \(deepest) deep, and '\(printable(name))' would be deeper"
            throw refusal(of: graph, .invalidOption, reason)
        }
        let now = timekeeper.now
        let (isOpen, place) = state.withLock { state in
            let launchRuns = state.machine.stop == nil && state.machine.phase != .over
            let isOpen = state.scopes.isOpen(launchRuns: launchRuns)
            return (isOpen, isOpen ? state.scopes.reserve(name, at: now) : nil)
        }
        guard isOpen else {
            let reason = "the launch '\(printable(self.graph.name))' has ended or was stopped: no scope '\(printable(name))' can join it"
            throw refusal(of: graph, .launchOver, reason + "; start the graph as a launch of its own")
        }
        guard let place else {
            throw refusal(of: graph, .duplicateScope, "the launch has a scope '\(printable(name))' already; each needs a name of its own")
        }
        return try startScope(name, at: place, graph, budget, options ?? self.options.ofScopes)
    }

    private func startScope(
        _ name: String,
        at place: Int,
        _ graph: OperationGraph,
        _ budget: Budget?,
        _ options: LaunchOptions
    ) throws(GraphError) -> RunningLaunch {
        var options = options
        // A report has the times of a scope at those of the launch: two clocks could not be compared.
        options.clock = self.options.clock
        let path = scope.map { "\($0)/\(name)" } ?? name
        let launch: RunningLaunch
        do throws(GraphError) {
            // It may outlive the step that adds it.
            launch = try CurrentStep.none { () throws(GraphError) in
                try graph.makeLaunch(budget, options, scope: path, depth: scopeDepth + 1)
            }
        } catch {
            if state.withLock({ $0.scopes.withdraw(place) }) { finish(defersAppCode: true) }
            throw error
        }
        // Before those who wait for the scope are told: they find it in the launch's account.
        launch.storage.whenOver { [self] finished in
            if state.withLock({ $0.scopes.end(place, finished.record) }) { finish(defersAppCode: true) }
        }
        let (isStopped, isLast) = state.withLock { ($0.scopes.attach(launch.storage, at: place), $0.machine.phase == .over) }
        // Cancelled before it begins, so that nothing of it starts.
        if isStopped { launch.cancel() }
        if isLast { limitScopes() }
        CurrentStep.none { launch.storage.begin() }
        return launch
    }

    /// The launch was stopped, or there is nothing else left to cancel.
    func cancelScopes() {
        for launch in state.withLock({ $0.scopes.stop() }) { launch.cancel() }
    }

    /// The launch's own operations have ended, and with them its own alarm for its deadline: each running scope gets
    /// the rest of that time.
    func limitScopes() {
        let now = timekeeper.now
        let (scopes, rest) = state.withLock { ($0.scopes.running, $0.machine.restOfDeadline(at: now)) }
        guard let rest else { return }
        for scope in scopes {
            let isOver = scope.input(defersAppCode: true) { state in
                state.machine.limitDeadline(to: rest)
                return state.machine.phase == .over
            }
            // It waits only for its scopes, which have no more time either.
            if isOver { scope.limitScopes() }
        }
    }

    private func refusal(of graph: OperationGraph, _ code: GraphProblem.Code, _ message: String) -> GraphError {
        GraphError(graph: graph.name, problems: [GraphProblem(code, message)])
    }
}

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

    func workerBlocks(_ blocks: Bool) { input { $0.machine.workerBlocks(blocks) } }

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
