import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Launches of which each waits for an event that the one before it brings about.
@Suite("Launches tied by events", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TiedLaunchTests {
    /// ```
    /// launch-0: begins or times out ─event-1─▶ launch-1: waits ─event-2─▶ launch-2: waits ─▶ ...
    /// ```
    @Test(
        "2,000 in a chain take no stack, and end at one moment: the first one's event comes, or is waited for in vain",
        arguments: [true, false]
    )
    func chain(comes: Bool) async throws {
        let count = 2_000
        let events = (0...count).map { ExternalEvent<Int>("event-\($0)") }
        let clock = VirtualClock()
        let launches = try clock.hold {
            // The last one first: when an event comes, the launch that waits for it has begun, and all behind that.
            try (0..<count).reversed().map { number in
                var graph = OperationGraph("launch-\(number)")
                let timeout: [StepOption] = number == 0 && !comes ? [.timeout(.seconds(1))] : []
                graph.wait(for: events[number], id: "waits", .fulfills(events[number + 1]), .all(timeout))
                if number == 0 && comes {
                    graph.add("begins") { launch in
                        try await launch.sleep(for: .seconds(1))
                        events[0].fulfill(7)
                    }
                }
                return try graph.start(options: LaunchOptions(deadline: .seconds(60), clock: clock))
            }
        }
        var reports: [LaunchReport] = []
        for launch in launches.reversed() { reports.append(await launch.end().report) }
        #expect(reports.allSatisfy { $0.makespan == .seconds(1) })
        let outcomes = reports.compactMap { $0["waits"]?.outcome }
        if comes {
            #expect(outcomes == Array(repeating: .succeeded, count: count) && (try? events[count].result?.get()) == 7)
        } else {
            #expect(outcomes == [.timedOut] + Array(repeating: .failed, count: count - 1))
            #expect(throws: ExternalEventError.self) { try events[count].result?.get() }
        }
    }
}
