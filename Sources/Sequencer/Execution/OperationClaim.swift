import Foundation

/// A launch's right to the Foundation operations of its graph: an operation runs once, so no two launches may have it at the same time.
///
/// If launches that share operations begin at the same time, on any threads, the first one gets them and the others are refused. The right
/// ends with the launch: an operation that never ran may then run in another one.
struct OperationClaim: Sendable {
    // For the whole process: launches that share an operation know nothing of each other (O48).
    private static let claimed = Locked<Set<ObjectIdentifier>>([])

    private let operations: [Operation]

    /// - Throws: ``GraphError`` when one of the operations belongs to another launch, or has been started by somebody since the graph was checked.
    init(_ graph: ValidatedGraph) throws(GraphError) {
        let positions = graph.operationPositions.filter { graph.nodes[$0].operation != nil }
        operations = positions.compactMap { graph.nodes[$0].operation }
        let problems = Self.take(operations).map { place, complaint in
            let (position, id) = (positions[place], printable(graph.id(positions[place])))
            let message = "\(id): its Operation \(complaint); an Operation runs once, make a new one"
            return GraphProblem(.foreignOperation, positions: [position], message)
        }
        if !problems.isEmpty { throw GraphError(graph: graph.name, problems: problems) }
    }

    func giveBack() { Self.giveBack(operations) }

    /// Takes an operation that a step has made. No other object gets its number meanwhile: the launch keeps the operation until it gives it back.
    ///
    /// - Throws: ``ReusedOperationError``.
    static func claim(_ operation: Operation) throws {
        if let (_, complaint) = take([operation]).first { throw ReusedOperationError(complaint: complaint) }
    }

    static func giveBack(_ operations: [Operation]) {
        if operations.isEmpty { return }
        claimed.withLock { $0.subtract(operations.map { ObjectIdentifier($0) }) }
    }

    /// Takes all of them or none, under one lock: of launches that begin together, the first has all of them (O48).
    ///
    /// - Returns: those that cannot be had, by place, and why.
    private static func take(_ operations: [Operation]) -> [(place: Int, complaint: String)] {
        if operations.isEmpty { return [] }
        let taken = claimed.withLock { claimed in
            let taken = operations.indices.filter { claimed.contains(ObjectIdentifier(operations[$0])) }
            if taken.isEmpty { claimed.formUnion(operations.map { ObjectIdentifier($0) }) }
            return taken
        }
        if !taken.isEmpty { return taken.map { ($0, "belongs to a launch that is going on") } }
        // Another launch may have run it and given it back meanwhile.
        let started = operations.indices.filter { operations[$0].isExecuting || operations[$0].isFinished }
        if !started.isEmpty { giveBack(operations) }
        return started.map { ($0, operations[$0].isFinished ? "has finished already" : "runs already") }
    }
}

/// A step has made an `Operation` that it had made before, or that somebody else has started.
struct ReusedOperationError: DescribedError {
    let complaint: String
    var description: String { "the Operation that was made \(complaint); an Operation runs once, make a new one each time" }
}
