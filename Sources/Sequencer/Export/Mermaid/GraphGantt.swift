extension ValidatedGraph {
    /// The graph as a gantt chart of Mermaid: when each operation could start at the earliest, by expected durations and with lanes enough.
    ///
    /// Operations on the main thread have a section, the others another; those of the critical path are marked. Times are whole milliseconds; an operation
    /// of which nothing is expected has no length. The milestone's end has a diamond. The same graph always gives the same text, without a newline
    /// at its end. What a number of lanes makes of it is a ``LaunchPlan``.
    ///
    /// The language: <https://mermaid.js.org/syntax/gantt.html>.
    ///
    /// - Throws: an ``ExportError`` for more than 50,000 characters, which Mermaid would refuse.
    /// - Complexity: O(operations + dependencies).
    public func gantt() throws(ExportError) -> String {
        let facts = GraphFacts(self)
        let expected = (0..<count).map { policy($0).expected?.nanoseconds ?? 0 }
        let path = CriticalPath(of: self) { expected[$0] }
        var lines = [
            "gantt", "  title \(MermaidText.line(name))", "  dateFormat x",
            "  axisFormat \(path.length < 10_000_000_000 ? "%Q ms" : "%s s")",
            "  todayMarker off",
        ]
        func task(_ node: Int) -> String {
            let start = path.earliestStart[node]
            let (from, to) = (rounded(start), rounded(start.addingSaturated(expected[node])))
            let mark = facts.hasExpectations && facts.isCritical[node] ? "crit, " : ""
            return "  \(MermaidText.line(facts.title(node) ?? id(node))) :\(mark)n\(node), \(from), \(to)"
        }
        for (section, isMain) in [("Main thread", true), ("Lanes", false)] {
            let nodes = (0..<count).filter { facts.isMain($0) == isMain }
            guard !nodes.isEmpty else { continue }
            lines.append("  section \(section)")
            lines += nodes.map(task)
        }
        if let milestone = facts.milestone {
            let end = rounded(path.earliestStart[milestone].addingSaturated(expected[milestone]))
            lines.append("  section Milestone")
            lines.append("  \(MermaidText.line(facts.title(milestone) ?? id(milestone))) :milestone, \(end), \(end)")
        }
        return try MermaidText.checked(lines.joined(separator: "\n"), name)
    }

    private func rounded(_ time: Nanoseconds) -> Nanoseconds { time.addingSaturated(500_000) / 1_000_000 }
}
