import TestSupport
import Testing

@testable import Sequencer

@Suite("The time of an app's own clock", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ClockTimekeeperTests {
    /// A clock whose sleeps end when the test says so, also where they are cancelled.
    private struct HeldClock: Clock {
        /// By how long they are to take.
        var gates: [Duration: Gate] = [:]
        let sleeps = Locked<[Duration]>([])
        let now = ContinuousClock.now
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            let duration = now.duration(to: deadline)
            sleeps.withLock { $0.append(duration) }
            await gates[duration]?.wait()
        }
    }

    @Test("a sleep that has come to its end when a sooner one takes its place leaves that one to be cancelled")
    func replaced() async {
        let (late, soon, isTold, cancels) = (Gate(), Gate(), Gate(), Locked(0))
        let clock = HeldClock(gates: [.nanoseconds(20): late, .nanoseconds(10): soon])
        let timekeeper = ClockTimekeeper(clock) { _ in cancels.withLock { $0 += 1 } }
        timekeeper.begin { _ in isTold.open() }
        timekeeper.wake(at: 20)
        timekeeper.wake(at: 10)
        late.open()
        await isTold.wait()
        #expect(cancels.withLock { $0 } == 1)
        timekeeper.end()
        #expect(cancels.withLock { $0 } == 2)
        soon.open()
    }

    @Test("a step sleeps by the app's clock")
    func sleep() async throws {
        let clock = HeldClock()
        var graph = OperationGraph("sleeping")
        graph.add("sleeps") { step in try await step.sleep(for: .seconds(60)) }
        let report = try await graph.run(options: LaunchOptions(clock: clock)).report
        #expect(report.outcome == .completed && clock.sleeps.withLock { $0 }.contains(.seconds(60)))
    }
}
