/// A graph that cannot run, with everything that is wrong with it.
public struct GraphError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The graph's name.
    public let graph: String
    /// What is wrong: at least one problem, in the order of the operations they are about.
    public let problems: [GraphProblem]

    /// One sentence a problem, a line each.
    public var description: String {
        problems.map { "\(graph): \($0.message)" }.joined(separator: "\n")
    }
}

/// One thing that is wrong with a graph.
public struct GraphProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of problem.
    public struct Code: Sendable, Hashable {
        let name: String

        /// Operations that wait for one another in a circle.
        public static let cycle = Code(name: "cycle")
        /// An operation that waits for itself.
        public static let selfDependency = Code(name: "selfDependency")
        /// A dependency on an operation that is not in the graph.
        public static let unknownDependency = Code(name: "unknownDependency")
        /// A question about an operation that is not in the graph.
        public static let unknownStep = Code(name: "unknownStep")
        /// Two operations with one identifier.
        public static let duplicateIdentifier = Code(name: "duplicateIdentifier")
        /// An identifier that is empty, too long, or holds characters that cannot be printed.
        public static let invalidIdentifier = Code(name: "invalidIdentifier")
        /// A duration, count or share outside its range.
        public static let invalidOption = Code(name: "invalidOption")
        /// More than one milestone.
        public static let severalMilestones = Code(name: "severalMilestones")
        /// A step reads a value of another type than the step of that name produces.
        public static let valueType = Code(name: "valueType")
        /// A Foundation operation that cannot run here: in two places, started already, or waiting for one outside the graph.
        public static let foreignOperation = Code(name: "foreignOperation")
    }

    /// What kind of problem this is.
    public let code: Code
    /// The positions of the operations it is about, in the order they were added; for a cycle, its operations in the order of ``path``.
    public let positions: [Int]
    /// The identifiers of a cycle, first and last the same, each waiting for the next; otherwise empty.
    public let path: [String]
    /// One sentence: what, where, what was expected.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, positions: [Int] = [], path: [String] = [], _ message: String) {
        self.code = code
        self.positions = positions
        self.path = path
        self.message = message
    }

    static func unknownStep(_ id: String, nearest: String?) -> GraphProblem {
        GraphProblem(.unknownStep, "there is no operation '\(printable(id))'" + suggestion(nearest))
    }

    static func suggestion(_ nearest: String?) -> String {
        nearest.map { "; did you mean '\($0)'?" } ?? ""
    }
}

/// `text` fit for one line of output: control characters escaped, and cut after `limit` characters.
package func printable(_ text: String, limit: Int = 80) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(limit) {
        if scalar.isPrintable { result.unicodeScalars.append(scalar) } else { result += "\\u{" + String(scalar.value, radix: 16) + "}" }
    }
    return text.unicodeScalars.count > limit ? result + "…" : result
}

extension Unicode.Scalar {
    /// Whether a terminal or a drawing shows this as a character, rather than obeying it.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
