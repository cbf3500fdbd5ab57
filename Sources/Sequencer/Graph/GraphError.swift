/// A graph that cannot run, with everything that is wrong with it. Its description has a line for each problem: the
/// graph and a sentence.
public struct GraphError: DescribedError, Sendable, Equatable {
    /// The graph's name.
    let graph: String
    /// The problems, at least one, in the order of the first operation that each is about.
    public let problems: [GraphProblem]

    package init(graph: String, problems: [GraphProblem]) {
        self.graph = graph
        self.problems = problems
    }

    /// The value in words.
    public var description: String { problems.map { "\(printable(graph)): \($0)" }.joined(separator: "\n") }
}

/// A fault of a graph.
///
/// Its description is one sentence with the problem, its place and the expectation:
/// `cycle: a → c → b → a (each waits for the next)`.
public struct GraphProblem: CustomStringConvertible, Sendable, Equatable {
    /// The kinds of problem. Most are mistakes in a graph or an option, and their messages say what to change; public
    /// are those that an app may meet though its graph is right: its launch cannot start now. Each prints its name,
    /// such as `cycle`.
    public struct Code: NamedValue, Sendable, Hashable {
        package let name: String

        /// Operations that wait for one another in a circle.
        package static let cycle = Code(name: "cycle")
        /// An operation that waits for itself.
        static let selfDependency = Code(name: "selfDependency")
        /// A dependency on an operation that is not in the graph, or by a handle of another graph.
        static let unknownDependency = Code(name: "unknownDependency")
        /// A question about an operation that is not in the graph, or by a handle of another graph, or a dependency
        /// added to one.
        static let unknownStep = Code(name: "unknownStep")
        /// Two operations with one identifier.
        static let duplicateIdentifier = Code(name: "duplicateIdentifier")
        /// An identifier that is empty, too long, begins or ends with white space, or holds characters that cannot be
        /// printed.
        static let invalidIdentifier = Code(name: "invalidIdentifier")
        /// A duration, count or share outside its range.
        package static let invalidOption = Code(name: "invalidOption")
        /// More than one milestone.
        static let severalMilestones = Code(name: "severalMilestones")
        /// A step reads a value that the step of that name does not produce, or not before it starts, or not always.
        static let valueType = Code(name: "valueType")
        /// A Foundation operation that cannot run here: in two places or in a queue, started already, waiting for one
        /// outside the graph, or returned by a step's closure as its value.
        static let foreignOperation = Code(name: "foreignOperation")
        /// A step of the prologue that waits for a step outside of it, or for a later one; or a graph with a prologue
        /// that was started off the main thread.
        static let prologue = Code(name: "prologue")
        /// A launch that is not started because another one runs, and only one may run at a time.
        public static let alreadyRunning = Code(name: "alreadyRunning")
        /// A launch that is not started because one has completed in this process.
        public static let alreadyLaunched = Code(name: "alreadyLaunched")
        /// A scope of a name that another scope of the launch has.
        static let duplicateScope = Code(name: "duplicateScope")
        /// A scope that was added to a launch which has ended or was stopped.
        public static let launchOver = Code(name: "launchOver")
    }

    /// The kind of problem.
    public let code: Code
    /// The positions of the operations it is about, in the order they were added; for a cycle, its operations in the
    /// order of ``path``.
    package let positions: [Int]
    /// All identifiers of a cycle, first and last the same, each waiting for the next; otherwise empty.
    let path: [String]
    /// The problem, its place and the expectation, in one sentence.
    public let description: String

    package init(_ code: Code, positions: [Int] = [], path: [String] = [], _ description: String) {
        (self.code, self.positions, self.path, self.description) = (code, positions, path, description)
    }

    static func unknownStep(_ id: String, nearest: String?) -> GraphProblem {
        GraphProblem(.unknownStep, "there is no operation '\(printable(id))'" + suggestion(nearest))
    }

    static func suggestion(_ nearest: String?) -> String { nearest.map { "; did you mean '\(printable($0))'?" } ?? "" }
}
