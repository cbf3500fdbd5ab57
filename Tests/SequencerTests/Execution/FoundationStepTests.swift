import Dispatch
import Foundation
import Testing

@testable import Sequencer

@Suite("Foundation operations as steps", .timeLimit(.minutes(1)))
struct FoundationStepTests {
    struct Failure: Error {}

    /// Finishes when the test says so.
    final class Later: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: immutable after init.
        let body: @Sendable (Later) -> Void

        init(_ body: @escaping @Sendable (Later) -> Void) { self.body = body }
        override func main() { body(self) }
    }

    @Test("block operations, operations that finish later, and dependencies among them")
    func ordinary() async throws {
        let journal = Journal()
        let first = BlockOperation { journal.note("first") }
        first.name = "first"
        first.completionBlock = { journal.note("first's own completion block") }
        let second = Later { operation in
            DispatchQueue.global().async {
                journal.note("second")
                operation.finish()
            }
        }
        second.addDependency(first)
        var graph = OperationGraph("foundation")
        graph.add(second, id: "second")
        graph.add(first)
        graph.add("third", after: "second") { journal.note("third") }
        let report = try await Sequencer(graph).run()
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.id) == ["second", "first", "third"])
        #expect(journal.all.filter { !$0.contains("own") } == ["first", "second", "third"])
        #expect(first.isFinished && second.isFinished)
    }

    @Test("how they end: failed, cancelled by itself, told to cancel, timed out")
    func endings() async throws {
        var graph = OperationGraph("endings")
        graph.add(Later { $0.finish(throwing: Failure()) }, id: "fails", .onFailure(.continue))
        graph.add(Later { $0.cancel(); $0.finish() }, id: "cancels-itself", .onFailure(.continue))
        graph.add(Later { _ in }, id: "never-finishes", .timeout(.milliseconds(5)), .onFailure(.continue))
        graph.addOperation("made", .retry(attempts: 3, backoff: .zero)) { launch in
            Later { launch.attempt < 3 ? $0.finish(throwing: Failure()) : $0.finish() }
        }
        graph.addOperation("not-made", .onFailure(.continue)) { _ in throw Failure() }
        let report = try await Sequencer(graph).run()
        #expect(report.operations.map(\.outcome) == [.failed, .cancelled, .timedOut, .succeeded, .failed])
        #expect(report["made"]?.attempts == 3)
    }

    @Test("an operation that finishes twice is reported, and ends once")
    func twice() async throws {
        let done = Gate()
        var graph = OperationGraph("twice")
        let eager = graph.add(
            Later { operation in
                operation.finish()
                operation.finish()
                done.open()
            }, id: "eager")
        graph.add("next", after: eager) { await done.wait() }
        let report = try await Sequencer(graph).run()
        #expect(report.anomalies == [Anomaly(operation: "eager", kind: .finishedAgain)])
        #expect(report.outcome == .completed)
    }

    @Test("a cancelled launch tells operations to cancel")
    func cancelled() async throws {
        final class Listening: ConcurrentOperation, @unchecked Sendable {
            // @unchecked: immutable after init.
            let started: Gate
            init(_ started: Gate) { self.started = started }
            override func main() { started.open() }
            override func didCancel() { finish() }
        }
        let started = Gate()
        var graph = OperationGraph("cancelled")
        graph.add(Listening(started), id: "listening")
        let sequencer = Sequencer(graph, options: LaunchOptions(grace: .seconds(30)))
        try sequencer.start()
        await started.wait()
        sequencer.cancel()
        #expect(await sequencer.report()?["listening"]?.outcome == .cancelled)
    }

    @Test("an operation runs in one launch only")
    func onlyOnce() async throws {
        var graph = OperationGraph("once")
        graph.add(BlockOperation {}, id: "block")
        _ = try await Sequencer(graph).run()
        let error = await #expect(throws: GraphError.self) { try await Sequencer(graph).run() }
        #expect(error?.problems.map(\.code) == [.foreignOperation])
    }

    @Test("10,000 of them in one launch", arguments: [false, true])
    func many(finishLater: Bool) async throws {
        var graph = OperationGraph("many")
        for index in 0..<10_000 {
            let operation = Later { operation in
                if finishLater { DispatchQueue.global().async { operation.finish() } } else { operation.finish() }
            }
            if index % 3 == 0 { graph.add(operation, id: "op\(index)") } else { graph.add(operation, id: "op\(index)", after: "op\(index - 1)") }
        }
        let report = try await Sequencer(graph).run()
        #expect(report.outcome == .completed)
        #expect(report.operations.allSatisfy { $0.outcome == .succeeded })
    }
}
