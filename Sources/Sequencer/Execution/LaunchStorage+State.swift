import Foundation

extension LaunchStorage.State {
    /// The consequences of an input, to be carried out without the lock; nil without any, as after most inputs.
    @inline(__always)
    mutating func takeConsequences(_ launch: LaunchStorage) -> LaunchStorage.Consequences? {
        let wake = machine.takeWake()
        if actions.isEmpty, wake == nil, machine.events.isEmpty { return nil }
        return takeConsequences(launch, wake: wake)
    }

    private mutating func takeConsequences(_ launch: LaunchStorage, wake: Nanoseconds?) -> LaunchStorage.Consequences {
        let (graph, values) = (launch.graph, launch.values)
        // As things are at the milestone, for calls that ask for them later.
        if actions.isMilestoneOver, machine.endOfLaunchProper != nil, machine.phase != .over {
            milestoneRecord = launch.makeRecord(&self, [])
        }
        if actions.rare.contains(.showsFailure) { takeover = failureTakeover(launch) }
        for node in actions.useFallbackValue {
            if case .value(let value)? = graph.policy(node).fallback { set(value, of: node, in: values) }
        }
        if !actions.cancel.isEmpty { launch.hasToldToCancel.store(true, ordering: .relaxed) }
        let cancelled = actions.cancel.compactMap { node -> CancelledOperations.Element? in
            // One that exists already gets no handle: the graph has it.
            if case .operation(let operation) = graph.nodes[node].work { return (node, .operation(operation)) }
            let handle = takeTask(of: node) ?? handles[node]
            // Under the lock: the task is cancelled later, and must not go on with another step until then.
            if case .task(let task)? = handle { task.isToldToCancel = true }
            return handle.map { (node, $0) }
        }
        defer {
            actions = LaunchStateMachine.Actions()
            takeover = nil
        }
        return LaunchStorage.Consequences(
            actions: actions,
            takeover: takeover,
            cancelled: cancelled.isEmpty ? nil : CancelledOperations(cancelled),
            wake: wake,
            hasEvents: !machine.events.isEmpty,
            ended: actions.freedLanes.compactMap { queued.removeRunning(lane: $0) }
        )
    }

    /// Objects of the app that an ended operation leaves, to be let go of without the lock. A class: most operations leave none, and nil is then one word
    /// ("running, instructions" in `Benchmarks/instructions.json`).
    final class Leftovers {
        private let handle: LaunchStorage.Handle?
        private let wait: ToldWait?
        private let error: (any Error)?

        /// - Returns: nil if all are absent.
        init?(handle: LaunchStorage.Handle?, wait: ToldWait?, error: (any Error)?) {
            if handle == nil, wait == nil, error == nil { return nil }
            self.handle = handle
            self.wait = wait
            self.error = error
        }
    }

    /// Stores the value or error of an attempt under the same lock as its end, so before anyone can see that it has ended.
    mutating func keep(
        _ end: AttemptEnd,
        of assignment: LaunchStateMachine.Assignment,
        counted: Bool,
        at now: Nanoseconds,
        in values: ValueTable
    ) -> Leftovers? {
        guard counted else {
            if !end.isObedient { noteLateEnd(of: assignment, at: now) }
            return nil
        }
        guard let error = end.error else {
            // Without a value either, none of its code has run.
            guard let value = end.value else { return takeLeftovers(of: assignment.node) }
            return keep(value, of: assignment.node, in: values)
        }
        // Of an earlier attempt.
        let former = errors.updateValue(error, forKey: assignment.node)
        messages[assignment.node] = end.message
        return takeLeftovers(of: assignment.node, formerError: former)
    }

    /// Puts away an operation's value.
    @inline(__always)
    mutating func keep(_ value: any Sendable, of node: Int, in values: ValueTable) -> Leftovers? {
        set(value, of: node, in: values)
        return takeLeftovers(of: node)
    }

    /// Dependents of an operation that was put off have started without its value, and look for it without the lock: so the value is stored
    /// where they do not look.
    @inline(__always)
    private mutating func set(_ value: any Sendable, of node: Int, in values: ValueTable) {
        if machine.nodes[node].isDeferred { lateValues[node] = value } else { values.set(value, at: node) }
    }

    /// Takes out what only an operation that runs needs.
    @inline(__always)
    private mutating func takeLeftovers(of node: Int, formerError: (any Error)? = nil) -> Leftovers? {
        if handles.isEmpty, waits.isEmpty, formerError == nil { return nil }
        return Leftovers(handle: handles.removeValue(forKey: node), wait: waits.removeValue(forKey: node), error: formerError)
    }

    // MARK: Tasks

    /// The task that runs an operation on a worker's thread; from now on it runs nothing else.
    private func takeTask(of node: Int) -> LaunchStorage.Handle? {
        let attempt = Int(machine.nodes[node].attempts)
        // There are few: one for each worker at most.
        guard let task = inlineTasks.first(where: { $0.current.node == node && $0.current.attempt == attempt }) else { return nil }
        return .task(task)
    }

    /// A task begins on a worker's thread.
    ///
    /// - Returns: whether its operation was told to cancel before, and the caller has to cancel the task.
    mutating func begin(_ task: StepTask) -> Bool {
        inlineTasks.append(task)
        task.isToldToCancel = machine.nodes[task.current.node].isToldToCancel
        return task.isToldToCancel
    }

    /// Lets a task go on with another operation.
    ///
    /// - Returns: whether it does: not with none, nor when it was told to cancel.
    @inline(__always)
    mutating func goOn(_ task: StepTask, with next: LaunchStateMachine.Assignment?) -> Bool {
        if let next, !task.isToldToCancel {
            task.current = next
            return true
        }
        inlineTasks.removeAll { $0 === task }
        return false
    }

    /// A task has suspended: it runs no other step any more.
    mutating func suspended(_ task: StepTask) {
        guard let place = inlineTasks.firstIndex(where: { $0 === task }) else { return }
        inlineTasks.remove(at: place)
        if machine.isCurrent(task.current) { handles[task.current.node] = .task(task) }
    }

    /// Keeps the handle that cancels a running operation.
    ///
    /// - Returns: true when it was told to cancel before, and the caller has to do it.
    mutating func keep(_ handle: LaunchStorage.Handle, for assignment: LaunchStateMachine.Assignment) -> Bool {
        guard machine.isCurrent(assignment) else { return machine.nodes[assignment.node].isToldToCancel }
        handles[assignment.node] = handle
        return machine.nodes[assignment.node].isToldToCancel
    }

    /// Notes that an operation's code came to its end after the operation had.
    mutating func noteLateEnd(of assignment: LaunchStateMachine.Assignment, at now: Nanoseconds) {
        let node = machine.nodes[assignment.node]
        // Of the work alone: an answer to a condition, or a fallback, that comes late has no result that was dropped.
        guard node.state == .ended, node.end >= 0, assignment.kind == .run else { return }
        let delay = Duration.nanoseconds(max(0, now - node.end))
        anomalies.append(Anomaly(.endedLate, of: machine.graph.id(assignment.node), after: delay))
    }
}

/// The end of an attempt.
///
/// Apart, not as a `Result`, which every look at it copies.
struct AttemptEnd {
    /// nil where it failed.
    let value: (any Sendable)?
    /// nil where it succeeded.
    let error: (any Error)?
    /// How the error describes itself.
    let message: String?
    /// The result that the state machine is told.
    let forMachine: LaunchStateMachine.Result
    /// Whether the operation, or the task it ran in, was cancelled, by whomever.
    let isCancelled: Bool
    /// Whether the operation ended because it was told to: such an end comes after the operation's timeout, and is not late.
    let isObedient: Bool

    /// The end of a closure that has returned.
    @inline(__always)
    init(_ value: any Sendable, isTaskCancelled: Bool = false) {
        self.value = value
        error = nil
        message = nil
        forMachine = .succeeded
        isCancelled = isTaskCancelled
        isObedient = false
    }

    /// The end of a closure that has thrown.
    init(throwing error: any Error, isTaskCancelled: Bool = false) {
        self.init(throwing: error, isCancelled: isTaskCancelled, isObedient: error is CancellationError)
    }

    /// The end of a Foundation operation: one that is cancelled looks the same whether it has stopped its work or done it.
    init(_ ending: OperationRunner.Ending) {
        switch ending.result {
        case .success(let value): self.init(value, isTaskCancelled: true)
        case .failure(let error): self.init(throwing: error, isCancelled: ending.isCancelled, isObedient: ending.isObedient)
        }
    }

    /// The end of an attempt of which no code has run, since it was told to cancel before.
    static var unbegun: AttemptEnd { AttemptEnd() }

    private init() {
        (value, error, message) = (nil, nil, nil)
        forMachine = .cancelledItself
        isCancelled = true
        isObedient = true
    }

    private init(throwing error: any Error, isCancelled: Bool, isObedient: Bool) {
        value = nil
        self.error = error
        message = error.text
        // Thrown where nothing was cancelled, it is a failure as any other (O43).
        forMachine = error is CancellationError ? (isCancelled ? .cancelledItself : .cancelled) : .failed
        self.isCancelled = isCancelled
        self.isObedient = isObedient
    }
}

extension Error {
    /// How the error describes itself, asked for on the thread that met it, so that an error whose description never comes holds up its operation alone.
    fileprivate var text: String { printable(String(describing: self), limit: 400) }
}

extension Result {
    /// How the error describes itself.
    var errorText: String? {
        switch self {
        case .success: nil
        case .failure(let error): error.text
        }
    }
}

/// The operations' values: a slot each, written once.
///
/// A slot is written under the launch's lock when its operation ends, and read by operations that started after that, so by threads that
/// held the lock later.
final class ValueTable: @unchecked Sendable {
    // @unchecked: see above; no slot is written and read at the same time.
    private let slots: UnsafeMutablePointer<(any Sendable)?>
    private let count: Int

    /// - Parameter count: 0 where no operation produces anything, and none reads that another one has ended.
    init(count: Int) {
        self.count = count
        slots = .allocate(capacity: count)
        slots.initialize(repeating: nil, count: count)
    }

    deinit {
        slots.deinitialize(count: count)
        slots.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    subscript(index: Int) -> (any Sendable)? { index < count ? slots[index] : nil }

    func set(_ value: any Sendable, at index: Int) {
        // An operation ends once: there is nothing in the slot.
        if index < count { (slots + index).initialize(to: value) }
    }
}
