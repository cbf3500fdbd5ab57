extension RunningLaunch {
    /// Starts a graph as a part of this launch, while that runs: the steps of a second window, or of an account that
    /// was added.
    ///
    /// ```swift
    /// let window = try launch.addScope("window-2", windowGraph, budget: .seconds(1))
    /// await window.milestone   // its tabs are there
    /// window.cancel()          // cancels nothing else
    /// ```
    ///
    /// A scope is a separate launch on this launch's clock: with a milestone, a budget, a deadline that counts from
    /// its start, lanes, resources, and identifiers, which may be those of this launch's operations. It can have
    /// scopes, too, 16 within one another at most.
    ///
    /// - If its options have observers, these are told of its operations; the launch's observers and ``events`` are
    ///   not.
    /// - Its outcome is its own: if it fails, is aborted, or is cancelled, this launch and other scopes continue as if
    ///   it had completed.
    /// - The launch ends when its operations and its scopes have ended, and its report has theirs
    ///   (``LaunchReport/scopes``). No scope changes its milestone, outcome or times. A step of a scope must not wait
    ///   for the end of the launch, nor for the end of its events.
    /// - Where this launch is stopped, by a failure, an abort, its deadline or a cancel, so are its scopes: they are
    ///   cancelled. ``cancel()`` cancels them also when they are all that runs.
    /// - Where only scopes run any more, each has at most the time that was left of this launch's deadline. A scope
    ///   that meets it has failed, and its report names what still ran; this launch has ended as its own operations
    ///   did. A scope that waits for the user has that time besides, as with its own deadline.
    /// - A scope can be added until the launch has ended or was stopped. After that its report is fixed: start the
    ///     graph as a separate launch.
    ///
    /// It can be called from any thread. A graph with a prologue is started on the main thread.
    ///
    /// - Parameters:
    ///   - name: its name: in the report, and in its events (``LaunchEvent/scope``). No other scope of the launch, also
    ///       one that has ended, may have it.
    ///   - budget: the time that it may take to its milestone.
    ///   - options: its options, but for the clock. Nil: those of this launch, without order, observers, attributes and
    ///     failure takeover. In a queue of the app's, scopes run beside the launch.
    /// - Throws: ``GraphError``, as ``OperationGraph/start(budget:options:completion:)``; and for a name that is taken,
    ///   or none that an operation could have, and for a launch that has ended or was stopped. Nothing has started
    ///   then.
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

/// The scopes of one launch, as far as they have to be decided about: no lock, no thread, no clock.
///
/// A scope is reserved by name, attached once its launch is made, and ends once; a scope whose graph is refused is
/// withdrawn. While any is reserved or runs, the launch does not end. Once the launch was stopped, no scope is taken,
/// and running ones must be cancelled.
struct LaunchScopes: Sendable {
    private struct Scope: Sendable {
        let name: String
        let start: Nanoseconds
        var launch: LaunchStorage?
        var record: RunRecord?
    }

    private var scopes: [Scope] = []
    private var names: Set<String> = []
    /// The number of those that are reserved or run.
    private var runningCount = 0
    private var isStopped = false
    /// Whether the launch has only waited for its scopes since.
    private var isEndDue = false

    /// The scopes that have ended, in the order they were added.
    var ended: [(name: String, start: Nanoseconds, record: RunRecord)] {
        scopes.compactMap { scope in scope.record.map { (scope.name, scope.start, $0) } }
    }

    /// The running scopes, in the order they were added.
    var running: [LaunchStorage] { scopes.compactMap(\.launch) }

    /// Whether a scope may join.
    ///
    /// - Parameter launchRuns: whether operations of the launch itself run, and nothing has stopped it.
    func isOpen(launchRuns: Bool) -> Bool {
        // While a scope runs, another one may join, though the operations have ended: the report is not fixed yet.
        !isStopped && (launchRuns || runningCount > 0)
    }

    /// - Returns: the place of a new scope; nil when another one has the name.
    mutating func reserve(_ name: String, at time: Nanoseconds) -> Int? {
        // Names of scopes that have ended count, too: the report has each once.
        guard names.insert(name).inserted else { return nil }
        runningCount += 1
        scopes.append(Scope(name: name, start: time))
        return scopes.count - 1
    }

    /// The launch of a scope has been made, and is about to begin.
    ///
    /// - Returns: whether the caller has to cancel it, because the whole launch was stopped meanwhile.
    mutating func attach(_ launch: LaunchStorage, at place: Int) -> Bool {
        // Once stopped it is not kept: `stop()` has given out its list, and the caller cancels this one itself.
        if !isStopped { scopes[place].launch = launch }
        return isStopped
    }

    /// The graph of a scope was refused. Its name is free again.
    ///
    /// - Returns: whether the caller has to end the whole launch.
    mutating func withdraw(_ place: Int) -> Bool {
        names.remove(scopes[place].name)
        return end(place, nil)
    }

    /// A scope has ended.
    ///
    /// - Returns: whether the caller has to end the whole launch.
    mutating func end(_ place: Int, _ record: RunRecord?) -> Bool {
        scopes[place].launch = nil
        scopes[place].record = record
        runningCount -= 1
        return runningCount == 0 && isEndDue
    }

    /// The launch was stopped.
    ///
    /// - Returns: the scopes to be cancelled.
    mutating func stop() -> [LaunchStorage] {
        isStopped = true
        return running
    }

    /// The operations of the launch have ended.
    ///
    /// - Returns: whether the launch ends with them; otherwise it ends with its last scope.
    mutating func mayEnd() -> Bool {
        isEndDue = runningCount > 0
        return !isEndDue
    }
}
