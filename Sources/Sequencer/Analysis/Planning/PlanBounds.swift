import Sequencer

/// A lower bound that takes into account in which order operations must run: often exact where ``LowerBound`` is not.
///
/// An operation's *head* is the least time before it can start, its *tail* the least time from its end to the end of everything. Of a set of
/// operations with heads of at least `a` and tails of at least `b`, no schedule is shorter than `a + w + b`, where `w` is the least time in which the
/// lanes can do the set's work (J. Carlier, "Scheduling jobs with release dates and tails on identical machines", 1987). Heads themselves grow when
/// the operations before one take longer than its longest path says. Besides the work shared by the lanes, `w` counts operations: of
/// `k · lanes + 1` operations, one lane has to run `k + 1`.
struct HeadsAndTails {
    /// The most operations for which this is worked out: the time it takes grows with the third power of their number.
    static let maximumCount = 150

    private let problem: PlanningProblem
    private let lanes: Int
    private var heads: [Nanoseconds]
    private var tails: [Nanoseconds]

    /// The bound; nil when the graph is too large.
    static func bound(_ problem: PlanningProblem, lanes: Int) -> Nanoseconds? {
        guard problem.count <= maximumCount else { return nil }
        var bound = HeadsAndTails(problem, lanes: lanes)
        bound.heads = bound.grown(problem.order, problem.predecessors)
        // Seen from the end, a tail is a head.
        bound.tails = bound.grown(problem.order.reversed(), problem.successors)
        return bound.value
    }

    private init(_ problem: PlanningProblem, lanes: Int) {
        self.problem = problem
        self.lanes = lanes
        heads = []
        tails = []
    }

    /// Heads (or, seen from the end, tails) of all operations.
    private func grown(_ order: [Int32], _ before: PlanningProblem.Links) -> [Nanoseconds] {
        let count = problem.count
        var heads = [Nanoseconds](repeating: 0, count: count)
        var ancestors = [[Bool]](repeating: [], count: count)
        for node in order.map(Int.init) {
            var isBefore = [Bool](repeating: false, count: count)
            for neighbour in before[node].map(Int.init) {
                isBefore[neighbour] = true
                for other in 0..<count where ancestors[neighbour][other] { isBefore[other] = true }
                // Not saturated: the times of 150 operations, of a day each at most, fit.
                heads[node] = max(heads[node], heads[neighbour] + problem.durations[neighbour])
            }
            ancestors[node] = isBefore
            let set = (0..<count).filter { isBefore[$0] && problem.places[$0] == .lane && problem.durations[$0] > 0 }
            heads[node] = max(heads[node], longest(of: set, by: heads))
        }
        return heads
    }

    /// The least time at which all of a set can have ended, given when each can start.
    private func longest(of set: [Int], by heads: [Nanoseconds]) -> Nanoseconds {
        // The latest starters first: each time the head falls, the set so far begins no earlier.
        let sorted = set.sorted { heads[$0] != heads[$1] ? heads[$0] > heads[$1] : $0 < $1 }
        var lengths = SharedWork(lanes: lanes)
        var result: Nanoseconds = 0
        for (place, node) in sorted.enumerated() {
            lengths.insert(problem.durations[node])
            let isLast = place + 1 == sorted.count || heads[sorted[place + 1]] < heads[node]
            if isLast { result = max(result, heads[node] + lengths.leastTime) }
        }
        return result
    }

    private var value: Nanoseconds {
        let set = (0..<problem.count).filter { problem.places[$0] == .lane && problem.durations[$0] > 0 }
        var result: Nanoseconds = 0
        // No others: between two of these the set is the same. Longest paths are in it, but for those without a step on a lane, which `LowerBound` knows.
        for tail in Set(set.map { tails[$0] }) {
            result = max(result, tail + longest(of: set.filter { tails[$0] >= tail }, by: heads))
        }
        return result
    }
}

/// The least time in which some lanes can do a growing set of independent operations.
private struct SharedWork {
    let lanes: Int
    private var work: Nanoseconds = 0
    /// Durations, the longest first.
    private var durations: [Nanoseconds] = []

    init(lanes: Int) {
        self.lanes = lanes
    }

    mutating func insert(_ duration: Nanoseconds) {
        work += duration
        // One by one: there are 150 at most.
        durations.insert(duration, at: durations.firstIndex { $0 < duration } ?? durations.count)
    }

    var leastTime: Nanoseconds {
        var least = max(work.dividedRoundingUp(by: Int64(lanes)), durations.first ?? 0)
        // Of the `rounds · lanes + 1` longest, one lane runs `rounds + 1`: at least as long as the shortest of them take.
        var rounds = 1
        while rounds * lanes < durations.count {
            let last = rounds * lanes
            least = max(least, durations[(last - rounds)...last].reduce(0, +))
            rounds += 1
        }
        return least
    }
}

/// The time that no schedule can be shorter than, for several reasons.
struct LowerBound {
    /// The longest path.
    private(set) var path: Nanoseconds = 0
    /// The work of all lanes, shared by them.
    private(set) var lanes: Nanoseconds = 0
    /// The work of the main thread.
    private(set) var main: Nanoseconds = 0
    /// The work of each exclusive resource's holders, shared by as many as may hold it at the same time, by the resource's number.
    private(set) var resources: [Nanoseconds]

    /// The largest of them.
    var value: Nanoseconds { max(path, lanes, main, resources.max() ?? 0) }

    /// Computes the time that no schedule can be shorter than.
    init(_ problem: PlanningProblem, lanes: Int?) {
        self.init(problem, lanes: lanes, path: problem.path.length) { _ in true }
    }

    /// - Parameters:
    ///   - lanes: nil when there are as many as it takes.
    ///   - path: the longest path to the end of the counted operations.
    ///   - isCounted: the operations that have to end, which are all before them too.
    init(_ problem: PlanningProblem, lanes: Int?, path: Nanoseconds, isCounted: (Int) -> Bool) {
        self.path = path
        resources = [Nanoseconds](repeating: 0, count: problem.resourceNames.count)
        var work: Nanoseconds = 0
        for node in 0..<problem.count where isCounted(node) {
            let duration = problem.durations[node]
            switch problem.places[node] {
            case .lane: work = work.addingSaturated(duration)
            case .main: main = main.addingSaturated(duration)
            case .suspended, .nowhere: break
            }
            for resource in problem.resources[node] {
                resources[Int(resource)] = resources[Int(resource)].addingSaturated(duration)
            }
        }
        for (resource, limit) in problem.limits.enumerated() {
            resources[resource] = resources[resource].dividedRoundingUp(by: Int64(limit))
        }
        if let lanes { self.lanes = work.dividedRoundingUp(by: Int64(lanes)) }
    }
}

extension PlanningProblem {
    /// The time that an operation cannot end before.
    func bound(endOf last: Int, lanes: Int?) -> Nanoseconds {
        var needed = [Bool](repeating: false, count: count)
        needed[last] = true
        for node in order.lazy.reversed().map(Int.init) where needed[node] {
            for predecessor in predecessors[node] { needed[Int(predecessor)] = true }
        }
        var starts = [Nanoseconds](repeating: 0, count: count)
        var path: Nanoseconds = 0
        for node in order.lazy.map(Int.init) where needed[node] {
            for predecessor in predecessors[node].lazy.map(Int.init) {
                starts[node] = max(starts[node], starts[predecessor].addingSaturated(durations[predecessor]))
            }
            path = max(path, starts[node].addingSaturated(durations[node]))
        }
        return LowerBound(self, lanes: lanes, path: path) { needed[$0] }.value
    }

    /// The best lower bound there is.
    ///
    /// In a shortest schedule that starts everything as early as it can, all times are sums of durations, so multiples of what divides them all.
    func provenBound(lanes: Int?) -> Nanoseconds {
        let bound = max(LowerBound(self, lanes: lanes).value, lanes.flatMap { HeadsAndTails.bound(self, lanes: $0) } ?? 0)
        let unit = durations.reduce(0, greatestCommonDivisor)
        guard unit > 1 else { return bound }
        let (multiple, overflow) = bound.dividedRoundingUp(by: unit).multipliedReportingOverflow(by: unit)
        return overflow ? bound : multiple
    }

    /// Euclid's algorithm.
    private func greatestCommonDivisor(_ first: Nanoseconds, _ second: Nanoseconds) -> Nanoseconds {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return first
    }
}

extension Int64 {
    /// The smallest number that, multiplied by `divisor`, which is positive, is at least this one, which is not negative.
    func dividedRoundingUp(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest > 0 ? quotient + 1 : quotient
    }
}
