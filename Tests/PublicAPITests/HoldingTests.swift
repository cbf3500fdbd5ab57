import Sequencer
import SequencerTesting
import Synchronization
import TestSupport
import Testing

/// What steps hold, alone and together, as an app writes that.
@Suite("Public API: holds and limits", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HoldingTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private let log = Log()

    @Test("what is held to the same end is released last taken first, also where an abort ends steps together", arguments: [false, true])
    func releaseOrder(aborts: Bool) async throws {
        var graph = OperationGraph("order")
        let query = graph.add("query") { step in try await step.sleep(for: .seconds(1)) }
        let update = graph.add("update", after: query) { step in if aborts { step.abort(.forceUpdate) } }
        let report = graph.add("report", after: update) {}
        let send = graph.add("send", after: update) {}
        // In an abort `report` ends first, which alone holds the database.
        let database = try graph.hold("database", over: aborts ? ["query", "report"] : ["query", "report", "send"]) { [log] in
            log.add("take database")
        } release: { [log] in
            log.add("release database")
        }
        try graph.hold("pool", after: database, over: query, report, send) { [log] in
            log.add("take pool")
        } release: { [log] in
            log.add("release pool")
        }
        _ = try await graph.run(options: virtual())
        #expect(log.all == ["take database", "take pool", "release pool", "release database"])
    }
}
