import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Launches that are started too often, watched badly, let go of, or run by the thousand.
@Suite("Faults in a launch's life", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLifecycleFaultTests {
    @Test("fault L2: a graph that is started again after a launch of it has ended has another one; the first one's report stays")
    func startedAfterItsEnd() async throws {
        var graph = OperationGraph("again")
        let runs = Locked(0)
        graph.add("only") { runs.withLock { $0 += 1 } }
        let launch = try graph.start(options: .patient)
        let report = await launch.end().report
        #expect(runs.withLock { $0 } == 1)
        let another = try await graph.run(options: .patient).report
        #expect(runs.withLock { $0 } == 2)
        #expect(another.outcome == .completed)
        #expect(await launch.end().report == report)
    }

    @Test("fault L9: by default a launch's clock stands still while the machine sleeps")
    func suspension() {
        for (options, counts) in [
            (LaunchOptions(), false), (LaunchOptions(clock: SuspendingClock()), false), (LaunchOptions(clock: ContinuousClock()), true),
        ] {
            #expect((options.makeTimekeeper(hasMainSteps: false) as? SystemTimekeeper)?.countsSuspension == counts)
        }
        #if canImport(Darwin)
            #expect(systemClock(countsSuspension: false) == CLOCK_UPTIME_RAW && systemClock(countsSuspension: true) == CLOCK_MONOTONIC_RAW)
        #else
            #expect(systemClock(countsSuspension: false) == CLOCK_MONOTONIC && systemClock(countsSuspension: true) == CLOCK_BOOTTIME)
        #endif
    }

    @Test("fault L4: launches that nobody keeps while they run each end once, and leave nothing behind")
    func released() async throws {
        final class Token: Sendable {}
        weak var last: Token?
        for _ in 0..<200 {
            let token = Token()
            last = token
            let reports = Locked<[LaunchReport]>([])
            await callback { done in
                var graph = OperationGraph("released")
                let first = graph.add("first") { [token] in
                    await Task.yield()
                    _ = token
                }
                graph.add("second", after: first) {}
                _ = try? graph.start(options: .patient) { launch in
                    reports.withLock { $0.append(launch.report) }
                    done()
                }
            }
            #expect(reports.withLock { $0 }.map(\.outcome) == [.completed])
        }
        // The last launch lets go of its operations a moment after it has said that it is over.
        await eventually { last == nil }
    }

    @Test("a stream that nobody reads, and one that is dropped half-way, hold nobody up")
    func lazyReaders() async throws {
        var graph = OperationGraph("streams")
        var previous = graph.add("op0") {}
        for index in 1..<1_000 { previous = graph.add("op\(index)", after: previous) {} }
        let launch = try graph.start(options: .patient)
        let (unread, dropped) = (launch.events, launch.events)
        for await event in dropped where event.kind == .ready("op500") { break }
        #expect(await launch.end().report.outcome == .completed)
        #expect(await unread.reduce(into: 0) { count, _ in count += 1 } == 3_002)
    }

    @Test("an observer may ask, cancel and start other launches from within an event")
    func busyObserver() async throws {
        var inner = OperationGraph("inner")
        inner.add("only") {}
        let box = LaunchBox()
        var graph = OperationGraph("outer")
        let begins = graph.add("begins") { _ = try await box.launch() }
        let first = graph.add("first", .onFailure(.continue), after: begins) { try await Task.sleep(for: .seconds(3600)) }
        graph.add("last", after: first) {}
        let inners = Locked(0)
        var options = LaunchOptions(lanes: 2, deadline: .patience)
        options.observers.append { [inner] event in
            guard event.kind == .started("first", attempt: 1), let launch = box.current else { return }
            #expect(launch.status.operations.map(\.id) == ["first", "last"])
            #expect(launch.anomalies.isEmpty)
            #expect(throws: Never.self) { try launch.cancel("first") }
            #expect(throws: Never.self) { try inner.start(options: .patient) { _ in inners.withLock { $0 += 1 } } }
        }
        let report = try await box.run(graph, options: options).report
        #expect(report.operations.map(\.outcome) == [.succeeded, .cancelled, .succeeded])
        await eventually { inners.withLock { $0 } == 1 }
    }
}
