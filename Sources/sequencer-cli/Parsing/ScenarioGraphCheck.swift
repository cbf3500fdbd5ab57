import Sequencer

/// Checks that the operations of a scenario name one another rightly: every name is defined once, and nothing waits for itself.
///
/// What takes more than names to see, such as a cycle, the graph finds that is made of the document.
struct ScenarioGraphCheck {
    let document: ScenarioDocument
    /// The values that the document was read from, for the places in messages.
    let root: ScenarioField
    let operations: [ScenarioField]
    let lines: SourceLines

    func run() throws(ScenarioFault) {
        let indices = try indicesOfUniqueIDs()
        try checkDependencies(indices)
        if let milestone = document.milestone, indices[milestone] == nil {
            let field = root.child("milestone") ?? root
            throw field.fault("the milestone \(quoted(milestone)) is not an operation\(nearest(milestone))")
        }
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

    private func checkDependencies(_ indices: [String: Int]) throws(ScenarioFault) {
        for (index, operation) in document.operations.enumerated() {
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
            }
        }
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
