/// Scopes: launches of their own that a launch keeps account of.
extension LaunchStorage {
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
        let answer = state.withLock { state in
            let launchRuns = state.machine.stop == nil && state.machine.phase != .over
            return state.scopes.reserve(name, at: now, launchRuns: launchRuns)
        }
        switch answer {
        case .reserved(let place):
            return try startScope(name, at: place, graph, budget, options ?? scopeOptions)
        case .isDuplicate:
            throw refusal(of: graph, .duplicateScope, "the launch has a scope '\(printable(name))' already; each needs a name of its own")
        case .isTooLate:
            let reason = "the launch '\(printable(self.graph.name))' has ended or was stopped: no scope '\(printable(name))' can join it"
            throw refusal(of: graph, .launchOver, reason + "; start the graph as a launch of its own")
        }
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
        options.clock = clock
        let path = scope.map { "\($0)/\(name)" } ?? name
        let launch: RunningLaunch
        do throws(GraphError) {
            // It may outlive the step that adds it.
            launch = try LaunchWithin.none { () throws(GraphError) in
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
        LaunchWithin.none { launch.storage.begin() }
        return launch
    }

    /// The launch was stopped, or there is nothing else left to cancel.
    func cancelScopes() {
        for launch in state.withLock({ $0.scopes.stop() }) { launch.cancel() }
    }

    /// The launch's own operations have ended, and with them its own alarm for its deadline: each scope that runs has what is left of that time.
    func limitScopes() {
        let now = timekeeper.now
        let (scopes, rest) = state.withLock { ($0.scopes.running, $0.machine.restOfDeadline(at: now)) }
        guard let rest else { return }
        for scope in scopes {
            let isOver = scope.input(defersAppCode: true) { state, now in
                state.machine.limitDeadline(to: rest, at: now)
                return state.machine.phase == .over
            }
            // It waits only for scopes of its own, which have no more time either.
            if isOver { scope.limitScopes() }
        }
    }

    private func refusal(of graph: OperationGraph, _ code: GraphProblem.Code, _ message: String) -> GraphError {
        GraphError(graph: graph.name, problems: [GraphProblem(code, message)])
    }
}

extension LaunchOptions {
    /// The options of scopes that are given none. They hold nothing of the app's that the launch does not hold for itself.
    var ofScopes: LaunchOptions {
        var options = self
        // It names operations of the launch's own graph.
        options.order = nil
        options.observers = []
        // The launch's report has them, and a scope is in it.
        options.attributes = [:]
        options.failureTakeover = nil
        // A journal has nothing of scopes (P40).
        options.startRecorder = nil
        options.questionRecorder = nil
        options.permit = nil
        // A scope may outlive the step that adds it.
        options.outerLimit = nil
        return options
    }
}
