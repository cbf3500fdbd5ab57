extension RunningLaunch {
    /// Starts a graph as a part of this launch, while that runs: the steps of a second window, or of an account that was added.
    ///
    /// ```swift
    /// let window = try launch.addScope("window-2", windowGraph, budget: .seconds(1))
    /// await window.milestone   // its tabs are there
    /// window.cancel()          // cancels nothing else
    /// ```
    ///
    /// A scope is a launch of its own on this launch's clock: with a milestone, a budget, a deadline that counts from its start, lanes, resources, and identifiers,
    /// which may be those of this launch's operations. It can have scopes, too, 16 within one another at most.
    ///
    /// - Observers are those of its own options, if it is given some. The launch's observers and ``events`` tell nothing of its operations.
    /// - Its outcome is its own: if it fails, is aborted, or is cancelled, this launch and other scopes go on as if it had completed.
    /// - The launch ends when its operations and its scopes have ended, and its report has theirs (``LaunchReport/scopes``). No scope changes its milestone, outcome or
    ///   times. A step of a scope must not wait for the end of the launch, nor for the end of its events.
    /// - Where this launch is stopped, by a failure, an abort, its deadline or a cancel, so are its scopes: they are cancelled. ``cancel()`` cancels them also
    ///   when they are all that runs.
    /// - Where only scopes run any more, each has at most the time that was left of this launch's deadline. A scope that meets it has failed, and its report names what still
    ///   ran; this launch has ended as its own operations did. A scope that waits for a person has that time besides, as with its own deadline.
    /// - A scope can be added until the launch has ended or was stopped. After that its report is fixed: start the graph as a launch of its own.
    ///
    /// It can be called from any thread. A graph with a prologue is started on the main thread.
    ///
    /// - Parameters:
    ///   - name: its name: in the report, and in its events (``LaunchEvent/scope``). No other scope of the launch, also one that has ended, may have it.
    ///   - budget: the time that it may take to its milestone.
    ///   - options: its options, but for the clock. Nil: those of this launch, without order, observers, attributes and failure takeover. In a queue of the app's, scopes run
    ///     beside the launch.
    /// - Throws: ``GraphError``, as ``OperationGraph/start(budget:options:completion:)``; and for a name that is taken, or none that an operation could have, and for a
    ///   launch that has ended or was stopped. Nothing has started then.
    @discardableResult
    public func addScope(
        _ name: String,
        _ graph: OperationGraph,
        budget: Budget? = nil,
        options: LaunchOptions? = nil
    ) throws(GraphError) -> RunningLaunch {
        try storage.addScope(name, graph, budget, options)
    }
}

extension StepContext {
    /// Starts a graph as a part of the launch, as ``RunningLaunch/addScope(_:_:budget:options:)`` does. It does not end with the step.
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
        // Every host is a launch; the files of graphs do not know launches.
        guard let launch = host as? LaunchStorage else {
            throw GraphError(graph: graph.name, problems: [GraphProblem(.launchOver, "there is no launch that it could join")])
        }
        return try launch.addScope(name, graph, budget, options)
    }
}
