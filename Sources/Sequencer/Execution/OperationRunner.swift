import Foundation

/// Starts Foundation operations outside any queue, and tells when each has ended, once.
///
/// An operation that has finished when `start()` returns ends there, and a ``ConcurrentOperation`` says so itself. Any
/// other is watched by a second operation that depends on it, in a queue over a serial dispatch queue: the completion
/// block would be called on a global queue, and those stand still while blocked operations hold every pool thread.
final class OperationRunner: Sendable {
    private struct State: ~Copyable {
        /// Made when the first operation needs watching.
        var watchers: SerialOperationQueue?
        /// A queue for each operation that was not ready.
        var others: [SerialOperationQueue] = []
        var surplus: [Anomaly] = []
        /// The operations that steps have made: nobody else may have them meanwhile.
        var made: [Operation] = []
        /// The operations that were started: each starts once. They live as long as the launch, so no other object gets
        /// the identifier of a started one.
        var started: Set<ObjectIdentifier> = []
        /// The launch to tell of ends; nil before its first start, and once it is over: an endless operation would keep
        /// it for ever.
        var launch: LaunchStorage?
        /// When the launch's operations have ended, and its time, once it is over.
        var over: (nodes: [LaunchStateMachine.Node], timekeeper: any Timekeeper)?
    }

    private let state = Locked(State())

    /// The anomalies of operations that finished again, or ended after the launch.
    var anomalies: [Anomaly] { state.withLock { $0.surplus } }

    /// Starts an operation for a step: it finds the step's context, and waits for no operation that is not going to
    /// run.
    ///
    /// - Parameter ended: called once, on any thread, unless the ending is returned.
    /// - Returns: how the operation ended, if it has ended already: the worker that started it tells the end and takes
    ///     its next operation in one input.
    func start(
        _ operation: Operation,
        for assignment: LaunchStateMachine.Assignment,
        in launch: LaunchStorage,
        ended: @escaping @Sendable (AttemptEnd) -> Void
    ) -> AttemptEnd? {
        state.withLock { if $0.launch == nil, $0.over == nil { $0.launch = launch } }
        if !operation.isReady { launch.endedOperations(before: assignment.node).forEach(endUnlessStarted) }
        let (id, isMain) = (launch.graph.id(assignment.node), launch.graph.isMain(assignment.node))
        guard let concurrent = operation as? ConcurrentOperation else {
            if let refusal = begin(operation, onMain: isMain) { return refusal }
            if operation.isFinished { return Self.ending(of: operation) }
            // Some that call themselves synchronous continue, too. Should it end just now, the watcher is ready at
            // once.
            watch(operation) { ended(Self.ending(of: $0)) }
            return nil
        }
        // Through the runner, which releases the launch when that is over: the operation keeps these, and may be kept
        // for longer.
        concurrent.runs { [state] in
            state.withLock { $0.launch }.map { StepContext(host: $0, assignment: assignment) }
        }
        concurrent.onSurplusFinish { [state] _ in
            state.withLock { $0.surplus.append(Anomaly(.finishedAgain, of: id)) }
        }
        if let refusal = begin(concurrent, onMain: isMain) { return refusal }
        if let ending = concurrent.ending { return ending }
        // Should it end just now, this calls the handler here.
        concurrent.whenEnded { if let ending = $0.ending { ended(ending) } }
        return nil
    }

    /// Ends an operation whose step has ended without it, as one that is left out: an operation that depends on it
    /// would wait for ever.
    ///
    /// It is cancelled and started, as an operation queue does with one that is cancelled in it: Foundation ends it
    /// then without its work.
    private func endUnlessStarted(_ operation: Operation) {
        guard mayStart(operation), !operation.isExecuting, !operation.isFinished else { return }
        operation.cancel()
        operation.start()
    }

    private func mayStart(_ operation: Operation) -> Bool {
        state.withLock { $0.started.insert(ObjectIdentifier(operation)).inserted }
    }

    /// Tells the launch, while it runs, that the operation of a step has ended.
    func ended(_ assignment: LaunchStateMachine.Assignment, _ id: String, _ ending: AttemptEnd) {
        let (launch, over) = state.withLock { ($0.launch, $0.over) }
        if let launch { launch.attemptEnded(assignment, ending) }
        guard launch == nil, let over, !ending.isObedient else { return }
        let delay = Duration.nanoseconds(max(0, over.timekeeper.now - over.nodes[assignment.node].end))
        state.withLock { $0.surplus.append(Anomaly(.endedLate, of: id, after: delay)) }
    }

    /// Lets go of the launch, which is over; operations that have not ended are late.
    ///
    /// - Returns: the operations that steps have made. Their `deinit` is the app's code: the caller sees to where they
    ///     are freed.
    func launchIsOver(_ nodes: [LaunchStateMachine.Node], _ timekeeper: any Timekeeper) -> [Operation] {
        // The launch is not released under the lock.
        let (launch, made) = state.withLock { state -> (LaunchStorage?, [Operation]) in
            state.over = (nodes, timekeeper)
            return (state.launch.take(), exchange(&state.made, with: []))
        }
        OperationClaim.giveBack(made)
        return withExtendedLifetime(launch) { made }
    }

    /// Takes an operation that a step has made for this launch alone, until its end.
    ///
    /// - Throws: an error when it belongs to a launch already, or has run: Foundation would end the process.
    func claim(_ operation: Operation) throws {
        try OperationClaim.claim(operation)
        let isOver = state.withLock { state in
            if state.over == nil { state.made.append(operation) }
            return state.over != nil
        }
        // Its launch has left the step behind: the operation must not run, and nobody else would give it back.
        guard isOver else { return }
        OperationClaim.giveBack([operation])
        throw CancellationError()
    }

    /// Starts an operation that is ready here. Otherwise it gets a queue, which starts it when it is ready: Foundation
    /// traps on an early start, and tells dependents of an ended operation in another order.
    ///
    /// - Returns: why it is not started, if somebody else has started it, which Foundation would trap on as well.
    private func begin(_ operation: Operation, onMain isMain: Bool) -> AttemptEnd? {
        // Else its step had ended before it came to this, and another has ended it.
        guard mayStart(operation) else { return nil }
        if operation.isExecuting || operation.isFinished && !operation.isCancelled {
            let complaint = operation.isFinished ? "has finished already" : "runs already"
            let error = EngineError(description: "its Operation \(complaint); an Operation runs once, make a new one each time")
            return AttemptEnd(throwing: error)
        }
        if operation.isReady || operation.isCancelled {
            operation.start()
        } else if isMain {
            OperationQueue.main.addOperation(operation)
        } else {
            let queue = SerialOperationQueue(label: "sequencer.not-ready")
            state.withLock { $0.others.append(queue) }
            queue.operations.addOperation(operation)
        }
        return nil
    }

    private func watch(_ operation: Operation, _ ended: @escaping @Sendable (Operation) -> Void) {
        let watcher = BlockOperation { ended(operation) }
        watcher.addDependency(operation)
        let queue = state.withLock { state in
            let queue = state.watchers ?? SerialOperationQueue(label: "sequencer.watchers")
            state.watchers = queue
            return queue
        }
        queue.operations.addOperation(watcher)
    }

    /// A cancelled operation looks the same whether it has stopped its work or done it.
    private static func ending(of operation: Operation) -> AttemptEnd {
        if !operation.isCancelled { return AttemptEnd(()) }
        return AttemptEnd(throwing: CancellationError(), isCancelled: true, isObedient: false)
    }
}
