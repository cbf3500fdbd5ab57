import Sequencer

/// Checks that the operations of a scenario name one another rightly: every name is defined once, and nothing waits for itself.
///
/// The graph that is made of the document finds mistakes that take more than names to see, such as a cycle.
struct ScenarioGraphCheck {
    let document: ScenarioDocument
    /// The values that the document was read from, for the places in messages.
    let root: ScenarioField
    let operations: [ScenarioField]
    let lines: SourceLines
    let faults: ScenarioFaults

    func run() throws(ScenarioFault) {
        // First: the other checks go by the places of names.
        let indices = try indicesOfUniqueIDs()
        try checkDependencies(indices)
        try checkResources()
        try checkConditions()
        if document.initialDisplay == nil, let field = root.child("initialDisplayBudget") {
            try faults.keep { () throws(ScenarioFault) in throw field.fault("there is no 'initialDisplay' that could have a budget") }
        }
        try checkDisplay(document.milestone, at: "milestone", "the milestone", OperationGraph.deferrableMilestone, indices)
        // If both are the same operation, the check of the milestone has reported its mistakes already.
        guard document.initialDisplay != document.milestone else { return }
        try checkDisplay(document.initialDisplay, at: "initialDisplay", "the initial display", OperationGraph.deferrableDisplay, indices)
    }

    /// Checks that a step which shows something is there, and is never put off.
    private func checkDisplay(
        _ id: String?,
        at key: String,
        _ role: String,
        _ deferrable: String,
        _ indices: [String: Int]
    ) throws(ScenarioFault) {
        guard let id else { return }
        try faults.keep { () throws(ScenarioFault) in
            guard let index = indices[id] else {
                throw (root.child(key) ?? root).fault("\(role) \(quoted(id)) is not an operation\(nearest(id))")
            }
            if document.operations[index].deferrable { throw field("deferrable", of: index).fault(deferrable) }
        }
    }

    /// Checks that somebody holds each resource that has a limit.
    private func checkResources() throws(ScenarioFault) {
        if document.resources.isEmpty { return }
        let held = Set(document.operations.flatMap(\.exclusive))
        guard let members = try root.child("resources")?.object() else { return }
        // A limit of a resource that nobody holds is a slip in one of the two names.
        for member in members where !held.contains(member.key) {
            let field = ScenarioField(value: member.value, path: .key(member.key, of: .key("resources", of: root.path)))
            let message = "no operation holds the resource \(quoted(member.key))\(question(nearestName(to: member.key, in: held.sorted())))"
            try faults.keep { () throws(ScenarioFault) in throw field.fault(message) }
        }
    }

    private func indicesOfUniqueIDs() throws(ScenarioFault) -> [String: Int] {
        var indices: [String: Int] = [:]
        indices.reserveCapacity(document.operations.count)
        // One without an id is a mistake that is known.
        for (index, operation) in document.operations.enumerated() where !operation.id.isEmpty {
            if let first = indices[operation.id] {
                // Both places, for either may be the wrong one (J11).
                let place = lines.position(of: field("id", of: first).value.offset)
                let message = "duplicate id \(quoted(operation.id)); operations[\(first)] has it already, at \(place)"
                try faults.keep { () throws(ScenarioFault) in throw field("id", of: index).fault(message) }
            } else {
                indices[operation.id] = index
            }
        }
        return indices
    }

    private func checkDependencies(_ indices: [String: Int]) throws(ScenarioFault) {
        for (index, operation) in document.operations.enumerated() {
            var seen: Set<Int> = []
            for (position, dependency) in operation.after.enumerated() {
                let id = dependency.id
                var complaint: String?
                if let target = indices[id] {
                    if dependency.onFailure != nil { complaint = objection(toPolicyFor: document.operations[target]) }
                    // Overwrites the objection: waiting for itself is the graver mistake.
                    if id == operation.id { complaint = "\(quoted(id)) depends on itself" }
                    // Most operations wait for one other: no set for those.
                    if operation.after.count > 1, !seen.insert(target).inserted {
                        complaint = "the dependency \(quoted(id)) is given twice"
                    }
                } else if !dependency.isOptional {
                    complaint = "unknown dependency \(quoted(id)) of \(quoted(operation.id))\(nearest(id))"
                }
                guard let complaint else { continue }
                try faults.keep { () throws(ScenarioFault) in throw self.dependency(position, of: index).fault(complaint) }
            }
        }
    }

    /// The reason why a dependency on an operation cannot say what a failure of that means; nil where it can.
    private func objection(toPolicyFor operation: OperationDocument) -> String? {
        let id = quoted(operation.id)
        if operation.fallback != nil { return "\(id) has a fallback, so it does not fail for operations that wait for it" }
        if operation.deferrable { return "\(id) is deferrable, so operations that wait for it may go on before it has run" }
        if operation.onFailure == .required { return "\(id) is required, so its failure ends the launch; give it another 'onFailure'" }
        return nil
    }

    /// Checks that conditions ask for facts that there are.
    private func checkConditions() throws(ScenarioFault) {
        // Facts that could not be read are not to be missed.
        if document.facts.isEmpty, root.child("facts") != nil, !faults.all.isEmpty { return }
        let values = document.facts.mapValues(Set.init)
        for (index, operation) in document.operations.enumerated() {
            for condition in operation.conditions {
                guard let complaint = complaint(about: condition, values) else { continue }
                try faults.keep { () throws(ScenarioFault) in
                    let when = field("when", of: index)
                    // To the fact within the condition where that has one.
                    throw (when.child(condition.fact) ?? when).fault(complaint)
                }
            }
        }
    }

    private func complaint(about condition: FactCondition, _ values: [String: Set<String>]) -> String? {
        guard let known = document.facts[condition.fact] else {
            let names = document.facts.keys.sorted()
            let hint = names.isEmpty ? "the file has no 'facts'" : suggestion(for: condition.fact, in: names)
            return "unknown fact \(quoted(condition.fact)); \(hint)"
        }
        guard let unknown = condition.values.first(where: { values[condition.fact]?.contains($0) != true }) else { return nil }
        return unknownWord(unknown, called: "value of \(quoted(condition.fact))", among: known)
    }

    /// For the first mistakes only: each takes a pass over all names.
    private func nearest(_ id: String) -> String {
        faults.all.count >= 20 ? "" : question(nearestName(to: id, in: document.operations.lazy.map(\.id)))
    }

    private func field(_ key: String, of index: Int) -> ScenarioField {
        operations[index].child(key) ?? operations[index]
    }

    private func dependency(_ position: Int, of index: Int) -> ScenarioField {
        let after = field("after", of: index)
        // An element that could not be read has no place of its own.
        guard let elements = try? after.elements(), elements.indices.contains(position) else { return after }
        return elements[position]
    }
}
