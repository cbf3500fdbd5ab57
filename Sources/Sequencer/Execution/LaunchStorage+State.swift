import Foundation

extension LaunchStorage.State {
    /// What follows from an input, to be done without the lock; nil when nothing does, as after most.
    @inline(__always)
    mutating func takeConsequences(_ graph: ValidatedGraph, _ values: ValueTable) -> LaunchStorage.Consequences? {
        let wake = machine.nextWake
        if actions.isEmpty, wake == nil, machine.events.isEmpty { return nil }
        return takeConsequences(graph, values, wake: wake)
    }

    private mutating func takeConsequences(_ graph: ValidatedGraph, _ values: ValueTable, wake: Nanoseconds?) -> LaunchStorage.Consequences
    {
        for node in actions.useFallbackValue {
            if case .value(let value)? = graph.policy(node).fallback { values.set(value, at: node) }
        }
        let cancelled = actions.cancel.compactMap { node -> LaunchStorage.Handle? in
            if case .operation(let operation) = graph.graph.nodes[node].work { return .operation(operation) }
            return handles[node]
        }
        defer { actions = LaunchStateMachine.Actions() }
        return LaunchStorage.Consequences(actions: actions, cancelled: cancelled, wake: wake, hasEvents: !machine.events.isEmpty)
    }

    /// Puts away what an attempt came to, under the lock that it ended under: before anyone can see that it ended.
    mutating func keep(
        _ result: Result<any Sendable, any Error>,
        of assignment: LaunchStateMachine.Assignment,
        counted: Bool,
        at now: Nanoseconds,
        in values: ValueTable
    ) {
        if counted {
            switch result {
            case .success(let value): keep(value, of: assignment.node, in: values)
            case .failure(let error):
                errors[assignment.node] = error
                letGo(of: assignment.node)
            }
        } else if result.ending != .cancelled {
            noteLateEnd(of: assignment, at: now)
        }
    }

    /// Puts away an operation's value.
    @inline(__always)
    mutating func keep(_ value: any Sendable, of node: Int, in values: ValueTable) {
        values.set(value, at: node)
        letGo(of: node)
    }

    /// Drops what only an operation that runs needs.
    @inline(__always)
    private mutating func letGo(of node: Int) {
        if !handles.isEmpty { handles[node] = nil }
        if !waits.isEmpty { waits[node] = nil }
    }

    /// Keeps what cancels a running operation.
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
        guard node.state == .ended, node.end >= 0, assignment.kind == .run else { return }
        let delay = Duration.nanoseconds(max(0, now - node.end))
        anomalies.append(Anomaly(operation: machine.graph.id(assignment.node), kind: .endedLate(by: delay)))
    }
}

extension Result where Success == any Sendable, Failure == any Error {
    /// What the state machine is told.
    var ending: LaunchStateMachine.Result {
        switch self {
        case .success: .succeeded
        case .failure(is CancellationError): .cancelled
        case .failure: .failed
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
