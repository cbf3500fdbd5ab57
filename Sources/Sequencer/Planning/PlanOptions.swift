/// What a plan is made for.
public struct PlanOptions: Sendable, Hashable {
    /// The most operations off the main thread that run at the same time, 1 to 1024; nil for as many as are ready.
    public var lanes: Int?
    /// What if these operations took this long: durations, by identifier, that take the place of what is expected.
    public var whatIf: [String: Duration]
    /// How long to search, in multiples of the usual: 0 for longest remaining path first and nothing else, which is what the engine does.
    ///
    /// It bounds the number of schedules looked at, not the time, so that a plan does not depend on the machine.
    public var effort: Int
    /// What the random part of the search is computed from; the same seed gives the same plan.
    public var seed: UInt64

    /// The options of a plan.
    public init(lanes: Int? = nil, whatIf: [String: Duration] = [:], effort: Int = 1, seed: UInt64 = 1) {
        self.lanes = lanes
        self.whatIf = whatIf
        self.effort = effort
        self.seed = seed
    }
}

extension PlanOptions {
    /// What is wrong with the options, for this graph.
    func problems(for graph: ValidatedGraph) -> [GraphProblem] {
        var problems: [GraphProblem] = []
        if let lanes, !(1...LaunchOptions.mostLanes).contains(lanes) {
            problems.append(GraphProblem(.invalidOption, "lanes must be 1 to \(LaunchOptions.mostLanes), and are \(lanes)"))
        }
        if effort < 0 { problems.append(GraphProblem(.invalidOption, "effort must be 0 or more, and is \(effort)")) }
        for (id, duration) in whatIf.sorted(by: { $0.key < $1.key }) {
            do {
                let node = try graph.index(of: id)
                guard duration < .zero || duration > OperationGraph.longestDuration else { continue }
                let message = "\(printable(id)): a duration must be 0 to 24 hours, and is \(duration)"
                problems.append(GraphProblem(.invalidOption, positions: [node], message))
            } catch {
                problems += error.problems
            }
        }
        return problems
    }

    /// How long each operation takes.
    func durations(in graph: ValidatedGraph) -> [Nanoseconds] {
        graph.graph.nodes.map { node in (whatIf[node.id] ?? node.policy?.value.expected)?.nanoseconds ?? 0 }
    }
}
