import Sequencer

extension ValidatedGraph {
    /// The graph in the language of Graphviz. Each arrow leads from a dependency to the operation that waits for it.
    ///
    /// An operation is labelled with its title, or its identifier, and its expected duration; its node is named by its
    /// identifier. Operations on the main thread are filled, those that wait for the user have cut corners, the
    /// milestone and the initial display have double borders. The longest path is red and thick, when an expected
    /// duration is known of any operation; dependencies that others imply are dashed, and so are the waits for events.
    /// A legend above the drawing says so. Operations that wait for nothing stand in the first rank. No identifier or
    /// title can break out of its place. The same graph always gives the same text, without a newline at its end;
    /// nothing can fail.
    ///
    /// ```swift
    /// try graph.validated().dot().write(toFile: "launch.dot", atomically: true, encoding: .utf8)   // then: dot -Tsvg launch.dot
    /// ```
    ///
    /// The language: <https://graphviz.org/doc/info/lang.html>; escapes in labels:
    /// <https://graphviz.org/docs/attr-types/escString/>.
    ///
    /// - Parameter direction: where time runs to.
    /// - Complexity: that of `reduced()`.
    public func dot(_ direction: DrawingDirection = .leftToRight) -> String {
        let facts = GraphFacts(self)
        // Each once: an operation is named again by each of its arrows.
        let names = graph.identifiers.map { DOT.name($0) }
        // Backslashes are doubled: `\G` would be the graph's name.
        let title = Markup.text(name.isEmpty ? "launch" : Markup.shortened(name, to: DOT.maximumLabelLength)).replacing("\\", with: "\\\\")
        var text = """
            digraph \(DOT.name(name)) {
              rankdir=\(direction.rawValue)
              graph [labelloc=t, fontname="Helvetica", fontsize=11, label=<<TABLE BORDER="0" CELLSPACING="6">
                <TR><TD COLSPAN="6"><FONT POINT-SIZE="16">\(title)</FONT></TD></TR>
                <TR>\(legend(facts))</TR>
              </TABLE>>]
              node [shape=box, style=rounded, color="#555555", fontname="Helvetica"]
              edge [color="#555555"]

            """
        for node in 0..<count { text += "  \(names[node]) [\(attributes(of: node, facts))]\n" }
        let first = (0..<count).filter { facts.dependencies[$0].isEmpty }
        if first.count > 1 { text += "  { rank=source; \(first.map { names[$0] }.joined(separator: "; ")) }\n" }
        for edge in facts.edges {
            let attributes = words([DOT.critical: edge.isCritical, "style=dashed": edge.isDashed]).joined(separator: ", ")
            text += "  \(names[edge.from]) -> \(names[edge.to])" + (attributes.isEmpty ? "\n" : " [\(attributes)]\n")
        }
        return text + "}"
    }

    private func legend(_ facts: GraphFacts) -> String {
        let nodes = 0..<count, box = "BORDER=\"1\" COLOR=\"#555555\" STYLE=\"ROUNDED\""
        return words([
            "<TD \(box)>on a lane</TD>": true,
            "<TD \(box) BGCOLOR=\"\(DOT.main)\">on the main thread</TD>": nodes.contains(where: isMain),
            "<TD>cut corners: asks a person</TD>": nodes.contains { policy($0).isInteractive },
            "<TD>double border: milestone\(initialDisplayIndex == nil ? "" : ", initial display")</TD>": !awaitedEnds.isEmpty,
            "<TD><FONT COLOR=\"\(DOT.red)\">red: longest path</FONT></TD>": facts.hasExpectations,
            "<TD>dashed: implied\(nodes.contains { eventName($0) != nil } ? ", or an event" : "")</TD>": true,
        ]).joined()
    }

    private func attributes(of node: Int, _ facts: GraphFacts) -> String {
        let lines = [DOT.label(facts.name(node)), facts.expectedText(node)].compactMap { $0 }
        let (isMain, isInteractive) = (isMain(node), policy(node).isInteractive)
        let styles = words([
            "rounded": !isInteractive, "diagonals": isInteractive, "filled": isMain, "dashed": !isMain && eventName(node) != nil,
        ])
        return words([
            "label=\"\(lines.joined(separator: "\\n"))\"": true,
            "style=\"\(styles.joined(separator: ","))\"": styles != ["rounded"],
            "fillcolor=\"\(DOT.main)\"": isMain,
            "peripheries=2": awaitedEnds.contains(node),
            DOT.critical: facts.critical.contains(node),
        ]).joined(separator: ", ")
    }
}

/// Texts in the language of Graphviz.
private enum DOT {
    static let red = "#c0392b", main = "#dbeafe"
    static let critical = "color=\"\(red)\", penwidth=3"
    /// The most characters of a label: more makes a drawing of nothing else.
    static let maximumLabelLength = 80

    /// A text as a quoted name: different texts give different names.
    ///
    /// Only `\"` is an escape in a quoted name, and `\\` stays as it is: doubling backslashes keeps one at the end from
    /// swallowing the quote. A name that begins with `%` would be taken for one that Graphviz made up itself.
    static func name(_ text: String) -> String {
        "\"" + (text.utf8.first == UInt8(ascii: "%") ? "\\" : "") + escaped(text, "\\") + "\""
    }

    /// A text as (a part of) a quoted label: lines stay lines, and nothing in it is an escape or a character reference.
    static func label(_ text: String) -> String {
        // By scalars: a single character may be made of any number of them.
        let shown = String(text.unicodeScalars.prefix(maximumLabelLength))
        let lines = shown.split(omittingEmptySubsequences: false) { lineEnds.contains($0) }
        let label = lines.map { escaped($0, "\\\\").replacing("&", with: "&amp;") }.joined(separator: "\\n")
        return text.unicodeScalars.count > maximumLabelLength ? label + "…" : label
    }

    private static let lineEnds: [Character] = ["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]

    /// A text with quotes, backslashes, and, by its number behind `escape`, what Graphviz or XML could not take.
    private static func escaped(_ text: some StringProtocol, _ escape: String) -> String {
        escapedText(text, ["\"": "\\\"", "\\": "\\\\"]) { "\(escape)u{\(String($0.value, radix: 16))}" }
    }
}
