import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Operations that go on after their end, and launches whose blame falls on the wrong one.
@Suite("Faults after the end of an operation", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLateEndFaultTests {
    /// Waits for the test in `main()`.
    final class Waiting: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: nothing of its own.
        override func main() {}
    }

    /// An asynchronous operation that announces its end by key-value observation.
    final class KeyValue: Operation, @unchecked Sendable {
        // @unchecked: `state` is locked.
        private let state = Locked((executing: false, finished: false))
        override var isAsynchronous: Bool { true }
        override var isExecuting: Bool { state.withLock { $0.executing } }
        override var isFinished: Bool { state.withLock { $0.finished } }
        override func start() { change("isExecuting") { $0.executing = true } }
        func end() {
            change("isExecuting") { $0.executing = false }
            change("isFinished") { $0.finished = true }
        }
        private func change(_ key: String, _ change: (inout (executing: Bool, finished: Bool)) -> Void) {
            willChangeValue(forKey: key)
            state.withLock { change(&$0) }
            didChangeValue(forKey: key)
        }
    }

    enum Kind: CaseIterable {
        case block, concurrent, keyValue
    }

    @Test("fault O47: a Foundation operation that ends after its timeout ends once, and the report says how late")
    func lateOperation() async throws {
        try await atOnce(Kind.allCases) { kind in
            let (blocked, seen) = (Gate(), Gate())
            let end: @Sendable () -> Void
            var graph = OperationGraph("late")
            switch kind {
            case .block:
                graph.add(BlockOperation { blocked.block() }, id: "slow", .timeout(.milliseconds(500)), .onFailure(.continue))
                end = { blocked.open() }
            case .concurrent:
                let operation = Waiting()
                graph.add(operation, id: "slow", .timeout(.milliseconds(500)), .onFailure(.continue))
                end = { operation.finish() }
            case .keyValue:
                let operation = KeyValue()
                graph.add(operation, id: "slow", .timeout(.milliseconds(500)), .onFailure(.continue))
                end = { operation.end() }
            }
            graph.add("next", after: "slow") {
                end()
                await seen.wait()
            }
            let launch = try graph.start(options: LaunchOptions(lanes: 2, deadline: .patience))
            await eventually { !launch.anomalies.isEmpty || launch.status.operations.isEmpty }
            seen.open()
            let report = await launch.end().report
            #expect(report.operations.map(\.outcome) == [.timedOut, .succeeded], "\(kind)")
            #expect(report.operationAnomalies.map(\.operation) == ["slow"], "\(kind)")
            #expect(report.operationAnomalies.first?.description.hasSuffix("after it had ended; its result was dropped") == true)
        }
    }

    @Test("fault O45: an operation or an attempt that has ended stops nothing any more; that it tried is reported")
    func abortAfterTheEnd() async throws {
        let launches = Locked<[String: StepContext]>([:])
        var graph = OperationGraph("too-late")
        graph.add("succeeded") { (launch: StepContext) in launches.withLock { $0["succeeded"] = launch } }
        graph.add("timed-out", .timeout(.milliseconds(500)), .onFailure(.continue)) { (launch: StepContext) async throws in
            launches.withLock { $0["timed-out"] = launch }
            try await launch.sleep(for: .seconds(3600))
        }
        graph.add("earlier-attempt", .retry(attempts: 2, backoff: .zero)) { (launch: StepContext) throws in
            if launch.attempt == 1 {
                launches.withLock { $0["earlier-attempt"] = launch }
                throw CocoaError(.featureUnsupported)
            }
            let first = launches.withLock { $0["earlier-attempt"] }
            first?.note("from the first attempt, too late")
            #expect(first?.abort("too-late") == false)
        }
        graph.add("last", after: "succeeded", "timed-out", "earlier-attempt") {
            for (_, launch) in launches.withLock({ $0 }) {
                let isStopped = launch.abort("too-late") { Issue.record("a takeover ran") }
                #expect(!isStopped)
                launch.note("too late")
            }
        }
        // In virtual time, an operation has begun when its timeout comes.
        let report = try await graph.run(options: .virtual(lanes: 4)).report
        #expect(report.outcome == .completed)
        #expect(report.operations.allSatisfy { $0.notes.isEmpty })
        let ids = ["succeeded", "timed-out", "earlier-attempt"]
        #expect(
            Set(report.operationAnomalies.map(\.description))
                == Set(ids.map { "\($0) aborted the launch after it had ended; that changed nothing" })
        )
    }

    @Test("fault O52: a deadline blames an operation that had not ended, not one that succeeded")
    func deadlineBlame() async throws {
        var paused = OperationGraph("paused")
        let first = paused.add("first") {}
        paused.add("paused", .retry(RetryPolicy(attempts: 2, backoff: .seconds(60))), after: first) {
            throw CocoaError(.featureUnsupported)
        }
        let report = try await paused.run(options: .virtual(deadline: .seconds(1))).report
        #expect(report["first"]?.outcome == .succeeded)
        #expect(report["paused"]?.message?.hasSuffix("(no time left for attempt 2)") == true)
        #expect(report.outcome == .failed(operation: "paused", message: report["paused"]?.message ?? ""))

        var waiting = OperationGraph("waiting")
        waiting.add("first") {}
        waiting.add("needs-main", after: "first", on: .main) {}
        waiting.add("behind", after: "needs-main") {}
        let (graph, over) = (waiting, Gate())
        let outcome = Locked<LaunchReport.Outcome?>(nil)
        // The main thread is taken until the launch is over.
        await MainActor.run {
            _ = try? graph.start(options: LaunchOptions(deadline: .seconds(1))) { launch in
                outcome.withLock { $0 = launch.report.outcome }
                over.open()
            }
            over.block()
        }
        #expect(
            outcome.withLock { $0 } == .failed(operation: "needs-main", message: "had not started at the launch's deadline")
        )
    }

    @Test("fault O53: the optional value of a failed step is nil; one that is an optional itself is read as it is")
    func optionalOfAnOptional() async throws {
        struct Failure: Error {}
        let seen = Locked<[String: String?]>([:])
        var graph = OperationGraph("optional")
        let fails: Step<String?> = graph.add("fails", .onFailure(.continue)) { () throws -> String? in throw Failure() }
        let empty: Step<String?> = graph.add("empty") { () throws -> String? in nil }
        let full: Step<String?> = graph.add("full") { () throws -> String? in "value" }
        graph.add("reads", using: fails.optional, empty.optional, full.optional) { first, second, third in
            seen.withLock { seen in
                seen.updateValue(first, forKey: "fails")
                seen.updateValue(second, forKey: "empty")
                seen.updateValue(third, forKey: "full")
            }
        }
        let report = try await graph.run().report
        #expect(report["reads"]?.outcome == .succeeded)
        let values = seen.withLock { $0 }
        #expect(values["fails"] == .some(.none))
        #expect(values["empty"] == .some(.none))
        #expect(values["full"] == .some("value"))
    }
}
