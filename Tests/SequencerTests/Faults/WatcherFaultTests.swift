import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Whoever is told about a launch can do with its thread what it wants: the launch ends all the same.
@Suite("Watchers that block or re-enter", .serialized, .timeLimit(.minutes(10)))
struct WatcherFaultTests {
    /// Eight events: the launch starts; each of two operations is ready, starts and ends; the launch ends.
    private static func twoOperations() -> OperationGraph {
        var graph = OperationGraph("watched")
        let first = graph.add("first") { await Task.yield() }
        graph.add("last", after: first) {}
        return graph
    }

    @Test("fault L23: an observer that never returns keeps no launch from ending, whichever event it blocks in")
    func blockingObserver() async throws {
        // One after the other: threads of the pool that block are missed by whatever else runs in this process.
        for event in 0..<8 { try await launch(blockedIn: event) }
    }

    private func launch(blockedIn event: Int) async throws {
        let gate = Gate()
        let seen = Locked(0)
        let options = LaunchOptions(deadline: .milliseconds(50), grace: .milliseconds(1))
        let sequencer = Sequencer(Self.twoOperations(), options: options)
        sequencer.observe { _ in
            let number = seen.withLock { seen in
                defer { seen += 1 }
                return seen
            }
            if number == event { gate.block() }
        }
        // On a thread of its own: whoever starts a launch tells its first events.
        Thread { try? sequencer.start() }.start()
        while sequencer.status == nil { await Task.yield() }
        let report = try #require(await sequencer.report())
        #expect(report.operations.allSatisfy { $0.outcome == .succeeded } || report.outcome.name == "failed", "\(report.outcome)")
        gate.open()
    }

    @Test("fault L23: an observer that blocks in the end of an operation that has timed out holds up no other timeout")
    func blockedOverTimeout() async throws {
        let gate = Gate()
        var graph = OperationGraph("watched")
        graph.add("deaf", .timeout(.milliseconds(20)), .onFailure(.continue)) { gate.block() }
        graph.add("too", .timeout(.milliseconds(40)), .onFailure(.continue)) { gate.block() }
        graph.add("last") { gate.block() }
        let sequencer = Sequencer(graph, options: LaunchOptions(deadline: .milliseconds(80), grace: .milliseconds(1)))
        sequencer.observe { event in if case .ended("deaf", _) = event.kind { gate.block() } }
        let report = try await sequencer.run()
        #expect(report.operations.map(\.outcome) == [.timedOut, .timedOut, .timedOut])
        #expect(report.outcome.name == "failed")
        gate.open()
    }

    @Test("fault L23: a stall report that never returns holds up no timeout, and no deadline")
    func blockingStallReport() async throws {
        let gate = Gate()
        var graph = OperationGraph("watched")
        graph.add("deaf", .timeout(.milliseconds(60)), .onFailure(.continue)) { gate.block() }
        graph.add("last") { gate.block() }
        let watch = StallWatch(after: .milliseconds(20)) { _ in gate.block() }
        let options = LaunchOptions(deadline: .milliseconds(100), grace: .milliseconds(1), stallWatch: watch)
        let report = try await Sequencer(graph, options: options).run()
        #expect(report.operations.map(\.outcome) == [.timedOut, .timedOut])
        gate.open()
    }

    @Test("fault L23: a completion handler that never returns keeps the report from nobody")
    func blockingCompletion() async throws {
        let (begun, gate) = (Gate(), Gate())
        var graph = OperationGraph("watched")
        graph.add("only") { begun.block() }
        let sequencer = Sequencer(graph)
        try sequencer.start { _ in gate.block() }
        async let report = sequencer.report()
        begun.open()
        #expect(await report?.outcome == .completed)
        gate.open()
    }

    @Test("fault L23: an observer may call back in every event, the last ones too")
    func reentrantObserver() async throws {
        let sequencer = Sequencer(Self.twoOperations())
        let seen = Locked<[LaunchEvent.Kind]>([])
        let reports = Locked(0)
        sequencer.observe { event in
            seen.withLock { $0.append(event.kind) }
            _ = (sequencer.status, sequencer.anomalies, sequencer.progress.fractionCompleted)
            #expect(!sequencer.observe { _ in })
            #expect(throws: SequencerError.self) { try sequencer.start() }
            #expect(throws: GraphError.self) { try sequencer.cancel("nobody") }
            Task {
                _ = await sequencer.report()
                reports.withLock { $0 += 1 }
            }
        }
        let report = try await sequencer.run()
        #expect(report.outcome == .completed)
        // The launch waits for an observer that returns: what it does about the last event is done.
        #expect(seen.withLock { $0.count } == 8 && seen.withLock { $0.last } == .launchEnded)
        while reports.withLock({ $0 }) < 8 { await Task.yield() }
    }
}
