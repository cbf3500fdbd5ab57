import Sequencer

/// A predicted launch: a run of the engine in virtual time, in which each operation takes as long as is expected of it.
///
/// So it is the result of a launch in virtual time with such operations, to the nanosecond: the same order, lanes and
/// waits. The assumptions of virtual time are not always true: there are as many processors as operations want, threads
/// start at once, and code without an expectation takes no time.
///
/// A scenario file says by its `work` whether a step of the main thread keeps that while it lasts. Nobody sees in a
/// closure whether it suspends: a plan takes it to keep the main thread for all of its time, but for an interactive
/// step, whose answer comes there. Where a step is suspended after all, a launch may be shorter than its plan.
///
/// A plan counts all work of the launch; conditions hold. To keep the budget of ``PlanOptions/budget`` it cuts and puts
/// off the same operations as the launch; without one it does neither. Nothing fails but a step whose expected duration
/// exceeds its timeout: if the launch fails by it, it meets no budget.
///
/// ```swift
/// let plan = try await graph.plan(PlanOptions(lanes: 2))
/// print(plan.makespan, plan.lowerBound)
/// let faster = try await graph.plan(PlanOptions(lanes: 2, whatIf: ["login": .milliseconds(300)]))
/// ```
public struct LaunchPlan: Sendable {
    /// The graph that is planned.
    package let graph: ValidatedGraph
    private let options: PlanOptions
    /// The report of the launch in virtual time; its critical path is the longest path of the graph.
    public let report: LaunchReport
    /// No launch is shorter than this: the length of the longest path of all, or the work that the lanes share.
    public let lowerBound: Duration

    init(_ graph: ValidatedGraph, _ options: PlanOptions, _ durations: [Duration], _ report: LaunchReport) {
        // Where one takes the first of several, the others end with that.
        var lost: Set<Int> = []
        let awaited = graph.withRacers { _, racers in
            let first = racers.filter { report.operations[$0].outcome.isSuccess }
            if !first.isEmpty { lost.formUnion(Set(racers).subtracting(first)) }
            return first.isEmpty ? racers : first
        }
        func time(_ node: Int) -> Nanoseconds {
            (lost.contains(node) ? report.operations[node].duration : durations[node]).nanoseconds
        }
        // What is put off takes no time from the milestone.
        let path = CriticalPath(of: awaited, endingWith: graph.milestoneIndex) { node in
            report.operations[node].isDeferred ? 0 : time(node)
        }
        let longest = awaited.remaining(duration: time).max() ?? 0
        // Where a timeout cuts a path short, the launch is shorter than that.
        lowerBound = min(report.makespan, max(.nanoseconds(longest), options.lanes.map { report.workOnLanes / $0 } ?? .zero))
        var report = report
        report.setCriticalPath(path.path, length: .nanoseconds(path.length))
        (self.graph, self.options, self.report) = (graph, options, report)
    }

    /// The operations of one longest path to the milestone (without one: of all) by expected durations, in order.
    public var criticalPath: [String] { report.criticalPath }

    /// The length of that path: no number of lanes makes the launch shorter.
    public var criticalPathDuration: Duration { report.criticalPathDuration }

    /// When the last operation ends.
    public var makespan: Duration { report.makespan }

    /// The lanes: those asked for, or else as many as are used.
    ///
    /// A plan without a number of lanes is that of a launch without one. A launch on just as many may take another
    /// course: where lanes are scarce, operations are ordered, and put aside, so that none takes one from the
    /// milestone.
    public var lanes: Int { report.lanes }

    /// The operations, in the order they were added.
    public var operations: [OperationReport] { report.operations }

    /// The plan for the operation `id`; nil if the graph has no such operation.
    public subscript(id: String) -> OperationReport? { (try? graph.index(of: id)).map { report.operations[$0] } }

    /// The share of the lanes' time in which they work, 0 to 1; the main thread does not count.
    public var utilization: Double {
        let capacity = Double(makespan.nanoseconds) * Double(lanes)
        return capacity > 0 ? Double(report.workOnLanes.nanoseconds) / capacity : 0
    }

    /// The operations without an expected duration, in the order in which they were added. The plan counts them as
    /// taking no time.
    package var operationsWithoutExpectation: [String] { graph.operationsWithoutExpectation.filter { options.whatIf[$0] == nil } }

    /// The unknown parts of the time to its milestone.
    package var unknownTimes: UnknownTimes {
        // An operation without work takes no time, which is known.
        let unknown = Set((0..<graph.count).filter(graph.hasWork).map(graph.id)).intersection(operationsWithoutExpectation)
        return report.unknownTimes { unknown.contains($0.id) }
    }

    // MARK: Budgets

    /// When the milestone ends; without one, when everything has ended.
    public var milestoneEnd: Duration { graph.milestoneIndex.map { report.operations[$0].end } ?? makespan }

    /// When the initial display ends; nil without one.
    public var initialDisplayEnd: Duration? { graph.initialDisplayIndex.map { report.operations[$0].end } }

    /// Whether the launch is expected to be within `budget`, counted from when it is started; the initial display
    /// within its own, if there are both. A milestone that is switched off is within none.
    public func meets(_ budget: Budget) -> Bool {
        let meetsDisplay = budget.initialDisplay.flatMap { report.isInitialDisplayMet(within: $0) }
        return report.budget.isMet && report.budget.measured <= budget.limit && meetsDisplay != false
    }
}

extension LaunchPlan: CustomStringConvertible {
    /// The plan in a line: `regular: planned to take 1.33 s on 2 lanes; milestone after 1.33 s`.
    public var description: String {
        let milestone = graph.milestoneIndex != nil ? "; milestone after \(durationText(milestoneEnd))" : ""
        let plan = "\(printable(graph.name)): planned to take \(durationText(makespan)) on \(lanes) lane\(lanes == 1 ? "" : "s")"
        guard case .failed(let operation, let message) = report.outcome else { return plan + milestone }
        return plan + "; fails: \(printable(operation, limit: 80)): \(printable(message, limit: 400))"
    }
}

extension LaunchReport {
    /// The time of all operations that had a lane, added up.
    fileprivate var workOnLanes: Duration { operations.lazy.filter { $0.lane != nil }.reduce(.zero) { $0 + $1.duration } }
}

/// The options that a plan is made with.
public struct PlanOptions: Sendable, Hashable {
    /// The most operations off the main thread that run at the same time, 1 to 1024; nil for as many as are ready.
    public var lanes: Int?
    /// Supposed durations, by identifier, in place of the expected ones.
    public var whatIf: [String: Duration]
    /// The budget for the launch, counted from its start; nil for none: then nothing is cut or put off.
    public var budget: Budget?
    /// How many processors to suppose, at least 1; nil for as many as it takes. With fewer, an operation that the
    /// milestone does not need, and that computes, starts before the milestone's end only while fewer of that kind run.
    package var processors: Int?

    /// The options of a plan.
    public init(lanes: Int? = nil, whatIf: [String: Duration] = [:], budget: Budget? = nil) {
        (self.lanes, self.whatIf, self.budget) = (lanes, whatIf, budget)
    }

    /// How long each operation takes.
    fileprivate func durations(in graph: ValidatedGraph) throws(GraphError) -> [Duration] {
        // A dictionary has another order in each process, and messages must not.
        let problems = whatIf.sorted { $0.key < $1.key }.flatMap { id, duration -> [GraphProblem] in
            do throws(GraphError) {
                let node = try graph.index(of: id)
                if (.zero...OperationGraph.maximumDuration).contains(duration) { return [] }
                let message = "\(printable(id)): a duration must be 0 to 24 hours, and is \(duration)"
                return [GraphProblem(.invalidOption, positions: [node], message)]
            } catch { return error.problems }
        }
        guard problems.isEmpty else { throw GraphError(graph: graph.name, problems: problems) }
        return (0..<graph.count).map { node in
            guard graph.hasWork(node), !graph.policy(node).isSwitchedOff else { return .zero }
            return whatIf[graph.id(node)] ?? graph.policy(node).expected ?? .zero
        }
    }
}

extension OperationGraph {
    /// Plans a launch: see ``LaunchPlan``.
    ///
    /// - Throws: a `GraphError` when the graph is not valid, or an option is out of range.
    nonisolated(nonsending) public func plan(_ options: PlanOptions = PlanOptions()) async throws(GraphError) -> LaunchPlan {
        try await validated().plan(options)
    }
}

extension ValidatedGraph {
    /// Plans a launch: see ``LaunchPlan``.
    ///
    /// - Throws: a `GraphError` when an option is out of range, such as a supposed duration of an unknown operation.
    /// - Complexity: that of a launch.
    nonisolated(nonsending) public func plan(_ options: PlanOptions = PlanOptions()) async throws(GraphError) -> LaunchPlan {
        let durations = try options.durations(in: self)
        // Nil where nobody knows: the launch sees to its cuts and its order without an expectation there, too.
        let expected = (0..<count).map { options.whatIf[id($0)] ?? policy($0).expected }
        let report = try await rehearse(durations, expected: expected, options)
        return LaunchPlan(self, options, durations, report)
    }

    /// Runs the launch in virtual time.
    ///
    /// - Parameters:
    ///   - durations: how long each operation takes.
    ///   - expected: how long it is expected to take.
    ///   - options: say the rest; their supposed durations are among `durations`.
    ///   - processors: the processors that the operations share, for one launch; nil for as many as it takes.
    nonisolated(nonsending) func rehearse(
        _ durations: [Duration],
        expected: [Duration?],
        _ options: PlanOptions,
        on processors: SharedProcessors? = nil
    ) async throws(GraphError) -> LaunchReport {
        guard durations.reduce(.zero, +) < VirtualScheduler.never else {
            let message = "its operations take more than a hundred years in all, for which there is no virtual time"
            throw GraphError(graph: name, problems: [GraphProblem(.invalidOption, message)])
        }
        let graph = rehearsal(durations, expected: expected, on: processors)
        let launch = LaunchOptions(lanes: options.lanes, deadline: .never, clock: RehearsalClock(), seed: 0, processors: options.processors)
        // Started, and not run: it must not end early with the task that asks for it.
        var report = try await graph.start(budget: options.budget?.fromLaunch, options: launch).end().report
        // An event comes by its fallback.
        for (node, operation) in report.operations.enumerated()
        where operation.outcome == .fellBack && !operation.isCut && !timesOut(node, after: durations[node]) {
            report.operations[node].outcome = .succeeded
            report.operations[node].failure = nil
            report.operations[node].message = nil
        }
        return report
    }
}

/// The virtual time of one launch that waits for nothing in real time.
private struct RehearsalClock: VirtualTimeClock {
    struct Instant: InstantProtocol {
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    // Patience without end, nearly: others may keep the main thread for long.
    let scheduler = VirtualScheduler(patience: .seconds(3_600))
    var now: Instant { Instant(offset: scheduler.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    nonisolated(nonsending) func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await scheduler.sleep(until: deadline.offset)
    }
}
