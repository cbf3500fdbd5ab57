import Foundation

/// Running operations, and telling the state machine what they came to.
extension LaunchStorage {
    /// Runs one operation on a worker.
    ///
    /// - Returns: the next one for this worker.
    func perform(_ assignment: Assignment) -> Assignment? {
        switch assignment.kind {
        case .checkCondition:
            guard checkCondition(assignment) else { return takeNext(after: assignment) }
            return perform(Assignment(node: assignment.node, attempt: assignment.attempt, kind: .run))
        case .computeFallback:
            return workerEnded(assignment, computeFallback(assignment))
        case .run:
            // Looked for before the others, so that nothing but its closure is held meanwhile.
            guard case .action(let body) = graph.graph.nodes[assignment.node].work else { return run(assignment) }
            do {
                try body()
            } catch {
                return workerEnded(assignment, .failure(error))
            }
            return workerSucceeded(assignment, ())
        }
    }

    private func run(_ assignment: Assignment) -> Assignment? {
        switch graph.graph.nodes[assignment.node].work {
        case .nothing:
            return workerSucceeded(assignment, ())
        case .action:
            return perform(assignment)
        case .synchronous(let body):
            let value: any Sendable
            do {
                value = try body(Launch(storage: self, assignment: assignment))
            } catch {
                return workerEnded(assignment, .failure(error))
            }
            return workerSucceeded(assignment, value)
        case .asynchronous, .asynchronousAction:
            return startAsynchronous(assignment)
        case .operation(let operation):
            return start(operation, assignment)
        case .makeOperation(let make):
            let operation: Operation
            do {
                operation = try make(Launch(storage: self, assignment: assignment))
            } catch {
                return workerEnded(assignment, .failure(error))
            }
            keep(.operation(operation), for: assignment)
            return start(operation, assignment)
        case .main:
            return takeNext(after: assignment)
        }
    }

    /// Runs asynchronous operations, beginning with this one, until one suspends or there is something else to do.
    private func startAsynchronous(_ first: Assignment) -> Assignment? {
        let qos = qualityOfService(of: first.node)
        let inline = InlineTask(first)
        let task = startTask(priority: qos.taskPriority, on: virtualTime) { [self] in
            var assignment = first
            while true {
                let ending: OperationRunner.Ending
                do {
                    switch graph.graph.nodes[assignment.node].work {
                    case .asynchronousAction(let body): ending = .success(try await body())
                    case .asynchronous(let body): ending = .success(try await body(Launch(storage: self, assignment: assignment)))
                    default: return inline.end(leaving: assignment)
                    }
                } catch {
                    ending = .failure(error)
                }
                guard inline.isInline else { return goOn(with: taskEnded(assignment, ending)) }
                guard let next = workerEnded(assignment, ending) else { return inline.end(leaving: nil) }
                guard next.kind == .run, qualityOfService(of: next.node) == qos else { return inline.end(leaving: next) }
                inline.goOn(with: next)
                assignment = next
            }
        }
        if inline.isDone { return inline.next }
        inline.startReturned()
        return takeNext(after: inline.current, handle: .task(task))
    }

    /// Goes on where an operation has ended that had suspended: with asynchronous ones here and now, with any other in a queue, for it may block
    /// its thread.
    private func goOn(with first: Assignment?) {
        var next = first
        while let assignment = next {
            guard assignment.kind == .run, graph.graph.nodes[assignment.node].work.isAsynchronous else {
                return addWorker(beginningWith: assignment)
            }
            next = startAsynchronous(assignment)
        }
    }

    private func qualityOfService(of node: Int) -> QualityOfService {
        graph.graph.nodes[node].policy?.value.qualityOfService ?? qualityOfService
    }

    private func start(_ operation: Operation, _ assignment: Assignment) -> Assignment? {
        let ended = runner.start(operation, id: graph.id(assignment.node)) { [self] result in
            attemptEnded(assignment, result)
        }
        switch ended {
        case .success?: return workerSucceeded(assignment, ())
        case .failure(let error)?: return workerEnded(assignment, .failure(error))
        case nil: return takeNext(after: assignment)
        }
    }

    func performOnMain(_ assignment: Assignment) {
        var assignment = assignment
        if assignment.kind == .checkCondition {
            guard checkCondition(assignment) else { return }
            assignment = Assignment(node: assignment.node, attempt: assignment.attempt, kind: .run)
        }
        guard case .main(let body) = graph.graph.nodes[assignment.node].work else { return }
        let launch = Launch(storage: self, assignment: assignment)
        let qos = qualityOfService(of: assignment.node)
        let running = assignment
        let task = startMainTask(priority: qos.taskPriority) { [self] in
            do {
                let value = try await body(launch)
                attemptEnded(running, .success(value))
            } catch {
                attemptEnded(running, .failure(error))
            }
        }
        keep(.task(task), for: running)
    }

    /// Keeps what cancels a running operation, or cancels it at once if it was told to before there was anything to cancel.
    private func keep(_ handle: Handle, for assignment: Assignment) {
        let isTooLate = state.withLock { $0.keep(handle, for: assignment) }
        if isTooLate { handle.cancel() }
    }

    private func checkCondition(_ assignment: Assignment) -> Bool {
        let node = assignment.node
        let answer = Swift.Result { try graph.policy(node).condition?() ?? true }
        return input { state, now in
            if case .failure(let error) = answer { state.errors[node] = error }
            return state.machine.conditionAnswered(node, try? answer.get(), at: now, &state.actions)
        }
    }

    private func computeFallback(_ assignment: Assignment) -> Swift.Result<any Sendable, any Error> {
        let node = assignment.node
        guard case .compute(let compute)? = graph.policy(node).fallback else { return .failure(MissingValueError(step: graph.id(node))) }
        let error = state.withLock { $0.errors[node] }
        return .success(compute(Launch(storage: self, assignment: assignment), error))
    }

    // MARK: Ends

    private func takeNext(after assignment: Assignment, handle: Handle? = nil) -> Assignment? {
        let (next, isTooLate) = input { state, now in
            let isTooLate = handle.map { state.keep($0, for: assignment) } ?? false
            return (state.machine.takeForWorker(after: assignment, at: now, &state.actions), isTooLate)
        }
        if isTooLate { handle?.cancel() }
        return next
    }

    private func workerEnded(_ assignment: Assignment, _ result: Swift.Result<any Sendable, any Error>) -> Assignment? {
        input { state, now in
            let (counted, next) = state.machine.workerEnded(assignment, result.ending, at: now, &state.actions)
            state.keep(result, of: assignment, counted: counted, at: now, in: values)
            return next
        }
    }

    /// The common case of ``workerEnded(_:_:)``, without wrapping and unwrapping.
    private func workerSucceeded(_ assignment: Assignment, _ value: any Sendable) -> Assignment? {
        input { state, now in
            let (counted, next) = state.machine.workerEnded(assignment, .succeeded, at: now, &state.actions)
            if counted {
                state.keep(value, of: assignment.node, in: values)
            } else {
                state.noteLateEnd(of: assignment, at: now)
            }
            return next
        }
    }

    private func taskEnded(_ assignment: Assignment, _ result: Swift.Result<any Sendable, any Error>) -> Assignment? {
        // In virtual time there is one worker, so that what happens at one time happens in one order.
        if virtualTime != nil {
            attemptEnded(assignment, result)
            return nil
        }
        return input { state, now in
            let (counted, next) = state.machine.taskEnded(assignment, result.ending, at: now, &state.actions)
            state.keep(result, of: assignment, counted: counted, at: now, in: values)
            return next
        }
    }

    private func attemptEnded(_ assignment: Assignment, _ result: Swift.Result<any Sendable, any Error>) {
        input { state, now in
            let counted = state.machine.attemptEnded(assignment, result.ending, at: now, &state.actions)
            state.keep(result, of: assignment, counted: counted, at: now, in: values)
        }
    }
}
