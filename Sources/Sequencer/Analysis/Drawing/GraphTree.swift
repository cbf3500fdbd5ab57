import Sequencer

extension ValidatedGraph {
    /// The graph as a text for terminals: a tree in which each operation stands, once, under the dependency that holds
    /// it up longest.
    ///
    /// This dependency has the latest expected end (without expected durations, the longest chain before it); the
    /// others are named at the end of the line. Beside each operation stand its title, where it runs, and how long it
    /// is expected to take; `*` marks the longest path, if there are expected durations. Operations come in the order
    /// they were added; more than 16 levels deep, marked by `…`, the drawing continues at the margin. The same graph
    /// always gives the same text, without a newline at its end and without control characters; nothing can fail.
    ///
    /// ```
    /// first-launch: 4 operations, longest path 1.2 s (*)
    ///
    /// splash          main             400 ms *
    /// └─ login        interactive      700 ms *
    ///    └─ main-app  main, milestone  100 ms *  also after force-update
    /// force-update                     300 ms
    /// ```
    ///
    /// - Parameter inASCII: whether all but the names is in ASCII.
    /// - Complexity: O(operations + dependencies).
    public func tree(inASCII: Bool = false) -> String {
        let facts = GraphFacts(self)
        func time(_ text: String) -> String { inASCII ? text.replacing("µs", with: "us") : text }
        let path = facts.hasExpectations ? ", longest path \(time(durationText(.nanoseconds(facts.path.length)))) (*)" : ""
        let header = "\(printable(name)): \(plural(count, "operation"))\(path)"
        guard count > 0 else { return header }
        let rows = places(facts, inASCII: inASCII).map { place in
            let node = place.node
            let marks = words([
                "main": isMain(node), "interactive": policy(node).isInteractive, "event": eventName(node) != nil,
                "initial display": node == initialDisplayIndex, "milestone": node == milestoneIndex,
            ])
            let critical = facts.critical.contains(node) ? " *" : facts.hasExpectations ? "  " : ""
            return [
                // A title may be a sentence: cut, it leaves the columns behind it in sight.
                place.line, facts.title(node).map { printable($0, limit: 40) } ?? "",
                marks.joined(separator: ", "), (facts.expectedText(node).map(time) ?? "") + critical,
                note(about: facts.dependencies[node], under: place.parent),
            ]
        }
        let lines = aligned(rows, isRight: { $0 == 3 }, widest: 60)
        return header + "\n\n" + lines.joined(separator: "\n")
    }

    /// The operations in the order of a drawn tree, each with the line to its identifier and the operation that it
    /// stands under; nil at the margin.
    private func places(_ facts: GraphFacts, inASCII: Bool) -> [(node: Int, parent: Int?, line: String)] {
        let (open, branch, last, ellipsis) = inASCII ? ("|  ", "|- ", "`- ", " ...") : ("│  ", "├─ ", "└─ ", " …")
        // Deeper, a line has more of the tree than of its operation, and a chain of 100,000 would be a text of
        // gigabytes.
        let deepest = 16
        let ends = zip(facts.path.earliestStart, expectedDurations).map { $0.addingSaturated($1) }
        var children = [[Int]](repeating: [], count: count), margin: [Int] = []
        for node in 0..<count {
            let parent = facts.dependencies[node].max { (ends[$0], facts.levels[$0]) < (ends[$1], facts.levels[$1]) }
            if let parent { children[parent].append(node) } else { margin.append(node) }
        }
        var places: [(node: Int, parent: Int?, line: String)] = [], later: [Int] = []
        func draw(_ node: Int, under parent: Int?, _ stem: String, _ corner: String, depth: Int) {
            let goesOnLater = depth == deepest && !children[node].isEmpty
            places.append((node, parent, stem + corner + id(node) + (goesOnLater ? ellipsis : "")))
            if goesOnLater { return later += children[node] }
            let inner = depth == 0 ? "" : stem + (corner == last ? "   " : open)
            for child in children[node] {
                draw(child, under: node, inner, child == children[node].last ? last : branch, depth: depth + 1)
            }
        }
        // The last one in is the first one out.
        margin.reverse()
        while let root = margin.popLast() {
            draw(root, under: nil, "", "", depth: 0)
            margin += later.reversed()
            later = []
        }
        return places
    }

    /// The dependencies of an operation besides the one that it stands under.
    private func note(about dependencies: [Int], under parent: Int?) -> String {
        let others = dependencies.filter { $0 != parent }
        if others.isEmpty { return "" }
        // So that never only one is left out.
        return (parent == nil ? "after " : "also after ") + listed(others, limit: others.count <= 6 ? 6 : 5, id)
    }
}

/// Rows of cells, each column as wide as its widest cell; columns without any text are left out.
///
/// - Parameters:
///   - isRight: whether a column is flush right.
///   - widest: a cell wider than that pushes the rest of its row, not of all.
///   - width: how many columns of a terminal a cell takes.
package func aligned(
    _ rows: [[String]],
    isRight: (Int) -> Bool,
    widest: Int = .max,
    width: (String) -> Int = displayWidth
) -> [String] {
    let widths = rows.map { $0.map(width) }
    let columns = (0..<(rows.map(\.count).max() ?? 0)).map { column in
        widths.lazy.filter { column < $0.count }.map { min($0[column], widest) }.max() ?? 0
    }
    return zip(rows, widths).map { row, widths in
        var line = ""
        for column in row.indices where columns[column] > 0 {
            let padding = String(repeating: " ", count: max(0, columns[column] - widths[column]))
            line += (isRight(column) ? padding + row[column] : row[column] + padding) + "  "
        }
        // Empty cells at the end of a row leave their padding behind.
        while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
        return line
    }
}

/// How many columns of a terminal a text takes: ideographs and emoji take two
/// (<https://www.unicode.org/reports/tr11/>).
package func displayWidth(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if character.unicodeScalars.contains(where: { $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation }) { return 2 }
    if [.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory) { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
        return 2
    default: return 1
    }
}
