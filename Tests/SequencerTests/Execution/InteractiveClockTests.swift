import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("The time that a person takes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct InteractiveClockTests {
    @Test("It is that of intervals together, counted once where they overlap, up to now where one has not ended")
    func total() {
        var clock = InteractiveClock()
        #expect(clock.total(at: 5) == 0 && !clock.isRunning)
        clock.begin(at: 10)
        clock.begin(at: 20)
        #expect(clock.total(at: 25) == 15 && clock.since == 10)
        clock.end(at: 30)
        #expect(clock.isRunning && clock.total(at: 35) == 25)
        clock.end(at: 40)
        #expect(!clock.isRunning && clock.lastEnd == 40 && clock.total(at: 99) == 30)
        clock.begin(at: 100)
        #expect(clock.total(at: 107) == 37)
        clock.end(at: 110)
        #expect(clock.total(at: 200) == 40 && clock.lastEnd == 110)
    }

    @Test("A wait for a person that its step leaves behind ends with the step, and the deadline goes on from there")
    func leftBehind() async throws {
        var graph = OperationGraph("left")
        let asks = graph.add("asks") { launch in
            let waits = Gate()
            Task {
                try await launch.waitForPerson {
                    waits.open()
                    try await launch.sleep(for: .seconds(3600))
                }
            }
            await waits.wait()
            try await launch.sleep(for: .seconds(1))
        }
        graph.add("hangs", after: asks) { launch in try await launch.sleep(for: .seconds(7200)) }
        let options = LaunchOptions(deadline: .seconds(5), grace: .zero, clock: VirtualClock())
        let report = try await graph.run(options: options).report
        #expect(report["hangs"]?.end == .seconds(6), "\(report.operations)")
    }
}
