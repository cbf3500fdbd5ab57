import Sequencer

extension ImportedLaunch {
    /// Adds the operations of a file that has no times: each takes one millisecond, as early as its dependencies let it. A dependency that closes a circle is left out.
    ///
    /// - Parameter dependencies: for each operation, the places of those that it comes after.
    mutating func addUntimed(_ units: [(name: String, title: String?)], _ dependencies: [[Int]]) {
        let schedule = UnitSchedule(dependencies)
        if schedule.circles > 0 {
            remark = "\(schedule.circles) dependenc\(schedule.circles == 1 ? "y" : "ies") that would close a circle left out"
        }
        // Long enough to be shown in whole units, and the same for all, so that lengths count operations.
        let duration: Nanoseconds = 1_000_000
        operations = units.indices.map { place in
            let start = Nanoseconds(schedule.levels[place]) * duration
            var operation = ImportedOperation(name: units[place].name, start: start, end: start + duration)
            operation.dependencies = schedule.dependencies[place]
            operation.details = units[place].title.map { ImportedOperation.Details(title: $0) }
            return operation
        }
        // As many lanes as can run at once: a file without times knows none.
        reconstructLanes()
    }
}

/// When each node of a graph could start if all took one step, circles opened.
private struct UnitSchedule {
    // A level below 0 marks a node that has not been reached.
    private(set) var levels: [Int]
    private(set) var dependencies: [[Int]]
    /// How many dependencies were left out.
    private(set) var circles = 0

    /// Depth first, without recursion.
    init(_ graph: [[Int]]) {
        levels = [Int](repeating: -1, count: graph.count)
        dependencies = [[Int]](repeating: [], count: graph.count)
        var isOpen = [Bool](repeating: false, count: graph.count)
        // Each node is finished once, so the whole takes linear time.
        for root in graph.indices where levels[root] < 0 {
            var path = [(node: root, next: 0)]
            isOpen[root] = true
            // The path is the stack: a chain of a million packages would overflow that of the thread.
            while let (node, next) = path.last {
                guard next < graph[node].count else {
                    var level = 0
                    for dependency in dependencies[node] { level = max(level, levels[dependency] + 1) }
                    levels[node] = level
                    // Off the path: a later way to this node closes no circle.
                    isOpen[node] = false
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let dependency = graph[node][next]
                // Only a node on the path closes a circle; one that is finished is an ordinary dependency.
                if isOpen[dependency] {
                    circles += 1
                    continue
                }
                dependencies[node].append(dependency)
                if levels[dependency] < 0 {
                    isOpen[dependency] = true
                    path.append((dependency, 0))
                }
            }
        }
    }
}
