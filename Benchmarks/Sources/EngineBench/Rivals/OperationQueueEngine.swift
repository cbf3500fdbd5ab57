import Foundation

extension Engine {
    /// Foundation alone: every operation is enqueued with its dependencies, and the queue does the rest.
    static let operationQueue = Engine(
        "OperationQueue",
        "BlockOperation and addDependency, all enqueued at once",
        kinds: [.synchronous],
        largest: 1_000,
        largestInFull: 10_000,
        entry: .blocking { shape, workload, _ in
            var operations: [Operation] = []
            operations.reserveCapacity(shape.count)
            for node in 0..<shape.count {
                let operation = BlockOperation { workload.perform(node) }
                for dependency in shape.dependencies(of: node) { operation.addDependency(operations[Int(dependency)]) }
                operations.append(operation)
            }
            let queue = OperationQueue()
            queue.qualityOfService = .userInitiated
            queue.addOperations(operations, waitUntilFinished: true)
        }
    )
}
