import Foundation

extension LaunchStorage.State {
    /// Puts away what an attempt came to, if it counts, before anyone can see that it ended.
    mutating func willEnd(
        _ assignment: LaunchStateMachine.Assignment,
        _ result: Result<any Sendable, any Error>,
        _ values: ValueTable
    ) {
        guard machine.isCurrent(assignment) else { return }
        handles[assignment.node] = nil
        if !waits.isEmpty { waits[assignment.node] = nil }
        switch result {
        case .success(let value): values.set(value, at: assignment.node)
        case .failure(let error): errors[assignment.node] = error
        }
    }

    /// Keeps what cancels a running operation.
    ///
    /// - Returns: true when it was told to cancel before, and the caller has to do it.
    mutating func keep(_ handle: LaunchStorage.Handle, for assignment: LaunchStateMachine.Assignment) -> Bool {
        guard machine.isCurrent(assignment) else { return machine.nodes[assignment.node].isToldToCancel }
        handles[assignment.node] = handle
        return machine.nodes[assignment.node].isToldToCancel
    }

    /// Notes that an operation's code came to its end after the operation had, unless it did so because it was told to cancel.
    mutating func noteLateEnd(
        of assignment: LaunchStateMachine.Assignment,
        _ result: Result<any Sendable, any Error>,
        at now: Nanoseconds
    ) {
        if result.ending == .cancelled { return }
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
    private let slots: UnsafeMutableBufferPointer<(any Sendable)?>

    init(count: Int) {
        slots = .allocate(capacity: count)
        slots.initialize(repeating: nil)
    }

    deinit {
        slots.deinitialize()
        slots.deallocate()
    }

    subscript(index: Int) -> (any Sendable)? { slots[index] }

    func set(_ value: any Sendable, at index: Int) {
        slots[index] = value
    }
}
