import Foundation

// All threads run a step the same way: somebody takes it, performs it, tells its end, and takes the next.
//
//     a worker, or a turn of the app's queue ┐                    ┌─▶ its end: told, and the next taken, in one input
//     a turn of the main thread              ├─▶ take ─▶ perform ─┤
//     the start of the launch, its prologue  ┘                    └─▶ nil: it continues elsewhere, and ends there
//
// A task that has suspended, an `Operation` that continues and an event that is waited for tell their ends later.

extension LaunchStorage {
    typealias Taker = LaunchStateMachine.Taker
    /// A step that somebody has taken, and whether it may have been told to cancel since: what followed from the
    /// decision has been done, which may take its time. Observers are told, workers are added.
    typealias TakenStep = (assignment: Assignment, mayBeTooLate: Bool)

    // MARK: Taking steps

    /// Adds a worker, which takes operations until none is left; or a thread that computes a fallback, and is none.
    func addThread(for fallback: Assignment? = nil) {
        let work: @Sendable () -> Void = { [self] in
            withCallersValues { self.run(for: fallback == nil ? .worker : nil, beginningWith: fallback) }
        }
        guard let virtualTime else { return Worker.start(at: qualityOfService, work) }
        guard let fallback else { return virtualTime.addWorker(work) }
        virtualTime.perform(fallback, graph.id(fallback.node), work)
    }

    func requestMainTurn() {
        let turn: @Sendable () -> Void = { self.withCallersValues { self.run(for: .main) } }
        if let virtualTime { virtualTime.requestMainTurn(turn) } else { OperationQueue.main.addOperation(turn) }
    }

    /// Takes operations and performs them here, until none is left.
    ///
    /// - Parameters:
    ///   - taker: nil for `first` alone.
    ///   - first: an operation that was taken before.
    func run(for taker: Taker?, beginningWith first: Assignment? = nil) {
        // Observers hear of a start before the step begins. The main thread does not tell them: it comes back to the
        // step.
        let isToldFirst = taker == .main && virtualTime == nil && state.withLock { !$0.observers.receivers.isEmpty }
        StepThread.with(self) { thread in
            if taker == .worker { state.withLock { $0.add(thread) } }
            // A turn of the main thread is over with its operation.
            let nextTaker: Taker? = taker == .main ? nil : taker
            var next: TakenStep? = first.map { ($0, true) }
            if next == nil, let taker { next = take(for: taker, isToldFirst: isToldFirst) }
            while let (taken, mayBeTooLate) = next {
                var assignment = taken
                thread.assignment = assignment
                var end: AttemptEnd?
                if assignment.kind != .checkCondition {
                    end = perform(assignment, for: taker, mayBeTooLate: mayBeTooLate)
                } else if checkCondition(assignment, for: taker, isToldFirst: isToldFirst) {
                    assignment = Assignment(node: assignment.node, attempt: assignment.attempt, kind: .run)
                    end = perform(assignment, for: taker, mayBeTooLate: true)
                }
                if let end {
                    next = attemptEnded(assignment, end, thenTakeFor: nextTaker)
                } else {
                    next = nextTaker.flatMap { take(for: $0, after: assignment) }
                }
            }
        }
    }

    private func take(for taker: Taker, after previous: Assignment? = nil, isToldFirst: Bool = false) -> TakenStep? {
        let ((next, start), hasActed) = inputAndWhetherActed(defersAppCode: taker == .prologue) { state in
            let next = state.machine.take(taker, after: previous)
            return isToldFirst ? state.keepBack(next) : (next, nil)
        }
        if let start { watch(start) }
        return next.map { ($0, hasActed) }
    }

    /// Tells the end of an attempt.
    ///
    /// - Returns: the next operation of the thread that ran it.
    @discardableResult
    func attemptEnded(_ assignment: Assignment, _ end: AttemptEnd, thenTakeFor taker: Taker? = nil) -> TakenStep? {
        var result = end.kind
        // Before the lock: this is code of the app.
        if let error = end.error, result != .cancelledItself, graph.policy(assignment.node).isFinal?(error) == true {
            result = .failedFinally
        }
        // Objects of the app that the operation leaves come out of the lock with the result, and are released here.
        let (kept, hasActed) = inputAndWhetherActed(defersAppCode: false) { state in
            let (counted, next) = state.machine.attemptEnded(assignment, result, thenTakeFor: taker)
            return (next, state.keep(end, of: assignment, counted: counted))
        }
        return kept.0.map { ($0, hasActed) }
    }

    // MARK: Performing

    /// Asks conditions of a step, unless the step has ended since it was taken: the launch may have been stopped
    /// while this thread told observers.
    ///
    /// - Returns: whether to run the step now.
    private func checkCondition(_ assignment: Assignment, for taker: Taker?, isToldFirst: Bool) -> Bool {
        let node = assignment.node
        let asked = state.withLock { state in
            state.machine.nodes[node].state == .checking ? state.machine.conditionsToAsk(node) : nil
        }
        guard let asked else { return false }
        let (context, conditions) = (StepContext(host: self, assignment: assignment), graph.policy(node).conditions)
        let answer = AttemptEnd {
            try atQualityOfService(of: node, for: taker) { try asked.allSatisfy { try conditions[$0].isTrue(context) } }
        }
        let (next, start) = input { state -> (Assignment?, MainStart?) in
            if let error = answer.error {
                state.errors[node] = error
                state.messages[node] = answer.message
            }
            guard state.machine.conditionAnswered(node, answer.value as? Bool) else { return (nil, nil) }
            let run = Assignment(node: node, attempt: assignment.attempt, kind: .run)
            return isToldFirst ? state.keepBack(run) : (run, nil)
        }
        if let start { watch(start) }
        return next != nil
    }

    /// Makes an attempt, or computes a fallback. None of its code begins if it was told to cancel, or has ended, since
    /// it was taken.
    ///
    /// - Returns: nil where that goes on elsewhere, and tells its end from there.
    private func perform(_ assignment: Assignment, for taker: Taker?, mayBeTooLate: Bool) -> AttemptEnd? {
        if measurements.isEmpty { return performUnmeasured(assignment, for: taker, mayBeTooLate: mayBeTooLate) }
        let before = ProcessorTime(ofThreadWithWaits: measurements.contains(.processorWaits))
        let end = performUnmeasured(assignment, for: taker, mayBeTooLate: mayBeTooLate)
        // What goes on elsewhere may use any thread.
        guard end != nil else { return nil }
        let time = before.untilNow()
        state.withLock { $0.processorTimes.ranThrough(assignment, time, isCurrent: $0.machine.isCurrent(assignment)) }
        return end
    }

    private func performUnmeasured(_ assignment: Assignment, for taker: Taker?, mayBeTooLate: Bool) -> AttemptEnd? {
        if assignment.kind == .computeFallback { return computeFallback(assignment) }
        if mayBeTooLate, isToldToCancel(assignment) { return .unbegun }
        let context = StepContext(host: self, assignment: assignment)
        switch graph.nodes[assignment.node].work {
        case .nothing:
            return AttemptEnd(())
        case .synchronous where taker == .worker && virtualTime?.isInterleaved == true:
            virtualTime?.perform(assignment, graph.id(assignment.node)) { [self] in
                withCallersValues { self.run(for: nil, beginningWith: assignment) }
            }
            return nil
        case .synchronous(let body):
            return AttemptEnd { try atQualityOfService(of: assignment.node, for: taker) { try body(context) } }
        case .prologue(let body) where taker == .prologue:
            // The launch was started on the main thread: otherwise the graph was refused.
            return AttemptEnd { try MainActor.assumeIsolated { try body(context) } }
        case .asynchronous, .main, .prologue:
            return StepTask(assignment, in: self).start(
                onMain: graph.isMain(assignment.node),
                priority: qualityOfService(of: assignment.node).taskPriority,
                for: virtualTime?.begins(assignment, graph.id(assignment.node)),
                atOnce: options.startsTasksAtOnce
            )
        case .operation(let operation):
            // Work that exists already cannot be preceded by the journal's note of a start, so it is told here (P20).
            if let recorder = options.recorder, !graph.isMain(assignment.node), !isOver {
                recorder.recordStart(of: graph.id(assignment.node), attempt: assignment.attempt)
            }
            return start(operation, of: assignment)
        case .makeOperation(let make):
            do {
                let operation = try make(context)
                try runner.claim(operation)
                keep(operation, for: assignment)
                return start(operation, of: assignment)
            } catch {
                return AttemptEnd(throwing: error)
            }
        case .event(let event):
            input { $0.machine.eventIsAwaited(assignment) }
            awaitEvent(event, for: assignment)
            return nil
        }
    }

    private func start(_ operation: Operation, of assignment: Assignment) -> AttemptEnd? {
        // Making it, or the note of its start, may have taken a while.
        if isToldToCancel(assignment) { return .unbegun }
        // No task of the clock runs it: it holds time still until the launch says that it has ended.
        _ = virtualTime?.begins(assignment, graph.id(assignment.node))
        return runner.start(operation, for: assignment, in: self) { [runner, id = graph.id(assignment.node)] in
            runner.ended(assignment, id, $0)
        }
    }

    private func computeFallback(_ assignment: Assignment) -> AttemptEnd {
        let node = assignment.node
        // The launch may have been stopped before this thread was there.
        if isToldToCancel(assignment) { return .unbegun }
        guard case .compute(let compute)? = graph.policy(node).fallback else {
            return AttemptEnd(throwing: StepContext.missingValue(of: graph.id(node)))
        }
        // A crash in the fallback is not in the user's time any more.
        if graph.policy(node).isPersonsTime { tellQuestion(of: node, isAnswered: true) }
        let error = state.withLock { $0.errors[node] }
        let context = StepContext(host: self, assignment: assignment)
        return atQualityOfService(of: node, for: nil) { AttemptEnd(compute(context, error)) }
    }

    private func qualityOfService(of node: Int) -> QualityOfService {
        if let said = graph.nodes[node].policy?.value.qualityOfService { return said }
        return !isLowered.isEmpty && isLowered[node] ? .utility : qualityOfService
    }

    /// Runs a part of a step at the step's quality of service; the main thread and the app's own queue keep theirs.
    private func atQualityOfService<Result>(of node: Int, for taker: Taker?, _ body: () throws -> Result) rethrows -> Result {
        if queue != nil || taker == .main || taker == .prologue { return try body() }
        return try QualityOfService.withThread(at: qualityOfService(of: node), usually: qualityOfService, body)
    }

    /// Keeps the handle that cancels a running operation, or cancels it at once if it was told to cancel before it had
    /// a handle.
    func keep(_ handle: any Cancellable, for assignment: Assignment) {
        let isTooLate = state.withLock { $0.keep(handle, for: assignment) }
        if isTooLate { cancel([AppCodeQueue.Call(cancelling: assignment.node, handle)]) }
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

    // MARK: In a queue of the app's

    /// Ends the operations of steps that have ended, then adds others for steps that are ready: in the app's queue too
    /// an operation has finished before one starts that waits for it.
    ///
    /// Foundation tells observers of the operations, and the queue may be of a class of the app's: this is code of the
    /// app, which may block.
    func tellQueue(ended: [QueuedStep], turns: [QueuedStep], defersAppCode: Bool) {
        guard let queue, !ended.isEmpty || !turns.isEmpty else { return }
        let tell: @Sendable () -> Void = {
            for step in ended { step.end() }
            for step in turns { queue.addOperation(step) }
        }
        // In a queue whose class is Foundation's, the operations can be seen, and cancelled, as soon as the launch has
        // started.
        let isAppCode = !ended.isEmpty || type(of: queue) != OperationQueue.self
        if defersAppCode, isAppCode { callApp(tell) } else { tell() }
    }

    /// Runs the step whose turn it is.
    func run(_ step: QueuedStep) {
        let assignment = input { state -> Assignment? in
            // It was cancelled after the queue had begun to start it.
            guard state.queued.removeWaiting(step),
                let assignment = state.machine.beginTurn(of: step.node)
            else { return nil }
            state.queued.begin(step, assignment.node)
            return assignment
        }
        guard let assignment else { return step.end() }
        step.name = graph.id(assignment.node)
        withCallersValues { self.run(for: .worker, beginningWith: assignment) }
    }

    /// Somebody has cancelled an operation of the app's queue.
    ///
    /// - Returns: whether it was waiting for its turn, which it does not get any more.
    func cancel(_ step: QueuedStep) -> Bool {
        input(defersAppCode: true) { state in
            if state.queued.removeWaiting(step) {
                state.machine.queueTurnCancelled(of: step.node)
                return true
            }
            if state.queued.isRunning(step) { state.machine.cancelOperation(step.node) }
            return false
        }
    }

    // MARK: Events from outside

    /// Begins the waits of operations that have become ready, and settles the events of those that have ended.
    ///
    /// An event that has already happened ends its operation here, which may make others ready, as many as there are in
    /// the graph: they are added to the nodes of this loop, and so no call is within another. Nor is one within a call
    /// for another launch, see ``EventTurns``.
    func processEvents(of nodes: [Int]) {
        guard state.withLock({ $0.eventWaits.add(nodes) }) else { return }
        while let step = takeEventStep() { step() }
    }

    private func takeEventStep() -> (() -> Void)? {
        state.withLock { state -> (() -> Void)? in
            guard let (node, releases) = state.eventWaits.next() else { return nil }
            guard let node else { return { [self] in for release in releases { callApp(release) } } }
            guard state.machine.nodes[node].state == .ended else {
                let assignment = Assignment(node: node, attempt: Int(state.machine.nodes[node].attempts), kind: .run)
                return { [self] in if case .event(let event) = graph.nodes[node].work { awaitEvent(event, for: assignment) } }
            }
            state.eventWaits.ranges.ended(node, in: graph)
            let events = graph.policy(node).events
            if events.isEmpty { return {} }
            let result = state.eventResult(of: node, graph)
            return { [self] in for event in events { event.settle(result, by: graph.id(node), callBlocks: callApp) } }
        }
    }

    /// Lets the event end an operation.
    func awaitEvent(_ event: EventStorage, for assignment: Assignment) {
        let wait = EventWait(event, on: virtualTime?.scheduler)
        wait.begin(.launch) { [self] result in eventSettled(result, for: assignment) }
        // Where the operation has been told to cancel meanwhile, this cancels the wait.
        keep(wait, for: assignment)
    }

    /// Runs on the thread that has settled the event. The thread may run code of the app, so other code of the app runs
    /// elsewhere.
    private func eventSettled(_ result: EventResult, for assignment: Assignment) {
        // Time must not move before what follows from the event, which may have to wait for its turn.
        virtualTime?.inputBegins()
        EventTurns.launches.run { [self] in
            defer { virtualTime?.inputEnds() }
            let end = AttemptEnd { try result.get() }
            _ = input(defersAppCode: true) { state in
                // An event that comes after a timeout is not reported as late: no operation worked on it.
                let counted = state.machine.attemptEnded(assignment, end.kind).counted
                return counted ? state.keep(end, of: assignment, counted: true) : (nil, nil, nil)
            }
        }
    }

    // MARK: Measuring which workers are asleep

    /// Something waits for a worker: looks at the threads of those that run until nothing does.
    func beginLooking() {
        let now = monotonicNanoseconds()
        let (alarm, delay) = state.withLock { state in
            // Under the lock, since a launch that ends removes it; nobody is called within that.
            if state.threads.alarm == nil, !state.isEnding {
                state.threads.alarm = Alarms.shared.add { [self] _ in lookAtWorkers() }
            }
            return (state.threads.alarm, state.threads.nextDelay(hasChanged: nil, at: now))
        }
        if let alarm { Alarms.shared.set(alarm, to: now + delay) }
    }

    /// Looks whether threads are asleep: on the timer's queue, and without the lock, for a look takes some
    /// microseconds.
    private func lookAtWorkers() {
        let now = monotonicNanoseconds()
        let seen = state.withLock { $0.machine.isMeasuring ? $0.threads.running() : [] }.compactMap { $0.look(at: now) }
        var consequences: Consequences?
        let next = state.withLock { state -> (alarm: Int, delay: Nanoseconds)? in
            // Not by the launch's clock, which may be the app's: nothing here depends on it.
            let hasChanged = state.machine.measured(seen)
            consequences = state.takeConsequences(self)
            guard let hasChanged, let alarm = state.threads.alarm else { return nil }
            return (alarm, state.threads.nextDelay(hasChanged: hasChanged, at: now))
        }
        if let consequences { act(on: consequences, defersAppCode: true) }
        if let next { Alarms.shared.set(next.alarm, to: now + next.delay) }
    }
}

extension LaunchStorage.State {
    /// Keeps a step of the main thread back until its start has been told; a condition and a fallback are announced by
    /// no event.
    ///
    /// - Returns: the assignment if it is not kept back, or else its start.
    mutating func keepBack(_ assignment: LaunchStorage.Assignment?) -> (LaunchStorage.Assignment?, MainStart?) {
        guard let assignment, assignment.kind == .run else { return (assignment, nil) }
        let start = MainStart(assignment)
        mainStarts.append(start)
        return (nil, start)
    }

    /// Stores the value or error of an attempt under the same lock as its end, so before anyone can see that it has
    /// ended.
    ///
    /// - Returns: objects of the app that the operation leaves, to be released without the lock.
    mutating func keep(
        _ end: AttemptEnd,
        of assignment: LaunchStorage.Assignment,
        counted: Bool
    ) -> (handle: (any Cancellable)?, wait: ToldWait?, formerError: (any Error)?) {
        let node = assignment.node
        guard counted else {
            if !end.isObedient { noteLateEnd(of: assignment) }
            return (nil, nil, nil)
        }
        var former: (any Error)?
        if let error = end.error {
            former = errors.updateValue(error, forKey: node)
            messages[node] = end.message
        } else if let value = end.value, machine.graph.nodes[node].hasValue {
            values[node] = value
        }
        // Looked up only where there may be one: that hashes.
        return (
            handles.isEmpty ? nil : handles.removeValue(forKey: node), waits.isEmpty ? nil : waits.removeValue(forKey: node), former
        )
    }

    /// Keeps the handle that cancels a running operation.
    ///
    /// - Returns: true when it was told to cancel before, and the caller has to do it.
    mutating func keep(_ handle: any Cancellable, for assignment: LaunchStorage.Assignment) -> Bool {
        let (node, isCurrent) = (machine.nodes[assignment.node], machine.isCurrent(assignment))
        if isCurrent { handles[assignment.node] = handle }
        // An attempt may have been given up before it had a handle; one that has ended the operation needs none.
        return node.isToldToCancel || !isCurrent && node.state != .ended
    }

    /// Notes that an operation's code came to its end after the operation had.
    private mutating func noteLateEnd(of assignment: LaunchStorage.Assignment) {
        let node = machine.nodes[assignment.node]
        // Of the work alone: an answer to a condition, or a fallback, that comes late has no result that was dropped.
        guard node.state == .ended, node.end >= 0, assignment.kind == .run else { return }
        let delay = Duration.nanoseconds(machine.time - node.end)
        anomalies.append(Anomaly(.endedLate, of: machine.graph.id(assignment.node), after: delay))
    }

    /// The result of the events that an operation was to bring about, now that it has ended.
    fileprivate func eventResult(of node: Int, _ graph: ValidatedGraph) -> EventResult {
        let ending: String
        switch machine.nodes[node].outcome {
        case .succeeded, .fellBack:
            guard graph.nodes[node].hasValue else { return .success(()) }
            if let value = values[node] { return .success(value) }
            ending = "left no value"
        case .failed: ending = messages[node].map { "failed: \($0)" } ?? "failed"
        case .timedOut: ending = "timed out"
        case .cancelled: ending = "was cancelled"
        case .skipped: ending = "was skipped"
        }
        return .failure(PromisedEvent.Broken(ending: ending))
    }

    /// A worker begins.
    mutating func add(_ thread: StepThread) {
        guard machine.mayMeasure else { return }
        if machine.isMeasuring { thread.beginLooks() }
        threads.add(thread)
    }
}
