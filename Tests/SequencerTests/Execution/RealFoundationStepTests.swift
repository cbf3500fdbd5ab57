import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Sequencer

@Suite("Foundation operations as steps", .serialized, .timeLimit(.minutes(30)), .real)
struct RealFoundationStepTests {
    struct Failure: Error {}

    /// Finishes when the test says so.
    final class Later: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: immutable after init.
        let body: @Sendable (Later) -> Void

        init(_ body: @escaping @Sendable (Later) -> Void) { self.body = body }
        override func main() { body(self) }
    }

    @Test("fault O12: how they end: failed, cancelled by itself, told to cancel, timed out")
    func endings() async throws {
        var graph = OperationGraph("endings")
        graph.add(Later { $0.finish(throwing: Failure()) }, id: "fails", .onFailure(.continue))
        graph.add(
            Later {
                $0.cancel(); $0.finish()
            },
            id: "cancels-itself",
            .onFailure(.continue)
        )
        graph.add(Later { _ in }, id: "never-finishes", .timeout(.milliseconds(5)), .onFailure(.continue))
        graph.addOperation("made", .retry(attempts: 3, backoff: .zero)) { launch in
            Later { launch.attempt < 3 ? $0.finish(throwing: Failure()) : $0.finish() }
        }
        graph.addOperation("not-made", .onFailure(.continue)) { _ in throw Failure() }
        let report = try await graph.run(options: .patient).report
        #expect(report.operations.map(\.outcome) == [.failed, .cancelled, .timedOut, .succeeded, .failed])
        #expect(report["made"]?.attempts == 3)
    }

    /// An asynchronous operation as they were written before anyone had a base class for it.
    final class HandWritten: Operation, @unchecked Sendable {
        // @unchecked: `state` is locked.
        private let state = Locked((executing: false, finished: false))
        override var isAsynchronous: Bool { true }
        override var isExecuting: Bool { state.withLock { $0.executing } }
        override var isFinished: Bool { state.withLock { $0.finished } }

        override func start() {
            change("isExecuting") { $0.executing = true }
            DispatchQueue.global().async { [self] in
                change("isExecuting") { $0.executing = false }
                change("isFinished") { $0.finished = true }
            }
        }

        private func change(_ key: String, _ change: (inout (executing: Bool, finished: Bool)) -> Void) {
            willChangeValue(forKey: key)
            state.withLock { change(&$0) }
            didChangeValue(forKey: key)
        }
    }

    @Test("asynchronous operations of any make are waited for, and their completion blocks left alone")
    func handWritten() async throws {
        let completions = Gate()
        var graph = OperationGraph("hand-written")
        var previous: HandWritten?
        for index in 0..<100 {
            let operation = HandWritten()
            if let previous { operation.addDependency(previous) }
            if index == 99 { operation.completionBlock = { completions.open() } }
            graph.add(operation, id: "op\(index)")
            previous = operation
        }
        let report = try await graph.run(options: .patient).report
        #expect(report.operations.allSatisfy { $0.outcome == .succeeded })
        #expect(zip(report.operations, report.operations.dropFirst()).allSatisfy { $0.end <= $1.end })
        await completions.wait()
    }

    @Test("chains made with addDependency start in time, however Foundation orders its notifications")
    func chains() async throws {
        for _ in 0..<Nightly.times(day: 10, night: 100) {
            var graph = OperationGraph("chains")
            var previous: [Operation] = []
            for level in 0..<10 {
                let operations = (0..<4).map { _ in BlockOperation {} }
                for (place, operation) in operations.enumerated() {
                    for dependency in previous { operation.addDependency(dependency) }
                    graph.add(operation, id: "\(level)-\(place)")
                }
                previous = operations
            }
            let report = try await graph.run(options: LaunchOptions(lanes: 4, deadline: .patience)).report
            #expect(report.operations.allSatisfy { $0.outcome == .succeeded })
        }
    }

    @Test("fault O2: an operation that finishes twice is reported, and ends once")
    func twice() async throws {
        let done = Gate()
        var graph = OperationGraph("twice")
        let eager = graph.add(
            Later { operation in
                operation.finish()
                operation.finish()
                done.open()
            },
            id: "eager"
        )
        graph.add("next", after: eager) { await done.wait() }
        let report = try await graph.run(options: .patient).report
        #expect(report.operationAnomalies == [Anomaly(.finishedAgain, of: "eager")])
        #expect(report.outcome == .completed)
    }
}

/// Foundation operations end once, whoever sees it first: the thread that started them, or who watches them.
@Suite("Ends of Foundation operations", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FoundationEndTests {
    /// Asynchronous by its word, and finished when `start()` returns.
    private final class EndsAtOnce: Operation, @unchecked Sendable {
        // @unchecked: changed in `start()` only, under the lock.
        private let hasFinished = Locked(false)

        override var isAsynchronous: Bool { true }
        override var isFinished: Bool { hasFinished.withLock { $0 } }

        override func start() {
            willChangeValue(forKey: "isFinished")
            hasFinished.withLock { $0 = true }
            didChangeValue(forKey: "isFinished")
        }
    }

    @Test("an operation that is seen to end twice, where it was started and by who watches it, has ended once")
    func once() async throws {
        var graph = OperationGraph("chain")
        for index in 0..<300 { graph.add(EndsAtOnce(), id: "step\(index)", after: (index > 0 ? ["step\(index - 1)"] : []) as [String]) }
        let launch = try await graph.run(options: .patient)
        let report = launch.report
        #expect(report.outcome == .completed && report.operations.allSatisfy { $0.outcome == .succeeded && $0.attempts == 1 })
        #expect(report.operationAnomalies.isEmpty && launch.anomalies.isEmpty)
    }
}
