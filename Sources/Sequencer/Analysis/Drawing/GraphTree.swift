import Sequencer

extension ValidatedGraph {
    /// The graph as a text for terminals: a tree in which each operation stands, once, under the dependency that holds it up longest.
    ///
    /// That dependency is the one that is expected to end last (without expected durations, the one with the longest chain before it); the
    /// others are named at the end of the line. Beside each operation stand its title, where it runs, and how long it is expected to take;
    /// `*` marks the longest path, if there are expected durations. Operations come in the order they were added; more than 16 levels deep,
    /// marked by `…`, the drawing goes on at the margin. The same graph always gives the same text, without a newline at its end and
    /// without control characters; nothing can fail.
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
    /// - Complexity: O(operations + dependencies).
    public func tree() -> String { tree(inASCII: false) }

    /// The same; in ASCII, all but the names is.
    package func tree(inASCII: Bool) -> String {
        let facts = GraphFacts(self)
        var header = "\(printable(name)): \(count) operation\(count == 1 ? "" : "s")"
        func time(_ text: String) -> String { inASCII ? text.replacing("µs", with: "us") : text }
        if facts.hasExpectations { header += ", longest path \(time(durationText(.nanoseconds(facts.path.length)))) (*)" }
        guard count > 0 else { return header }
        let glyphs: TreeGlyphs = inASCII ? .ascii : .unicode

        var table = TreeTable()
        for place in TreePlacement(self, facts, glyphs).places {
            let node = place.node
            var marks: [String] = []
            if facts.isMain(node) { marks.append("main") }
            if policy(node).isInteractive { marks.append("interactive") }
            if eventName(node) != nil { marks.append("event") }
            if node == facts.initialDisplay { marks.append("initial display") }
            if node == facts.milestone { marks.append("milestone") }
            var expected = facts.expectedText(node).map(time) ?? ""
            if facts.hasExpectations { expected += facts.isCritical[node] ? " *" : "  " }
            // A title may be a sentence: cut, it leaves the columns behind it in sight.
            table.append([
                place.branch + id(node) + (place.continues ? " \(glyphs.ellipsis)" : ""),
                facts.title(node).map { printable($0, limit: 40) } ?? "", marks.joined(separator: ", "), expected,
                note(about: facts.dependencies[node], under: place.parent),
            ])
        }
        return header + "\n\n" + table.text
    }

    /// The dependencies of an operation besides the one that it stands under.
    private func note(about dependencies: [Int], under parent: Int?) -> String {
        let others = dependencies.filter { $0 != parent }
        guard let first = others.first else { return "" }
        // So that never only one is left out.
        let named = others.count <= 6 ? others : Array(others.prefix(5))
        var note = (parent == nil ? "after " : "also after ") + id(first)
        for other in named.dropFirst() { note += ", " + id(other) }
        return named.count < others.count ? note + " and \(others.count - named.count) more" : note
    }
}

/// The characters that draw a tree.
private struct TreeGlyphs {
    /// The line beside the part under an operation that others follow, and the lines to an operation that others follow and to the last
    /// one.
    let line: String, branch: String, last: String
    let ellipsis: String

    static let unicode = TreeGlyphs(line: "│  ", branch: "├─ ", last: "└─ ", ellipsis: "…")
    static let ascii = TreeGlyphs(line: "|  ", branch: "|- ", last: "`- ", ellipsis: "...")
}

/// Where each operation stands in a drawn tree.
private struct TreePlacement {
    struct Place {
        var node: Int
        /// The lines before the identifier.
        var branch: String
        /// The operation that it stands under; nil at the margin.
        var parent: Int?
        /// Whether the part under it follows at the margin.
        var continues: Bool
    }

    // Deeper, a line has more of the tree than of its operation, and a chain of 100,000 would be a text of gigabytes.
    private static let deepest = 16
    private let glyphs: TreeGlyphs
    private(set) var places: [Place] = []
    /// The first operation under each, and the next one under the same; -1 for none.
    private var firstChild: [Int]
    private var nextSibling: [Int]

    init(_ graph: ValidatedGraph, _ facts: GraphFacts, _ glyphs: TreeGlyphs) {
        self.glyphs = glyphs
        firstChild = [Int](repeating: -1, count: graph.count)
        nextSibling = firstChild
        places.reserveCapacity(graph.count)
        let ends = (0..<graph.count).map { facts.path.earliestStart[$0].addingSaturated(graph.policy($0).expected?.nanoseconds ?? 0) }
        var margin: [Int] = []
        // From the last: each is put before those that are there, and so they come out in the order in which they were added.
        for node in (0..<graph.count).reversed() {
            var last: Int?
            for dependency in facts.dependencies[node] {
                if let best = last, (ends[dependency], facts.levels[dependency]) <= (ends[best], facts.levels[best]) { continue }
                last = dependency
            }
            guard let parent = last else {
                margin.append(node)
                continue
            }
            nextSibling[node] = firstChild[parent]
            firstChild[parent] = node
        }
        // A stack of its own: a chain of 100,000 operations is a tree as deep.
        while let node = margin.popLast() {
            var deferred: [Int] = []
            place(node, &deferred)
            margin.append(contentsOf: deferred.reversed())
        }
    }

    /// Places `root` at the margin and everything under it, except operations that are too deep.
    private mutating func place(_ root: Int, _ deferred: inout [Int]) {
        /// By depth: whether something else follows under the same operation.
        var isOpen = [Bool](repeating: false, count: Self.deepest + 1)
        var pending = [(node: root, parent: Int?.none, depth: 0)]
        while let (node, parent, depth) = pending.popLast() {
            isOpen[depth] = nextSibling[node] >= 0
            var branch = ""
            if depth > 0 {
                for level in 1..<depth { branch += isOpen[level] ? glyphs.line : "   " }
                branch += isOpen[depth] ? glyphs.branch : glyphs.last
            }
            var children: [Int] = []
            var child = firstChild[node]
            while child >= 0 {
                children.append(child)
                child = nextSibling[child]
            }
            let continues = depth == Self.deepest && !children.isEmpty
            if continues {
                deferred += children
            } else {
                // Reversed, since the last one in is the first one out.
                pending += children.reversed().map { (node: $0, parent: node, depth: depth + 1) }
            }
            places.append(Place(node: node, branch: branch, parent: parent, continues: continues))
        }
    }
}

/// Rows of cells, each column as wide as its widest cell; the fourth flush right.
private struct TreeTable {
    private static let columns = 5
    private static let flushRight = 3
    /// One cell wider than this pushes the rest of its own row, not of all.
    private static let widest = 60

    private var rows: [[String]] = []
    private var widths: [[Int]] = []
    private var columnWidths = [Int](repeating: 0, count: columns)

    mutating func append(_ row: [String]) {
        let rowWidths = row.map(displayWidth)
        for column in 0..<Self.columns { columnWidths[column] = max(columnWidths[column], min(rowWidths[column], Self.widest)) }
        rows.append(row)
        widths.append(rowWidths)
    }

    var text: String {
        var text = ""
        for (row, widths) in zip(rows, widths) {
            if !text.isEmpty { text += "\n" }
            var line = ""
            for column in 0..<Self.columns where columnWidths[column] > 0 {
                let padding = String(repeating: " ", count: max(0, columnWidths[column] - widths[column]))
                line += column == Self.flushRight ? padding + row[column] : row[column] + padding
                line += "  "
            }
            // Empty cells at the end of a row leave their padding behind.
            while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
            text += line
        }
        return text
    }
}

/// How many columns of a terminal a text takes: ideographs and emoji take two (<https://www.unicode.org/reports/tr11/>).
package func displayWidth(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if character.unicodeScalars.contains(where: { $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation }) { return 2 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
        return 2
    default: return 1
    }
}
