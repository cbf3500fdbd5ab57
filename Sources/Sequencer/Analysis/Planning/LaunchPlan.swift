import Sequencer

/// A predicted launch: the start, the end and the lane of each operation, if all take as long as expected.
///
/// Operations start after those they wait for, at most as many at a time as there are lanes, and no more hold a resource than may. Of several that could start,
/// on a lane or on the main thread, the one that comes first in the order does; one that would be in the milestone's way there waits, as in a launch. At one moment, ends
/// come before starts. Steps that only join others take no time and no lane.
///
/// The main thread does one thing at a time, and needs no lane. A step that computes keeps it; one that is suspended leaves it to others, and ends when the main
/// thread is free again. A scenario file says which by its `work`. Nobody sees in a closure whether it suspends: a plan takes a step of the main thread to keep it for
/// all of its time, but for an interactive one, whose answer comes on the main thread. Where a step is suspended after all, a launch lets others begin meanwhile,
/// and may be shorter than its plan.
///
/// A launch in virtual time whose operations take as long as expected, and keep the main thread as its plan says, starts and ends each of them when its plan says.
///
/// A plan counts all that the launch has to do. It cuts nothing and puts nothing off, as the launch does to keep its budget: one that keeps it only by
/// its fallbacks, or by `StepOption/deferrable`, does not meet it in its plan.
///
/// ```swift
/// let plan = try graph.plan(PlanOptions(lanes: 2))
/// print(plan.makespan, plan.lowerBound, plan.order)
/// let faster = try graph.plan(PlanOptions(lanes: 2, whatIf: ["login": .milliseconds(300)]))
/// ```
///
/// The milestone ends as early as was found; of such schedules the plan is the shortest that was found, and often the shortest there is: ``isShortest`` says
/// when that is certain. Every operation
/// takes the lanes and starts as an engine would that starts ready operations in the plan's ``order``.
public struct LaunchPlan: Sendable {
    /// The graph that is planned.
    package let graph: ValidatedGraph
    /// The options that the plan was made with.
    package let options: PlanOptions
    /// When the last operation ends.
    public let makespan: Duration
    /// The lanes: those asked for, or else as many as are used.
    ///
    /// A plan without a number of lanes is that of a launch without one. A launch on just as many may take another course: where lanes are scarce, operations are
    /// ordered, and put aside, so that none takes one from the milestone.
    public let lanes: Int
    /// How many schedules were compared.
    package let evaluations: Int

    let problem: PlanningProblem
    let bound: LowerBound
    let provenBound: Nanoseconds
    let sequence: [Int32]
    let starts: [Nanoseconds]
    let ends: [Nanoseconds]
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
        ends = schedule.ends
        assignment = LaneAssignment(problem, schedule, until: problem.milestone)
        lanes = options.lanes ?? assignment.count
        bound = LowerBound(problem, lanes: options.lanes)
    }

    /// The graph's name.
    package var scenario: String { graph.name }

    /// No schedule can be shorter than this: the longest of the longest path, the work shared by the lanes, the main thread's work, and the work of the operations
    /// that need the same resource.
    public var lowerBound: Duration { .nanoseconds(bound.value) }

    /// The parts of ``lowerBound``.
    package var bounds: Bounds { Bounds(bound, problem) }

    /// A lower bound that also takes into account in which order operations must run, for graphs of up to 150 operations; never less than ``lowerBound``.
    package var provenLowerBound: Duration { .nanoseconds(provenBound) }

    /// Whether no schedule for these lanes is shorter: it is as long as the lower bound.
    public var isShortest: Bool { makespan <= provenLowerBound }

    /// The time that operations take, all added up, those on the main thread included.
    package var work: Duration { .nanoseconds(problem.durations.reduce(0 as Nanoseconds) { $0.addingSaturated($1) }) }

    /// The share of the lanes' time in which they work, 0 to 1; the main thread does not count.
    package var utilization: Double {
        let capacity = Double(makespan.nanoseconds) * Double(lanes)
        guard capacity > 0 else { return 0 }
        let work = problem.durations.indices.reduce(into: 0.0) { sum, node in
            if problem.places[node] == .lane { sum += Double(problem.durations[node]) }
        }
        return work / capacity
    }

    /// The operations of one longest path to the milestone (without one: of all), in order, by dependencies alone: what a launch really
    /// waits for, its report says.
    public var criticalPath: [String] { longestPath.path.map(graph.id) }

    /// The length of that path: no number of lanes makes the launch shorter.
    public var criticalPathDuration: Duration { .nanoseconds(longestPath.length) }

    private var longestPath: CriticalPath {
        guard let milestone = problem.milestone else { return problem.path }
        return CriticalPath(of: graph, endingWith: milestone) { problem.durations[$0] }
    }

    package var hasMilestone: Bool { graph.milestoneIndex != nil }

    /// The operations in the order in which they start.
    public var order: [String] { sequence.map { graph.id(Int($0)) } }

    /// The operations without an expected duration, in the order in which they were added. The plan counts them as taking no time.
    package var operationsWithoutExpectation: [String] { graph.operationsWithoutExpectation.filter { options.whatIf[$0] == nil } }

    /// The operations, in the order they were added.
    public var operations: [PlannedOperation] {
        var isCritical = [Bool](repeating: false, count: graph.count)
        for node in longestPath.path { isCritical[node] = true }
        return (0..<graph.count).map { operation($0, isCritical: isCritical[$0]) }
    }

    /// The plan for the operation `id`; nil if the graph has no such operation.
    public subscript(id: String) -> PlannedOperation? {
        (try? graph.index(of: id)).map { operation($0, isCritical: longestPath.path.contains($0)) }
    }

    private func operation(_ node: Int, isCritical: Bool) -> PlannedOperation {
        PlannedOperation(
            id: graph.id(node),
            start: .nanoseconds(starts[node]),
            end: .nanoseconds(ends[node]),
            lane: assignment.lanes[node] >= 0 ? Int(assignment.lanes[node]) + 1 : nil,
            isMain: graph.isMain(node),
            isInteractive: graph.policy(node).isExpectedOfPerson,
            slack: .nanoseconds(assignment.slack[node]),
            isCritical: isCritical
        )
    }
}

extension LaunchPlan {
    /// The times that no schedule can be shorter than, by reason.
    package struct Bounds: Sendable, Hashable {
        /// The longest path.
        package let criticalPath: Duration
        /// The work of all lanes, shared by them; zero when there are as many as it takes.
        package let lanes: Duration
        /// The main thread's work.
        package let main: Duration
        /// The work of the operations that need each exclusive resource.
        package let resources: [ExclusiveResource: Duration]

        init(_ bound: LowerBound, _ problem: PlanningProblem) {
            criticalPath = .nanoseconds(bound.path)
            lanes = .nanoseconds(bound.lanes)
            main = .nanoseconds(bound.main)
            // Each name is there once; `uniqueKeysWithValues` would trap if one were not.
            resources = Dictionary(zip(problem.resourceNames, bound.resources.map { .nanoseconds($0) })) { first, _ in first }
        }
    }
}

/// The plan for one operation.
public struct PlannedOperation: Sendable, Hashable {
    /// The operation's identifier.
    public let id: String
    /// When it starts.
    public let start: Duration
    /// When it ends.
    public let end: Duration
    /// The lane it runs on, from 1; nil when it runs on the main thread, or only joins others.
    public let lane: Int?
    /// Whether it runs on the main thread.
    public let isMain: Bool
    /// Whether it waits for a person.
    package let isInteractive: Bool
    /// How much later it could end without making the milestone later (without one: this plan longer), with the same order on each lane, on the main thread and at each
    /// resource; one that the milestone does not need, without ending after it. One that is suspended on the main thread comes back there between others.
    package let slack: Duration
    /// Whether it is one of the plan's ``LaunchPlan/criticalPath``.
    package let isCritical: Bool

    /// How long it takes: longer than expected where it is suspended, and finds the main thread taken when it comes back.
    public var duration: Duration { end - start }
}

extension PlannedOperation: CustomStringConvertible {
    /// One line: `login, 100 ms to 710 ms, lane 1`.
    public var description: String {
        let place = isMain ? ", main" : lane.map { ", lane \($0)" } ?? ""
        return "\(printable(id)), \(durationText(start)) to \(durationText(end))\(place)"
    }
}

extension LaunchPlan: CustomStringConvertible {
    /// One line: `regular: planned to take 1.33 s on 2 lanes; milestone after 1.33 s`.
    public var description: String {
        let milestone = hasMilestone ? "; milestone after \(durationText(milestoneEnd))" : ""
        return "\(printable(scenario)): planned to take \(durationText(makespan)) on \(lanes) lane\(lanes == 1 ? "" : "s")\(milestone)"
    }
}

extension LaunchPlan {
    /// When the milestone ends; without one, when everything has ended.
    package var milestoneEnd: Duration {
        graph.milestoneIndex.map { .nanoseconds(ends[$0]) } ?? makespan
    }

    /// When the initial display ends; nil without one.
    package var initialDisplayEnd: Duration? { graph.initialDisplayIndex.map { .nanoseconds(ends[$0]) } }

    /// When at least one interactive operation runs, until the milestone ends: in order, without overlaps. It does not count against a budget.
    package var questions: [Range<Duration>] {
        let end = milestoneEnd.nanoseconds
        let intervals = (0..<graph.count).lazy
            .filter { self.graph.policy($0).isExpectedOfPerson && self.starts[$0] < end }
            .map { (start: self.starts[$0], end: min(self.ends[$0], end)) }
            .sorted { $0.start < $1.start }
        var questions: [Range<Duration>] = []
        var covered: Nanoseconds = 0
        // They may overlap: each moment counts once.
        for interval in intervals where interval.end > covered {
            questions.append(.nanoseconds(max(interval.start, covered))..<(.nanoseconds(interval.end)))
            covered = interval.end
        }
        return questions
    }

    /// The time of these until the milestone ends.
    package var interactive: Duration { interactive(until: milestoneEnd) }

    private func interactive(until end: Duration) -> Duration {
        questions.reduce(.zero) { $0 + max(.zero, min($1.upperBound, end) - $1.lowerBound) }
    }

    /// The time that counts against a budget: until the milestone ends, without interactive time.
    package var measured: Duration { milestoneEnd - interactive }

    /// The time that counts until the initial display ends; nil without one.
    package var measuredToInitialDisplay: Duration? { initialDisplayEnd.map { $0 - interactive(until: $0) } }

    /// Whether the launch is expected to be within `budget`, counted from when it is started; the initial display within its own, if there are both.
    public func meets(_ budget: Budget) -> Bool { measured <= budget.limit && meetsInitialDisplay(of: budget) != false }

    /// Whether the initial display is expected within its budget; nil without one of the two.
    package func meetsInitialDisplay(of budget: Budget) -> Bool? {
        guard let limit = budget.initialDisplay, let measuredToInitialDisplay else { return nil }
        return measuredToInitialDisplay <= limit
    }
}

/// The options that a plan is made with.
public struct PlanOptions: Sendable, Hashable {
    /// The most operations off the main thread that run at the same time, 1 to 1024; nil for as many as are ready.
    public var lanes: Int?
    /// Supposed durations, by identifier, in place of the expected ones.
    public var whatIf: [String: Duration]
    /// How long to search, in multiples of the usual: 0 for what the engine does without a plan, and nothing else.
    ///
    /// It bounds the number of schedules looked at, not the time, so that a plan does not depend on the machine.
    public var effort: Int
    /// The seed of the random part of the search; the same seed gives the same plan.
    public var seed: UInt64
    /// The operations that are to end early. A launch that follows the plan's order needs the same goal in its `LaunchOptions`.
    package var goal = LaunchGoal.milestone
    /// How many processors to suppose, at least 1; nil for as many as it takes. With fewer, an operation that the milestone does not need, and that computes, starts before
    /// the milestone's end only while fewer of that kind run.
    package var processors: Int?

    /// The options of a plan.
    public init(lanes: Int? = nil, whatIf: [String: Duration] = [:], effort: Int = 1, seed: UInt64 = 1) {
        self.lanes = lanes
        self.whatIf = whatIf
        self.effort = effort
        self.seed = seed
    }
}

extension PlanOptions {
    /// The mistakes in the options, for this graph.
    func problems(for graph: ValidatedGraph) -> [GraphProblem] {
        var problems: [GraphProblem] = []
        if let lanes, !(1...LaunchOptions.maximumLanes).contains(lanes) {
            problems.append(GraphProblem(.invalidOption, "lanes must be 1 to \(LaunchOptions.maximumLanes), and are \(lanes)"))
        }
        if let processors, processors < 1 {
            problems.append(GraphProblem(.invalidOption, "processors must be 1 or more, and are \(processors)"))
        }
        if effort < 0 { problems.append(GraphProblem(.invalidOption, "effort must be 0 or more, and is \(effort)")) }
        // A dictionary has another order in each process, and messages must not.
        for (id, duration) in whatIf.sorted(by: { $0.key < $1.key }) {
            do {
                let node = try graph.index(of: id)
                guard duration < .zero || duration > OperationGraph.maximumDuration else { continue }
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
        (0..<graph.count).map { (whatIf[graph.id($0)] ?? graph.policy($0).expected)?.nanoseconds ?? 0 }
    }
}
