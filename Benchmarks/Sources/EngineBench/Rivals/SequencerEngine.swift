import Sequencer

extension Engine {
    /// The engine, as an app uses it: a graph of closures, validated, run and reported.
    static let sequencer = Engine(
        "Sequencer",
        "OperationGraph, its run() and the report",
        kinds: BodyKind.allCases,
        entry: .suspending { shape, workload, kind in
            let graph = OperationGraph(shape, workload, kind)
            let report = try await graph.run().report
            if report.outcome != .completed { throw EngineFailure("the launch ended as \(report.outcome.name)") }
        }
    )
}

/// An engine that did not do what it was asked to.
struct EngineFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension OperationGraph {
    /// The graph an app would write for `shape`, with handles for dependencies, and with room for `more` operations.
    init(_ shape: Shape, _ workload: Workload, _ kind: BodyKind = .synchronous, more: Int = 0) {
        self.init(shape.name)
        reserveCapacity(shape.count + more)
        var steps: [Step<Void>] = []
        steps.reserveCapacity(shape.count)
        for node in 0..<shape.count {
            let dependencies = shape.dependencies(of: node)
            let id = shape.identifiers[node]
            // Without dependencies there is nothing to write after `after:`, and one needs no array.
            switch dependencies.count {
            case 0: steps.append(add(id, workload, node, kind))
            case 1: steps.append(add(id, workload, node, kind, after: steps[Int(dependencies[dependencies.startIndex])]))
            default: steps.append(add(id, workload, node, kind, after: dependencies.map { steps[Int($0)] }))
            }
        }
    }

    private mutating func add(_ id: String, _ workload: Workload, _ node: Int, _ kind: BodyKind) -> Step<Void> {
        switch kind {
        case .synchronous: add(id) { workload.perform(node) }
        case .async: add(id) { await workload.performAsync(node) }
        case .suspending: add(id) { await workload.performSuspending(node) }
        case .operation: add(WorkloadOperation(workload, node), id: id)
        }
    }

    private mutating func add(
        _ id: String,
        _ workload: Workload,
        _ node: Int,
        _ kind: BodyKind,
        after dependencies: some StepReference
    ) -> Step<Void> {
        switch kind {
        case .synchronous: add(id, after: dependencies) { workload.perform(node) }
        case .async: add(id, after: dependencies) { await workload.performAsync(node) }
        case .suspending: add(id, after: dependencies) { await workload.performSuspending(node) }
        case .operation: add(WorkloadOperation(workload, node), id: id, after: dependencies)
        }
    }
}

/// A node in the classic style.
private final class WorkloadOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: both properties are constant, and Sendable themselves.
    private let workload: Workload
    private let node: Int

    init(_ workload: Workload, _ node: Int) {
        self.workload = workload
        self.node = node
    }

    override func main() {
        workload.perform(node)
        finish()
    }
}
