import Foundation
import Sequencer

/// Legal orders of a graph's operations, drawn as a scheduler with random priorities would run them: S. Burckhardt, P. Kothari, M. Musuvathi and
/// S. Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010.
///
/// Each operation has a random priority, and of those that are ready the highest goes first. At `depth - 1` random places the operation that would go next falls
/// behind all others. With n operations, an order that must not be, because of `depth` pairs, is found with a probability of 1 / n^depth at least: for one pair, it is
/// enough that the operation which ought to come first has the lowest of n priorities.
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
    package var enough: Int {
        let count = pow(Double(max(graph.count, 1)), Double(depth)) * log(100)
        return Int(min(max(count.rounded(.up), 1), 10_000))
    }

    /// The next order: each operation once, after all that it waits for.
    ///
    /// - Complexity: O(dependencies + operations × log operations).
    package mutating func next() -> [String] {
        let count = graph.count
        // The lowest ones are kept for those that fall behind.
        var priorities = Array(depth..<depth + count)
        priorities.shuffle(using: &random)
        var changes: [Int: Int] = [:]
        // Two may fall on one place, which makes one change fewer.
        for priority in 1..<depth where count > 0 { changes[random.index(below: count)] = priority }
        var waiting = graph.degrees
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
