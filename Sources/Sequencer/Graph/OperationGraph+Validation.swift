import Foundation

extension OperationGraph {
    /// The longest identifier, in UTF-8 bytes.
    static let maximumIdentifierLength = 256
    /// The longest duration a policy may name: one day.
    package static let maximumDuration = Duration.seconds(86_400)

    /// The graph, checked.
    ///
    /// - Throws: a ``GraphError`` with all problems found: identifiers (empty, too long, unprintable, used twice),
    ///   dependencies (unknown, on itself, in a circle, that of an event included), options outside their range or given
    ///   twice, values of another type than promised, Foundation operations that cannot run here.
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
        return places.sorted(by: <).map { problems[$0.found] }
    }

    /// - Parameter promises: edges from waits for events to the steps that fulfil them.
    private func problem(of cycle: GraphCycles.Cycle, _ promises: Set<GraphEdge>) -> GraphProblem {
        let circle = cycle.operations + cycle.operations.prefix(1)
        let path = circle.map { nodes[$0].id }
        let events = zip(circle, circle.dropFirst()).filter { promises.contains(GraphEdge(node: $0, target: $1)) }
            .prefix(5).map { "; \(printable(nodes[$0].id)) for an event that \(printable(nodes[$1].id)) fulfils" }
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
            let id = printable(nodes[position].id)
            let message = "operations \(first + 1) and \(position + 1) have the same identifier '\(id)'; each needs its own"
            problems.append(GraphProblem(.duplicateIdentifier, positions: [first, position], message))
        }
    }

    /// The problem of a milestone that may be put off.
    package static let deferrableMilestone =
        "a milestone cannot be deferrable: put off until the milestone has ended, it would wait for itself"
    package static let cuttableWithoutFallback =
        "only an operation with a fallback can be cuttable: its value takes the place of the one that is cut"
    package static let deferrableDisplay =
        "an initial display cannot be deferrable: put off until the milestone has ended, it would not be the first"

    /// The most operations that may hold a resource at the same time.
    package static let maximumResourceLimit = 1_024

    /// - Returns: whether a step promises an event.
    private func checkPolicies(_ problems: inout [GraphProblem]) -> Bool {
        // A dictionary has another order in each process, and messages must not.
        for (resource, limit) in resourceLimits.sorted(by: { $0.key.name < $1.key.name }) {
            if resource.isOfProcess || nodes.contains(where: { $0.policy?.value.claims.contains(resource.name) == true }) {
                let complaint = "one step at a time holds a resource of the process; leave out its limit, or 'ofProcess'"
                problems.append(GraphProblem(.invalidOption, "\(printable(resource.name)): \(complaint)"))
            }
            if (1...Self.maximumResourceLimit).contains(limit) { continue }
            let complaint = "the limit of a resource must be 1 to \(Self.maximumResourceLimit), and is \(limit)"
            problems.append(GraphProblem(.invalidOption, "\(printable(resource.name)): \(complaint)"))
        }
        var (milestone, initialDisplay): (Int?, Int?)
        let range = Duration.zero...Self.maximumDuration
        // By identity: two events may have one name.
        var promised: [ObjectIdentifier: Int] = [:]
        // By position: a step that nothing was said about is not worth a copy.
        for position in nodes.indices {
            guard let policy = nodes[position].policy?.value else { continue }
            let node = nodes[position]
            func complain(_ complaint: String?) {
                guard let complaint else { return }
                problems.append(GraphProblem(.invalidOption, positions: [position], "\(printable(node.id)): \(complaint)"))
            }
            for option in policy.givenTwice { complain("the option '\(option)' is given twice; a step has one, so remove the other") }
            // Times out of range would trap, or overflow, when they are converted (G13).
            complain(policy.timeout.flatMap { Self.complaint(aboutTimeout: $0) })
            complain(policy.delay.flatMap { Self.complaint(aboutTimeout: $0, called: "a delay") })
            if let expected = policy.expected, !range.contains(expected) {
                complain("an expected duration must be 0 to 24 hours, and is \(expected)")
            }
            if let retry = policy.retry {
                if !(1...100).contains(retry.attempts) { complain("retry needs 1 to 100 attempts, and has \(retry.attempts)") }
                complain(retry.timeout.flatMap { Self.complaint(aboutTimeout: $0, called: "a retry's timeout") })
                if !range.contains(retry.backoff) || !range.contains(retry.maximumBackoff) {
                    complain("a retry's backoff must be 0 to 24 hours, and is \(retry.backoff), at most \(retry.maximumBackoff)")
                }
                // So written, it refuses NaN as well.
                if !(retry.multiplier >= 1 && retry.multiplier <= 1000) {
                    complain("a retry's multiplier must be 1 to 1000, and is \(retry.multiplier)")
                }
                if !(0...1).contains(retry.jitter) { complain("a retry's jitter must be 0 to 1, and is \(retry.jitter)") }
            }
            func complain(with other: Int, _ code: GraphProblem.Code, _ complaint: String) {
                let names = "'\(printable(nodes[other].id))' and '\(printable(node.id))'"
                problems.append(GraphProblem(code, positions: [other, position], "\(names) \(complaint)"))
            }
            func mark(_ first: inout Int?, as role: String) {
                guard let other = first else { return first = position }
                complain(with: other, .severalMilestones, "are both marked as \(role); there can be one")
            }
            if policy.isMilestone { mark(&milestone, as: "milestone") }
            if policy.isInitialDisplay { mark(&initialDisplay, as: "initial display") }
            if policy.isCuttable, policy.fallback == nil { complain(Self.cuttableWithoutFallback) }
            complain(policy.slowScreen?.complaint)
            if policy.racers?.isEmpty == true { complain("it takes the first of no steps; name some in 'of'") }
            policy.prologueComplaints.forEach(complain)
            policy.complaints(aboutEventsOf: node.valueType).forEach(complain)
            for event in policy.events {
                let other = promised.updateValue(position, forKey: ObjectIdentifier(event.storage)) ?? position
                if other == position { continue }
                let name = printable(event.storage.name)
                let complaint = "both fulfil the event '\(name)'; the first of them that ended without a value would fail it"
                complain(with: other, .invalidOption, complaint)
            }
            if policy.isDeferrable, policy.isMilestone || policy.isInitialDisplay {
                complain(policy.isMilestone ? Self.deferrableMilestone : Self.deferrableDisplay)
            }
        }
        for race in nodes.indices {
            guard let milestone, nodes[race].policy?.value.racers?.contains(nodes[milestone].id) == true else { continue }
            let complaint = "takes the first of several steps, and one is the milestone, which would be cancelled behind another"
            let message = "\(printable(nodes[race].id)) \(complaint); mark \(printable(nodes[race].id)) as the milestone"
            problems.append(GraphProblem(.invalidOption, positions: [race, milestone], message))
        }
        return !promised.isEmpty
    }

    /// Checks that no step's value is an operation: its closure was meant to make one that is run, and a value is not.
    private func checkValues(_ problems: inout [GraphProblem]) {
        for position in nodes.indices where nodes[position].hasValue {
            guard let type = nodes[position].valueType as? Operation.Type else { continue }
            let id = printable(nodes[position].id)
            let complaint =
                "returns an operation, \(type), as its value, and nobody runs a value; add it with addOperation, or with addValueOperation if it "
                + "leaves a value"
            problems.append(GraphProblem(.foreignOperation, positions: [position], "\(id) \(complaint)"))
        }
    }

    /// Checks that the initial display does not come after the full one.
    private func checkDisplays(_ graph: ValidatedGraph, _ problems: inout [GraphProblem]) {
        // A step may be both.
        guard let initial = graph.initialDisplayIndex, let full = graph.milestoneIndex, initial != full else { return }
        guard graph.predecessors.reachable(from: initial).contains(full) else { return }
        let complaint = "is the initial display, and waits for the milestone, '\(printable(nodes[full].id))'; it has to come before that"
        problems.append(GraphProblem(.invalidOption, positions: [initial], "\(printable(nodes[initial].id)): \(complaint)"))
    }

    /// Checks that every step reads values that will be there; one that reads from an unknown step waits for it too,
    /// which is reported already.
    private func checkInputs(_ graph: ValidatedGraph, _ problems: inout [GraphProblem]) {
        for position in nodes.indices {
            guard let inputs = nodes[position].policy?.value.inputs, !inputs.isEmpty else { continue }
            let node = nodes[position]
            // A step may read from any number of others, and wait for any number of them.
            let dependencies = graph.predecessors[position]
            let awaited = Set(dependencies.lazy.map(\.index))
            let needed = Set(dependencies.lazy.filter(\.needsValue).map(\.index))
            for input in inputs {
                guard let found = target(of: input.reference.id) else { continue }
                let complaint: String
                if nodes[found].valueType != input.type {
                    complaint = "reads \(input.type) from '\(printable(nodes[found].id))', which produces \(nodes[found].valueType)"
                } else if found != position, !awaited.contains(found) {
                    // The step was replaced by another one, and then added again.
                    complaint = "reads from '\(printable(nodes[found].id))', and does not wait for it; add the dependency"
                } else if node.policy?.value.isAlways == true, needed.contains(found) {
                    complaint =
                        "runs whatever happens, and reads from '\(printable(nodes[found].id))', which may leave no value; read its optional value"
                } else if nodes[found].policy?.value.isDeferrable == true, needed.contains(found) {
                    complaint =
                        "reads from '\(printable(nodes[found].id))', which may be put off until after the milestone; read its optional value"
                } else if nodes[found].isConditional, needed.contains(found), node.policy?.value.isConditional != true {
                    complaint =
                        "reads from '\(printable(nodes[found].id))', which leaves no value when its condition is false; read its optional value, "
                        + "or give \(printable(node.id)) a condition too"
                } else {
                    continue
                }
                problems.append(GraphProblem(.valueType, positions: [position, found], "\(printable(node.id)) \(complaint)"))
            }
        }
    }

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
            let id = printable(nodes[node].id)
            let message = "\(id) waits for itself; remove '\(id)' from its dependencies"
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
            GraphProblem.suggestion(found < 20 ? nearestName(to: name, in: nodes.lazy.map(\.id).filter { $0 != other }) : nil)
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
