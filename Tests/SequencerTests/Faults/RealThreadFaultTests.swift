import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Threads that steps never give back, each test in a process of its own, which they die with.
@Suite("Threads that are lost", .serialized, .timeLimit(.minutes(30)), .real)
struct RealThreadFaultTests {
    @Test("fault L40: 300 launches that left a blocked step behind have ended, and the next one completes")
    func launchesAddUp() async {
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            for _ in 0..<300 {
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
            #expect(RunningLaunch.threadsLeftBehind == 300)
            var graph = OperationGraph("next")
            let first = graph.add("first") {}
            graph.add("second", .timeout(.seconds(100)), after: first) { await Task.yield() }
            #expect(try await graph.run(options: .patient).report.outcome == .completed)
            gate.open()
            await eventually { RunningLaunch.threadsLeftBehind == 0 }
        }
    }

    @Test("fault L40: launches that fail count no thread as come back that never was left behind")
    func failing() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<300 {
                var graph = OperationGraph("fails")
                for number in 0..<8 { graph.add("op\(number)") { if number == 3 { throw CocoaError(.coderInvalidValue) } } }
                let report = try await graph.run(options: LaunchOptions(lanes: 8, deadline: .patience)).report
                #expect(report["op3"]?.outcome == .failed)
            }
            await eventually { RunningLaunch.threadsLeftBehind == 0 }
        }
    }

    @Test("fault L40: 1,000 steps that block on as many lanes all time out, and what follows them runs")
    func lanes() async {
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            var graph = OperationGraph("wide")
            let blocked = (0..<1_000).map { index in
                graph.add("block-\(index)", .timeout(.milliseconds(500)), .onFailure(.continue)) { gate.block() }
            }
            graph.add("last", after: blocked) {}
            let report = try await graph.run(options: LaunchOptions(lanes: 1_000, deadline: .patience)).report
            #expect(report.outcome == .completed)
            #expect(report["last"]?.outcome == .succeeded)
            #expect(report.threadsLeftBehind > 0)
            gate.open()
        }
    }

    @Test("fault L40: what launches may take is bounded; whoever comes later is served in turn, unless its launch is over")
    func bound() {
        final class Owner {}
        let threads = SharedThreads(maximum: 2, maximumOfDispatch: 1)
        let first = Owner()
        let second = Owner()
        let served = Locked<[String]>([])
        func take(_ name: String, for owner: Owner) {
            threads.take(for: owner) { kind in served.withLock { $0.append("\(name) \(kind)") } }
        }
        take("a", for: first)
        take("b", for: first)
        take("c", for: first)
        take("d", for: second)
        take("e", for: first)
        #expect(served.withLock { $0 } == ["a dispatch", "b own"])
        threads.giveBack(.own)
        threads.forget(first)
        threads.giveBack(.dispatch)
        #expect(served.withLock { $0 } == ["a dispatch", "b own", "c own", "d dispatch"])
        threads.giveBack(.own)
        threads.giveBack(.dispatch)
        take("f", for: first)
        #expect(served.withLock { $0 }.last == "f dispatch")
    }

    @Test("fault L40: one launch at a time takes a thread of the pool, which the next one must not wait for")
    func pool() {
        let threads = SharedThreads(maximum: 4, maximumOfDispatch: 4)
        let kinds = Locked<[SharedThreads.Kind]>([])
        let owner = Gate()
        for _ in 0..<2 { threads.take(for: owner, mayBePooled: true) { kind in kinds.withLock { $0.append(kind) } } }
        threads.giveBack(.pool)
        threads.take(for: owner, mayBePooled: true) { kind in kinds.withLock { $0.append(kind) } }
        let expected: [SharedThreads.Kind] = WorkerPool.processors > 1 ? [.pool, .dispatch, .pool] : [.dispatch, .dispatch, .dispatch]
        #expect(kinds.withLock { $0 } == expected)
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
        var actions = LaunchStateMachine.Actions()
        machine.begin(&actions)
        let quick = try #require(machine.takeForWorker(at: 0, &actions))
        let slow = try #require(machine.takeForWorker(at: 0, &actions))
        let now: Nanoseconds = 5_100_000_000
        machine.timePassed(to: now, standstill: 5_000_000_000, &actions)
        #expect(machine.nodes[0].state == .running && machine.nodes[1].state == .running)
        #expect(machine.nextWake == now + LaunchStateMachine.respite)
        #expect(machine.attemptEnded(quick, .succeeded, at: now + 1, &actions))
        machine.timePassed(to: now + LaunchStateMachine.respite, &actions)
        #expect(machine.nodes[1].outcome == .timedOut)
        #expect(!machine.attemptEnded(slow, .succeeded, at: now + LaunchStateMachine.respite, &actions))
        #expect(machine.standstill == 5_000_000_000)
    }

    @Test("fault L45: after a standstill the deadline waits for what can end by itself, too", arguments: [false, true])
    func deadlineAfterStandstill(endsInTime: Bool) throws {
        var graph = OperationGraph("stopped")
        graph.add("only") { _ in }
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init(deadline: 2_000_000_000))
        var actions = LaunchStateMachine.Actions()
        machine.begin(&actions)
        let only = try #require(machine.takeForWorker(at: 0, &actions))
        let now: Nanoseconds = 5_100_000_000
        machine.timePassed(to: now, standstill: 5_000_000_000, &actions)
        #expect(machine.phase == .running && machine.nextWake == now + LaunchStateMachine.respite)
        if endsInTime { #expect(machine.attemptEnded(only, .succeeded, at: now + 1, &actions)) }
        machine.timePassed(to: now + LaunchStateMachine.respite, &actions)
        #expect(machine.nodes[0].outcome == (endsInTime ? .succeeded : .timedOut))
        #expect(machine.phase == .over)
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
        #expect(AlarmThread.standstill(asleepUntil: 10 * second, at: 12 * second) == 2 * second)
        #expect(AlarmThread.standstill(asleepUntil: 10 * second, at: 9 * second) == 0)
        #expect(AlarmThread.standstill(asleepUntil: 10 * second, at: 10 * second + second / 2) == 0)
        #expect(AlarmThread.standstill(asleepUntil: .max, at: 12 * second) == 0)
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
