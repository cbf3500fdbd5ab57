import Foundation

extension OperationGraph {
    /// Makes dependencies of the graph out of those that Foundation operations have among themselves, and checks that each can run here.
    func addOperationDependencies(to edges: inout [GraphEdge], _ problems: inout [GraphProblem]) {
        let positions = nodes.indices.filter { nodes[$0].operation != nil }
        if positions.isEmpty { return }
        var owner = [ObjectIdentifier: Int](minimumCapacity: positions.count)
        for position in positions {
            guard let operation = nodes[position].operation else { continue }
            let node = nodes[position]
            if let first = owner.updateValue(position, forKey: ObjectIdentifier(operation)) {
                problems.append(
                    GraphProblem(
                        .foreignOperation,
                        positions: [first, position],
                        "'\(printable(nodes[first].id))' and '\(printable(node.id))' are the same Operation; an Operation runs once"
                    )
                )
            }
            if node.policy?.value.retry != nil {
                problems.append(
                    GraphProblem(
                        .foreignOperation,
                        positions: [position],
                        "\(printable(node.id)) has a retry, but an Operation runs once; add it with addOperation, which makes one for each attempt"
                    )
                )
            }
            if operation.isExecuting || operation.isFinished {
                problems.append(
                    GraphProblem(
                        .foreignOperation,
                        positions: [position],
                        "\(printable(node.id)): its Operation \(operation.isFinished ? "has finished" : "runs") already; an Operation runs once, make a new one"
                    )
                )
            }
        }
        for position in positions {
            guard let operation = nodes[position].operation else { continue }
            let node = nodes[position]
            for dependency in operation.dependencies where !dependency.isFinished {
                if let target = owner[ObjectIdentifier(dependency)] {
                    if target != position { edges.append(GraphEdge(node: Int32(position), target: Int32(target), needsValue: false)) }
                } else {
                    let name = Self.identifier(for: dependency)
                    problems.append(
                        GraphProblem(
                            .foreignOperation,
                            positions: [position],
                            "\(printable(node.id)) waits, by addDependency, for the Operation '\(printable(name))', which is not in the graph; add it"
                        )
                    )
                }
            }
        }
    }
}
