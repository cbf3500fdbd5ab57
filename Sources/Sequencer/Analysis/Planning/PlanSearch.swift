import Sequencer

extension OperationGraph {
    /// Predicts a launch of this graph from expected durations. See `ValidatedGraph/plan(_:)`.
    ///
    /// - Throws: a `GraphError` when the graph or the options are not valid.
    public func plan(_ options: PlanOptions = PlanOptions()) throws(GraphError) -> LaunchPlan {
        try validated().plan(options)
    }

    /// The fewest lanes that make a launch of this graph as short as any number of lanes can. See `ValidatedGraph/planWithFewestLanes(_:)`.
    ///
    /// - Throws: a `GraphError` when the graph or the options are not valid.
    package func planWithFewestLanes(_ options: PlanOptions = PlanOptions()) throws(GraphError) -> LaunchPlan {
        try validated().planWithFewestLanes(options)
    }
}

extension ValidatedGraph {
    /// Predicts a launch of this graph from expected durations: the milestone ends as early as can be found, and of such schedules this is the shortest. An initial
    /// display comes before both.
    ///
    /// The search begins with what a launch without a plan starts first, tries other rules, then changes the best schedule here and there; it ends
    /// when the milestone and the makespan are as early as their lower bounds, or after a number of schedules that the `effort` of ``PlanOptions`` multiplies. The same graph and
    /// options always give the same plan. Operations without a known duration take no time.
    ///
    /// - Throws: a `GraphError` when an option is out of range, or names an operation that is not in the graph.
    /// - Complexity: a few milliseconds for a hundred operations; O(dependencies + operations · log operations) for one of very many.
    public func plan(_ options: PlanOptions = PlanOptions()) throws(GraphError) -> LaunchPlan {
        let problem = try planningProblem(options)
        return plan(options, problem)
    }

    /// The fewest lanes that make the launch as short as any number of lanes can, as far as the search finds: the plan for them.
    ///
    /// With fewer, operations would wait for lanes longer than the longest path allows; more would idle. `lanes` of `options` is not used.
    ///
    /// - Throws: a `GraphError` when an option is out of range, or names an operation that is not in the graph.
    package func planWithFewestLanes(_ options: PlanOptions = PlanOptions()) throws(GraphError) -> LaunchPlan {
        var options = options
        options.lanes = nil
        let problem = try planningProblem(options)
        let widest = plan(options, problem)
        let enough = widest.schedule.length
        let target = enough.makespan
        options.lanes = max(widest.lanes, 1)
        let bound = problem.provenBound(lanes: options.lanes)
        var best = LaunchPlan(self, options, problem, widest.schedule, provenBound: bound, evaluations: widest.evaluations)
        // Fewer than `low` are too few; `best` is enough. From below, in steps that double, then halfway in between.
        var low = target > 0 ? Int(clamping: LowerBound(problem, lanes: 1).lanes.dividedRoundingUp(by: target)) : 1
        low = max(low, 1)
        var step = 1
        var next = low
        while low < best.lanes {
            options.lanes = min(next, best.lanes - 1)
            let candidate = plan(options, problem, enough: enough)
            if candidate.schedule.length.isWithin(enough) {
                best = candidate
                step = 0
            } else {
                low = candidate.lanes + 1
            }
            next = step > 0 ? low + step - 1 : low + (best.lanes - low) / 2
            step *= 2
        }
        return best
    }

    private func planningProblem(_ options: PlanOptions) throws(GraphError) -> PlanningProblem {
        let problems = options.problems(for: self)
        guard problems.isEmpty else { throw GraphError(graph: name, problems: problems) }
        return PlanningProblem(self, durations: options.durations(in: self), goal: options.goal, processors: options.processors)
    }

    /// - Parameter enough: the length that ends the search, even if there may be a shorter one.
    private func plan(
        _ options: PlanOptions,
        _ problem: PlanningProblem,
        enough: PlanSearch.Length = .shortest
    ) -> LaunchPlan {
        let bound = problem.provenBound(lanes: options.lanes)
        func end(_ last: Int) -> Nanoseconds { problem.bound(endOf: last, lanes: options.lanes) }
        let shortest = PlanSearch.Length(
            initialDisplay: problem.initialDisplay.map(end) ?? 0,
            // Where everything leads to the milestone, it ends with the launch.
            milestone: problem.milestone.map { problem.urgency.levels.contains(0) ? end($0) : bound } ?? bound,
            makespan: bound
        )
        var search = PlanSearch(
            problem,
            lanes: options.lanes ?? max(count, 1),
            target: shortest.or(enough),
            limit: PlanSearch.limit(count: count, effort: options.effort),
            seed: options.seed
        )
        search.run()
        return LaunchPlan(self, options, problem, search.best, provenBound: bound, evaluations: search.evaluations)
    }
}

extension LaunchPlan {
    fileprivate var schedule: PlanSearch.Schedule {
        let length = PlanSearch.Length(
            initialDisplay: problem.initialDisplay.map { ends[$0] } ?? 0,
            milestone: (options.goal == .milestone ? milestoneEnd : makespan).nanoseconds,
            makespan: makespan.nanoseconds
        )
        return PlanSearch.Schedule(length: length, starts: starts, ends: ends, sequence: sequence)
    }
}

/// Looks for a short schedule: by priority rules first, then by walking from schedule to schedule at random.
///
/// Every schedule that can become the best one is made forward, by list scheduling: an engine that starts ready operations in its order carries it
/// out as it is, when durations are as expected.
///
/// Where the goal is the makespan, the shortest schedule may let the main thread, a lane or a resource idle for an operation that comes soon, which no list schedule does. So the walk begins with
/// the order of the best one, and makes schedules in which operations wait for those before them in the order (``Reservations``).
///
/// The walk is a local search over random keys (J. C. Bean, "Genetic algorithms and random keys for sequencing and optimization", 1994): it moves a few operations
/// in the order, keeps the result if it is not worse, and begins again from another schedule when nothing has become better for long. It
/// ends at a bound that no schedule beats, or after a number of schedules. The same problem, seed and limit give the same schedule.
struct PlanSearch {
    /// How good a schedule is: the initial display's end matters first, then the milestone's, then that of everything.
    struct Length: Comparable {
        /// When the initial display ends; 0 without one.
        var initialDisplay: Nanoseconds
        /// When the milestone ends; without one, when everything has ended.
        var milestone: Nanoseconds
        var makespan: Nanoseconds

        static let shortest = Length(initialDisplay: 0, milestone: 0, makespan: 0)
        static let longest = Length(initialDisplay: .max, milestone: .max, makespan: .max)

        static func < (left: Length, right: Length) -> Bool {
            (left.initialDisplay, left.milestone, left.makespan) < (right.initialDisplay, right.milestone, right.makespan)
        }

        /// Whether each of the three is at most as long as another's.
        func isWithin(_ other: Length) -> Bool {
            initialDisplay <= other.initialDisplay && milestone <= other.milestone && makespan <= other.makespan
        }

        /// The longer of each.
        func or(_ other: Length) -> Length {
            Length(
                initialDisplay: max(initialDisplay, other.initialDisplay),
                milestone: max(milestone, other.milestone),
                makespan: max(makespan, other.makespan)
            )
        }
    }

    /// The best schedule so far.
    struct Schedule {
        var length = Length.longest
        var makespan: Nanoseconds { length.makespan }
        var starts: [Nanoseconds] = []
        var ends: [Nanoseconds] = []
        /// The operations in the order in which they start.
        var sequence: [Int32] = []
    }

    /// Keys, which order the operations, and the length of the schedule that they give.
    private struct Candidate {
        var keys: [Int64]
        var length: Length
    }

    /// After how many schedules without a better one the walk begins again elsewhere.
    private static let patience = 200
    /// How often a schedule is made once more by the order of its own starts, until it stays the same.
    private static let repetitions = 3
    /// Between two places in the order that are next to each other.
    private static let step: Int64 = 1 << 10

    private let problem: PlanningProblem
    private let target: Length
    private let limit: Int
    private var scheduler: ListScheduler
    private var random: SplitMix64
    /// Whether schedules keep places free for the operations that come first in the order, as a launch does that is given a plan's order for the goal of the makespan.
    private var keepsOrder = false
    private(set) var best = Schedule()
    /// How many schedules were made.
    private(set) var evaluations = 0

    /// - Parameters:
    ///   - target: the length to stop at.
    ///   - limit: about how many schedules to make.
    init(_ problem: PlanningProblem, lanes: Int, target: Length, limit: Int, seed: UInt64) {
        self.problem = problem
        self.target = target
        self.limit = limit
        scheduler = ListScheduler(problem, lanes: lanes)
        random = SplitMix64(seed: seed)
    }

    /// How many schedules to make of a problem, so that problems of all sizes take about the same time; fewer for tiny ones, which have few
    /// different schedules.
    static func limit(count: Int, effort: Int) -> Int {
        // Beyond a thousand operations the square does not matter.
        let side = min(count, 1_000)
        let schedules = min(max(300_000 / max(count, 1), 12), 100 + 3 * side * side)
        let (limit, overflow) = schedules.multipliedReportingOverflow(by: effort)
        return overflow ? .max : limit
    }

    /// Searches. The order of a launch without a plan is always tried, even with the smallest limit.
    mutating func run() {
        var start = Candidate(keys: [], length: .longest)
        for rule in PriorityRule.allCases {
            var candidate = evaluated(rule.keys(problem, lanes: scheduler.lanes))
            if isDone { return }
            improve(&candidate)
            if isDone { return }
            if candidate.length < start.length { start = candidate }
        }
        if scheduler.canKeepOrder {
            // By the order of its starts, a schedule in which nothing was kept free stays as it is.
            keepsOrder = true
            start = evaluated(places(best.sequence))
            improve(&start)
            if isDone { return }
        }
        walk(from: start)
    }

    private var isDone: Bool { best.length.isWithin(target) || evaluations >= limit }

    private mutating func evaluated(_ keys: [Int64]) -> Candidate {
        evaluations += 1
        let makespan = scheduler.schedule(keys, keepsOrder: keepsOrder)
        var candidate = Candidate(keys: keys, length: lastLength(makespan))
        if keepsOrder {
            candidate.keys = places(scheduler.sequence)
            // A launch is told nothing but the order: only a schedule that its order gives again can be the best one.
            if candidate.length < best.length, !repeatItself(&candidate) { return candidate }
        }
        if candidate.length < best.length {
            best = Schedule(length: candidate.length, starts: scheduler.starts, ends: scheduler.ends, sequence: scheduler.sequence)
        }
        return candidate
    }

    /// The length of the schedule that was made last.
    private func lastLength(_ makespan: Nanoseconds) -> Length {
        let ends = scheduler.ends
        return Length(
            initialDisplay: problem.initialDisplay.map { ends[$0] } ?? 0,
            milestone: problem.milestone.map { ends[$0] } ?? makespan,
            makespan: makespan
        )
    }

    /// Schedules by the order in which operations started in the last schedule, which is all that a launch is told of it, until that gives the same order again.
    ///
    /// One that was held back for another, which then started even later, starts earlier this time.
    ///
    /// - Returns: whether it did.
    private mutating func repeatItself(_ candidate: inout Candidate) -> Bool {
        for _ in 0..<Self.repetitions {
            let sequence = scheduler.sequence
            evaluations += 1
            let makespan = scheduler.schedule(candidate.keys, keepsOrder: true)
            candidate = Candidate(keys: places(scheduler.sequence), length: lastLength(makespan))
            if scheduler.sequence == sequence { return true }
        }
        return false
    }

    /// By operation, its place in a sequence.
    private func places(_ sequence: [Int32]) -> [Int64] {
        var places = [Int64](repeating: 0, count: problem.count)
        for (place, node) in sequence.enumerated() { places[Int(node)] = Int64(place) }
        return places
    }

    /// Schedules back and forth, until that helps no more: from the end, the operation that ended last goes first, then from the beginning
    /// the one that has to start first.
    ///
    /// Forward–backward improvement (K. Y. Li, R. J. Willis, "An iterative scheduling technique for resource-constrained project scheduling",
    /// 1992). It begins with the schedule that was made last.
    private mutating func improve(_ candidate: inout Candidate) {
        var fruitless = 0
        while !isDone, fruitless < 2 {
            evaluations += 1
            let length = scheduler.schedule(scheduler.ends.map { -$0 }, isBackward: true)
            let next = evaluated(scheduler.ends.map { length - $0 })
            fruitless = next.length < candidate.length ? 0 : fruitless + 1
            if next.length <= candidate.length { candidate = next }
        }
    }

    private mutating func walk(from start: Candidate) {
        var current = start
        // `moved(_:)` counts in places, and the keys of a rule may be times.
        current.keys = spread(current.keys)
        var fruitless = 0
        while !isDone {
            var next = evaluated(moved(current.keys))
            // Now and then: it makes two schedules at least.
            if Int.random(in: 0..<20, using: &random) == 0 { improve(&next) }
            fruitless = next.length < current.length ? 0 : fruitless + 1
            // One of the same length, too: a walk that only went down would stay where many schedules are equally long.
            if next.length <= current.length { current = Candidate(keys: spread(next.keys), length: next.length) }
            guard fruitless > Self.patience, !isDone else { continue }
            fruitless = 0
            let isNear = keepsOrder ? Bool.random(using: &random) : false
            current = evaluated(isNear ? shaken() : blurredRanks())
            improve(&current)
            current.keys = spread(current.keys)
        }
    }

    /// Moves one to three operations to other places in the order, up to a third of it away.
    private mutating func moved(_ keys: [Int64]) -> [Int64] {
        var keys = keys
        let width = Int64(problem.count / 3 + 2)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let node = Int.random(in: 0..<problem.count, using: &random)
            // And half a step: it comes between two others, not to the place of one.
            keys[node] += Int64.random(in: -width...width, using: &random) * Self.step + Self.step / 2
        }
        return keys
    }

    /// The best order, with some operations elsewhere: an iterated local search begins again near its best (H. R. Lourenço, O. C. Martin, T. Stützle, 2003).
    private mutating func shaken() -> [Int64] {
        var keys = spread(places(best.sequence))
        for _ in 0..<3 { keys = moved(keys) }
        return keys
    }

    /// The engine's own weights, each up to some percent larger or smaller than it is; what the milestone needs still goes first.
    private mutating func blurredRanks() -> [Int64] {
        let percent = Int64.random(in: 1...30, using: &random)
        let weights = problem.urgency.weights(lanes: scheduler.lanes)
        // So much goes first that no other weight, blurred, is as large.
        let half = (weights.max() ?? 0) / 2
        let first = half.addingSaturated(half).addingSaturated(half)
        return weights.indices.map { node in
            // Divided first, or the product could overflow.
            let change = weights[node] / 100 * Int64.random(in: -percent...percent, using: &random)
            let key = (-weights[node]).addingSaturated(change)
            return (0..<problem.urgency.levels[node]).reduce(key) { key, _ in key.addingSaturated(-first) }
        }
    }

    /// Keys in the same order, evenly apart.
    private func spread(_ keys: [Int64]) -> [Int64] {
        var spread = keys
        // Of equal keys by position: a sort promises no order of these, and the same seed gives the same plan.
        let sorted = (0..<problem.count).sorted { keys[$0] != keys[$1] ? keys[$0] < keys[$1] : $0 < $1 }
        for (place, node) in sorted.enumerated() { spread[node] = Int64(place) * Self.step }
        return spread
    }
}
