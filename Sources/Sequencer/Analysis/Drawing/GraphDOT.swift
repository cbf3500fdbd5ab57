import Sequencer

/// How a graph is drawn, in the language of Graphviz or of Mermaid.
package struct DOTOptions: Sendable, Hashable {
    /// Where time runs to in a drawing.
    package struct Direction: Sendable, Hashable {
        let name: String

        /// From left to right.
        package static let leftToRight = Direction(name: "LR")
        /// From top to bottom.
        package static let topToBottom = Direction(name: "TB")
    }

    /// Where time runs to.
    package var direction: Direction
    /// Whether dependencies that others imply are dashed. Finding them takes most of the time of drawing a graph of 10,000 operations.
    package var marksImpliedEdges: Bool

    /// The options of a drawing.
    package init(direction: Direction = .leftToRight, marksImpliedEdges: Bool = true) {
        self.direction = direction
        self.marksImpliedEdges = marksImpliedEdges
    }
}

extension ValidatedGraph {
    /// The graph in the language of Graphviz. Each arrow leads from a dependency to the operation that waits for it.
    ///
    /// An operation is labelled with its title, or its identifier, and its expected duration; its node is named by its identifier. Operations
    /// on the main thread are filled, those that wait for a person are hexagons, the milestone and the initial display have double borders. The longest path is red and
    /// thick, when an expected duration is known of any operation; dependencies that others imply are dashed, and so are the waits for events. A comment at the top says
    /// so. No identifier or title can break out of its place. The same graph always gives the same text, without a newline at its end;
    /// nothing can fail.
    ///
    /// ```swift
    /// try graph.validated().dot().write(toFile: "launch.dot", atomically: true, encoding: .utf8)   // then: dot -Tsvg launch.dot
    /// ```
    ///
    /// The language: <https://graphviz.org/doc/info/lang.html>; escapes in labels: <https://graphviz.org/docs/attr-types/escString/>.
    ///
    /// - Complexity: that of `reduced()`.
    public func dot() -> String { dot(DOTOptions()) }

    package func dot(_ options: DOTOptions) -> String {
        let facts = GraphFacts(self)
        let hasEvents = (0..<count).contains { eventName($0) != nil }
        // Each once: an operation is named again by each of its arrows.
        let names = identifiers.map { DOT.name($0) }
        var text = """
            // \(printable(name)): \(count) operation\(count == 1 ? "" : "s"); arrows point from a dependency to the operation that waits for it
            //   rounded        runs on a lane
            //   filled         runs on the main thread
            //   hexagon        interactive: waits for a person
            //   double border  the milestone: its end stops the budget's clock\(facts.initialDisplay == nil ? "" : "; the initial display comes before it")
            //   red, thick     the longest path, by expected durations
            //   dashed         implied by other dependencies\(hasEvents ? ", or waits for an event from outside" : "")
            digraph \(DOT.name(name)) {
              rankdir=\(options.direction.name)
              graph [label="\(DOT.label(name))", labelloc=t, fontname="Helvetica"]
              node [shape=box, style=rounded, color="#555555", fontname="Helvetica"]
              edge [color="#555555"]

            """
        for node in 0..<count { text += "  \(names[node]) [\(attributes(of: node, facts))]\n" }
        let implied = options.marksImpliedEdges ? impliedEdges : []
        // Arrays, because a set cannot hold tuples.
        let steps = facts.hasExpectations ? Set(zip(facts.path.path, facts.path.path.dropFirst()).map { [$0, $1] }) : []
        for node in 0..<count {
            for dependency in facts.dependencies[node] {
                var attributes: [String] = []
                if steps.contains([dependency, node]) { attributes.append(DOT.critical) }
                let isImplied = implied.contains(Edge(id(node), after: id(dependency)))
                if isImplied || eventName(dependency) != nil { attributes.append("style=dashed") }
                text += "  \(names[dependency]) -> \(names[node])"
                text += attributes.isEmpty ? "\n" : " [\(attributes.joined(separator: ", "))]\n"
            }
        }
        return text + "}"
    }

    private func attributes(of node: Int, _ facts: GraphFacts) -> String {
        var lines = [DOT.label(facts.title(node) ?? id(node))]
        if let expected = facts.expectedText(node) { lines.append(expected) }
        var attributes = ["label=\"\(lines.joined(separator: "\\n"))\""]
        let isInteractive = policy(node).isInteractive
        if isInteractive { attributes.append("shape=hexagon") }
        // A hexagon is not rounded, as all other nodes are: that would take its corners.
        if facts.isMain(node) {
            attributes.append(isInteractive ? "style=filled" : "style=\"rounded,filled\"")
            attributes.append("fillcolor=\"#dbeafe\"")
        } else if eventName(node) != nil {
            attributes.append(isInteractive ? "style=dashed" : "style=\"rounded,dashed\"")
        } else if isInteractive {
            attributes.append("style=solid")
        }
        if facts.isDisplay(node) { attributes.append("peripheries=2") }
        if facts.hasExpectations && facts.isCritical[node] { attributes.append(DOT.critical) }
        return attributes.joined(separator: ", ")
    }
}

/// Texts in the language of Graphviz.
private enum DOT {
    static let critical = "color=\"#c0392b\", penwidth=3"
    /// The most characters of a label: more makes a drawing of nothing else.
    static let maximumLabelLength = 80

    /// A text as a quoted name: different texts give different names.
    ///
    /// Only `\"` is an escape in a quoted name, and `\\` stays as it is: doubling backslashes keeps one at the end from swallowing the quote.
    /// A name that begins with `%` would be taken for one that Graphviz made up itself.
    static func name(_ text: String) -> String {
        var name = "\""
        if text.utf8.first == UInt8(ascii: "%") { name += "\\" }
        for (scalar, isShown) in JudgedScalars(text) { append(scalar, isShown, to: &name, escape: "\\") }
        return name + "\""
    }

    /// A text as (a part of) a quoted label: lines stay lines, and nothing in it is an escape or a character reference.
    static func label(_ text: String) -> String {
        var label = ""
        var previous: Unicode.Scalar?
        // By scalars: a single character may be made of any number of them.
        for (scalar, isShown) in JudgedScalars(text).prefix(maximumLabelLength) {
            switch scalar {
            // A line end of two characters is one.
            case "\n" where previous == "\r": break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": label += "\\n"
            case "&": label += "&amp;"
            default: append(scalar, isShown, to: &label, escape: "\\\\")
            }
            previous = scalar
        }
        return text.unicodeScalars.count > maximumLabelLength ? label + "…" : label
    }

    /// Appends one character, or its number behind `escape` when Graphviz or XML could not take it.
    private static func append(_ scalar: Unicode.Scalar, _ isShown: Bool, to text: inout String, escape: String) {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case _ where isShown && !scalar.properties.isNoncharacterCodePoint: text.unicodeScalars.append(scalar)
        default: text += escape + "u{" + String(scalar.value, radix: 16) + "}"
        }
    }
}
