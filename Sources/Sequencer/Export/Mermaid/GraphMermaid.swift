extension ValidatedGraph {
    /// The graph as a flowchart of Mermaid, which GitHub and many editors draw where a code block says `mermaid`.
    ///
    /// An operation is labelled with its title, or its identifier, and its expected duration. What runs on the main thread is filled, what waits for a
    /// person is a hexagon, the milestone has a double border. The critical path is red and thick, when an expected duration is known of any operation;
    /// dependencies that others imply are dotted. No identifier or title can break out of its place: nodes are named by numbers. The same graph
    /// always gives the same text, without a newline at its end.
    ///
    /// ```swift
    /// print("```mermaid\n\(try graph.validated().mermaid())\n```")
    /// ```
    ///
    /// The language: <https://mermaid.js.org/syntax/flowchart.html>.
    ///
    /// - Throws: an ``ExportError`` for a graph of more than 500 dependencies or 50,000 characters, which Mermaid would refuse.
    /// - Complexity: that of ``impliedEdges`` when they are marked, otherwise O(operations + dependencies).
    public func mermaid(_ options: DOTOptions = DOTOptions()) throws(ExportError) -> String {
        let facts = GraphFacts(self)
        let edges = facts.dependencies.reduce(0) { $0 + $1.count }
        // Implied edges of a graph that is refused need not be found.
        guard edges <= MermaidText.mostEdges else { return try MermaidText.checked("", name, edges: edges) }
        let implied = options.marksImpliedEdges ? impliedEdges : []
        let steps = facts.hasExpectations ? Set(zip(facts.path.path, facts.path.path.dropFirst()).map { [$0, $1] }) : []
        var lines = ["flowchart \(options.direction.name)", "  accTitle: \(MermaidText.label(name))"]
        for node in 0..<count { lines.append("  " + mermaidNode(node, facts)) }
        var critical: [String] = []
        var number = 0
        for node in 0..<count {
            for dependency in facts.dependencies[node] {
                let arrow = implied.contains(Edge(id(node), after: id(dependency))) ? "-.->" : "-->"
                lines.append("  n\(dependency) \(arrow) n\(node)")
                if steps.contains([dependency, node]) { critical.append("\(number)") }
                number += 1
            }
        }
        lines.append("  classDef main fill:#dbeafe,color:#1b1f24")
        lines.append("  classDef critical stroke:#c0392b,stroke-width:3px")
        let main = (0..<count).filter(facts.isMain).map { "n\($0)" }
        if !main.isEmpty { lines.append("  class \(main.joined(separator: ",")) main") }
        if facts.hasExpectations, !facts.path.path.isEmpty {
            lines.append("  class \(facts.path.path.map { "n\($0)" }.joined(separator: ",")) critical")
        }
        if !critical.isEmpty { lines.append("  linkStyle \(critical.joined(separator: ",")) stroke:#c0392b,stroke-width:3px") }
        return try MermaidText.checked(lines.joined(separator: "\n"), name, edges: edges)
    }

    private func mermaidNode(_ node: Int, _ facts: GraphFacts) -> String {
        var label = MermaidText.label(facts.title(node) ?? id(node))
        if let expected = facts.expectedText(node) { label += "<br/>\(expected)" }
        let (opening, closing) =
            policy(node).isInteractive
            ? ("{{", "}}") : node == facts.milestone ? ("[[", "]]") : facts.isMain(node) ? ("[", "]") : ("(", ")")
        return "n\(node)\(opening)\"\(label)\"\(closing)"
    }
}
