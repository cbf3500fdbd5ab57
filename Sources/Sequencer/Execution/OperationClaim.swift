import Foundation

/// A launch's right to the Foundation operations of its graph: an operation runs once, so no two launches may have it at the same time.
///
/// If launches that share operations begin at the same time, on any threads, the first one gets them and the others are refused. The right
/// ends with the launch: an operation that never ran may then run in another one.
struct OperationClaim: Sendable {
    private let graph: ValidatedGraph

    // For the whole process: launches that share an operation know nothing of each other (O48).
    private static let claimed = Locked<Set<ObjectIdentifier>>([])

    /// - Throws: ``GraphError`` when one of the operations belongs to another launch, or has been started by somebody since the graph was checked.
    init(_ graph: ValidatedGraph) throws(GraphError) {
        self.graph = graph
        let positions = graph.operationPositions
        if positions.isEmpty { return }
        let taken = Self.claimed.withLock { claimed in
            // All or none, under one lock: of launches that begin together, the first has all of them (O48).
            let taken = positions.filter { graph.operationID($0).map(claimed.contains) ?? false }
            if taken.isEmpty { for position in positions { graph.operationID(position).map { _ = claimed.insert($0) } } }
            return taken
        }
        if !taken.isEmpty { throw Self.error(graph, taken, "belongs to a launch that is going on") }
        // Another launch may have run it and given it back since this graph was checked.
        let started = positions.filter { position in
            guard let operation = graph.nodes[position].operation else { return false }
            return operation.isExecuting || operation.isFinished
        }
        if started.isEmpty { return }
        giveBack()
        throw Self.error(graph, started, "was started meanwhile")
    }

    func giveBack() {
        if graph.operationPositions.isEmpty { return }
        Self.claimed.withLock { claimed in
            for position in graph.operationPositions { graph.operationID(position).map { _ = claimed.remove($0) } }
        }
    }

    // MARK: Operations that steps make

    /// - Throws: ``ReusedOperationError``.
    static func claim(_ operation: Operation) throws {
        // No other object gets this number while it is claimed: the launch keeps the operation until it gives it back.
        guard claimed.withLock({ $0.insert(ObjectIdentifier(operation)).inserted }) else {
            throw ReusedOperationError(complaint: "belongs to a launch that is going on")
        }
        guard operation.isExecuting || operation.isFinished else { return }
        giveBack([operation])
        throw ReusedOperationError(complaint: operation.isFinished ? "has finished already" : "runs already")
    }

    static func giveBack(_ operations: [Operation]) {
        if operations.isEmpty { return }
        claimed.withLock { claimed in
            for operation in operations { claimed.remove(ObjectIdentifier(operation)) }
        }
    }

    private static func error(_ graph: ValidatedGraph, _ positions: [Int], _ complaint: String) -> GraphError {
        let problems = positions.map { position in
            GraphProblem(
                .foreignOperation,
                positions: [position],
                "\(printable(graph.id(position))): its Operation \(complaint); an Operation runs once, make a new one"
            )
        }
        return GraphError(graph: graph.name, problems: problems)
    }
}

/// A step has made an `Operation` that it had made before, or that somebody else has started.
struct ReusedOperationError: DescribedError {
    let complaint: String
    var description: String { "the Operation that was made \(complaint); an Operation runs once, make a new one each time" }
}

extension ValidatedGraph {
    fileprivate func operationID(_ position: Int) -> ObjectIdentifier? {
        nodes[position].operation.map { ObjectIdentifier($0) }
    }
}
