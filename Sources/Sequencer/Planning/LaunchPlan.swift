/// A predicted launch: when each operation starts and ends, and on which lane, if each takes as long as expected.
///
/// Operations start after those they wait for, at most as many at a time as there are lanes; main-thread steps run one at a time, on a lane of
/// their own; no two operations hold the same exclusive resource. Steps that only join others take no time and no lane.
///
/// ```swift
/// let plan = try graph.plan(PlanOptions(lanes: 2))
/// print(plan.makespan, plan.lowerBound, plan.utilization)
/// let faster = try graph.plan(PlanOptions(lanes: 2, whatIf: ["login": .milliseconds(300)]))
/// ```
///
/// The makespan is the shortest that was found, and often the shortest there is: ``isShortest`` says when that is certain. Every operation
/// takes the lanes and starts as an engine would that starts ready operations in the plan's ``order``.
public struct LaunchPlan: Sendable {
    /// The graph that is planned.
    public let graph: ValidatedGraph
    /// What the plan was made for.
    public let options: PlanOptions
    /// When the last operation ends.
    public let makespan: Duration
    /// The lanes: those asked for, or else as many as are used.
    public let lanes: Int
    /// How many schedules were compared.
    public let evaluations: Int

    let problem: PlanningProblem
    let bound: LowerBound
    let provenBound: Nanoseconds
    let sequence: [Int32]
    let starts: [Nanoseconds]
    let assignment: LaneAssignment

    init(
        _ graph: ValidatedGraph,
        _ options: PlanOptions,
        _ problem: PlanningProblem,
        _ schedule: PlanSearch.Schedule,
        provenBound: Nanoseconds,
        evaluations: Int
    ) {
        self.graph = graph
        self.options = options
        self.problem = problem
        self.provenBound = provenBound
        self.evaluations = evaluations
        makespan = .nanoseconds(schedule.makespan)
        sequence = schedule.sequence
        starts = schedule.starts
        assignment = LaneAssignment(problem, schedule)
        lanes = options.lanes ?? assignment.count
        bound = LowerBound(problem, lanes: options.lanes)
    }

    /// The graph's name.
    public var scenario: String { graph.name }

    /// What no schedule can be shorter than: the longest path, the work shared by the lanes, the main thread's work, or that of the operations
    /// that need the same resource, whatever is longest.
    public var lowerBound: Duration { .nanoseconds(bound.value) }

    /// What makes up ``lowerBound``.
    public var bounds: Bounds { Bounds(bound, problem) }

    /// A lower bound that also takes into account in which order operations must run, for graphs of up to 150 operations; never less than ``lowerBound``.
    public var provenLowerBound: Duration { .nanoseconds(provenBound) }

    /// Whether no schedule for these lanes is shorter: it is as long as the lower bound.
    public var isShortest: Bool { makespan <= provenLowerBound }

    /// The time that operations take, all added up, those on the main thread included.
    public var work: Duration { .nanoseconds(problem.durations.reduce(0 as Nanoseconds) { $0.addingSaturated($1) }) }

    /// The share of the lanes' time in which they work, 0 to 1; the main thread does not count.
    public var utilization: Double {
        let capacity = Double(makespan.nanoseconds) * Double(lanes)
        guard capacity > 0 else { return 0 }
        let work = problem.durations.indices.reduce(into: 0.0) { sum, node in
            if problem.places[node] == .lane { sum += Double(problem.durations[node]) }
        }
        return work / capacity
    }

    /// The operations of one longest path, in order.
    public var criticalPath: [String] { problem.path.path.map(graph.id) }

    /// The length of the longest path: no number of lanes makes the launch shorter.
    public var criticalPathDuration: Duration { .nanoseconds(problem.path.length) }

    /// The operations in the order in which they start.
    public var order: [String] { sequence.map { graph.id(Int($0)) } }

    /// The operations of which nothing is known, and which the plan counts as taking no time, in the order they were added.
    public var operationsWithoutExpectation: [String] {
        (0..<graph.count).filter { node in
            problem.places[node] != .nowhere && graph.policy(node).expected == nil && options.whatIf[graph.id(node)] == nil
        }.map(graph.id)
    }

    /// The operations, in the order they were added.
    public var operations: [PlannedOperation] { (0..<graph.count).map(operation) }

    /// What is planned for the operation `id`; nil when there is none.
    public subscript(id: String) -> PlannedOperation? {
        (try? graph.index(of: id)).map(operation)
    }

    private func operation(_ node: Int) -> PlannedOperation {
        PlannedOperation(
            id: graph.id(node),
            start: .nanoseconds(starts[node]),
            end: .nanoseconds(end(node)),
            lane: assignment.lanes[node] >= 0 ? Int(assignment.lanes[node]) + 1 : nil,
            isMain: problem.places[node] == .main,
            isInteractive: graph.policy(node).isInteractive,
            slack: .nanoseconds(assignment.slack[node])
        )
    }

    /// Ranks for an engine that starts operations in this plan's order: the first has the highest, and those the plan does not know have none.
    func ranks(in graph: ValidatedGraph) -> [Nanoseconds] {
        var ranks = [Nanoseconds](repeating: 0, count: graph.count)
        for (place, node) in sequence.enumerated() {
            guard let position = graph.positions[self.graph.id(Int(node))] else { continue }
            ranks[Int(position)] = Nanoseconds(sequence.count - place)
        }
        return ranks
    }

    func end(_ node: Int) -> Nanoseconds { starts[node].addingSaturated(problem.durations[node]) }
}

extension LaunchPlan {
    /// What no schedule can be shorter than, by reason.
    public struct Bounds: Sendable, Hashable {
        /// The longest path.
        public let criticalPath: Duration
        /// The work of all lanes, shared by them; zero when there are as many as it takes.
        public let lanes: Duration
        /// The main thread's work.
        public let main: Duration
        /// The work of the operations that need each exclusive resource.
        public let resources: [ExclusiveResource: Duration]

        init(_ bound: LowerBound, _ problem: PlanningProblem) {
            criticalPath = .nanoseconds(bound.path)
            lanes = .nanoseconds(bound.lanes)
            main = .nanoseconds(bound.main)
            resources = Dictionary(zip(problem.resourceNames, bound.resources.map { .nanoseconds($0) })) { first, _ in first }
        }
    }
}
