/// Checks that the operations of a scenario make a graph: every name is defined once, and nothing waits for itself.
struct ScenarioGraphCheck {
    let document: ScenarioDocument
    /// The values that the document was read from, for the places in messages.
    let root: ScenarioField
    let operations: [ScenarioField]
    let lines: SourceLines

    func run() throws(ScenarioFault) {
        let indices = try indicesOfUniqueIDs()
        let dependencies = try resolveDependencies(indices)
        if let milestone = document.milestone, indices[milestone] == nil {
            let field = root.child("milestone") ?? root
            throw field.fault("the milestone \(quoted(milestone)) is not an operation\(nearest(milestone))")
        }
        try rejectCycle(dependencies)
    }

    private func indicesOfUniqueIDs() throws(ScenarioFault) -> [String: Int] {
        var indices: [String: Int] = [:]
        indices.reserveCapacity(document.operations.count)
        for (index, operation) in document.operations.enumerated() {
            if let first = indices.updateValue(index, forKey: operation.id) {
                let place = lines.position(of: field("id", of: first).value.offset)
                let message = "duplicate id \(quoted(operation.id)); operations[\(first)] has it already, at \(place)"
                throw field("id", of: index).fault(message)
            }
        }
        return indices
    }

    /// For each operation the indices of those that it waits for.
    private func resolveDependencies(_ indices: [String: Int]) throws(ScenarioFault) -> [[Int]] {
        var dependencies: [[Int]] = []
        dependencies.reserveCapacity(document.operations.count)
        for (index, operation) in document.operations.enumerated() {
            var resolved: [Int] = []
            var seen: Set<Int> = []
            for (position, id) in operation.after.enumerated() {
                let fault = { (message: String) in dependency(position, of: index).fault(message) }
                guard let dependency = indices[id] else {
                    throw fault("unknown dependency \(quoted(id)) of \(quoted(operation.id))\(nearest(id))")
                }
                if dependency == index { throw fault("\(quoted(id)) depends on itself") }
                // Most operations wait for one other: no set for those.
                if operation.after.count > 1, !seen.insert(dependency).inserted {
                    throw fault("the dependency \(quoted(id)) is given twice")
                }
                resolved.append(dependency)
            }
            dependencies.append(resolved)
        }
        return dependencies
    }

    /// Ends operations whose dependencies have all ended, as a launch would; what never ends lies on a cycle or behind one.
    private func rejectCycle(_ dependencies: [[Int]]) throws(ScenarioFault) {
        var waiting = dependencies.map(\.count)
        var dependents = [[Int]](repeating: [], count: dependencies.count)
        for (index, list) in dependencies.enumerated() {
            for dependency in list { dependents[dependency].append(index) }
        }
        var ended = waiting.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < ended.count {
            for dependent in dependents[ended[next]] {
                waiting[dependent] -= 1
                if waiting[dependent] == 0 { ended.append(dependent) }
            }
            next += 1
        }
        guard let start = waiting.firstIndex(where: { $0 > 0 }) else { return }

        // What waits has a dependency that waits, so the walk goes on until it meets its own trail: there is the cycle.
        var trail: [Int] = []
        var place: [Int: Int] = [:]
        var index = start
        while place[index] == nil {
            place[index] = trail.count
            trail.append(index)
            index = dependencies[index].first { waiting[$0] > 0 } ?? start
        }
        let cycle = Array(trail[(place[index] ?? 0)...])
        let first = cycle.min() ?? start
        throw field("after", of: first).fault("the operations wait for each other: \(describe(cycle, from: first))")
    }

    /// The way round the cycle, beginning with its first operation in the file; a very long one is cut in the middle.
    private func describe(_ cycle: [Int], from first: Int) -> String {
        let turn = cycle.firstIndex(of: first) ?? 0
        var names = (cycle[turn...] + cycle[..<turn] + [first]).map { printable(document.operations[$0].id, limit: 64) }
        if names.count > 64 {
            let cut = names.count - 40
            names.replaceSubrange(20..<20 + cut, with: ["(\(cut) more)"])
        }
        return names.joined(separator: " → ")
    }

    private func nearest(_ id: String) -> String {
        question(nearestName(to: id, in: document.operations.lazy.map(\.id)))
    }

    private func field(_ key: String, of index: Int) -> ScenarioField {
        operations[index].child(key) ?? operations[index]
    }

    private func dependency(_ position: Int, of index: Int) -> ScenarioField {
        let after = field("after", of: index)
        guard let elements = try? after.elements(), elements.indices.contains(position) else { return after }
        return elements[position]
    }
}
