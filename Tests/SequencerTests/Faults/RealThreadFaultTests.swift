import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Threads that steps never give back, each test in a process of its own, which they die with.
@Suite("Threads that are lost", .serialized, .timeLimit(.minutes(30)), .real)
struct RealThreadFaultTests {
    @Test("fault L40: 100 launches that left a blocked step behind have ended, and the next one completes")
    func launchesAddUp() async {
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            for _ in 0..<100 {
                let began = Gate()
                var graph = OperationGraph("blocked")
                graph.add("block") {
                    began.open()
                    gate.block()
                }
                let launch = try graph.start(options: LaunchOptions(deadline: .patience, grace: .milliseconds(1)))
                await began.wait()
                launch.cancel()
                #expect(await launch.end().report.threadsLeftBehind == 1)
            }
            var graph = OperationGraph("next")
            let first = graph.add("first") {}
            graph.add("second", .timeout(.seconds(100)), after: first) { await Task.yield() }
            #expect(try await graph.run(options: .patient).report.outcome == .completed)
            gate.open()
        }
    }
}

/// A process that is stopped has no time for its steps, but its clock goes on.
@Suite("A process that stands still", .serialized, .timeLimit(.minutes(30)), .real)
struct RealStandstillFaultTests {
    @Test("fault L45: after a standstill a step has a moment to end before what became due takes effect, and the report has the time")
    func respite() throws {
        var graph = OperationGraph("stopped")
        graph.add("quick", .timeout(.seconds(1)), .onFailure(.continue)) { _ in }
        graph.add("slow", .timeout(.seconds(1)), .onFailure(.continue)) { _ in }
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init(deadline: 2_000_000_000))
        machine.input(at: 0) { $0.begin() }
        let quickTaken = machine.take(.worker, at: 0)
        let quick = try #require(quickTaken)
        let slowTaken = machine.take(.worker, at: 0)
        let slow = try #require(slowTaken)
        let now: Nanoseconds = 5_100_000_000
        machine.timePassed(to: now, standstill: 5_000_000_000)
        #expect(machine.nodes[0].state == .running && machine.nodes[1].state == .running)
        #expect(machine.nextWake == now + LaunchStateMachine.respite)
        #expect(machine.attemptEnded(quick, .succeeded, at: now + 1) == true)
        machine.timePassed(to: now + LaunchStateMachine.respite)
        #expect(machine.nodes[1].outcome == .timedOut)
        #expect(machine.attemptEnded(slow, .succeeded, at: now + LaunchStateMachine.respite) == false)
        #expect(machine.standstill == 5_000_000_000)
    }

    @Test("the machine's sleep is a figure of its own, by either clock; what is short between two looks is none", arguments: [false, true])
    func suspension(countsSuspension: Bool) {
        let second: Nanoseconds = 1_000_000_000
        func suspension(awake: Nanoseconds, whole: Nanoseconds) -> Nanoseconds {
            let (own, other) = countsSuspension ? (whole, awake) : (awake, whole)
            return SystemTimekeeper.suspension(own, other, countsSuspension: countsSuspension)
        }
        #expect(suspension(awake: second, whole: 41 * second) == 40 * second)
        #expect(suspension(awake: second, whole: second + second / 2) == 0)
        #expect(suspension(awake: second, whole: second + second / 2 + 1) == second / 2 + 1)
        #expect(suspension(awake: second, whole: second - 50) == 0)
        #expect(suspension(awake: 41 * second, whole: second) == 0)
        // The machine has not slept since here, whatever it did before; a busy one may take a while between the clocks.
        #expect(SystemTimekeeper(countsSuspension: countsSuspension).suspension < 60 * second)
    }

    @Test("where the machine's sleep counts, a launch looks at the time each second, for its alarm would sleep too")
    func looksEachSecond() async {
        let timekeeper = SystemTimekeeper(countsSuspension: true)
        let told = Locked(false)
        timekeeper.begin { _ in told.withLock { $0 = true } }
        timekeeper.wake(at: timekeeper.now + 86_400_000_000_000)
        await eventually { told.withLock { $0 } }
        timekeeper.end()
    }

    @Test("fault L45: a standstill is one whoever wakes the thread for time after it; being woken early, or somewhat late, is none")
    func whatIsAStandstill() {
        let second: Nanoseconds = 1_000_000_000
        #expect(Alarms.standstill(waitingFor: 10 * second, at: 12 * second) == 2 * second)
        #expect(Alarms.standstill(waitingFor: 10 * second, at: 9 * second) == 0)
        #expect(Alarms.standstill(waitingFor: 10 * second, at: 10 * second + second / 2) == 0)
        #expect(Alarms.standstill(waitingFor: .max, at: 12 * second) == 0)
    }

    @Test("fault L45: a process that was stopped for a second finds that out, and its step ends as it should")
    func stopped() async throws {
        // The child stops itself; its shell lets it go on after a second.
        await #expect(processExitsWith: .success) {
            var graph = OperationGraph("stopped")
            graph.add("step", .timeout(.milliseconds(800))) {
                // In user code all along: stopped, then let go on.
                #expect(exitCode(of: "/bin/sh", "-c", "kill -STOP $PPID; sleep 1.5; kill -CONT $PPID") == 0)
            }
            // A step has 250 ms of real time to end in, which a busy machine may not give it; and it may end before the thread that keeps the time gets a
            // processor, and notices. Once is enough.
            var report = try await graph.run(options: LaunchOptions(deadline: .patience)).report
            for _ in 0..<19 where report.outcome != .completed || report.standstill == .zero {
                report = try await graph.run(options: LaunchOptions(deadline: .patience)).report
            }
            #expect(report.outcome == .completed, "\(report.outcome)")
            #expect(report.standstill > .milliseconds(500))
            #expect(report.anomalies.contains { $0.kind == .processStoodStill && $0.description.hasPrefix("the process stood still for ") })
        }
    }
}
