import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Launches that are started too often, watched badly, let go of, or run by the thousand.
@Suite("Faults in a launch's life", .serialized, .timeLimit(.minutes(10)))
struct LifecycleFaultTests {
    @Test("fault L2: a launch that has ended is not started again; its report stays")
    func startedAfterItsEnd() async throws {
        var graph = OperationGraph("again")
        let runs = Locked(0)
        graph.add("only") { runs.withLock { $0 += 1 } }
        let sequencer = Sequencer(graph)
        let report = try await sequencer.run()
        let error = await #expect(throws: SequencerError.self) { try await sequencer.run() }
        #expect(error?.code == .alreadyStarted && error?.description.contains("make a new Sequencer for another one") == true)
        #expect(runs.withLock { $0 } == 1)
        #expect(await sequencer.report()?.makespan == report.makespan)
    }

    @Test("fault L9: by default a launch's clock stands still while the machine sleeps")
    func suspension() {
        #expect(LaunchOptions().clock is SuspendingClock)
    }

    @Test("fault L4: launches whose sequencer is released while they run each end once, and leave nothing behind")
    func released() async throws {
        final class Token: Sendable {}
        weak var last: Token?
        for _ in 0..<200 {
            let token = Token()
            last = token
            let reports: [LaunchReport] = await withCheckedContinuation { continuation in
                let ends = Locked<[LaunchReport]>([])
                var graph = OperationGraph("released")
                let first = graph.add("first") { [token] in
                    await Task.yield()
                    _ = token
                }
                graph.add("second", after: first) {}
                try? Sequencer(graph).start { report in
                    continuation.resume(
                        returning: ends.withLock {
                            $0.append(report)
                            return $0
                        }
                    )
                }
            }
            #expect(reports.map(\.outcome) == [.completed])
        }
        // The last launch lets go of its operations a moment after it has said that it is over.
        while last != nil { await Task.yield() }
    }

    @Test("a stream that nobody reads, and one that is dropped half-way, hold nobody up")
    func lazyReaders() async throws {
        var graph = OperationGraph("streams")
        var previous = graph.add("op0") {}
        for index in 1..<1_000 { previous = graph.add("op\(index)", after: previous) {} }
        let sequencer = Sequencer(graph)
        let (unread, dropped) = (sequencer.events, sequencer.events)
        try sequencer.start()
        for await event in dropped where event.kind == .ready("op500") { break }
        #expect(await sequencer.report()?.outcome == .completed)
        #expect(await unread.reduce(into: 0) { count, _ in count += 1 } == 3_002)
    }

    @Test("an observer may ask, cancel and start other launches from within an event")
    func busyObserver() async throws {
        var inner = OperationGraph("inner")
        inner.add("only") {}
        var graph = OperationGraph("outer")
        let first = graph.add("first", .onFailure(.continue)) { try await Task.sleep(for: .seconds(3600)) }
        graph.add("last", after: first) {}
        let sequencer = Sequencer(graph, options: LaunchOptions(lanes: 2))
        let inners = Locked(0)
        sequencer.observe { [inner] event in
            guard event.kind == .started("first", attempt: 1) else { return }
            #expect(sequencer.status?.operations.map(\.id) == ["first", "last"])
            #expect(sequencer.anomalies.isEmpty)
            #expect(throws: Never.self) { try sequencer.cancel("first") }
            #expect(throws: SequencerError.self) { try sequencer.start() }
            #expect(throws: Never.self) { try Sequencer(inner).start { _ in inners.withLock { $0 += 1 } } }
        }
        let report = try await sequencer.run()
        #expect(report.operations.map(\.outcome) == [.cancelled, .succeeded])
        while inners.withLock({ $0 }) == 0 { await Task.yield() }
    }
}
