import SequencerAnalysis
import TestSupport
import Testing

@testable import Sequencer

@Suite("Resources that a few operations may hold at the same time", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ResourceLimitTests {
    /// Downloads of 100 ms each.
    private static func downloads(_ count: Int, limit: Int?) -> OperationGraph {
        var graph = OperationGraph("downloads")
        if let limit { graph.limit("net", to: limit) }
        for number in 1...count { graph.wait("download-\(number)", 100, .exclusive("net"), .expected(.milliseconds(100))) }
        return graph
    }

    @Test("The longest that waits for a unit goes first, in a plan too")
    func plan() async throws {
        var graph = OperationGraph("uneven")
        graph.limit("net", to: 2)
        for (id, duration) in [("long", 300), ("short", 100), ("last", 150)] {
            graph.wait(id, duration, .exclusive("net"), .expected(.milliseconds(duration)))
        }
        let plan = try await graph.plan()
        #expect(plan.makespan == .milliseconds(300))
        // The longest first: `last` has the second unit, and `short` has it then.
        #expect(plan.operations.map(\.start) == [.zero, .milliseconds(150), .zero])
    }

    @Test("Two that may both hold a resource can overlap; a drawing of the graph says how many may")
    func graphs() throws {
        let graph = try Self.downloads(2, limit: 2).validated()
        #expect(try graph.canOverlap("download-1", "download-2"))
        #expect(graph.json(pretty: false).contains(#""resources":{"net":2}"#))
        let exclusive = try Self.downloads(2, limit: 1).validated()
        #expect(try !exclusive.canOverlap("download-1", "download-2"))
        #expect(!exclusive.json().contains("resources"))
    }

    @Test("A limit that makes no sense is refused", arguments: [-1, 0, 1_025])
    func refused(limit: Int) {
        let error = #expect(throws: GraphError.self) { _ = try Self.downloads(1, limit: limit).validated() }
        #expect(error?.description == "downloads: net: the limit of a resource must be 1 to 1024, and is \(limit)")
    }
}
