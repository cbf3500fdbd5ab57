import Foundation

/// Runs operations, and tells the state machine their results.
extension LaunchStorage {
    /// Runs one operation on a worker.
    ///
    /// - Returns: the next one for this worker.
    func perform(_ assignment: Assignment) -> Assignment? {
        switch assignment.kind {
        case .checkCondition:
            let answer = atQualityOfService(of: assignment.node) { checkCondition(assignment) }
            guard answer.isRunNow else { return takeNext(after: assignment) }
            return perform(Assignment(node: assignment.node, attempt: assignment.attempt, kind: .run))
        case .computeFallback:
            // The launch may have been stopped before this thread was there.
            guard !isToldToCancel(assignment) else { return taskEnded(assignment, .unbegun) }
            return taskEnded(assignment, atQualityOfService(of: assignment.node) { computeFallback(assignment) })
        case .run:
            if isTooLate(assignment) { return workerEnded(assignment, .unbegun) }
            // Looked for before the others, so that nothing but its closure is held meanwhile.
            guard case .action(let body) = graph.nodes[assignment.node].work else { return run(assignment) }
            do {
                try atQualityOfService(of: assignment.node, body)
            } catch {
                return workerEnded(assignment, throwing: error)
            }
            return workerSucceeded(assignment, ())
        }
    }

    /// Whether an operation was told to cancel, or has ended, since it was taken: then none of its code begins. To be asked right before that, on every thread.
    ///
    /// Between the two lies what follows from the decision: observers are told, which may take their time, workers are added, a task may have to wait for a
    /// thread. Where nobody was told to cancel yet, as in most launches, no lock is taken: the call that tells sets the flag before it returns.
    @inline(__always)
    func isTooLate(_ assignment: Assignment) -> Bool {
        // Relaxed: what decides is read under the lock.
        hasToldToCancel.load(ordering: .relaxed) && isToldToCancel(assignment)
    }

    private func run(_ assignment: Assignment) -> Assignment? {
        switch graph.nodes[assignment.node].work {
        case .nothing:
            return workerSucceeded(assignment, ())
        case .action:
            return perform(assignment)
        case .synchronous(let body):
            let value: any Sendable
            do {
                value = try atQualityOfService(of: assignment.node) { try body(StepContext(host: self, assignment: assignment)) }
            } catch {
                return workerEnded(assignment, throwing: error)
            }
            return workerSucceeded(assignment, value)
        case .asynchronous, .asynchronousAction:
            return startAsynchronous(assignment)
        case .operation, .makeOperation:
            guard let end = startOperation(of: assignment) else { return takeNext(after: assignment) }
            return workerEnded(assignment, end)
        // Not reached: the state machine gives these to turns of the main thread alone.
        case .main, .prologue:
            return takeNext(after: assignment)
        case .event(let event):
            input { state, now in state.machine.eventIsAwaited(assignment, at: now, &state.actions) }
            awaitEvent(event, for: assignment)
            return takeNext(after: assignment)
        }
    }

    /// Runs asynchronous operations, beginning with this one, until one suspends or there is something else to do.
    private func startAsynchronous(_ first: Assignment) -> Assignment? {
        let qos = qualityOfService(of: first.node)
        let task = StepTask(first, in: self)
        startTask(priority: qos.taskPriority, for: virtualTime?.begins(first), atOnce: startsTasksAtOnce) { [self] in
            // Where a task cannot begin at once it runs on another thread, and the worker does not share it.
            begin(task, isShared: task.isInline)
            await LaunchWithin.$place.withValue(task) { await run(first, in: task, at: qos) }
            await task.leave()
        }
        // It has run through on this thread, and has the worker's next operation.
        if task.isDone { return task.next }
        task.startReturned()
        return takeNext(after: task)
    }

    /// Runs asynchronous operations, in their task.
    private func run(_ first: Assignment, in task: StepTask, at qos: QualityOfService) async {
        var assignment = first
        while true {
            task.cancelIfTold()
            let end: AttemptEnd
            do {
                switch graph.nodes[assignment.node].work {
                case _ where isTooLate(assignment): end = .unbegun
                case .asynchronousAction(let body):
                    try await body()
                    end = AttemptEnd((), isTaskCancelled: Task.isCancelled)
                case .asynchronous(let body):
                    let value = try await body(StepContext(host: self, assignment: assignment))
                    end = AttemptEnd(value, isTaskCancelled: Task.isCancelled)
                default: throw MisplacedStepError(step: graph.id(assignment.node))
                }
            } catch {
                end = AttemptEnd(throwing: error, isTaskCancelled: Task.isCancelled)
            }
            // It has suspended, or was put off: the worker has gone on without it, and this thread has to ask for an operation of its own.
            guard task.isInline else {
                goOn(with: taskEnded(assignment, end))
                break
            }
            let (next, isShared) = attemptEnded(assignment, end, in: task, at: qos)
            guard let next, isShared else {
                task.end(leaving: next)
                break
            }
            assignment = next
        }
    }

    /// Keeps the handle that cancels a task, before the first instruction of its operation; called in the task.
    private func begin(_ task: StepTask, isShared: Bool) {
        task.begin()
        let isTooLate = state.withLock { isShared ? $0.begin(task) : $0.keep(.task(task), for: task.current) }
        if isTooLate { task.cancel() }
    }

    /// Goes on where an operation has ended that had suspended: with asynchronous ones here and now, with any other in a queue, for it may block
    /// its thread.
    private func goOn(with first: Assignment?) {
        var next = first
        while let assignment = next {
            guard assignment.kind == .run, graph.nodes[assignment.node].work.isAsynchronous else {
                return addWorker(beginningWith: assignment)
            }
            next = startAsynchronous(assignment)
        }
    }

    private func qualityOfService(of node: Int) -> QualityOfService {
        if let said = graph.nodes[node].policy?.value.qualityOfService { return said }
        return !isLowered.isEmpty && isLowered[node] ? .utility : qualityOfService
    }

    /// Runs a worker's part of a step at the step's quality of service.
    @inline(__always)
    private func atQualityOfService<Result>(of node: Int, _ body: () throws -> Result) rethrows -> Result {
        // The app's own queue decides on it.
        if queue != nil { return try body() }
        return try QualityOfService.withThread(at: qualityOfService(of: node), usually: qualityOfService, body)
    }

    /// Starts the operation of a step here, made before if it has to be.
    ///
    /// - Returns: how the attempt ended, if it has ended already.
    private func startOperation(of assignment: Assignment) -> AttemptEnd? {
        let operation: Operation
        switch graph.nodes[assignment.node].work {
        case .operation(let existing):
            operation = existing
            // Work that exists already cannot be preceded by the journal's note of a start, so it is told here (P20).
            if let recordsStart, !graph.isMain(assignment.node), !isOver { recordsStart(graph.id(assignment.node), assignment.attempt) }
        case .makeOperation(let make):
            do {
                operation = try make(StepContext(host: self, assignment: assignment))
                try runner.claim(operation)
            } catch {
                return AttemptEnd(throwing: error)
            }
            keep(.operation(operation), for: assignment)
        default:
            return AttemptEnd(throwing: MisplacedStepError(step: graph.id(assignment.node)))
        }
        // Making it, or the note of its start, may have taken a while.
        if isTooLate(assignment) { return .unbegun }
        // No task of the clock runs it: it holds time still until the launch says that it has ended.
        _ = virtualTime?.begins(assignment)
        return runner.start(operation, for: assignment, in: self).map { AttemptEnd($0) }
    }

    /// Of the steps that a step depends on, the operations of those that have ended.
    func endedOperations(before node: Int) -> [Operation] {
        state.withLock { state in
            graph.predecessors[node].compactMap { dependency in
                let position = Int(dependency.index)
                return state.machine.nodes[position].state == .ended ? graph.nodes[position].operation : nil
            }
        }
    }

    func performOnMain(_ assignment: Assignment) {
        var assignment = assignment
        if assignment.kind == .checkCondition {
            let answer = checkCondition(assignment, isToldFirst: isToldBeforeMain)
            // The step begins when observers have been told; the alarm begins it where one of them blocks (L63).
            if let start = answer.start { timekeeper.wake(at: start.limit) }
            guard answer.isRunNow, answer.start == nil else { return }
            assignment = Assignment(node: assignment.node, attempt: assignment.attempt, kind: .run)
        }
        if isTooLate(assignment) { return attemptEnded(assignment, .unbegun) }
        let body: @MainActor @Sendable (StepContext) async throws -> any Sendable
        switch graph.nodes[assignment.node].work {
        case .main(let main): body = main
        case .prologue(let prologue): body = { try prologue($0) }
        default:
            if let end = startOperation(of: assignment) { attemptEnded(assignment, end) }
            return
        }
        let launch = StepContext(host: self, assignment: assignment)
        let qos = qualityOfService(of: assignment.node)
        // A copy that does not change, for the task.
        let running = assignment
        let task = StepTask(running, in: self)
        startMainTask(priority: qos.taskPriority, for: virtualTime?.begins(running), atOnce: startsTasksAtOnce) { [self] in
            begin(task, isShared: false)
            task.cancelIfTold()
            // Where a task cannot begin at once, this is later.
            if isTooLate(running) {
                attemptEnded(running, .unbegun)
                return await task.leave()
            }
            let end: AttemptEnd
            do {
                let value = try await LaunchWithin.$place.withValue(task) { try await body(launch) }
                end = AttemptEnd(value, isTaskCancelled: Task.isCancelled)
            } catch {
                end = AttemptEnd(throwing: error, isTaskCancelled: Task.isCancelled)
            }
            attemptEnded(running, end)
            await task.leave()
        }
    }

    /// Keeps the handle that cancels a running operation, or cancels it at once if it was told to cancel before it had a handle.
    func keep(_ handle: Handle, for assignment: Assignment) {
        let isTooLate = state.withLock { $0.keep(handle, for: assignment) }
        if isTooLate { cancel(CancelledOperations([(assignment.node, handle)])) }
    }

    /// Asks the condition of a step, unless the step has ended since it was taken: the launch may have been stopped while this thread told observers.
    ///
    /// - Parameter isToldFirst: whether the step begins on the main thread, when its start has been told.
    func checkCondition(
        _ assignment: Assignment,
        isToldFirst: Bool = false
    ) -> (isRunNow: Bool, start: EventDeliveries.MainStart?) {
        let node = assignment.node
        guard state.withLock({ $0.machine.nodes[node].state == .checking }) else { return (false, nil) }
        let answer = Swift.Result { try graph.policy(node).condition?(StepContext(host: self, assignment: assignment)) ?? true }
        // Before the lock: the words of an error are code of the app.
        let message = answer.errorText
        return input { state, now in
            if case .failure(let error) = answer {
                state.errors[node] = error
                state.messages[node] = message
            }
            let isRunNow = state.machine.conditionAnswered(node, try? answer.get(), at: now, &state.actions)
            let run = Assignment(node: node, attempt: assignment.attempt, kind: .run)
            return (isRunNow, isRunNow && isToldFirst ? state.willBeginOnMain(run, at: now) : nil)
        }
    }

    private func computeFallback(_ assignment: Assignment) -> AttemptEnd {
        let node = assignment.node
        guard case .compute(let compute)? = graph.policy(node).fallback else {
            return AttemptEnd(throwing: MissingValueError(step: graph.id(node)))
        }
        // A crash in the fallback is not in the person's time any more.
        if graph.policy(node).isPersonsTime { tellQuestion(of: node, isAnswered: true) }
        let error = state.withLock { $0.errors[node] }
        return AttemptEnd(compute(StepContext(host: self, assignment: assignment), error))
    }

    // MARK: Ends
    // Leftovers of an operation come out of the lock with the result of each input, and are let go of there.

    private func takeNext(after assignment: Assignment) -> Assignment? {
        input { state, now in state.machine.takeForWorker(after: assignment, at: now, &state.actions) }
    }

    /// The worker goes on; the task, which has suspended or was put off, goes its own way.
    private func takeNext(after task: StepTask) -> Assignment? {
        input { state, now in
            state.suspended(task)
            return state.machine.takeForWorker(after: task.current, at: now, &state.actions)
        }
    }

    private func workerEnded(_ assignment: Assignment, _ end: AttemptEnd) -> Assignment? {
        input { state, now in
            let (counted, next) = state.machine.workerEnded(assignment, end.forMachine, at: now, &state.actions)
            return (next, state.keep(end, of: assignment, counted: counted, at: now, in: values))
        }.0
    }

    private func workerEnded(_ assignment: Assignment, throwing error: any Error) -> Assignment? {
        workerEnded(assignment, AttemptEnd(throwing: error))
    }

    /// An attempt has ended in a task that has not suspended.
    ///
    /// - Returns: the worker's next operation, and whether the task goes on with it.
    private func attemptEnded(
        _ assignment: Assignment,
        _ end: AttemptEnd,
        in task: StepTask,
        at qos: QualityOfService
    ) -> (next: Assignment?, isShared: Bool) {
        let (next, isShared, _) = input { state, now in
            let (counted, next) = state.machine.workerEnded(assignment, end.forMachine, at: now, &state.actions)
            let leftovers = state.keep(end, of: assignment, counted: counted, at: now, in: values)
            // A step that has cancelled its own task has cancelled no other step.
            guard let next, !end.isCancelled, next.kind == .run, graph.nodes[next.node].work.isAsynchronous,
                qualityOfService(of: next.node) == qos
            else { return (next, state.goOn(task, with: nil), leftovers) }
            return (next, state.goOn(task, with: next), leftovers)
        }
        return (next, isShared)
    }

    /// The common case of ``workerEnded(_:_:)``, without wrapping and unwrapping.
    private func workerSucceeded(_ assignment: Assignment, _ value: any Sendable) -> Assignment? {
        input { state, now in
            let (counted, next) = state.machine.workerEnded(assignment, .succeeded, at: now, &state.actions)
            if counted { return (next, state.keep(value, of: assignment.node, in: values)) }
            state.noteLateEnd(of: assignment, at: now)
            return (next, nil)
        }.0
    }

    private func taskEnded(_ assignment: Assignment, _ end: AttemptEnd) -> Assignment? {
        // In virtual time there is one worker, so that what happens at one time happens in one order.
        if virtualTime != nil {
            attemptEnded(assignment, end)
            return nil
        }
        return input { state, now in
            let (counted, next) = state.machine.taskEnded(assignment, end.forMachine, at: now, &state.actions)
            return (next, state.keep(end, of: assignment, counted: counted, at: now, in: values))
        }.0
    }

    func attemptEnded(_ assignment: Assignment, _ end: AttemptEnd) {
        _ = input { state, now in
            let counted = state.machine.attemptEnded(assignment, end.forMachine, at: now, &state.actions)
            return state.keep(end, of: assignment, counted: counted, at: now, in: values)
        }
    }
}

/// A step was started on a thread of the wrong kind. This is a defect of the engine if it is ever seen.
struct MisplacedStepError: DescribedError {
    let step: String
    var description: String { "'\(step)' was started on a thread of the wrong kind" }
}
