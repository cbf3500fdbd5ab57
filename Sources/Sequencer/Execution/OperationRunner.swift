import Foundation

/// Starts a Foundation operation outside any queue, and tells when it has ended, once.
///
/// An operation that has finished when `start()` returns ends there. Any other is waited for: a ``ConcurrentOperation`` says so itself;
/// for the rest, Foundation calls the completion block when the operation has finished.
struct OperationRunner {
    let operation: Operation

    init(_ operation: Operation) {
        self.operation = operation
    }

    /// - Parameters:
    ///   - ended: called once, on any thread, unless the result is returned.
    ///   - surplus: called when the operation finishes once more than it should.
    /// - Returns: how the operation ended, if it has ended already.
    func start(
        ended: @escaping @Sendable (Result<any Sendable, any Error>) -> Void, surplus: @escaping @Sendable () -> Void
    ) -> Result<any Sendable, any Error>? {
        let once = Locked(false)
        let claim: @Sendable () -> Bool = {
            once.withLock { isEnded in
                defer { isEnded = true }
                return !isEnded
            }
        }
        if let concurrent = operation as? ConcurrentOperation {
            concurrent.onSurplusFinish { _ in surplus() }
            concurrent.whenEnded { operation in
                if claim() { ended(Self.result(of: operation)) }
            }
        } else {
            let existing = operation.completionBlock
            operation.completionBlock = { [weak operation] in
                existing?()
                if let operation, claim() { ended(Self.result(of: operation)) }
            }
        }
        operation.start()
        return operation.isFinished && claim() ? Self.result(of: operation) : nil
    }

    private static func result(of operation: Operation) -> Result<any Sendable, any Error> {
        if let error = (operation as? ConcurrentOperation)?.error { return .failure(error) }
        return operation.isCancelled ? .failure(CancellationError()) : .success(())
    }
}
