import Foundation

extension OperationGraph {
    /// The longest identifier, in UTF-8 bytes.
    public static let longestIdentifier = 256
    /// The longest duration a policy may name: one day.
    public static let longestDuration = Duration.seconds(86_400)

    /// The graph, checked.
    ///
    /// - Throws: a ``GraphError`` with all problems found: identifiers (empty, too long, unprintable, used twice), dependencies (unknown, on
    ///   itself, in a circle), options outside their range, values of another type than promised, Foundation operations that cannot run here.
    /// - Complexity: O(operations + dependencies).
    public func validated() throws(GraphError) -> ValidatedGraph {
        var problems: [GraphProblem] = []
        let index = checkIdentifiers(&problems)
        checkPolicies(&problems)
        var known = resolvedEdges(index, &problems)
        addOperationDependencies(to: &known, &problems)

        let degrees = known.degrees(count)
        let successors = AdjacencyList(count: count, edges: known, .successors)
        let order = topologicalOrder(degrees, successors)
        let graph = ValidatedGraph(graph: self, positions: index, edges: known, degrees: degrees, successors: successors, order: order)
        checkInputs(graph, &problems)
        if order.count < count { problems += cycles(outside: order, graph.predecessors).map(problem(ofCycle:)) }
        guard problems.isEmpty else { throw GraphError(graph: name, problems: Self.inOrder(problems)) }
        return graph
    }

    /// The problems as a reader meets them: by the first operation each is about, those about none last.
    private static func inOrder(_ problems: [GraphProblem]) -> [GraphProblem] {
        let places = problems.enumerated().map { (first: $1.positions.first ?? .max, found: $0) }
        return places.sorted(by: <).map { problems[$0.found] }
    }

    private func problem(ofCycle cycle: [Int]) -> GraphProblem {
        let path = (cycle + cycle.prefix(1)).map { nodes[$0].id }
        var names = path.map { printable($0) }
        if names.count > 50 { names.replaceSubrange(20..<(names.count - 20), with: ["(\(names.count - 40) more)"]) }
        return GraphProblem(
            .cycle,
            positions: cycle,
            path: path,
            "cycle: " + names.joined(separator: " → ") + " (each waits for the next)"
        )
    }

    private func checkIdentifiers(_ problems: inout [GraphProblem]) -> IdentifierIndex {
        var duplicates: [GraphProblem] = []
        let index = IdentifierIndex(nodes) { first, second in
            duplicates.append(
                GraphProblem(
                    .duplicateIdentifier,
                    positions: [first, second],
                    "operations \(first + 1) and \(second + 1) have the same identifier '\(printable(nodes[second].id))'; each needs its own"
                )
            )
        } unusual: { position in
            guard let complaint = Self.complaint(aboutIdentifier: nodes[position].id) else { return }
            problems.append(
                GraphProblem(
                    .invalidIdentifier,
                    positions: [position],
                    "operation \(position + 1): the identifier '\(printable(nodes[position].id, limit: 80))' \(complaint)"
                )
            )
        }
        problems += duplicates
        return index
    }

    /// What is wrong with an identifier, as the end of a sentence; nil when nothing is.
    package static func complaint(aboutIdentifier id: String) -> String? {
        if id.isEmpty { return "is empty" }
        if id.utf8.count > longestIdentifier { return "has \(id.utf8.count) bytes; the most is \(longestIdentifier)" }
        if id.unicodeScalars.contains(where: { !$0.isPrintable }) { return "holds a character that cannot be printed" }
        if id.first?.isWhitespace == true || id.last?.isWhitespace == true { return "begins or ends with white space" }
        return nil
    }

    private func checkPolicies(_ problems: inout [GraphProblem]) {
        var milestone: Int?
        // By position: a step that nothing was said about is not worth a copy.
        for position in nodes.indices {
            guard let policy = nodes[position].policy?.value else { continue }
            let node = nodes[position]
            func complain(_ complaint: String) {
                problems.append(GraphProblem(.invalidOption, positions: [position], "\(printable(node.id)): \(complaint)"))
            }
            if let timeout = policy.timeout, timeout <= .zero || timeout > Self.longestDuration {
                complain("a timeout must be more than 0 and at most 24 hours, and is \(timeout)")
            }
            if let expected = policy.expected, expected < .zero || expected > Self.longestDuration {
                complain("an expected duration must be 0 to 24 hours, and is \(expected)")
            }
            if let retry = policy.retry {
                if !(1...100).contains(retry.attempts) { complain("retry needs 1 to 100 attempts, and has \(retry.attempts)") }
                if retry.backoff < .zero || retry.backoff > Self.longestDuration || retry.maximumBackoff < .zero
                    || retry.maximumBackoff > Self.longestDuration
                {
                    complain("a retry's backoff must be 0 to 24 hours, and is \(retry.backoff), at most \(retry.maximumBackoff)")
                }
                if !(retry.multiplier >= 1 && retry.multiplier <= 1000) {
                    complain("a retry's multiplier must be 1 to 1000, and is \(retry.multiplier)")
                }
                if !(0...1).contains(retry.jitter) { complain("a retry's jitter must be 0 to 1, and is \(retry.jitter)") }
            }
            if policy.isMilestone {
                if let first = milestone {
                    problems.append(
                        GraphProblem(
                            .severalMilestones,
                            positions: [first, position],
                            "'\(printable(nodes[first].id))' and '\(printable(node.id))' are both marked as milestone; there can be one"
                        )
                    )
                } else {
                    milestone = position
                }
            }
        }
    }

    /// Checks that every step reads what is there; one that reads from an unknown step waits for it too, which is reported already.
    private func checkInputs(_ graph: ValidatedGraph, _ problems: inout [GraphProblem]) {
        for position in nodes.indices {
            guard let inputs = nodes[position].policy?.value.inputs else { continue }
            let node = nodes[position]
            for input in inputs {
                guard let found = self.position(of: input.id, in: graph.positions).map(Int.init) else { continue }
                let predecessors = graph.predecessors
                let complaint: String
                if nodes[found].valueType != input.type {
                    complaint = "reads \(input.type) from '\(printable(nodes[found].id))', which produces \(nodes[found].valueType)"
                } else if found != position, !predecessors[position].contains(where: { $0.index == found }) {
                    // The step was replaced by another one, and then added again.
                    complaint = "reads from '\(printable(nodes[found].id))', and does not wait for it; add the dependency"
                } else if nodes[found].policy?.value.isDeferrable == true,
                    predecessors[position].contains(where: { $0.index == found && $0.needsValue })
                {
                    complaint =
                        "reads from '\(printable(nodes[found].id))', which may be put off until after the milestone; read its optional value"
                } else {
                    continue
                }
                problems.append(GraphProblem(.valueType, positions: [position, found], "\(printable(node.id)) \(complaint)"))
            }
        }
    }

    /// The edges between steps that exist.
    private func resolvedEdges(_ index: IdentifierIndex, _ problems: inout [GraphProblem]) -> [GraphEdge] {
        var known = edges
        if !names.isEmpty {
            known.removeAll(keepingCapacity: true)
            for var edge in edges {
                if edge.node < 0, let node = position(of: names[Int(-1 - edge.node)], in: index) { edge.node = node }
                if edge.target < 0, let target = position(of: names[Int(-1 - edge.target)], in: index) { edge.target = target }
                if edge.node >= 0, edge.target >= 0 {
                    known.append(edge)
                } else {
                    problems.append(problem(ofUnresolved: edge, problems.count))
                }
            }
        }
        guard known.contains(where: { $0.node == $0.target }) else { return known }
        for edge in known where edge.node == edge.target {
            let id = printable(nodes[Int(edge.node)].id)
            problems.append(
                GraphProblem(.selfDependency, positions: [Int(edge.node)], "\(id) waits for itself; remove '\(id)' from its dependencies")
            )
        }
        return known.filter { $0.node != $0.target }
    }

    private func problem(ofUnresolved edge: GraphEdge, _ found: Int) -> GraphProblem {
        let dependent = edge.node < 0 ? names[Int(-1 - edge.node)] : nodes[Int(edge.node)].id
        let dependency = edge.target < 0 ? names[Int(-1 - edge.target)] : nodes[Int(edge.target)].id
        // Suggestions cost a pass over all names: give them for the first problems only.
        func suggestion(for name: String, besides other: String) -> String {
            GraphProblem.suggestion(found < 20 ? nearestName(to: name, in: nodes.lazy.map(\.id).filter { $0 != other }) : nil)
        }
        if edge.target >= 0 {
            return GraphProblem(
                .unknownStep,
                "there is no operation '\(printable(dependent))' to wait for '\(printable(dependency))'"
                    + suggestion(for: dependent, besides: dependency)
            )
        }
        return GraphProblem(
            .unknownDependency,
            positions: edge.node < 0 ? [] : [Int(edge.node)],
            "\(printable(dependent)) \(edge.needsValue ? "reads" : "waits for") '\(printable(dependency))', which is not in the graph"
                + suggestion(for: dependency, besides: dependent)
        )
    }
}
