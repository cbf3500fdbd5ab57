import Dispatch
import Foundation

/// Starts Foundation operations outside any queue, and tells when each has ended, once.
///
/// An operation that has finished when `start()` returns ends there, and a ``ConcurrentOperation`` says so itself. Any other is watched by a
/// second operation that depends on it, in a queue over a serial dispatch queue: the completion block would be called on a global queue, and
/// those stand still while blocked operations hold every pool thread.
final class OperationRunner: Sendable {
    typealias Ending = Result<any Sendable, any Error>

    private struct State {
        /// Made when the first operation needs watching.
        var watchers: SerialOperationQueue?
        /// One for each operation that was not ready.
        var others: [SerialOperationQueue] = []
        var surplus: [Anomaly] = []
    }

    private let state = Locked(State())

    /// What operations have done after they had ended.
    var anomalies: [Anomaly] { state.withLock { $0.surplus } }

    /// - Parameters:
    ///   - id: the operation's identifier, for ``anomalies``.
    ///   - ended: called once, on any thread, unless the ending is returned.
    /// - Returns: how the operation ended, if it has ended already.
    func start(_ operation: Operation, id: String, ended: @escaping @Sendable (Ending) -> Void) -> Ending? {
        if let concurrent = operation as? ConcurrentOperation {
            // The operation keeps this, and the launch keeps the operation: it must not hold the launch.
            concurrent.onSurplusFinish { [state] _ in
                state.withLock { $0.surplus.append(Anomaly(operation: id, kind: .finishedAgain)) }
            }
            begin(concurrent)
            if let ending = concurrent.ending { return ending }
            // Should it end just now, this calls the handler here.
            concurrent.whenEnded { if let ending = $0.ending { ended(ending) } }
            return nil
        }
        let once = Locked(false)
        let claim: @Sendable () -> Bool = {
            once.withLock { isClaimed in
                defer { isClaimed = true }
                return !isClaimed
            }
        }
        if operation.isAsynchronous {
            watch(operation) { if claim() { ended(Self.ending(of: $0)) } }
            begin(operation)
        } else {
            begin(operation)
            // Synchronous by its own word, and yet it goes on.
            if !operation.isFinished { watch(operation) { if claim() { ended(Self.ending(of: $0)) } } }
        }
        return operation.isFinished && claim() ? Self.ending(of: operation) : nil
    }

    /// Starts an operation that is ready here; one that is not gets a queue, which starts it when it is: Foundation traps on such a start,
    /// and tells dependents of an ended operation in an order of its own.
    private func begin(_ operation: Operation) {
        if operation.isReady || operation.isCancelled {
            operation.start()
        } else {
            let queue = SerialOperationQueue(label: "sequencer.not-ready")
            state.withLock { $0.others.append(queue) }
            queue.operations.addOperation(operation)
        }
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

    private static func ending(of operation: Operation) -> Ending {
        operation.isCancelled ? .failure(CancellationError()) : .success(())
    }
}

/// An operation queue over a serial dispatch queue, which has a thread of its own when the pool's are blocked. It must be kept until its
/// operations have run, for an operation queue does not keep its dispatch queue alive.
private final class SerialOperationQueue: Sendable {
    let operations = OperationQueue()
    private let dispatchQueue: DispatchQueue

    init(label: String) {
        dispatchQueue = DispatchQueue(label: label, qos: .userInitiated)
        operations.underlyingQueue = dispatchQueue
    }
}
