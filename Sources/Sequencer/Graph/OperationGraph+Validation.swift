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
        checkInputs(index, &problems)
        var known = resolvedEdges(index, &problems)
        addOperationDependencies(to: &known, &problems)

        let predecessors = AdjacencyList(count: count, edges: known, .predecessors)
        let successors = AdjacencyList(count: count, edges: known, .successors)
        let order = topologicalOrder(predecessors, successors)
        if order.count < count {
            let path = cycle(outside: order, predecessors)
            let names = path.map { nodes[$0].id }
            problems.append(
                GraphProblem(
                    .cycle, positions: Array(path.dropLast()), path: names,
                    "cycle: " + names.map { printable($0) }.joined(separator: " → ") + " (each waits for the next)"))
        }
        guard problems.isEmpty else { throw GraphError(graph: name, problems: problems) }
        return ValidatedGraph(graph: self, predecessors: predecessors, successors: successors, order: order)
    }

    private func checkIdentifiers(_ problems: inout [GraphProblem]) -> [String: Int32] {
        var index: [String: Int32] = [:]
        index.reserveCapacity(count)
        for (position, node) in nodes.enumerated() {
            if let complaint = Self.complaint(aboutIdentifier: node.id) {
                problems.append(
                    GraphProblem(.invalidIdentifier, positions: [position], "operation \(position + 1): the identifier '\(printable(node.id))' \(complaint)"))
            }
            if let first = index.updateValue(Int32(position), forKey: node.id) {
                index[node.id] = first
                problems.append(
                    GraphProblem(
                        .duplicateIdentifier, positions: [Int(first), position],
                        "operations \(first + 1) and \(position + 1) have the same identifier '\(printable(node.id))'; each needs its own"))
            }
        }
        return index
    }

    /// What is wrong with an identifier, as the end of a sentence; nil when nothing is.
    package static func complaint(aboutIdentifier id: String) -> String? {
        if id.isEmpty { return "is empty" }
        if id.utf8.count > longestIdentifier { return "has \(id.utf8.count) bytes; the most is \(longestIdentifier)" }
        // Nearly every identifier is plain ASCII: look at bytes before asking for character properties.
        var plain = true
        for byte in id.utf8 where byte <= 0x20 || byte >= 0x7F { plain = false }
        if plain { return nil }
        if id.unicodeScalars.contains(where: { !$0.isPrintable }) { return "holds a character that cannot be printed" }
        if id.first?.isWhitespace == true || id.last?.isWhitespace == true { return "begins or ends with white space" }
        return nil
    }

    private func checkPolicies(_ problems: inout [GraphProblem]) {
        var milestone: Int?
        for (position, node) in nodes.enumerated() {
            guard let policy = node.policy?.value else { continue }
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
                    complain("a retry's backoff must be 0 to 24 hours")
                }
                if !(retry.multiplier >= 1 && retry.multiplier <= 1000) { complain("a retry's multiplier must be 1 to 1000, and is \(retry.multiplier)") }
                if !(0...1).contains(retry.jitter) { complain("a retry's jitter must be 0 to 1, and is \(retry.jitter)") }
            }
            if policy.isMilestone {
                if let first = milestone {
                    problems.append(
                        GraphProblem(
                            .severalMilestones, positions: [first, position],
                            "'\(printable(nodes[first].id))' and '\(printable(node.id))' are both marked as milestone; there can be one"))
                } else {
                    milestone = position
                }
            }
        }
    }

    private func checkInputs(_ index: [String: Int32], _ problems: inout [GraphProblem]) {
        for (position, node) in nodes.enumerated() {
            for input in node.policy?.value.inputs ?? [] {
                guard let found = index[input.id], nodes[Int(found)].valueType != input.type else { continue }
                problems.append(
                    GraphProblem(
                        .valueType, positions: [position, Int(found)],
                        "\(printable(node.id)) reads \(input.type) from '\(printable(input.id))', which produces \(nodes[Int(found)].valueType)"))
            }
        }
    }

    /// The edges between steps that exist.
    private func resolvedEdges(_ index: [String: Int32], _ problems: inout [GraphProblem]) -> [GraphEdge] {
        var known = edges
        if !names.isEmpty {
            known.removeAll(keepingCapacity: true)
            for var edge in edges {
                if edge.target < 0 {
                    let name = names[Int(-1 - edge.target)]
                    guard let target = index[name] else {
                        problems.append(unknownDependency(name, of: edge, problems.count))
                        continue
                    }
                    edge.target = target
                }
                if edge.node < 0 {
                    let name = names[Int(-1 - edge.node)]
                    guard let node = index[name] else {
                        problems.append(.unknownStep(name, nearest: nearestName(to: name, in: nodes.lazy.map(\.id))))
                        continue
                    }
                    edge.node = node
                }
                known.append(edge)
            }
        }
        return known.filter { edge in
            guard edge.node == edge.target else { return true }
            let id = printable(nodes[Int(edge.node)].id)
            problems.append(
                GraphProblem(.selfDependency, positions: [Int(edge.node)], "\(id) waits for itself; remove '\(id)' from its dependencies"))
            return false
        }
    }

    private func unknownDependency(_ name: String, of edge: GraphEdge, _ found: Int) -> GraphProblem {
        let dependent = edge.node < 0 ? names[Int(-1 - edge.node)] : nodes[Int(edge.node)].id
        // Suggestions cost a pass over all names: give them for the first problems only.
        let nearest = found < 20 ? nearestName(to: name, in: nodes.lazy.map(\.id).filter { $0 != dependent }) : nil
        return GraphProblem(
            .unknownDependency, positions: edge.node < 0 ? [] : [Int(edge.node)],
            "\(printable(dependent)) waits for '\(printable(name))', which is not in the graph" + GraphProblem.suggestion(nearest))
    }

    /// Kahn's algorithm (A. B. Kahn, "Topological sorting of large networks", 1962); operations that come first were added first.
    private func topologicalOrder(_ predecessors: AdjacencyList, _ successors: AdjacencyList) -> [Int32] {
        var waiting = [Int32](unsafeUninitializedCapacity: count) { buffer, initialized in
            for node in 0..<count { buffer[node] = predecessors.degree(node) }
            initialized = count
        }
        var order: [Int32] = []
        order.reserveCapacity(count)
        for node in 0..<count where waiting[node] == 0 { order.append(Int32(node)) }
        var next = 0
        while next < order.count {
            for successor in successors[Int(order[next])] {
                waiting[successor.index] -= 1
                if waiting[successor.index] == 0 { order.append(Int32(successor.index)) }
            }
            next += 1
        }
        return order
    }

    /// A cycle among the operations that have no place in `order`: each of them waits for another one, so walking back must return.
    private func cycle(outside order: [Int32], _ predecessors: AdjacencyList) -> [Int] {
        var isOrdered = [Bool](repeating: false, count: count)
        for node in order { isOrdered[Int(node)] = true }
        guard var node = isOrdered.firstIndex(of: false) else { return [] }
        var place = [Int](repeating: -1, count: count)
        var path: [Int] = []
        while place[node] < 0 {
            place[node] = path.count
            path.append(node)
            guard let next = predecessors[node].first(where: { !isOrdered[$0.index] }) else { return path }
            node = next.index
        }
        let found = Array(path[place[node]...])
        // Begin where a reader would: with the step that was added first.
        let first = found.indices.min { found[$0] < found[$1] } ?? 0
        return Array(found[first...] + found[..<first]) + [found[first]]
    }
}
