import Sequencer
import TestSupport
import Testing

@testable import SequencerTestingCore

/// The orders that an exploration runs, and how two of them are brought together.
@Suite("Orders by random priorities", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PriorityOrderTests {
    /// Each step comes after those that are named.
    private func graph(_ steps: [(id: String, after: [String])]) throws -> ValidatedGraph {
        var graph = OperationGraph("graph")
        for step in steps { graph.add(step.id, after: step.after) {} }
        return try graph.validated()
    }

    private let diamond: [(id: String, after: [String])] = [
        ("a", []), ("b", ["a"]), ("c", ["a"]), ("d", ["b", "c"]), ("e", []), ("f", ["e"]),
    ]

    private func isLegal(_ order: [String]) -> Bool {
        guard order.sorted() == diamond.map(\.id) else { return false }
        return diamond.allSatisfy { step in
            step.after.allSatisfy { order.firstIndex(of: $0) ?? .max < order.firstIndex(of: step.id) ?? .min }
        }
    }

    @Test("each is legal, whatever the depth, and the same seed gives the same", arguments: [1, 2, 3])
    func legal(depth: Int) throws {
        let graph = try graph(diamond)
        var (one, other) = (PriorityOrders(graph, depth: depth, seed: 7), PriorityOrders(graph, depth: depth, seed: 7))
        var different: Set<[String]> = []
        for _ in 0..<300 {
            let order = one.next()
            #expect(isLegal(order))
            #expect(order == other.next())
            different.insert(order)
        }
        #expect(different.count > 20)
    }

    @Test("an operation beside a chain of five comes after all of it in one of six orders, as the bound says")
    func bound() throws {
        let chain = (0..<5).map { (id: "c\($0)", after: $0 == 0 ? [] : ["c\($0 - 1)"]) }
        var orders = PriorityOrders(try graph(chain + [("alone", [])]), depth: 1, seed: 1)
        let last = (0..<3_000).count { _ in orders.next().last == "alone" }
        #expect((400...600).contains(last), "\(last) of 3000; 500 are expected")
        #expect(orders.enough == 28)
    }

    @Test("a chain takes one order, and operations beside each other few, however many there are")
    func enough() throws {
        let chain = (0..<3_000).map { (id: "c\($0)", after: $0 == 0 ? [] : ["c\($0 - 1)"]) }
        #expect(PriorityOrders(try graph(chain), depth: 1, seed: 1).enough == 1)
        let independent = (0..<1_025).map { (id: "c\($0)", after: [String]()) }
        #expect(PriorityOrders(try graph(independent), depth: 1, seed: 1).enough == 10)
    }

    @Test("two orders are brought together to two neighbours, by legal ones alone, in few steps")
    func search() async throws {
        let pairs = [("c", "b"), ("b", "c"), ("e", "a"), ("a", "e"), ("f", "d"), ("d", "f"), ("f", "b"), ("e", "d")]
        for (first, second) in pairs {
            // It fails when `first` comes before `second`.
            func fails(_ order: [String]) -> Bool {
                order.firstIndex(of: first) ?? .max < order.firstIndex(of: second) ?? .max
            }
            var orders = PriorityOrders(try graph(diamond), depth: 1, seed: 3)
            let all = (0..<200).map { _ in orders.next() }
            let failing = try #require(all.first(where: fails)), passing = try #require(all.first { !fails($0) })
            var search = OrderSearch(passing: passing, failing: failing)
            var steps = 0
            try await search.bringTogether { order in
                #expect(isLegal(order))
                steps += 1
                return fails(order)
            }
            #expect(steps <= 6)
            #expect(fails(search.failing) && !fails(search.passing))
            #expect(search.pair.map { [$0.first, $0.second] } == [first, second])
        }
    }
}
