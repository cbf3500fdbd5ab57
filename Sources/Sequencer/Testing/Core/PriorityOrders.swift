import Foundation
import Sequencer

/// Legal orders of a graph's operations, drawn as a scheduler with random priorities would run them: S. Burckhardt, P.
/// Kothari, M. Musuvathi and S. Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs",
/// ASPLOS 2010.
///
/// Each operation has a random priority, and of those that are ready the highest goes first. At `depth - 1` random
/// places the operation that would go next falls behind all others. With n operations, an order that must not be,
/// because of `depth` pairs, is found with a probability of 1 / n^depth at least: for one pair, it is enough that the
/// operation which ought to come first has the lowest of n priorities.
package struct PriorityOrders {
    /// A ready operation; the one of the highest priority comes first.
    private struct Ready: Comparable {
        let priority: Int
        let node: Int

        static func < (left: Ready, right: Ready) -> Bool { left.priority > right.priority }
    }

    private let graph: ValidatedGraph
    private let depth: Int
    private var random: SplitMix64

    /// - Parameter depth: how many pairs of operations have to be in the wrong order; 1 or more.
    package init(_ graph: ValidatedGraph, depth: Int, seed: UInt64) {
        self.graph = graph
        self.depth = max(depth, 1)
        random = SplitMix64(seed: seed)
    }

    /// The number of orders that find a missing dependency with a probability of 99%; at most 10,000.
    ///
    /// For one pair, only the priorities of the operation that comes too early, and of all before it, are in the way of
    /// the one that ought to come first.
    package var enough: Int {
        if isChain { return 1 }
        let rivals = depth == 1 ? min(graph.count, mostBefore + 2) : max(graph.count, 1)
        let count = pow(Double(rivals), Double(depth)) * log(100)
        return Int(min(max(count.rounded(.up), 1), 10_000))
    }

    /// Whether there is one legal order alone.
    private var isChain: Bool {
        let predecessors = graph.predecessors
        return zip(graph.order, graph.order.dropFirst()).allSatisfy { first, second in
            predecessors[Int(second)].contains { $0.index == first }
        }
    }

    /// No operation has more before it, however far back: an upper bound, since an operation that several need is
    /// counted for each.
    private var mostBefore: Int {
        let predecessors = graph.predecessors
        var before = [Int](repeating: 0, count: graph.count)
        for node in graph.order {
            before[node] = predecessors[node].reduce(0) { min($0 + before[$1.index] + 1, graph.count) }
        }
        return before.max() ?? 0
    }

    /// The next order: each operation once, after all that it waits for.
    ///
    /// - Complexity: O(dependencies + operations × log operations).
    mutating func next() -> [String] {
        let count = graph.count
        // The lowest ones are kept for those that fall behind.
        var priorities = Array(depth..<depth + count)
        priorities.shuffle(using: &random)
        var changes: [Int: Int] = [:]
        // Two may fall on one place, which makes one change fewer.
        for priority in 1..<depth where count > 0 { changes[random.index(below: count)] = priority }
        var waiting = (0..<count).map { graph.predecessors[$0].count }
        var ready = Heap<Ready>()
        for node in 0..<count where waiting[node] == 0 { ready.push(Ready(priority: priorities[node], node: node)) }
        var order: [String] = []
        order.reserveCapacity(count)
        while var first = ready.pop() {
            if let priority = changes.removeValue(forKey: order.count) {
                ready.push(Ready(priority: priority, node: first.node))
                guard let next = ready.pop() else { break }
                first = next
            }
            order.append(graph.id(first.node))
            for successor in graph.successors[first.node] {
                waiting[successor.index] -= 1
                if waiting[successor.index] == 0 { ready.push(Ready(priority: priorities[successor.index], node: successor.index)) }
            }
        }
        return order
    }
}
