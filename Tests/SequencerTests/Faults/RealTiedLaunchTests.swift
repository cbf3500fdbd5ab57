import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Launches of which each waits for an event that the one before it brings about.
@Suite("Launches tied by events", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTiedLaunchTests {
    enum Beginning: CaseIterable, Sendable {
        case comes, timesOut
    }

    private static let count = 2_000

    /// ```
    /// launch-0: begins or times out ─event-1─▶ launch-1: waits ─event-2─▶ launch-2: waits ─▶ ...
    /// ```
    private func start(_ beginning: Beginning, after pause: Duration, _ options: LaunchOptions) throws -> (
        launches: [RunningLaunch], last: ExternalEvent<Int>
    ) {
        let events = (0...Self.count).map { ExternalEvent<Int>("event-\($0)") }
        // The last one first: when an event comes, the launch that waits for it has begun, and so have all behind that.
        let launches = try (0..<Self.count).reversed().map { number in
            var graph = OperationGraph("launch-\(number)")
            if number > 0 {
                graph.wait(for: events[number], id: "waits", .fulfills(events[number + 1]))
            } else if beginning == .timesOut {
                graph.wait(for: events[number], id: "waits", .fulfills(events[number + 1]), .timeout(pause))
            } else {
                graph.add("waits", .fulfills(events[number + 1])) { launch in
                    try await launch.sleep(for: pause)
                    return 7
                }
            }
            return try graph.start(options: options)
        }
        return (launches.reversed(), events[Self.count])
    }

    private func check(_ launches: [RunningLaunch], _ last: ExternalEvent<Int>, _ beginning: Beginning) async -> [LaunchReport] {
        var reports: [LaunchReport] = []
        for launch in launches { reports.append(await launch.end().report) }
        let outcomes = reports.compactMap { $0["waits"]?.outcome }
        switch beginning {
        case .comes:
            #expect(outcomes == Array(repeating: .succeeded, count: Self.count))
            #expect((try? last.result?.get()) == 7)
        case .timesOut:
            #expect(outcomes == [.timedOut] + Array(repeating: .failed, count: Self.count - 1))
            #expect(throws: ExternalEventError.self) { try last.result?.get() }
        }
        return reports
    }

    @Test("2,000 in a chain take no stack: the first one's event comes, and lets all of them go on")
    func real() async throws {
        let (launches, last) = try start(.comes, after: .milliseconds(1), .patient)
        _ = await check(launches, last, .comes)
    }

    @Test("nor in virtual time, where the first one's event does not come, and all of them end at one moment")
    func virtual() async throws {
        let clock = VirtualClock()
        let options = LaunchOptions(deadline: .seconds(60), clock: clock)
        let (launches, last) = try clock.hold { try start(.timesOut, after: .seconds(1), options) }
        let reports = await check(launches, last, .timesOut)
        #expect(reports.allSatisfy { $0.makespan == .seconds(1) })
    }
}
