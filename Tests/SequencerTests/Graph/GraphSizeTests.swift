import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// Whatever a graph's depth and width, nothing recurses into it: all of this runs on a stack of half a megabyte, as a phone's threads have.
@Suite("Large graphs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphSizeTests {
    /// More than such a stack has frames for.
    private static let many = Nightly.times(day: 20_000, night: 100_000)

    private func onSmallStack<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }

    private func check(_ graph: OperationGraph, path: Int, levels: Int, implied: Int = 0) throws {
        let valid = try graph.validated()
        #expect(valid.criticalPath.count == path)
        #expect(valid.levels.count == levels)
        #expect(valid.impliedEdges.count == implied)
        #expect(valid.difference(from: valid).isEmpty)
        let last = valid.graph.identifiers[valid.count - 1]
        #expect(try valid.ancestors(of: last).count == valid.count - 1)
        #expect(try valid.descendants(of: valid.graph.identifiers[0]).count == valid.count - 1)
        // A copy that changed and the original are let go one after the other.
        var copy = valid.graph
        copy.join("one more", after: last)
        #expect(copy.count == valid.count + 1)
    }

    @Test("fault G17: a long chain of steps written from its end, by identifiers")
    func backwardChain() async throws {
        try await onSmallStack {
            var graph = OperationGraph("chain")
            for number in (0..<Self.many).reversed() { graph.join("\(number)", after: number == 0 ? [] : ["\(number - 1)"]) }
            let valid = try graph.validated()
            #expect(valid.topologicalOrder.first == "0" && valid.topologicalOrder.last == "\(Self.many - 1)")
            #expect(valid.reduced().edges.count == Self.many - 1)
        }
    }

    @Test("fault G17: one step before 10,000, and one after them")
    func fanOutAndIn() async throws {
        try await onSmallStack {
            var graph = OperationGraph("fan")
            let root = graph.join("root")
            let wide = (0..<10_000).map { graph.join("\($0)", after: root) }
            graph.join("last", after: wide, root)
            try check(graph, path: 3, levels: 3, implied: 1)
        }
    }

    @Test("fault G17: a long cycle, and many cycles of two")
    func cycles() async throws {
        try await onSmallStack {
            var one = OperationGraph("one")
            for number in 0..<Self.many { one.join("\(number)", after: "\((number + 1) % Self.many)") }
            #expect(one.problems.map(\.path.count) == [Self.many + 1])
            #expect(one.complaints.allSatisfy { $0.utf8.count < 1000 })

            var many = OperationGraph("many")
            for number in 0..<Self.many { many.join("\(number)", after: "\(number ^ 1)") }
            #expect(many.problems.count == Self.many / 2)
        }
    }
}
