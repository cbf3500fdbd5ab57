extension Engine {
    /// Swift's tasks alone: one for each node, which awaits those of its dependencies.
    static let task = Engine(
        "Task",
        "a Task a node, which awaits the Tasks of its dependencies",
        // An operation has no counterpart here: its rival is a task with a body that runs straight through.
        kinds: BodyKind.allCases,
        largest: 100_000,
        largestInFull: 100_000,
        entry: .suspending { shape, workload, kind in
            var tasks: [Task<Void, Never>] = []
            tasks.reserveCapacity(shape.count)
            var isAwaited = [Bool](repeating: false, count: shape.count)
            for node in 0..<shape.count {
                let dependencies = shape.dependencies(of: node).map {
                    isAwaited[Int($0)] = true
                    return tasks[Int($0)]
                }
                tasks.append(
                    Task {
                        for dependency in dependencies { await dependency.value }
                        switch kind {
                        case .synchronous, .operation: workload.perform(node)
                        case .async: await workload.performAsync(node)
                        case .suspending: await workload.performSuspending(node)
                        }
                    }
                )
            }
            for node in 0..<shape.count where !isAwaited[node] { await tasks[node].value }
        }
    )
}
