import Sequencer

extension ValidatedGraph {
    /// The graph as a flowchart of Mermaid, which GitHub and many editors draw where a code block says `mermaid`.
    ///
    /// An operation is labelled with its title, or its identifier, and its expected duration. Operations on the main
    /// thread are filled, those that wait for the user are hexagons, the milestone and the initial display have double
    /// borders. The longest path is red and thick, when an expected duration is known of any operation; dependencies
    /// that others imply are dotted, and so are the waits for events. No identifier or title can break out of its
    /// place: nodes are named by numbers. The same graph always gives the same text, without a newline at its end.
    ///
    /// ```swift
    /// print("```mermaid\n\(try graph.validated().mermaid())\n```")
    /// ```
    ///
    /// The language: <https://mermaid.js.org/syntax/flowchart.html>.
    ///
    /// - Parameter direction: where time runs to.
    /// - Throws: an ``ExportError`` for a graph of more than 500 dependencies or 50,000 characters, which Mermaid would
    ///     refuse.
    /// - Complexity: that of `reduced()`.
    public func mermaid(_ direction: DrawingDirection = .leftToRight) throws(ExportError) -> String {
        let facts = GraphFacts(self), edges = facts.edges, nodes = 0..<count
        var lines = ["flowchart \(direction.rawValue)", "  accTitle: \(MermaidText.label(name))"]
        lines += nodes.map { "  " + mermaidNode($0, facts) }
        lines += edges.map { "  n\($0.from) \($0.isDashed ? "-.->" : "-->") n\($0.to)" }
        let events = nodes.filter { eventName($0) != nil }
        lines += words([
            // With the colour of its text: that of a dark theme could not be read on this one.
            "  classDef main fill:#dbeafe,color:#1b1f24": true,
            "  classDef critical stroke:#c0392b,stroke-width:3px": true,
            "  classDef event stroke-dasharray:4": !events.isEmpty,
        ])
        let path = facts.path.path.filter(facts.critical.contains)
        for (style, nodes) in [("event", events), ("main", nodes.filter(isMain)), ("critical", path)] where !nodes.isEmpty {
            lines.append("  class \(nodes.map { "n\($0)" }.joined(separator: ",")) \(style)")
        }
        // Mermaid tells links apart by their numbers alone.
        let critical = edges.indices.filter { edges[$0].isCritical }.map { "\($0)" }.joined(separator: ",")
        if !critical.isEmpty { lines.append("  linkStyle \(critical) stroke:#c0392b,stroke-width:3px") }
        return try MermaidText.checked(lines.joined(separator: "\n"), edges: edges.count, name)
    }

    private func mermaidNode(_ node: Int, _ facts: GraphFacts) -> String {
        let lines = [MermaidText.label(facts.name(node)), facts.expectedText(node)].compactMap { $0 }
        let (opening, closing) =
            policy(node).isInteractive
            ? ("{{", "}}") : awaitedEnds.contains(node) ? ("[[", "]]") : isMain(node) ? ("[", "]") : ("(", ")")
        return "n\(node)\(opening)\"\(lines.joined(separator: "<br/>"))\"\(closing)"
    }
}

extension ValidatedGraph {
    /// The graph as a gantt chart of Mermaid: when each operation could start at the earliest, by expected durations
    /// and with lanes enough.
    ///
    /// Operations on the main thread have a section, the others another; those of the longest path are marked. Times
    /// are whole milliseconds; an operation without an expected duration has no length. The ends of the milestone and
    /// of the initial display have diamonds. The same graph always gives the same text, without a newline at its end.
    /// For a limited number of lanes, make a ``LaunchPlan``.
    ///
    /// The language: <https://mermaid.js.org/syntax/gantt.html>.
    ///
    /// - Throws: an ``ExportError`` for more than 50,000 characters, which Mermaid would refuse.
    /// - Complexity: O(operations + dependencies).
    public func gantt() throws(ExportError) -> String {
        let facts = GraphFacts(self)
        let expected = expectedDurations
        let path = CriticalPath(of: self) { expected[$0] }
        var lines = [
            "gantt", "  title \(MermaidText.line(name))", "  dateFormat x",
            // Both units count from 1970, where the chart begins, and so from the start of the launch.
            "  axisFormat \(path.length < 10_000_000_000 ? "%Q ms" : "%s s")",
            // The chart begins in 1970: a line for today would be far to its right.
            "  todayMarker off",
        ]
        func end(_ node: Int) -> Nanoseconds { rounded(path.earliestStart[node].addingSaturated(expected[node])) }
        func task(_ node: Int) -> String {
            let mark = facts.critical.contains(node) ? "crit, " : ""
            let start = path.earliestStart[node].addingSaturated(policy(node).delay?.nanoseconds ?? 0)
            return "  \(MermaidText.line(facts.name(node))) :\(mark)n\(node), \(rounded(start)), \(end(node))"
        }
        for (section, ofMain) in [("Main thread", true), ("Lanes", false)] {
            let tasks = (0..<count).filter { isMain($0) == ofMain }.map(task)
            if !tasks.isEmpty { lines += ["  section \(section)"] + tasks }
        }
        let ends = awaitedEnds
        if !ends.isEmpty { lines.append("  section Milestone\(ends.count == 1 ? "" : "s")") }
        lines += ends.map { "  \(MermaidText.line(facts.name($0))) :milestone, \(end($0)), \(end($0))" }
        return try MermaidText.checked(lines.joined(separator: "\n"), name)
    }

    private func rounded(_ time: Nanoseconds) -> Nanoseconds { time.addingSaturated(500_000) / 1_000_000 }
}

/// Texts in Mermaid's language.
///
/// Mermaid has no quoting that holds for every character: a quote, a colon or two percent signs in a label end it or
/// begin something else, a name that begins with a keyword is taken for one, and text that it does not understand is
/// often dropped without a word. Its entities (`#58;`) always stand for themselves:
/// <https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters>.
enum MermaidText {
    /// The longest text that Mermaid reads, unless told otherwise:
    /// <https://mermaid.js.org/config/schema-docs/config.html>.
    static let maximumCharacters = 50_000
    // Its `maxEdges`, unless told otherwise.
    static let maximumEdges = 500
    /// The most characters of a label: more makes a drawing of nothing else.
    static let maximumLabelLength = 80

    /// A text in which nothing is syntax, at most ``maximumLabelLength`` characters of it.
    static func label(_ text: String) -> String {
        // Escaped, a new line would be read, and often drawn, as the two characters of its escape.
        let line = text.contains(where: \.isNewline) ? text.split(whereSeparator: \.isNewline).joined(separator: " ") : text
        let shown = printable(line, limit: maximumLabelLength)
        var label = ""
        for scalar in shown.unicodeScalars {
            switch scalar {
            // Not even an entity of one is a character.
            case _ where scalar.properties.isNoncharacterCodePoint:
                label += scalar.escaped(asASCII: true).unicodeScalars.map(entity).joined()
            case "a"..."z", "A"..."Z", " ", ",": label.unicodeScalars.append(scalar)
            // Digits and hyphens begin dates and lists only at the beginning.
            case "0"..."9", "-": label += label.isEmpty ? entity(scalar) : String(scalar)
            case "." where label.unicodeScalars.last?.properties.isAlphabetic == true: label += "."
            // Two dollar signs, entities or not, begin a formula: a joiner that is not seen keeps them apart.
            case "$" where label.hasSuffix("#36;"): label += "#8288;#36;"
            case _ where scalar.isASCII: label += entity(scalar)
            default: label.unicodeScalars.append(scalar)
            }
        }
        return label
    }

    /// The words that begin a statement of a gantt chart, in any case:
    /// <https://github.com/mermaid-js/mermaid/blob/develop/packages/mermaid/src/diagrams/gantt/parser/gantt.jison>.
    private static let keywords = [
        "accdescr", "acctitle", "axisformat", "call", "click", "dateformat", "excludes", "gantt", "href", "includes", "inclusiveenddates",
        "section",
        "tickinterval", "title", "todaymarker", "topaxis", "weekday", "weekend",
    ]

    /// A label at the beginning of a line, where a word such as `section` would be a keyword.
    static func line(_ text: String) -> String {
        let label = label(text)
        let lowercased = label.lowercased()
        guard keywords.contains(where: lowercased.hasPrefix), let first = label.unicodeScalars.first else { return label }
        return entity(first) + String(label.unicodeScalars.dropFirst())
    }

    private static func entity(_ scalar: Unicode.Scalar) -> String { "#\(scalar.value);" }

    /// The text, if Mermaid reads that much, and draws so many dependencies.
    static func checked(_ text: String, edges: Int = 0, _ name: String) throws(ExportError) -> String {
        if edges > maximumEdges {
            let message = "Mermaid draws \(maximumEdges) dependencies at most, and there are \(edges)"
            throw ExportError(.tooLarge, name, "\(message); leave out the implied ones, or write the graph as DOT")
        }
        // In units of UTF-16, as JavaScript counts.
        guard text.utf16.count <= maximumCharacters else {
            let message = "Mermaid reads \(maximumCharacters) characters at most, and this would be \(text.utf16.count)"
            throw ExportError(.tooLarge, name, "\(message); write the graph as DOT")
        }
        return text
    }
}
