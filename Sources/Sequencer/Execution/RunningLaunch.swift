import Foundation

extension OperationGraph {
    /// Runs the graph, as parallel as it allows, and waits for the end.
    ///
    /// ```swift
    /// let launch = try await graph.run(budget: .seconds(3))
    /// print(launch.report.budget.isMet, launch.report.criticalPath)
    /// ```
    ///
    /// Operations run on Foundation operation queues, off the main thread except for those marked for it, which run on
    /// `OperationQueue.main`; the main thread is never blocked. An operation is given to a queue only when all its
    /// dependencies have ended. Steps, conditions, fallbacks and a takeover have the task-local values of the caller.
    ///
    /// When the calling task is cancelled, so is the launch; its report then says so (of what ran on, if its milestone
    /// had ended). In a task that is already cancelled no operation starts. A launch that a step of another launch runs
    /// ends with that step: it is cancelled with the step, and its deadline is never later than the step's time allows,
    /// if both go by the same clock.
    ///
    /// - Parameters:
    ///   - budget: the time the launch may take. Nil: the time is measured, and nothing is cut or deferred.
    ///   - options: lanes, deadline, clock, observers and the like.
    /// - Throws: ``GraphError``, with every problem of the graph, or of a budget or option that is out of range, or for
    ///   another launch (``LaunchOptions/admission``); then nothing has started. A launch that fails does not throw:
    ///   its report says how it ended.
    nonisolated(nonsending) public func run(
        budget: Budget? = nil,
        options: LaunchOptions = LaunchOptions()
    ) async throws(GraphError) -> FinishedLaunch {
        let launch = try makeLaunch(budget, options)
        // Before the begin, or the first operations would start: the handler below is set after it.
        if Task.isCancelled { launch.cancel() }
        launch.storage.begin()
        return await withTaskCancellationHandler {
            await launch.end()
        } onCancel: {
            launch.cancel()
        }
    }

    /// Starts a launch of the graph and returns at once.
    ///
    /// ```swift
    /// let launch = try graph.start(budget: .seconds(3))
    /// for await event in launch.events { print(event) }  // 610 ms: login succeeded
    /// let report = await launch.end().report
    /// ```
    ///
    /// As ``run(budget:options:)``, except that the launch does not end with the task that starts it: only
    /// ``RunningLaunch/cancel()`` cancels it. Within a step of another launch only its deadline is bound by the step's
    /// time. When it returns, the prologue has run: ``RunningLaunch/failure`` says whether that has failed the launch.
    ///
    /// - Parameter completion: called once, with the finished launch, on an unspecified thread. It is called last:
    ///     nothing waits for it.
    /// - Throws: ``GraphError``, as ``run(budget:options:)``.
    @discardableResult
    public func start(
        budget: Budget? = nil,
        options: LaunchOptions = LaunchOptions(),
        completion: (@Sendable (FinishedLaunch) -> Void)? = nil
    ) throws(GraphError) -> RunningLaunch {
        let launch = try makeLaunch(budget, options)
        launch.storage.begin(completion)
        return launch
    }

    /// - Parameters:
    ///   - scope: the name of the launch as a scope, as events give it.
    ///   - depth: the number of scopes that it is in, itself included.
    func makeLaunch(
        _ budget: Budget?,
        _ options: LaunchOptions,
        scope: String? = nil,
        depth: Int = 0
    ) throws(GraphError) -> RunningLaunch {
        let problems = (options.complaints + (budget?.complaints ?? [])).map { GraphProblem(.invalidOption, $0) }
        let graph: ValidatedGraph
        do {
            graph = try (problems.isEmpty ? limited(to: options.stepTimeout) : self).validated()
        } catch {
            throw GraphError(graph: name, problems: problems + error.problems)
        }
        if !problems.isEmpty { throw GraphError(graph: name, problems: problems) }
        if let first = graph.firstOfPrologue, !MainThreadCheck.isCurrent {
            let message =
                "\(printable(graph.id(first))) is a step of the prologue, which runs inside the start, on the main thread; "
                + "call start() or run() there, as in application(_:didFinishLaunchingWithOptions:) or in a function of the main actor"
            throw GraphError(graph: name, problems: [GraphProblem(.prologue, positions: [first], message)])
        }
        // Before the right to run, which would have to be given back if the operations cannot be had.
        let claim = try OperationClaim(graph, queue: options.queue)
        let admission: AdmittedLaunch
        do throws(GraphError) {
            admission = try AdmittedLaunch(self, options, isScope: scope != nil)
        } catch {
            claim.giveBack()
            throw error
        }
        var options = options
        // More than nothing, as any deadline: the launch begins, and ends at once.
        options.outerLimit = CurrentStep.remainingTime(by: options.clock).map { max($0, .nanoseconds(1)) }
        if let observer = options.recorder?.makeObserver() { options.observers.insert(observer, at: 0) }
        return RunningLaunch(
            storage: LaunchStorage(
                graph: graph,
                claim: claim,
                admission: admission,
                budget: budget,
                options: options,
                scope: scope,
                scopeDepth: depth
            )
        )
    }
}

extension Budget {
    /// Why no launch can have this budget, a sentence for each reason.
    fileprivate var complaints: [String] {
        [limit, initialDisplay].flatMap { OperationGraph.complaints(about: $0, as: "a budget") }
    }
}

/// A launch that was started: its state, and a way to stop it.
///
/// It can be copied, and used from any thread. Letting go of it does not end the launch. Everything that can be asked
/// here can also be asked after the end.
public struct RunningLaunch: Sendable {
    let storage: LaunchStorage

    /// Waits for the end of the launch, and of its scopes. Any number of callers may wait.
    ///
    /// Cancelling the task that waits does not cancel the launch.
    nonisolated(nonsending) public func end() async -> FinishedLaunch {
        let launch = await waitWithoutHoldingTime(storage.virtualTime?.scheduler, storage.whenOver)
        // Taking the lock makes all writes of the launch's last thread visible; the thread sanitizer cannot see that
        // resuming a continuation does so too.
        storage.state.withLock { _ in }
        return launch
    }

    /// Waits for the launch proper to end, with its milestone, and gives the report as it was then: of the operations
    /// that had ended. ``LaunchReport/afterMilestone`` names the others, with a nil outcome; the report of ``end()``
    /// has them all.
    ///
    /// ```swift
    /// let launch = try graph.start(budget: .seconds(3))
    /// metrics.record(await launch.milestone.budget.measured)   // when the first screen is there
    /// archive.keep(await launch.end().report)                  // when everything is done
    /// ```
    ///
    /// It is the same report whenever it is asked for. Where nothing runs on, without a milestone, and where the
    /// milestone is never reached, it waits for the end of the launch, and is the report of that; but it waits for no
    /// scope, and has those that had ended. A step of the launch must not wait for it unless the milestone is certain
    /// to be reached. Cancelling the task that waits does not cancel the launch, and does not end the wait.
    nonisolated(nonsending) public var milestone: LaunchReport { get async { await milestoneRecord().report } }

    /// The outcome of that report, which is not made: that takes longer than a main thread should wait.
    nonisolated(nonsending) package var milestoneOutcome: LaunchReport.Outcome {
        get async { await milestoneRecord().outcome() }
    }

    nonisolated(nonsending) func milestoneRecord() async -> RunRecord {
        let record = await waitWithoutHoldingTime(storage.virtualTime?.scheduler, storage.whenMilestoneIsOver)
        // As in `end()`.
        storage.state.withLock { _ in }
        return record
    }

    // MARK: Stopping

    /// Cancels the launch: no operation starts any more, running ones are told to cancel, and the launch ends when they
    /// have ended or after the grace period. A second call changes nothing, nor does one after the end.
    public func cancel() { storage.cancel() }

    /// Cancels one operation: if it runs, it is told to cancel, and the launch stops waiting for it after the grace
    /// period; otherwise it never starts. The effect on the launch depends on the operation's fallback and failure
    /// policy.
    ///
    /// - Throws: ``GraphError`` if the graph has no such operation.
    public func cancel(_ operation: String) throws(GraphError) {
        storage.cancelOperation(try storage.graph.index(of: operation))
    }

    // MARK: Asking

    /// The value an operation produced, or its fallback's; nil if it has not ended, or ended without one.
    ///
    /// - Throws: ``GraphError`` if the graph has no such operation, or if the handle belongs to another graph.
    public func value<Value>(of step: Step<Value>) throws(GraphError) -> Value? {
        storage.value(of: step, at: try storage.graph.index(ofHandle: step))
    }

    /// Why the launch has failed, as soon as that is certain; nil before that, and for every other end.
    ///
    /// When ``OperationGraph/start(budget:options:completion:)`` returns, this is the failure of the prologue:
    ///
    /// ```swift
    /// let launch = try graph.start()
    /// if let failure = launch.failure { print(failure) }  // open-database: no space left
    /// ```
    ///
    /// It goes by what ``LaunchOptions/failureTakeover`` is told: not by a failure after the milestone.
    public var failure: OperationError? { storage.state.withLock { $0.failure(storage)?.error } }

    /// The anomalies up to now. Operations can cause some even after the launch has ended.
    var anomalies: [Anomaly] { storage.anomalies }

    /// Every operation that has not ended, with the reason why it waits; those of scopes that continue as well.
    public var status: LaunchStatus { storage.status }

    // MARK: Watching

    /// The events of the launch as they happen, from the first one on, even if this is called later. Each call makes
    /// another stream. It ends with the launch and its scopes, as ``end()`` does: after the last event the reader may
    /// start the next launch at once.
    ///
    /// ```swift
    /// let launch = try graph.start()
    /// for await event in launch.events { print(event) }  // 610 ms: login succeeded
    /// ```
    ///
    /// The launch never waits for a reader. The stream keeps the newest 65,536 events that its reader has not read,
    /// those of a launch of some 20,000 operations, and drops older ones. Where some are missing, it says how many:
    /// ``LaunchEvent/Kind/dropped(_:)``. The last event, ``LaunchEvent/Kind/launchEnded``, always comes. If a step was
    /// tried several times before the call, the stream has its first start only.
    ///
    /// When the task that reads is cancelled, the stream ends with the events that it keeps. If several tasks read one
    /// stream, each event goes to one of them. The executor of a task that reads gets its jobs on the launch's threads,
    /// and must not block there.
    public var events: LaunchEvents { storage.events }

    /// The progress of the launch: the number of operations that have ended, of all; each scope has a progress of its
    /// own. Cancelling it cancels the launch. Each call makes another object. It is finished when the last operation
    /// has ended, a moment before the launch is over: await ``end()`` before you start the next one.
    public var progress: Progress {
        // A progress of nothing would be indeterminate.
        let progress = Progress(totalUnitCount: Int64(max(storage.graph.count, 1)))
        progress.cancellationHandler = { cancel() }
        // Two threads may show it at first: the one that shows an old number shows the new one, too.
        let show: @Sendable (LaunchStorage, Progress) -> Void = { launch, progress in
            var shown: Int64?
            while case let done = launch.endedCount, done != shown {
                progress.completedUnitCount = done
                shown = done
            }
        }
        // Weak, both: the launch keeps its observers, and the progress keeps the launch.
        storage.observe { [weak storage, weak progress] _ in
            if let storage, let progress { show(storage, progress) }
        }
        show(storage, progress)
        return progress
    }

    /// The graph that runs.
    package var graph: ValidatedGraph { storage.graph }

    /// Calls `body` each time that an operation begins or ends to ask the user in ``StepContext/waitForPerson(_:)``:
    /// ``isAsking(_:)`` says which.
    ///
    /// An operation that is the user's time from its start is told of only when a fallback is computed: that ends the
    /// user's time before the operation.
    ///
    /// - Parameter body: must not block.
    /// - Returns: the operations that ask now.
    package func watchQuestions(_ body: @escaping @Sendable (_ operation: String) -> Void) -> [String] {
        let asking = storage.state.withLock { state in
            state.questionWatchers.append(body)
            return state.machine.personWaits.filter { $0.value.asked.isRunning }.keys.inOrder(by: <)
        }
        return asking.map(graph.id)
    }

    /// Whether an operation asks the user now, in ``StepContext/waitForPerson(_:)``.
    package func isAsking(_ operation: String) -> Bool {
        guard let node = graph.position(of: operation) else { return false }
        return storage.state.withLock { $0.machine.personWaits[node]?.asked.isRunning == true }
    }
}

/// A launch that has ended: its report, and the values that its operations left.
///
/// It keeps those values, and the objects that the steps captured. Keep only the ``report`` to release them.
public struct FinishedLaunch: Sendable {
    private let storage: LaunchStorage
    let record: RunRecord

    init(_ storage: LaunchStorage, _ record: RunRecord) {
        self.storage = storage
        self.record = record
    }

    /// The report. It is made when it is first asked for.
    ///
    /// - Complexity: O(operations + dependencies) the first time.
    public var report: LaunchReport { record.report }

    /// The value that an operation left, or its fallback's.
    ///
    /// ```swift
    /// let session = try launch[login]
    /// ```
    ///
    /// - Throws: ``OperationError`` if the operation left none, or the handle is one of another graph. A step read as
    ///     `Step.optional` is nil instead.
    public subscript<Value>(step: Step<Value>) -> Value {
        get throws(OperationError) {
            let node: Int
            do throws(GraphError) {
                node = try storage.graph.index(ofHandle: step)
            } catch {
                let message = error.problems.first?.description ?? error.description
                throw OperationError(operation: step.id, outcome: nil, message: message, underlying: nil)
            }
            if let value = storage.value(of: step, at: node) ?? step.absent { return value }
            throw OperationError(
                operation: step.id,
                outcome: record.nodes[node].outcome,
                message: record.message(node)
                    // It has succeeded, and its value is of another type than the handle says.
                    ?? "it left no \(Value.self): another step has this identifier than the one that the handle was made for",
                // From the launch: the record has the words of errors alone.
                underlying: storage.state.withLock { $0.errors[node] }
            )
        }
    }

    /// The value that an operation left for a step of the same identifier and type; nil without one.
    func value(leftBy step: GraphNode) -> (any Sendable)? {
        let graph = record.graph
        guard let node = graph.positions[step.id], graph.nodes[node].valueType == step.valueType else { return nil }
        guard record.nodes[node].state == .ended, record.nodes[node].outcome.isSuccess else { return nil }
        return step.hasValue ? storage.state.withLock { $0.values[node] } : ()
    }

    /// The anomalies up to now. Operations that the launch left behind can cause some after the report was made.
    public var anomalies: [Anomaly] { storage.anomalies }
}

/// Why an operation left no value. Its description is the operation and the message: `login: no network`.
public struct OperationError: DescribedError, Sendable {
    /// The operation's identifier.
    public let operation: String
    /// How it ended; nil if the launch has no such operation, or the handle is one of another graph.
    public let outcome: Outcome?
    /// The message, in one sentence.
    public let message: String
    /// The error that the operation threw, if it did.
    public let underlying: (any Error)?

    /// The value in words.
    public var description: String { "\(printable(operation)): \(message)" }
}
