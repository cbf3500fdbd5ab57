import Sequencer

/// The rule that decides which of several ready operations goes first.
///
/// The rules are among those compared by R. Kolisch ("Serial and parallel resource-constrained project scheduling methods revisited", 1996) and,
/// for processors, by T. L. Adam, K. M. Chandy and J. R. Dickson ("A comparison of list schedules for parallel processing systems", 1974).
///
/// Operations that the milestone needs go before all others; the rules order both parts.
enum PriorityRule: CaseIterable {
    /// The engine's rule (``Urgency``): operations that the milestone needs by the path to it, then the longest remaining path.
    case longestPath
    /// The longest remaining path, of equal ones the operation with more successors: CP/MISF (H. Kasahara, S. Narita, "Practical multiprocessor
    /// scheduling algorithms for efficient parallel processing", 1984).
    case longestPathThenSuccessors
    /// The longest remaining path or, if it takes longer, the work that is left after the operation, shared by all lanes.
    case longestTail
    /// The longest remaining path, with the successors' own longest paths for a tenth.
    case heaviestSuccessors
    /// The longest operation.
    case longestOperation

    /// A key for each operation; the smaller goes first.
    func keys(_ problem: PlanningProblem, lanes: Int) -> [Int64] {
        switch self {
        case .longestPath:
            return problem.urgency.ranks(lanes: lanes).map { -$0 }
        case .longestPathThenSuccessors:
            return positions(problem) { (problem.urgency.paths[$0], Int64(problem.successors.range($0).count)) }
        case .longestTail:
            let tails = problem.workAfter(lanes: lanes)
            return positions(problem) { (tails[$0], Int64(problem.successors.range($0).count)) }
        case .heaviestSuccessors:
            var weights = [Nanoseconds](repeating: 0, count: problem.count)
            for node in problem.order.lazy.reversed().map(Int.init) {
                var (longest, sum): (Nanoseconds, Nanoseconds) = (0, 0)
                for successor in problem.successors[node] {
                    longest = max(longest, weights[Int(successor)])
                    // Divided before they are added: the sum could overflow.
                    sum = sum.addingSaturated(problem.urgency.paths[Int(successor)] / 10)
                }
                // At most a quarter more than the longest: many short successors must not outweigh one long path.
                weights[node] = problem.durations[node].addingSaturated(max(longest, min(longest.addingSaturated(longest / 4), sum)))
            }
            return positions(problem) { (weights[$0], problem.urgency.paths[$0]) }
        case .longestOperation:
            return positions(problem) { (problem.durations[$0], problem.urgency.paths[$0]) }
        }
    }

    /// Each operation's place in an order: the milestone's operations first, then by weight, the heaviest first, then as they were added.
    private func positions(_ problem: PlanningProblem, _ weight: (Int) -> (Int64, Int64)) -> [Int64] {
        let weights = (0..<problem.count).map(weight)
        let levels = problem.urgency.levels
        let sorted = (0..<problem.count).sorted { left, right in
            if levels[left] != levels[right] { return levels[left] > levels[right] }
            return weights[left] != weights[right] ? weights[left] > weights[right] : left < right
        }
        var keys = [Int64](repeating: 0, count: problem.count)
        for (position, node) in sorted.enumerated() { keys[node] = Int64(position) }
        return keys
    }
}

extension PlanningProblem {
    /// The most operations of a graph whose closure is computed: the memory that it takes is quadratic in their number.
    private static let maximumClosure = 2_000

    /// For each operation, the shortest time from its start to the end of all that comes after it: its longest path or the work after it, shared
    /// by the lanes.
    func workAfter(lanes: Int) -> [Nanoseconds] {
        guard count <= Self.maximumClosure else { return urgency.paths }
        let words = (count + 63) / 64
        // A bit for each pair: paths that meet again must not count the work behind them twice.
        var after = [UInt64](repeating: 0, count: words * count)
        var tails = urgency.paths
        for node in order.lazy.reversed().map(Int.init) {
            for successor in successors[node].lazy.map(Int.init) {
                for word in 0..<words { after[node * words + word] |= after[successor * words + word] }
                after[node * words + successor / 64] |= 1 << UInt64(successor % 64)
            }
            var work: Nanoseconds = 0
            for word in 0..<words {
                var bits = after[node * words + word]
                while bits != 0 {
                    let other = word * 64 + bits.trailingZeroBitCount
                    if places[other] == .lane { work = work.addingSaturated(durations[other]) }
                    bits &= bits - 1
                }
            }
            tails[node] = max(tails[node], durations[node].addingSaturated(work / Int64(lanes)))
        }
        return tails
    }
}
