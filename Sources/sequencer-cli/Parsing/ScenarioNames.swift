import Sequencer

/// Checks that the operations of a scenario name one another rightly: every name is defined once, and nothing waits for
/// itself.
///
/// The graph that is made of the document finds mistakes that take more than names to see, such as a cycle.
extension ScenarioParser {
    /// - Parameter operations: the values that the document's operations were read from, for the places in messages.
    func checkNames(_ root: ScenarioField, _ operations: [ScenarioField]) {
        /// The value of a key of an operation, or the operation where it has none.
        func field(_ key: String, of index: Int) -> ScenarioField { operations[index].child(key) ?? operations[index] }
        /// Keeps a mistake in the value of a key of an operation, or in a part of that value.
        func complain(_ key: String, of index: Int, _ message: String, at place: Int? = nil, fact: String = "") {
            let field = field(key, of: index)
            let part = place.flatMap { place in try? field.elements()[place] } ?? field.child(fact) ?? field
            keep { throw part.fault(message) }
        }

        // First: the other checks go by the places of names.
        var indices: [String: Int] = [:]
        indices.reserveCapacity(document.operations.count)
        // An operation without an id is a mistake that is known.
        let named = document.operations.enumerated().lazy.filter { !$0.element.id.isEmpty }
        for (index, operation) in named {
            guard let first = indices[operation.id] else {
                indices[operation.id] = index
                continue
            }
            // Both places, for either may be the wrong one (J11).
            let other = "operations[\(first)] has it already, at \(field("id", of: first).value.position)"
            complain("id", of: index, "duplicate id \(quoted(operation.id)); \(other)")
        }

        // Facts that could not be read are not to be missed.
        let knowsFacts = !document.facts.isEmpty || root.child("facts") == nil || mistakes.isEmpty
        for (index, operation) in named {
            var seen: Set<String> = []
            for (place, dependency) in operation.after.enumerated() {
                // Most operations wait for one other: no set for those.
                let isRepeated = operation.after.count > 1 && !seen.insert(dependency.id).inserted
                guard let complaint = complaint(about: dependency, of: operation, isRepeated, indices) else { continue }
                complain("after", of: index, complaint, at: place)
            }
            for (place, id) in (operation.firstOf ?? []).enumerated() {
                if operation.after.contains(where: { $0.id == id }) { continue }
                complain("firstOf", of: index, "\(quoted(id)) is not in 'after' of \(quoted(operation.id))", at: place)
            }
            for (place, id) in (operation.heldOver ?? []).enumerated() where indices[id] == nil {
                complain("heldOver", of: index, "\(quoted(id)) is not an operation\(nearest(id))", at: place)
            }
            for condition in knowsFacts ? operation.conditions : [] {
                guard let complaint = complaint(about: condition) else { continue }
                // To the fact within the condition where that has one.
                complain("when", of: index, complaint, fact: condition.fact)
            }
        }

        // A limit of a resource that nobody holds is a slip in one of the two names.
        let held = Set(document.operations.flatMap(\.exclusive))
        for (name, limit) in (try? root.child("resources")?.children()) ?? [] where !held.contains(name) {
            let hint = question(nearestName(to: name, in: held.sorted()))
            keep { throw limit.fault("no operation holds the resource \(quoted(name))\(hint)") }
        }
        if document.initialDisplay == nil, let field = root.child("initialDisplayBudget") {
            keep { throw field.fault("there is no 'initialDisplay' that could have a budget") }
        }
        // A step that shows something has to be there, and is never put off.
        func check(_ id: String?, at key: String, _ role: String, _ deferrable: String) {
            guard let id else { return }
            guard let index = indices[id] else {
                return keep { throw (root.child(key) ?? root).fault("\(role) \(quoted(id)) is not an operation\(nearest(id))") }
            }
            if document.operations[index].deferrable { complain("deferrable", of: index, deferrable) }
        }
        check(document.milestone, at: "milestone", "the milestone", OperationGraph.deferrableMilestone)
        // If both are the same operation, the check of the milestone has reported its mistakes already.
        if document.initialDisplay != document.milestone {
            check(document.initialDisplay, at: "initialDisplay", "the initial display", OperationGraph.deferrableDisplay)
        }
    }

    private func complaint(
        about dependency: DependencyDocument,
        of operation: OperationDocument,
        _ isRepeated: Bool,
        _ indices: [String: Int]
    ) -> String? {
        let id = quoted(dependency.id)
        guard let target = indices[dependency.id].map({ document.operations[$0] }) else {
            return dependency.isOptional ? nil : "unknown dependency \(id) of \(quoted(operation.id))\(nearest(dependency.id))"
        }
        if isRepeated { return "the dependency \(id) is given twice" }
        if target.id == operation.id { return "\(id) depends on itself" }
        // Only a dependency that says what a failure means may say so in vain.
        if dependency.onFailure == nil { return nil }
        if target.fallback != nil { return "\(id) has a fallback, so it does not fail for operations that wait for it" }
        if target.deferrable { return "\(id) is deferrable, so operations that wait for it may go on before it has run" }
        return target.onFailure == .required ? "\(id) is required, so its failure ends the launch; give it another 'onFailure'" : nil
    }

    private func complaint(about condition: FactCondition) -> String? {
        guard let known = document.facts[condition.fact] else {
            let names = document.facts.keys.sorted()
            let hint = names.isEmpty ? "the file has no 'facts'" : suggestion(for: condition.fact, in: names)
            return "unknown fact \(quoted(condition.fact)); \(hint)"
        }
        guard let unknown = condition.values.first(where: { !known.contains($0) }) else { return nil }
        return unknownWord(unknown, called: "value of \(quoted(condition.fact))", among: known)
    }

    /// For the first mistakes only: each takes a pass over all names.
    private func nearest(_ id: String) -> String {
        mistakes.count >= 20 || isFull ? "" : question(nearestName(to: id, in: document.operations.map(\.id)))
    }
}
