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
            let timekeeper = options.makeTimekeeper(for: Locked(nil), hasMainSteps: false)
            #expect((timekeeper as? SystemTimekeeper)?.countsSuspension == counts)
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
        for _ in 0..<Nightly.times(day: 15, night: 200) {
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
}
