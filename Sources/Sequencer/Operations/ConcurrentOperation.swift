import Foundation

/// An asynchronous operation in the classic style: override ``main()``, and call ``finish()`` when the work is done.
///
/// It runs in any `OperationQueue`, and as a step of a graph. The call of ``finish()`` may come from any thread, inside
/// `main()` or long after it returned; until then the operation counts as executing, keeps its place in the queue and
/// holds back its dependents.
///
/// - Cancelled before it starts: it still has to be started, as a queue does, and then ends without running ``main()``.
///   On Linux its `dependencies` are empty after that.
/// - Cancelled while it runs: `isCancelled` becomes true and ``didCancel()`` is called. The operation still ends only
///   by ``finish()``, so that nobody takes work for finished that continues.
/// - Cancelled after its end was decided: nothing changes, not even `isCancelled`.
/// - Finished before it starts: remembered. The operation ends when it is started, without running ``main()``.
/// - Finished twice: the second call changes nothing. In a launch it is an ``Anomaly``.
/// - Releasing: code that adds dependencies keeps the operation until all it depends on have finished, as a queue and a
///   launch do. On Linux an operation of any class that is freed while another one finishes that it depends on crashes
///   the process, inside Foundation.
/// - Never finished: it executes for ever, and so does `waitUntilFinished()`. A step of a graph may have a timeout for
///     that.
///
/// Key-value notifications for `isExecuting` and `isFinished`, ``didCancel()`` and all other callbacks are made without
/// holding a lock, on the thread that caused them.
///
/// ```swift
/// final class PresentTutorial: ConcurrentOperation, @unchecked Sendable {
///     // @unchecked: `presenter` is constant, and Sendable itself.
///     private let presenter: TutorialPresenter
///
///     init(_ presenter: TutorialPresenter) {
///         self.presenter = presenter
///     }
///
///     override func main() {
///         presenter.show(onClose: { [weak self] in self?.finish() })
///     }
///
///     override func didCancel() {
///         presenter.close()  // which calls onClose
///     }
/// }
/// ```
open class ConcurrentOperation: Operation, @unchecked Sendable {
    // @unchecked: the only property, `storage`, is a lock around all that changes; what `Operation` holds, it guards
    // itself.
    private let storage = Locked(Storage())

    private struct Storage: ~Copyable {
        var machine = ConcurrentOperationStateMachine()
        var error: (any Error)?
        /// The value of a ``ValueOperation``.
        var value: (any Sendable)?
        /// Finds the context of the step that this operation is.
        var context: (@Sendable () -> StepContext?)?
        /// The observers of the end; emptied when they have been told.
        var endHandlers: [@Sendable (ConcurrentOperation) -> Void] = []
        /// The observers of surplus calls of `finish()`; kept, because those come after the end.
        var surplusFinishHandler: (@Sendable (ConcurrentOperation) -> Void)?
    }

    deinit {
        // For one that never ended, and for one that was started by hand before its predecessors had finished; any
        // other has nothing left to unlink.
        unlinkFromPredecessors()
    }

    // MARK: - For subclasses

    /// The work; override it, and have ``finish()`` called, now or later.
    ///
    /// It is called at most once, on the thread that starts the operation, and not at all when the operation was
    /// cancelled or finished before. The default has nothing to do and finishes; do not call it from an override. A
    /// cancellation may arrive from another thread just before the first line, so look at `isCancelled` once the work
    /// can be stopped by ``didCancel()``.
    ///
    /// ```swift
    /// override func main() {
    ///     guard !seen.contains(version) else { return finish() }
    ///     present { [weak self] in self?.finish() }
    /// }
    /// ```
    open override func main() { finish() }

    /// Called once when the operation is cancelled while it executes, to stop its work and have ``finish()`` called.
    ///
    /// The default does nothing: the work runs on until it finishes. Called on the thread that cancels, without a lock,
    /// after `isCancelled` became true; calling ``finish()`` from here is fine. Not called when the operation is
    /// cancelled before ``main()`` (which then never runs) nor after its end. A step that ends within this call, after
    /// its timeout, has obeyed; any later end is reported as late. It may overlap with ``main()``, and with a
    /// ``finish()`` on another thread.
    ///
    /// ```swift
    /// override func didCancel() {
    ///     timer.cancel()
    ///     finish()
    /// }
    /// ```
    open func didCancel() {}

    /// Ends the operation as done.
    ///
    /// Call it from any thread, once; after `cancel()` too, which alone ends nothing. When it returns, `isFinished` is
    /// true, with two exceptions. Before ``main()`` has begun, the call is remembered: the operation ends when it is
    /// started, without running ``main()``. When several threads call, exactly one of them ends the operation; the
    /// other calls change nothing and wait for nothing. In a launch these are anomalies
    /// (``Anomaly/Kind/finishedAgain``).
    ///
    /// ```swift
    /// alert.onDismiss = { [weak self] in self?.finish() }
    /// ```
    public final func finish() { finish(with: nil, value: nil) }

    /// Ends the operation as failed with `error`.
    ///
    /// Like ``finish()`` in all else: the first call of either decides, so an error that comes second is dropped. An
    /// `OperationQueue` does not look at ``error``: there dependents start whether their predecessors failed or not.
    ///
    /// ```swift
    /// guard let data else { return finish(throwing: URLError(.zeroByteResource)) }
    /// ```
    public final func finish(throwing error: any Error) { finish(with: error, value: nil) }

    /// The context of the step that this operation is: for ``StepContext/abort(_:takeover:)``, ``StepContext/note(_:)``
    /// or the remaining time.
    ///
    /// Nil in a plain queue, before the operation was started, and after its launch is over. Safe from any thread.
    ///
    /// ```swift
    /// override func main() {
    ///     service.isUpdateRequired { [weak self] isRequired in
    ///         if isRequired { self?.stepContext?.abort(.forceUpdate) { await presenter.showUpdate() } }
    ///         self?.finish()
    ///     }
    /// }
    /// ```
    public final var stepContext: StepContext? { storage.withLock { $0.context }?() }

    // MARK: - For observers

    /// The error given to ``finish(throwing:)`` by the call that counted, or nil.
    ///
    /// It is set before `isFinished` becomes true, and never changes after. Safe from any thread.
    ///
    /// ```swift
    /// fetch.completionBlock = { [weak fetch] in
    ///     if let error = fetch?.error { log(error) }
    /// }
    /// ```
    public final var error: (any Error)? { storage.withLock { $0.error } }

    /// How many calls of ``finish()`` or ``finish(throwing:)`` came too late to count.
    ///
    /// These are all after the first and, when the operation was cancelled before it started, all after the end that it
    /// then came to without a call. More than zero usually means a mistake in the operation. Safe from any thread.
    final var surplusFinishCount: Int { storage.withLock { $0.machine.surplusFinishCount } }

    /// How the operation has ended: a `CancellationError` for one that was cancelled and says nothing else; nil until
    /// observers have been notified.
    final var ending: AttemptEnd? {
        let (machine, ownError, value) = storage.withLock { ($0.machine, $0.error, $0.value) }
        guard machine.isAnnounced else { return nil }
        let isCancelled = machine.isCancelled
        // Its own error says more than that it was cancelled. Without the lock: the error describes itself.
        if let error = ownError ?? (isCancelled ? CancellationError() : nil) {
            let isObedient = isCancelled && machine.hasEndedAsTold
            return AttemptEnd(throwing: error, isCancelled: isCancelled, isObedient: isObedient)
        }
        guard leavesValue, value == nil else { return AttemptEnd(value ?? ()) }
        return AttemptEnd(throwing: EngineError(description: "it finished without the value that it is to leave"))
    }

    /// The value that the operation has ended with.
    final var erasedValue: (any Sendable)? { storage.withLock { $0.value } }

    /// Whether an end without a value is a failure.
    var leavesValue: Bool { false }

    /// Says where the context of the step is found that this operation is. `context` is kept as long as the operation,
    /// so it must not hold the launch.
    final func runs(in context: @escaping @Sendable () -> StepContext?) {
        // The old closure is released after the lock.
        _ = storage.withLock { exchange(&$0.context, with: context) }
    }

    /// Has `handler` called once when the operation has ended.
    ///
    /// The call comes after `isFinished` is true and observers have been notified, on the thread that ended the
    /// operation and as the last thing done there; or at once, on this thread, if all that has happened already.
    /// Several handlers are called in order. They are released after the call, so a handler may capture the operation.
    /// An operation that is freed without having ended calls none.
    ///
    /// ```swift
    /// operation.whenEnded { [weak engine] in engine?.ended($0, error: $0.error) }
    /// ```
    final func whenEnded(_ handler: @escaping @Sendable (ConcurrentOperation) -> Void) {
        let isOver = storage.withLock { storage in
            if !storage.machine.isAnnounced { storage.endHandlers.append(handler) }
            return storage.machine.isAnnounced
        }
        // Without the lock: the handler is code of a launch, or of the app.
        if isOver { handler(self) }
    }

    /// Has `handler` called for every surplus call of ``finish()`` from now on, on the thread that makes it.
    ///
    /// A new handler replaces the old. It is kept as long as the operation, so it must not capture the operation, which
    /// is its argument. Surplus calls made before are in `surplusFinishCount` only.
    final func onSurplusFinish(_ handler: @escaping @Sendable (ConcurrentOperation) -> Void) {
        // The old handler is released after the lock: a captured object may do anything in its deinit.
        _ = storage.withLock { exchange(&$0.surplusFinishHandler, with: handler) }
    }

    // MARK: - Operation

    /// Starts the operation on this thread; a queue calls it, and so may you if the operation is in no queue.
    ///
    /// Returns when ``main()`` does, which may be before the end. A second call does nothing. Without a queue nobody
    /// looks at the dependencies: the operation starts whether they have finished or not. Never call it for an
    /// operation that is in a queue.
    ///
    /// ```swift
    /// let operation = PresentTutorial(presenter)
    /// operation.completionBlock = { print("the tutorial was closed") }
    /// operation.start()
    /// ```
    public final override func start() {
        switch storage.withLock({ $0.machine.start() }) {
        case .beginExecuting:
            // Told by hand: a queue waits for ever for an operation whose states change without this. Without the lock,
            // since the observer asks for the state.
            willChangeValue(forKey: "isExecuting")
            // Between the two calls, so that each observer sees the state before and the state after.
            storage.withLock { $0.machine.execute() }
            didChangeValue(forKey: "isExecuting")
            if storage.withLock({ $0.machine.enterMain() }) { main() } else { end(wasExecuting: true) }
        case .end:
            end(wasExecuting: false)
        case .ignore:
            break
        }
    }

    /// Tells the operation that its result is not wanted any more.
    ///
    /// It does not end the operation, it only lets it end sooner; see ``ConcurrentOperation`` for the cases.
    /// Call it from any thread, as often as you like. An override must call `super`; to stop the work, override
    /// ``didCancel()`` instead, which is called once and only if there is work to stop.
    open override func cancel() {
        switch storage.withLock({ $0.machine.cancel() }) {
        // Without the lock: Foundation tells observers of `isCancelled` within its own cancel.
        case .mark:
            super.cancel()
        case .markAndTellWork:
            super.cancel()
            didCancel()
            // Only an end within that call has obeyed: any later one is late.
            storage.withLock { $0.machine.toldWork() }
        case .ignore:
            break
        }
    }

    /// Whether the operation was cancelled before its end was decided.
    public final override var isCancelled: Bool {
        // Not what `Operation` answers: there a cancel that loses against a finish may still set it.
        storage.withLock { $0.machine.isCancelled }
    }

    /// Whether the operation runs: from its start until the call of ``finish()``.
    public final override var isExecuting: Bool { storage.withLock { $0.machine.isExecuting } }

    /// Whether the operation has ended.
    public final override var isFinished: Bool { storage.withLock { $0.machine.isFinished } }

    /// True: the operation may continue after `start()` has returned.
    public final override var isAsynchronous: Bool { true }

    // MARK: - Ending

    final func finish(with error: (any Error)?, value: (any Sendable)?) {
        let action = storage.withLock { storage in
            let action = storage.machine.finish()
            // With the decision, under one lock: an observer of the end finds both.
            if action != .reportSurplus {
                storage.error = error
                storage.value = value
            }
            return action
        }
        switch action {
        case .end: end(wasExecuting: true)
        // It has not started: `start()` ends it then.
        case .remember: break
        case .reportSurplus: storage.withLock { $0.surplusFinishHandler }?(self)
        }
    }

    /// Carries out the end; called once, by the thread that the state machine has chosen.
    private func end(wasExecuting: Bool) {
        // Posting with the lock held would deadlock: the observer asks `isFinished` at once.
        if wasExecuting { willChangeValue(forKey: "isExecuting") }
        willChangeValue(forKey: "isFinished")
        storage.withLock { $0.machine.end() }
        if wasExecuting { didChangeValue(forKey: "isExecuting") }
        didChangeValue(forKey: "isFinished")
        // An operation that has not run may have ended before its predecessors, which would keep a pointer to it (L65).
        if !wasExecuting { unlinkFromPredecessors() }
        let handlers = storage.withLock { storage in
            storage.machine.announce()
            // Let go of: a handler may hold the operation.
            return exchange(&storage.endHandlers, with: [])
        }
        for handler in handlers { handler(self) }
    }

    /// Makes the predecessors forget this operation, where they would not when it is freed.
    ///
    /// On Linux an operation points to its dependents without retaining them. A dependent that is freed before its
    /// predecessor finishes, because it was cancelled or never ran, leaves a dangling pointer there, and the process
    /// crashes when the predecessor finishes. To leave this to `deinit` alone is not enough: the predecessor may hold
    /// the last reference for a moment, under a lock that `removeDependency` takes as well. It is not done for all that
    /// end, since `dependencies` is documented to keep finished operations.
    private func unlinkFromPredecessors() {
        #if !canImport(ObjectiveC)
            var pending = dependencies
            for predecessor in pending { removeDependency(predecessor) }
            while var predecessor = pending.popLast() {
                // Only this loop holds it: release its own predecessors first, or freeing a long chain would recurse
                // along it.
                guard isKnownUniquelyReferenced(&predecessor) else { continue }
                let further = predecessor.dependencies
                for next in further { predecessor.removeDependency(next) }
                pending += further
            }
        #endif
    }
}
