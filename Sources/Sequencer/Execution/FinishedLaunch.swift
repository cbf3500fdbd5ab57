import Foundation

/// A launch that has ended: its report, and the values that its operations left.
///
/// It keeps those values, and the objects that the steps captured. Keep only the ``report`` to let go of them.
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
    /// - Throws: ``OperationError`` if the operation left none, or the handle is one of another graph. A step read as ``Step/optional`` is nil instead.
    public subscript<Value>(step: Step<Value>) -> Value {
        get throws(OperationError) {
            let node: Int
            do throws(GraphError) {
                node = try storage.graph.index(ofHandle: step)
            } catch {
                let message = error.problems.first?.message ?? error.description
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

    /// The anomalies up to now. Operations that the launch left behind can cause some after the report was made.
    public var anomalies: [Anomaly] { storage.anomalies }
}

/// Why an operation left no value. Its description is the operation and the message: `login: no network`.
public struct OperationError: DescribedError, DescribedValue, Sendable {
    /// The operation's identifier.
    public let operation: String
    /// How it ended; nil if the launch has no such operation, or the handle is one of another graph.
    public let outcome: Outcome?
    /// One sentence.
    public let message: String
    /// The error that the operation threw, if it did.
    public let underlying: (any Error)?

    package var ownDescription: String { "\(printable(operation)): \(message)" }
}
