extension Engine {
    /// A task group: a child task for each node that has become ready, and one task that counts.
    static let taskGroup = Engine(
        "TaskGroup",
        "one task group, fed with each node as it becomes ready",
        kinds: [.synchronous],
        entry: .suspending { shape, workload, _ in
            let successors = Successors(of: shape)
            var open = (0..<shape.count).map { Int32(shape.dependencyCount(of: $0)) }
            let bodies: [@Sendable () -> Void] = (0..<shape.count).map { node in { workload.perform(node) } }
            await withTaskGroup(of: Int.self) { group in
                func start(_ node: Int) {
                    let body = bodies[node]
                    group.addTask {
                        body()
                        return node
                    }
                }
                for node in 0..<shape.count where shape.dependencyCount(of: node) == 0 { start(node) }
                while let node = await group.next() {
                    for successor in successors[node] {
                        open[Int(successor)] -= 1
                        if open[Int(successor)] == 0 { start(Int(successor)) }
                    }
                }
            }
        }
    )
}
