import Foundation

extension OperationGraph {
    /// The longest identifier, in UTF-8 bytes.
    static let maximumIdentifierLength = 256

    /// The graph, checked.
    ///
    /// - Throws: a ``GraphError`` with all problems found: identifiers (empty, too long, unprintable, used twice),
    ///   dependencies (unknown, on itself, in a circle, that of an event included), options outside their range or
    ///   given twice, values of another type than promised, Foundation operations that cannot run here.
    /// - Complexity: O(operations + dependencies).
    public func validated() throws(GraphError) -> ValidatedGraph {
        var problems: [GraphProblem] = []
        // Goes on after a problem: an error names all of them.
        checkIdentifiers(&problems)
        let promisesEvents = checkPolicies(&problems)
        checkValues(&problems)
        var known = resolvedEdges(&problems)
        let operations = addOperationDependencies(to: &known, &problems)
        addPrologueDependencies(to: &known, &problems)
        let graph = ValidatedGraph(self, known, operationPositions: operations)
        checkInputs(graph, &problems)
        checkDisplays(graph, &problems)
        if graph.order.count == count { problems += holdProblems(graph) }
        // An operation queue would run none of these, and say nothing (G1).
        let promises = promisesEvents ? promisedEdges : []
        var tied = promises.isEmpty ? graph : ValidatedGraph(self, known + promises, operationPositions: operations)
        if tied.order.count < count, graph.order.count == count {
            // Steps that compete to be first may wait in vain where another of them does not.
            let ends = Set(tied.order)
            let won = nodes.indices.filter { graph.racers(of: $0).contains(where: ends.contains) }
            let awaited = known.filter { !won.contains($0.node) || !graph.racers(of: $0.node).contains($0.target) }
            tied = ValidatedGraph(self, awaited + promises, operationPositions: operations)
        }
        if tied.order.count < count {
            problems += GraphCycles(tied).cycles.map { problem(of: $0, Set(promises)) }
        }
        guard problems.isEmpty else { throw GraphError(graph: name, problems: Self.inOrder(problems)) }
        return graph
    }

    /// The problems as a reader meets them: by the first operation each is about, those about none last.
    private static func inOrder(_ problems: [GraphProblem]) -> [GraphProblem] {
        let places = problems.enumerated().map { (first: $1.positions.first ?? .max, found: $0) }
        // The place where it was found decides between equals: `sorted` promises no order of these.
        return places.inOrder(by: <).map { problems[$0.found] }
    }

    /// - Parameter promises: edges from waits for events to the steps that fulfil them.
    private func problem(of cycle: GraphCycles.Cycle, _ promises: Set<GraphEdge>) -> GraphProblem {
        let circle = cycle.operations + cycle.operations.prefix(1)
        let path = circle.map { nodes[$0].id }
        let events = zip(circle, circle.dropFirst()).filter { promises.contains(GraphEdge(node: $0, target: $1)) }
            .prefix(5).map { "; \(label($0)) for an event that \(label($1)) fulfils" }
        var names = path.map { printable($0) }
        // A circle may be as long as the graph (G17).
        if names.count > 50 { names.replaceSubrange(20..<(names.count - 20), with: ["(\(names.count - 40) more)"]) }
        let others =
            cycle.others == 0 ? "" : "; \(cycle.others) more operation\(cycle.others == 1 ? " waits" : "s wait") in a circle with these"
        return GraphProblem(
            .cycle,
            positions: cycle.operations,
            path: path,
            "cycle: " + names.joined(separator: " → ") + " (each waits for the next\(events.joined())\(others))"
        )
    }

    private func checkIdentifiers(_ problems: inout [GraphProblem]) {
        for position in nodes.indices {
            let id = nodes[position].id
            guard let complaint = Self.complaint(aboutIdentifier: id) else { continue }
            let message = "operation \(position + 1): the identifier '\(printable(id, limit: 80))' \(complaint)"
            problems.append(GraphProblem(.invalidIdentifier, positions: [position], message))
        }
        if positions.count == count { return }
        for position in nodes.indices {
            guard let first = positions[nodes[position].id], first != position else { continue }
            let places = "operations \(first + 1) and \(position + 1)"
            let message = "\(places) have the same identifier '\(label(position))'; each needs its own"
            problems.append(GraphProblem(.duplicateIdentifier, positions: [first, position], message))
        }
    }

    /// - Returns: whether a step promises an event.
    private func checkPolicies(_ problems: inout [GraphProblem]) -> Bool {
        // A dictionary has another order in each process, and messages must not.
        for (resource, limit) in resourceLimits.inOrder(by: { $0.key.name < $1.key.name }) {
            var complaints: [String] = []
            if resource.isOfProcess || nodes.contains(where: { $0.policy?.value.claims.contains(resource.name) == true }) {
                complaints = ["one step at a time holds a resource of the process; leave out its limit, or 'ofProcess'"]
            }
            if !(1...Self.maximumResourceLimit).contains(limit) {
                complaints.append("the limit of a resource must be 1 to \(Self.maximumResourceLimit), and is \(limit)")
            }
            problems += complaints.map { GraphProblem(.invalidOption, "\(printable(resource.name)): \($0)") }
        }
        var (milestone, initialDisplay): (Int?, Int?)
        // By identity: two events may have one name.
        var promised: [ObjectIdentifier: Int] = [:]
        // By position: a step that nothing was said about is not worth a copy.
        for position in nodes.indices {
            guard let policy = nodes[position].policy?.value else { continue }
            problems += policy.complaints(of: nodes[position].valueType).map { complaint in
                GraphProblem(.invalidOption, positions: [position], "\(label(position)): \(complaint)")
            }
            func complain(with other: Int, _ code: GraphProblem.Code, _ complaint: String) {
                let message = "'\(label(other))' and '\(label(position))' \(complaint)"
                problems.append(GraphProblem(code, positions: [other, position], message))
            }
            func mark(_ first: inout Int?, as role: String) {
                guard let other = first else { return first = position }
                complain(with: other, .severalMilestones, "are both marked as \(role); there can be one")
            }
            if policy.isMilestone { mark(&milestone, as: "milestone") }
            if policy.isInitialDisplay { mark(&initialDisplay, as: "initial display") }
            for event in policy.events {
                let other = promised.updateValue(position, forKey: ObjectIdentifier(event.storage)) ?? position
                if other == position { continue }
                let name = printable(event.storage.name)
                let complaint = "both fulfil the event '\(name)'; the first of them that ended without a value would fail it"
                complain(with: other, .invalidOption, complaint)
            }
        }
        for race in nodes.indices {
            guard let milestone, nodes[race].policy?.value.racers?.contains(nodes[milestone].id) == true else { continue }
            let complaint = "takes the first of several steps, and one is the milestone, which would be cancelled behind another"
            let message = "\(label(race)) \(complaint); mark \(label(race)) as the milestone"
            problems.append(GraphProblem(.invalidOption, positions: [race, milestone], message))
        }
        return !promised.isEmpty
    }

    /// Checks that no step's value is an operation: its closure was meant to make one that is run, and a value is not.
    private func checkValues(_ problems: inout [GraphProblem]) {
        for position in nodes.indices where nodes[position].hasValue {
            guard let type = nodes[position].valueType as? Operation.Type else { continue }
            let complaint = "\(label(position)) returns an operation, \(type), as its value, and nobody runs a value; "
            let advice = "add it with addOperation, or with addValueOperation if it leaves a value"
            problems.append(GraphProblem(.foreignOperation, positions: [position], complaint + advice))
        }
    }

    /// Checks that the initial display does not come after the full one.
    private func checkDisplays(_ graph: ValidatedGraph, _ problems: inout [GraphProblem]) {
        // A step may be both.
        guard let initial = graph.initialDisplayIndex, let full = graph.milestoneIndex, initial != full else { return }
        guard graph.predecessors.reachable(from: initial).contains(full) else { return }
        let complaint = "\(label(initial)): is the initial display, and waits for the milestone, '\(label(full))'"
        problems.append(GraphProblem(.invalidOption, positions: [initial], "\(complaint); it has to come before that"))
    }

    /// Checks that every step reads values that will be there; one that reads from an unknown step waits for it too,
    /// which is reported already.
    private func checkInputs(_ graph: ValidatedGraph, _ problems: inout [GraphProblem]) {
        for position in nodes.indices {
            guard let policy = nodes[position].policy?.value, !policy.inputs.isEmpty else { continue }
            // A step may read from any number of others, and wait for any number of them.
            let dependencies = graph.predecessors[position]
            let awaited = Set(dependencies.lazy.map(\.index))
            let needed = Set(dependencies.lazy.filter(\.needsValue).map(\.index))
            for input in policy.inputs {
                guard let found = target(of: input.reference.id) else { continue }
                let (node, id) = (nodes[found], label(found))
                let complaint: String? =
                    if node.valueType != input.type {
                        "reads \(input.type) from '\(id)', which produces \(node.valueType)"
                    } else if found != position, !awaited.contains(found) {
                        // The step was replaced by another one, and then added again.
                        "reads from '\(id)', and does not wait for it; add the dependency"
                    } else if !needed.contains(found) {
                        nil
                    } else if policy.isAlways {
                        "runs whatever happens, and reads from '\(id)', which may leave no value; read its optional value"
                    } else if node.policy?.value.isDeferrable == true {
                        "reads from '\(id)', which may be put off until after the milestone; read its optional value"
                    } else if node.isConditional, !policy.isConditional {
                        "reads from '\(id)', which leaves no value when its condition is false; read its optional value, "
                            + "or give \(label(position)) a condition too"
                    } else {
                        nil
                    }
                guard let message = complaint.map({ "\(label(position)) \($0)" }) else { continue }
                problems.append(GraphProblem(.valueType, positions: [position, found], message))
            }
        }
    }

    /// A step's identifier, for a sentence.
    func label(_ node: Int) -> String { printable(nodes[node].id) }

    /// The dependencies between steps that exist, in any graph, also one with mistakes.
    var knownEdges: [GraphEdge] {
        var (known, problems): ([GraphEdge], [GraphProblem]) = (writtenEdges, [])
        addPrologueDependencies(to: &known, &problems)
        return known
    }

    /// The same, without the order that the prologue has by itself.
    var writtenEdges: [GraphEdge] {
        var problems: [GraphProblem] = []
        var written = resolvedEdges(&problems)
        _ = addOperationDependencies(to: &written, &problems)
        return written
    }

    /// The edges between steps that exist.
    private func resolvedEdges(_ problems: inout [GraphProblem]) -> [GraphEdge] {
        var known: [GraphEdge] = []
        known.reserveCapacity(dependencies.edges.count)
        var ownEdges: [GraphProblem] = []
        func resolve(_ node: Int?, _ step: @autoclosure () -> NamedDependency, _ dependency: NamedDependency) {
            guard let node, let target = target(of: dependency) else {
                // Left out, the dependent would start too soon; in a queue it would never start (G4).
                problems.append(problem(ofUnresolved: node, step(), dependency, problems.count))
                return
            }
            if node != target { return known.append(GraphEdge(node: node, target: target, needsValue: dependency.needsValue)) }
            // Foundation deadlocks over such a dependency when it is added (G2). Kept, it would keep its step, and all
            // behind it, out of the order.
            let message = "\(label(node)) waits for itself; remove '\(label(node))' from its dependencies"
            ownEdges.append(GraphProblem(.selfDependency, positions: [node], message))
        }
        for edge in dependencies.edges { resolve(edge.node, NamedDependency(id: nodes[edge.node].id), edge.dependency) }
        for (step, dependency) in strays { resolve(target(of: step), step, dependency) }
        problems += ownEdges
        return known
    }

    /// - Parameter node: the step that waits; nil where that is not in the graph.
    private func problem(
        ofUnresolved node: Int?,
        _ step: NamedDependency,
        _ dependency: NamedDependency,
        _ found: Int
    ) -> GraphProblem {
        // Suggestions cost a pass over all names: give them for the first problems only.
        func suggestion(for name: String, besides other: String?) -> String {
            GraphProblem.suggestion(found < 20 ? nearestName(to: name, in: nodes.map(\.id).filter { $0 != other }) : nil)
        }
        let names = "\(printable(step.id)) \(dependency.needsValue ? "reads" : "waits for") '\(printable(dependency.id))'"
        let positions = node.map { [$0] } ?? []
        if let foreign = [dependency, step].first(where: isForeign) {
            // The advice for this case.
            let advice =
                target(of: foreign.id) != nil
                ? "; use the handle that this graph returned"
                : ", and this graph has no such operation" + suggestion(for: foreign.id, besides: nil)
            return GraphProblem(.unknownDependency, positions: positions, "\(names) by a handle of another graph\(advice)")
        }
        if target(of: dependency) != nil {
            let message = "there is no operation '\(printable(step.id))' to wait for '\(printable(dependency.id))'"
            return GraphProblem(.unknownStep, message + suggestion(for: step.id, besides: dependency.id))
        }
        let message = "\(names), which is not in the graph" + suggestion(for: dependency.id, besides: step.id)
        return GraphProblem(.unknownDependency, positions: positions, message)
    }
}
