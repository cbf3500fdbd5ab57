import Sequencer

/// A launch that has run, as the planner sees it: tells how long it would have taken with other times of its operations.
///
/// Each operation takes its measured time, and needs the same lane, main thread and exclusive resources. Of several ready operations, the first is the one that
/// a launch with these expectations would start. If the order of the measured starts explains the launch better, as in one with an order of its own, that order
/// counts. Waits for the machine are left out.
package struct MeasuredLaunch: Sendable {
    private let graph: ValidatedGraph
    private let durations: [Nanoseconds]
    private let lanes: Int
    /// The operation whose end counts; nil for all of them.
    private let last: Int?
    /// By operation, the place in which it started, where that is the order; nil for the one that a launch would choose.
    private let places: [Int64]?
    /// When it would have ended.
    private let end: Nanoseconds

    /// - Returns: nil where nothing is scarce, so that paths say all there is to say; for a launch that did not complete; and for a report that no launch has made.
    package init?(_ report: LaunchReport) {
        // A file may hold any report: one with a circle of dependencies has no schedule.
        guard report.outcome == .completed, let lanes = Self.scarceLanes(report), let graph = try? Self.graph(report).validated() else {
            return nil
        }
        let durations = report.operations.map { operation -> Nanoseconds in
            // The expectation of a join decides which operation goes first.
            Self.isJoin(operation) ? operation.expected?.nanoseconds ?? 0 : operation.duration.nanoseconds
        }
        let endsWithMilestone = report.isMilestoneReached || report.operations.contains { $0.isDeferred }
        let last = endsWithMilestone ? graph.milestoneIndex : nil

        let problem = PlanningProblem(graph, durations: durations)
        let chosen = Self.schedule(problem, lanes: lanes, PriorityRule.longestPath.keys(problem, lanes: lanes))
        let places = Self.places(report)
        // The measured starts show already which operations were held back: nothing is kept free a second time.
        let kept = Self.schedule(problem, lanes: lanes, places, keepsFree: false)
        let measured = last.map { report.operations[$0].end.nanoseconds } ?? report.makespan.nanoseconds
        let (chosenEnd, keptEnd) = (Self.end(of: chosen, last), Self.end(of: kept, last))
        // The order that comes closer to the measured end; of equal ones the engine's.
        let isKept = abs(keptEnd - measured) < abs(chosenEnd - measured)
        (self.graph, self.durations, self.lanes, self.last) = (graph, durations, lanes, last)
        self.places = isKept ? places : nil
        end = isKept ? keptEnd : chosenEnd
    }

    /// How much earlier the launch proper would have ended if an operation had taken no time.
    ///
    /// - Complexity: O(dependencies + operations · log operations).
    package func gain(_ node: Int) -> Duration {
        if graph.isJoin(node) { return .zero }
        var durations = durations
        durations[node] = 0
        let problem = PlanningProblem(graph, durations: durations)
        let keys = places ?? PriorityRule.longestPath.keys(problem, lanes: lanes)
        let schedule = Self.schedule(problem, lanes: lanes, keys, keepsFree: places == nil)
        // A list schedule may become longer when an operation takes less time (R. L. Graham, 1969): such a launch gains nothing.
        return .nanoseconds(max(0, end - Self.end(of: schedule, last)))
    }

    // MARK: The launch of the report

    /// The lanes, where something is scarce: there are fewer than operations for them, or operations share a resource or the main thread.
    private static func scarceLanes(_ report: LaunchReport) -> Int? {
        let run = report.operations.filter { $0.start != nil && !isJoin($0) }
        let count = run.count { !$0.isMain && !isEvent($0, report) }
        let isLimited = report.lanes > 0 && (report.hasLaneLimit || HoldUps(report).areForLanes)
        let onMain = run.filter(\.isMain)
        var users: [ExclusiveResource: Int] = [:]
        for resource in run.flatMap(\.exclusive) { users[resource, default: 0] += 1 }
        let isShort = users.contains { $0.value > report.resourceLimits[$0.key] ?? 1 }
        let isShared = isShort || onMain.count > 1 && !onMain.allSatisfy(\.suspends)
        guard isShared || isLimited && report.lanes < count else { return nil }
        return isLimited ? report.lanes : report.operations.count
    }

    /// Whether an operation takes no time: one that never started or was put off held nothing up.
    private static func isJoin(_ operation: OperationReport) -> Bool {
        if operation.isDeferred { return true }
        // It was asked for its condition where it would have run.
        if operation.start == nil { return operation.ready == nil || operation.outcome != .skipped }
        return operation.lane == nil && !operation.isMain && operation.duration == .zero
    }

    /// It waited for an event, on no lane.
    private static func isEvent(_ operation: OperationReport, _ report: LaunchReport) -> Bool {
        report.lanes > 0 && operation.start != nil && operation.lane == nil && !operation.isMain && !isJoin(operation)
    }

    private static func graph(_ report: LaunchReport) -> OperationGraph {
        var graph = OperationGraph(report.scenario)
        for (resource, limit) in report.resourceLimits { graph.limit(resource, to: limit) }
        for operation in report.operations {
            var options: [StepOption] = []
            if operation.id == report.milestone { options.append(.milestone) }
            if operation.id == report.initialDisplay { options.append(.initialDisplay) }
            if operation.isInteractive { options.append(.interactive) }
            if isJoin(operation) {
                graph.join(operation.id, .all(options), after: operation.dependencies)
                continue
            }
            // Validated, so that no time is out of range.
            options.append(.expected(operation.duration))
            if isEvent(operation, report) {
                graph.wait(for: ExternalEvent<Void>(operation.id), .all(options), after: operation.dependencies)
                continue
            }
            if !operation.exclusive.isEmpty { options.append(.exclusive(operation.exclusive)) }
            if operation.isMain {
                options.append(.suspends(operation.suspends))
                graph.add(operation.id, .all(options), after: operation.dependencies, on: .main) {}
            } else {
                graph.add(operation.id, .all(options), after: operation.dependencies) {}
            }
        }
        return graph
    }

    /// By operation, its place among all when they are sorted by their starts; of those that started together, in the order of the report.
    private static func places(_ report: LaunchReport) -> [Int64] {
        let operations = report.operations
        // By the index as well: the documentation of `sorted` does not promise a stable order.
        let sorted = operations.indices.sorted { (operations[$0].start ?? .zero, $0) < (operations[$1].start ?? .zero, $1) }
        var places = [Int64](repeating: 0, count: operations.count)
        for (place, node) in sorted.enumerated() { places[node] = Int64(place) }
        return places
    }

    // MARK: Schedules

    private static func schedule(_ problem: PlanningProblem, lanes: Int, _ keys: [Int64], keepsFree: Bool = true) -> PlanSearch.Schedule {
        var scheduler = ListScheduler(problem, lanes: lanes, keepsFree: keepsFree)
        let makespan = scheduler.schedule(keys)
        let length = PlanSearch.Length(initialDisplay: 0, milestone: makespan, makespan: makespan)
        return PlanSearch.Schedule(length: length, starts: scheduler.starts, ends: scheduler.ends, sequence: scheduler.sequence)
    }

    private static func end(of schedule: PlanSearch.Schedule, _ last: Int?) -> Nanoseconds {
        last.map { schedule.ends[$0] } ?? schedule.makespan
    }
}
